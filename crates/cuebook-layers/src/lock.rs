//! What bundled files were like when a project overrode them.
//!
//! It owns `.cuebook/prompt_files.lock`: for each overridden name the hash of the bundled text. It is written sorted, one line a
//! name, in one step. It refuses to guess: a name without a line was not recorded.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;

use cuebook_prompt::ContentHash;
use cuebook_template::{Diagnostic, Source};
use cuebook_wire::ErrorCode;
use cuebook_wire::pointer::step;
use cuebook_wire::strict::{Document, Fault};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::reference::TemplateRef;

/// The path of the record below a project's directory.
pub const LOCK_FILE: &str = ".cuebook/prompt_files.lock";

const HASH_FORM: &str = "a hash is `sha256:` and 64 hexadecimal digits";

const HEAD: &str = "# The bundled text below each overridden file, as it was when the override was made or last looked at.\n\
                    version: 1\n";

/// The hashes of bundled texts by the names that a project overrides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    hashes: BTreeMap<TemplateRef, ContentHash>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, title = "PromptFilesLock")]
struct LockFile {
    /// The version of the form: 1.
    #[schemars(range(min = 1, max = 1), extend("x-hint" = "this host reads version 1"))]
    #[expect(dead_code, reason = "the schema allows one value")]
    version: u8,
    /// The hash of each overridden file's bundled text.
    #[serde(default)]
    bundled: BTreeMap<String, String>,
}

impl LockFile {
    fn entries(&self) -> impl Iterator<Item = (&str, Result<(TemplateRef, ContentHash), String>)> {
        self.bundled.iter().map(|(name, hash)| {
            let reference = TemplateRef::parse(name).map_err(|bad| bad.to_string());
            let hash = ContentHash::parse(hash).ok_or_else(|| HASH_FORM.to_owned());
            (name.as_str(), reference.and_then(|reference| Ok((reference, hash?))))
        })
    }
}

impl Document for LockFile {
    const CODE: ErrorCode = ErrorCode::LockInvalid;

    fn rules(&self) -> Vec<Fault> {
        let wrong = self.entries().filter_map(|(name, entry)| {
            Some(Fault::new(format!("/bundled{}", step(name)), Self::CODE, entry.err()?))
        });
        wrong.collect()
    }
}

impl Lock {
    /// Reads a record.
    ///
    /// # Errors
    ///
    /// `lock_invalid` for everything that is wrong with it.
    pub fn read(source: &Source) -> Result<Self, Vec<Diagnostic>> {
        let (file, _) = cuebook_yaml::read::<LockFile>(source)?;
        Ok(Self { hashes: file.entries().filter_map(|(_, entry)| entry.ok()).collect() })
    }

    /// Reads the record of the project in `directory`; one without a record has an empty one.
    ///
    /// # Errors
    ///
    /// As [`Lock::read`], and `file_unreadable` when the file is there and cannot be read.
    pub fn load(directory: &Path) -> Result<Self, Vec<Diagnostic>> {
        match std::fs::read_to_string(directory.join(LOCK_FILE)) {
            Ok(text) => Self::read(&Source::new(LOCK_FILE, text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => {
                let message = format!("{LOCK_FILE} cannot be read: {error}");
                Err(vec![Diagnostic::error(ErrorCode::FileUnreadable.as_str(), message)])
            }
        }
    }

    /// Writes the record of the project in `directory`, whole or not at all; a record that is the same is left alone, and
    /// one that says nothing is not begun.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn save(&self, directory: &Path) -> io::Result<()> {
        let path = directory.join(LOCK_FILE);
        let text = self.to_text();
        if self.hashes.is_empty() && !path.exists() {
            return Ok(());
        }
        if std::fs::read_to_string(&path).is_ok_and(|before| before == text) {
            return Ok(());
        }
        let parent = path.parent().unwrap_or(directory);
        std::fs::create_dir_all(parent)?;
        let mut file = tempfile::NamedTempFile::new_in(parent)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&path).map(drop).map_err(|error| error.error)
    }

    /// The text of the record.
    pub fn to_text(&self) -> String {
        let mut text = HEAD.to_owned();
        text.push_str(if self.hashes.is_empty() { "bundled: {}\n" } else { "bundled:\n" });
        for (reference, hash) in &self.hashes {
            let _ = writeln!(text, "  {}: {hash}", quoted(reference.as_str()));
        }
        text
    }

    /// The hash that was recorded for a name.
    pub fn hash(&self, reference: &TemplateRef) -> Option<&ContentHash> {
        self.hashes.get(reference)
    }

    /// The names that were recorded.
    pub fn references(&self) -> impl Iterator<Item = &TemplateRef> {
        self.hashes.keys()
    }

    /// Records a hash in place of the one before.
    pub fn set(&mut self, reference: TemplateRef, hash: ContentHash) {
        self.hashes.insert(reference, hash);
    }

    /// Forgets a name.
    pub fn forget(&mut self, reference: &TemplateRef) {
        self.hashes.remove(reference);
    }
}

/// A name in double quotes; names have no control characters and no backslashes.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference(name: &str) -> TemplateRef {
        TemplateRef::parse(name).expect("a name")
    }

    fn lock(names: &[&str]) -> Lock {
        let mut lock = Lock::default();
        for name in names {
            lock.set(reference(name), ContentHash::of(name));
        }
        lock
    }

    #[test]
    fn a_record_reads_back() {
        for names in [&[][..], &["partials/b.md", "agents/a.md"], &["a: b #\"'{[.md", "é\u{2028}.md"]] {
            let lock = lock(names);
            assert_eq!(Lock::read(&Source::new("lock", lock.to_text())).as_ref(), Ok(&lock));
        }
        let text = lock(&["partials/b.md", "agents/a.md"]).to_text();
        assert!(text.find("agents/a.md") < text.find("partials/b.md"), "{text}");
    }

    #[test]
    fn a_record_is_saved_whole_and_once() {
        let directory = tempfile::tempdir().expect("a directory");
        assert_eq!(Lock::load(directory.path()), Ok(Lock::default()));
        lock(&["partials/a.md"]).save(directory.path()).expect("it is written");
        lock(&["partials/b.md"]).save(directory.path()).expect("it is written");
        assert_eq!(Lock::load(directory.path()), Ok(lock(&["partials/b.md"])));
        let beside: Vec<_> = std::fs::read_dir(directory.path().join(".cuebook")).expect("entries").collect();
        assert_eq!(beside.len(), 1);
    }

    #[test]
    fn a_malformed_record_is_told_with_places() {
        let text = "version: 1\nbundled:\n  ../x: sha256:0\n  partials/x.md: sha256:0\n";
        let found = Lock::read(&Source::new("lock", text)).expect_err("it is malformed");
        let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(shown.len(), 2, "{shown:?}");
        assert!(shown[0].starts_with("lock:3:9: error[lock_invalid]: a template's name stays"), "{shown:?}");
        assert!(shown[1].starts_with("lock:4:18: error[lock_invalid]: a hash is"), "{shown:?}");
    }
}
