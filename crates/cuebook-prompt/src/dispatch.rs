//! The face of a composition that a model gets.
//!
//! It owns the text with the secrets in it. It refuses to be logged: there is no `Debug`, no `Display`, no
//! `Serialize` and no `Clone`, and the text can be read only inside the closure given to [`Dispatch::expose`].

use std::ops::Range;

use zeroize::Zeroizing;

use crate::secret::SecretText;

/// What is sent to a model, secrets included; a body that may hold one is wiped from memory when dropped.
pub struct Dispatch {
    system: Option<Sent>,
    user: Option<Sent>,
}

/// One body as it is sent.
pub(crate) enum Sent {
    /// A body without secret: nothing but what may be seen of it.
    Seen(String),
    /// A body that may hold a secret.
    Dark(Zeroizing<String>),
}

impl Sent {
    /// The part `body` of the text that may be seen, with each secret in the place that is `hidden`; the places are in order.
    pub(crate) fn of(seen: &str, body: Range<usize>, hidden: &[(Range<usize>, &SecretText)]) -> Self {
        if hidden.is_empty() {
            return Self::Seen(seen[body].to_owned());
        }
        let secrets: usize = hidden.iter().map(|(_, secret)| secret.expose(str::len)).sum();
        // It never grows, so that no part of it is left behind where it was before.
        let mut text = Zeroizing::new(String::with_capacity(body.len() + secrets));
        let mut copied = body.start;
        for (place, secret) in hidden {
            text.push_str(&seen[copied..place.start]);
            secret.expose(|secret| text.push_str(secret));
            copied = place.end;
        }
        text.push_str(&seen[copied..body.end]);
        Self::Dark(text)
    }

    fn text(&self) -> &str {
        match self {
            Self::Seen(text) => text,
            Self::Dark(text) => text,
        }
    }
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
    /// Takes two bodies that may hold secrets.
    pub fn new(system: Option<String>, user: Option<String>) -> Self {
        let dark = |text: Option<String>| text.map(|text| Sent::Dark(Zeroizing::new(text)));
        Self::of(dark(system), dark(user))
    }

    /// Takes the two bodies as composed.
    pub(crate) fn of(system: Option<Sent>, user: Option<Sent>) -> Self {
        Self { system, user }
    }

    /// Lends the text to `read`.
    ///
    /// Only `cuebook-provider` may call this; `clippy.toml` disallows it everywhere else.
    pub fn expose<R>(&self, read: impl FnOnce(DispatchText<'_>) -> R) -> R {
        read(DispatchText {
            system: self.system.as_ref().map(Sent::text),
            user: self.user.as_ref().map(Sent::text),
        })
    }
}
