//! Content hashes as the wire writes them: `sha256:` and 64 hexadecimal digits.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A SHA-256 digest in its wire form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash(String);

impl ContentHash {
    /// Hashes `text` as UTF-8.
    pub fn of(text: &str) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(text);
        hasher.finish()
    }

    /// The digest as `sha256:<64 hex>`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A hash in the making, fed piece by piece.
#[derive(Clone, Debug)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Begins with no text.
    pub fn new() -> Self {
        Self(Sha256::new())
    }

    /// Appends `text`.
    pub fn update(&mut self, text: &str) {
        self.0.update(text.as_bytes());
    }

    /// The hash of all that was appended.
    pub fn finish(self) -> ContentHash {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut text = String::with_capacity(71);
        text.push_str("sha256:");
        for byte in self.0.finalize() {
            text.push(HEX[usize::from(byte >> 4)].into());
            text.push(HEX[usize::from(byte & 15)].into());
        }
        ContentHash(text)
    }
}

impl Default for Hasher {
    fn default() -> Self {
        Self::new()
    }
}
