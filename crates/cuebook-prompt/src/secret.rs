//! Secrets: their ids, their values, and the port that fetches them.
//!
//! A [`SecretText`] has no `Debug`, no `Display`, no `Serialize` and no `Clone`; it is wiped when dropped. What may
//! be written down about a secret is its id, as the marker of [`SecretId::marker`].

use std::fmt;

use futures_util::future::BoxFuture;
use zeroize::Zeroizing;

/// The name of a secret that the host's configuration declares: 1 to 128 of `A-Z a-z 0-9 . _ -`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretId(String);

impl SecretId {
    /// Reads an id; `None` when a character or the length is outside the grammar.
    pub fn parse(text: &str) -> Option<Self> {
        let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        ((1..=128).contains(&text.len()) && text.bytes().all(good)).then(|| Self(text.to_owned()))
    }

    /// Reads either an id or its marker `[REDACTED:<id>]`.
    pub fn parse_marker(text: &str) -> Option<Self> {
        Self::parse(text.strip_prefix("[REDACTED:")?.strip_suffix(']')?)
    }

    /// What stands for the secret wherever text can be seen: `[REDACTED:<id>]`.
    pub fn marker(&self) -> String {
        format!("[REDACTED:{}]", self.0)
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SecretId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The value of a secret, wiped from memory when dropped.
pub struct SecretText(Zeroizing<String>);

impl SecretText {
    /// The fewest bytes a secret may have: a shorter one could not be told from ordinary text when scrubbing.
    pub const MIN_BYTES: usize = 8;

    /// The most bytes a secret may have: the scrubber looks for each in dozens of spellings.
    pub const MAX_BYTES: usize = 8 * 1024;

    /// Takes a value as a store gave it; `None` when it is shorter than [`Self::MIN_BYTES`] or longer than
    /// [`Self::MAX_BYTES`].
    pub fn new(value: String) -> Option<Self> {
        let value = Zeroizing::new(value);
        (Self::MIN_BYTES..=Self::MAX_BYTES).contains(&value.len()).then_some(Self(value))
    }

    /// Lends the value to `read`; called where text is composed, where a request is signed, and by the scrubber.
    pub fn expose<R>(&self, read: impl FnOnce(&str) -> R) -> R {
        read(&self.0)
    }
}

/// Who asks for a secret; a declaration's `allow` list is held against it.
#[derive(Clone, Copy, Debug, Default)]
pub struct SecretUse<'a> {
    /// The agent bound to the node, if any.
    pub agent: Option<&'a str>,
    /// The workflow that runs, if any.
    pub workflow: Option<&'a str>,
    /// The library of the template that names the secret; `None` for the host's own needs, such as a provider's key.
    pub library: Option<&'a str>,
}

/// Why a secret was not had; it says nothing about which secrets exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("secret '{id}' is not available here")]
pub struct SecretUnavailable {
    /// The id that was asked for.
    pub id: String,
}

/// Where secrets come from.
pub trait SecretStore: Send + Sync {
    /// Fetches the value of `id` anew.
    ///
    /// # Errors
    ///
    /// When the id is not declared, its `allow` list does not name the use, its origin is out of reach, or the value
    /// is shorter than [`SecretText::MIN_BYTES`] or longer than [`SecretText::MAX_BYTES`]. The error is the same for all of them.
    fn fetch<'a>(
        &'a self,
        id: &'a SecretId,
        by: SecretUse<'a>,
    ) -> BoxFuture<'a, Result<SecretText, SecretUnavailable>>;
}
