//! The hash of a whole pack, in the form of Subresource Integrity: `sha256-` and the digest in base64.
//!
//! It stands for the listing that `sha256sum` prints of the pack's files, sorted by path, so that it can be made and held
//! against a pack with the tools of any system. Only SHA-256 is read.

use std::fmt;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use super::files::PackFiles;

/// The file of a pack that holds its hash; it is no part of what is hashed.
pub(super) const INTEGRITY_FILE: &str = "pack.integrity";

const PREFIX: &str = "sha256-";

/// The hash of a pack's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integrity([u8; 32]);

impl Integrity {
    /// Reads `sha256-<base64>`; nothing when it is not that.
    pub fn parse(text: &str) -> Option<Self> {
        let digest = STANDARD.decode(text.trim().strip_prefix(PREFIX)?).ok()?;
        digest.try_into().ok().map(Self)
    }

    /// The hash of `files`.
    pub(super) fn of(files: &PackFiles) -> Self {
        let mut listing = Sha256::new();
        for (path, bytes) in files.iter().filter(|(path, _)| *path != INTEGRITY_FILE) {
            listing.update(format!("{}  {path}\n", hex(&Sha256::digest(bytes))));
        }
        Self(listing.finalize().into())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl fmt::Display for Integrity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", STANDARD.encode(self.0))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_pack_is_hashed_as_its_listing() {
        let directory = tempfile::tempdir().expect("a directory");
        fs::create_dir(directory.path().join("b")).expect("a folder");
        for (path, text) in
            [("a.txt", "one\n"), ("b/c.txt", "two\n"), (INTEGRITY_FILE, "x"), (".hidden", "y")]
        {
            fs::write(directory.path().join(path), text).expect("a file");
        }
        let files = PackFiles::read(directory.path()).expect("the files");
        let found = Integrity::of(&files).to_string();
        // printf 'one\n' | sha256sum and so on; then: sha256sum a.txt b/c.txt | openssl dgst -sha256 -binary | base64
        assert_eq!(found, "sha256-tHPu/P53020Va8wcRU9GXhYyoxMWnAVWHqubTRHE5oc=");
        assert_eq!(Integrity::parse(&found), Some(Integrity::of(&files)));
    }

    #[track_caller]
    fn check_no_hash(text: &str) {
        assert_eq!(Integrity::parse(text), None, "of {text:?}");
    }

    #[test]
    fn what_is_no_hash_is_not_read() {
        for text in ["", "sha256-", "sha256-AAAA", "sha512-AAAA", "sha256-%%%", &"A".repeat(44)] {
            check_no_hash(text);
        }
    }
}
