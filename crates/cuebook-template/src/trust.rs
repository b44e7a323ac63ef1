//! Whether content may be read as the author's own words.
//!
//! It owns the two-point lattice of `meta.contentTrust` (RFC 0020 §D). It refuses a third state: content that nobody
//! marked is given a trust by whoever lets it in.

use serde::{Deserialize, Serialize};

/// The trust of a piece of content; `Trusted < Untrusted`, and joining takes the greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Written by the author of the template or workflow, or vouched for by one.
    #[default]
    Trusted,
    /// Anything else: tool output, external events, and whatever was derived from them.
    Untrusted,
}

impl Trust {
    /// The trust of content made from both: untrusted wins.
    pub fn join(self, other: Self) -> Self {
        self.max(other)
    }

    /// Whether this is [`Trust::Untrusted`].
    pub const fn is_untrusted(self) -> bool {
        matches!(self, Self::Untrusted)
    }

    /// The word on the wire: `trusted` or `untrusted`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Untrusted => "untrusted",
        }
    }

    /// Reads the word on the wire; `None` for any other word, letter case included.
    pub fn from_wire(word: &str) -> Option<Self> {
        match word {
            "trusted" => Some(Self::Trusted),
            "untrusted" => Some(Self::Untrusted),
            _ => None,
        }
    }
}
