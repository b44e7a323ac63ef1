//! The face of a composition that a model gets.
//!
//! It owns the text with the secrets in it. It refuses to be logged: there is no `Debug`, no `Display`, no
//! `Serialize` and no `Clone`, and the text can be read only inside the closure given to [`Dispatch::expose`].

use zeroize::Zeroizing;

/// What is sent to a model, secrets included; wiped from memory when dropped.
pub struct Dispatch {
    system: Option<Zeroizing<String>>,
    user: Option<Zeroizing<String>>,
}

/// A look at a [`Dispatch`] for as long as one closure runs; at least one of the bodies is there.
#[derive(Clone, Copy)]
pub struct DispatchText<'a> {
    /// The system body: system prompt, then schema hints, then additional refs of those kinds.
    pub system: Option<&'a str>,
    /// The user body: few-shot examples, then the user prompt, then additional refs of those kinds.
    pub user: Option<&'a str>,
}

impl Dispatch {
    /// Takes the two bodies as composed.
    pub fn new(system: Option<String>, user: Option<String>) -> Self {
        Self { system: system.map(Zeroizing::new), user: user.map(Zeroizing::new) }
    }

    /// Lends the text to `read`.
    ///
    /// Only `cuebook-provider` may call this; `clippy.toml` disallows it everywhere else.
    pub fn expose<R>(&self, read: impl FnOnce(DispatchText<'_>) -> R) -> R {
        read(DispatchText {
            system: self.system.as_ref().map(|text| text.as_str()),
            user: self.user.as_ref().map(|text| text.as_str()),
        })
    }
}
