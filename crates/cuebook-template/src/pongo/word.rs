//! Words that are compared often: the keys of maps, and the names that templates look for.
//!
//! It owns a text together with its first eight bytes as a number. Most keys are no longer than that, and then two
//! are the same word exactly when two numbers are the same; only longer ones look at their text.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};

/// A word.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    text: Box<str>,
    /// The first bytes, little end first, and zeros.
    head: u64,
}

impl Word {
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }
}

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        Self::from(Box::<str>::from(text))
    }
}

impl From<Box<str>> for Word {
    fn from(text: Box<str>) -> Self {
        let mut head = [0; 8];
        let len = text.len().min(8);
        head[..len].copy_from_slice(&text.as_bytes()[..len]);
        Self { text, head: u64::from_le_bytes(head) }
    }
}

impl PartialEq for Word {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.head == other.head
            && self.text.len() == other.text.len()
            && (self.text.len() <= 8 || self.text == other.text)
    }
}

impl Eq for Word {}

/// As the text, so that a map can be asked with a `str`.
impl Hash for Word {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl Borrow<str> for Word {
    fn borrow(&self) -> &str {
        &self.text
    }
}
