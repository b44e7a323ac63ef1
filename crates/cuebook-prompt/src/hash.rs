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

    /// Reads a hash in its wire form; none when `text` is no such hash.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("sha256:")?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (digits.len() == 64 && digits.bytes().all(is_digit)).then(|| Self(text.to_owned()))
    }

    /// The text of the hash, which is taken over.
    pub fn into_string(self) -> String {
        self.0
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
        let mut digits = [0; 64];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.0.finalize()) {
            pair.copy_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
        let mut text = String::with_capacity(71);
        text.push_str("sha256:");
        text.push_str(std::str::from_utf8(&digits).unwrap_or_default());
        ContentHash(text)
    }
}

impl Default for Hasher {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_read_in_its_wire_form_alone() {
        let hash = ContentHash::of("text");
        assert_eq!(ContentHash::parse(hash.as_str()), Some(hash.clone()));
        for wrong in ["", "sha256:", &hash.as_str()[7..], &hash.as_str().to_uppercase(), &format!("{hash}0")]
        {
            assert_eq!(ContentHash::parse(wrong), None, "{wrong:?}");
        }
    }
}
