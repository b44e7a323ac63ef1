//! A tree of files, read once: the names below a directory, each with its text or the reason why it has none.
//!
//! It owns that one bad file spoils nothing but itself, and that a file which has not changed is not read again. It refuses
//! links: what a name stands for does not depend on what lies elsewhere.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt as _};

use crate::stamp::Stamp;

/// The most bytes of one file.
pub const MAX_FILE_BYTES: u64 = 256 * 1024;
/// The most files of one tree.
pub const MAX_FILES: usize = 4096;
/// The deepest directory of a tree.
const MAX_DEPTH: usize = 16;

/// Files by their paths below a root, with `/` between the steps.
#[derive(Clone, Debug, Default)]
pub struct FileTree(BTreeMap<String, FileEntry>);

/// A file of a tree.
#[derive(Clone, Debug)]
pub struct FileEntry {
    /// The text, or why there is none; directories that are links have a fault for all that may lie below.
    pub text: Result<Arc<str>, FileFault>,
    stamp: Option<Stamp>,
}

/// Why a file has no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileFault {
    /// It is a symbolic link.
    Link,
    /// It has more than [`MAX_FILE_BYTES`].
    TooLarge,
    /// It is a pipe or a device.
    NotAFile,
    /// The byte at this offset is not UTF-8.
    NotUtf8(usize),
    /// Its name is not UTF-8, or the directories are too deep.
    BadName,
    /// Two files of one layer have spellings of this name.
    Doubled(String, String),
    /// Several packs bring it, and nobody has named a winner.
    Contested(Vec<String>),
    /// The host has switched it off.
    Disabled,
    /// What the system says.
    Other(String),
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link => f.write_str("it is a symbolic link, and layers have none"),
            Self::TooLarge => write!(f, "it has more than {MAX_FILE_BYTES} bytes"),
            Self::NotAFile => f.write_str("it is no regular file"),
            Self::NotUtf8(at) => write!(f, "it is not UTF-8: byte {at} is out of place"),
            Self::BadName => f.write_str("its name is not UTF-8, or it lies too deep"),
            Self::Doubled(one, other) => write!(f, "{one} and {other} are two spellings of one name"),
            Self::Contested(packs) => write!(f, "{} all bring it, and no winner is named", packs.join(", ")),
            Self::Disabled => f.write_str("disabled by the host"),
            Self::Other(reason) => f.write_str(reason),
        }
    }
}

impl FileTree {
    /// Reads the files below `directory`; `None` when there is no such directory. What `before` has and did not change since
    /// is not read again.
    ///
    /// # Errors
    ///
    /// When the directory cannot be opened, is a link, or holds more than [`MAX_FILES`] files.
    pub fn read(directory: &Path, before: Option<&Self>) -> io::Result<Option<Self>> {
        match directory.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
            Ok(facts) if facts.is_symlink() => return Err(io::Error::other("it is a symbolic link")),
            Ok(_) => {}
        }
        let dir = Dir::open_ambient_dir(directory, ambient_authority())?;
        let mut walk = Walk { before, files: BTreeMap::new() };
        walk.directory(&dir, "", 0)?;
        Ok(Some(Self(walk.files)))
    }

    /// A tree of texts in memory.
    pub fn of<N: Into<String>, T: Into<Arc<str>>>(files: impl IntoIterator<Item = (N, T)>) -> Self {
        let entry = |text: T| FileEntry { text: Ok(text.into()), stamp: None };
        Self(files.into_iter().map(|(name, text)| (name.into(), entry(text))).collect())
    }

    /// A tree of files that were read elsewhere, each held to what holds for those of a directory.
    pub fn of_bytes<'b>(files: impl IntoIterator<Item = (&'b str, &'b [u8])>) -> Self {
        let entry = |bytes: &[u8]| FileEntry { text: text(bytes.to_vec()).map(Arc::from), stamp: None };
        Self(files.into_iter().map(|(name, bytes)| (name.to_owned(), entry(bytes))).collect())
    }

    /// The files in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &FileEntry)> {
        self.0.iter().map(|(name, entry)| (name.as_str(), entry))
    }

    /// The file called `name`.
    pub fn get(&self, name: &str) -> Option<&FileEntry> {
        self.0.get(name)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether both have the same names with the same texts and faults; texts that are shared are not compared.
    pub fn same_as(&self, other: &Self) -> bool {
        let same = |(left, right): (&FileEntry, &FileEntry)| match (&left.text, &right.text) {
            (Ok(left), Ok(right)) => Arc::ptr_eq(left, right) || left == right,
            (left, right) => left == right,
        };
        self.0.len() == other.0.len()
            && self
                .0
                .iter()
                .zip(&other.0)
                .all(|((left, one), (right, two))| left == right && same((one, two)))
    }
}

struct Walk<'b> {
    before: Option<&'b FileTree>,
    files: BTreeMap<String, FileEntry>,
}

impl Walk<'_> {
    fn directory(&mut self, dir: &Dir, above: &str, depth: usize) -> io::Result<()> {
        for entry in dir.entries()? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                self.fault(format!("{above}{}", entry.file_name().to_string_lossy()), FileFault::BadName)?;
                continue;
            };
            let path = format!("{above}{name}");
            let kind = entry.file_type()?;
            if kind.is_symlink() {
                self.fault(path, FileFault::Link)?;
            } else if !kind.is_dir() {
                self.file(dir, &name, path)?;
            } else if is_called_as_a_file(&name) {
                self.fault(path, FileFault::NotAFile)?;
            } else if depth == MAX_DEPTH {
                self.fault(path, FileFault::BadName)?;
            } else {
                self.below(dir, &name, &path, depth)?;
            }
        }
        Ok(())
    }

    fn below(&mut self, dir: &Dir, name: &str, path: &str, depth: usize) -> io::Result<()> {
        match dir.open_dir(name) {
            Ok(below) => self.directory(&below, &format!("{path}/"), depth + 1),
            Err(error) => self.fault(path.to_owned(), FileFault::Other(error.to_string())),
        }
    }

    fn fault(&mut self, path: String, fault: FileFault) -> io::Result<()> {
        self.insert(path, FileEntry { text: Err(fault), stamp: None })
    }

    fn insert(&mut self, path: String, entry: FileEntry) -> io::Result<()> {
        self.files.insert(path, entry);
        if self.files.len() > MAX_FILES {
            return Err(io::Error::other(format!("it has more than {MAX_FILES} files")));
        }
        Ok(())
    }

    fn file(&mut self, dir: &Dir, name: &str, path: String) -> io::Result<()> {
        let stamp = dir.symlink_metadata(name).ok().and_then(|facts| Stamp::of(&facts));
        let known = self.before.and_then(|before| before.get(&path));
        if let Some(known) = known.filter(|known| {
            stamp.is_some() && known.stamp == stamp && stamp.as_ref().is_some_and(Stamp::is_settled)
        }) {
            return self.insert(path, known.clone());
        }
        let text = read(dir, name).map(Arc::from);
        self.insert(path, FileEntry { text, stamp })
    }
}

/// Whether a directory has the name of a template: that name then stands for nothing, and not for what lies below.
fn is_called_as_a_file(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|it| it == "md" || it == "yaml") && !name.starts_with('.')
}

/// Reads a regular file; a pipe does not hold the reader up, since nobody waits for its other end.
fn read(dir: &Dir, name: &str) -> Result<String, FileFault> {
    let file = open(dir, name)?;
    let mut bytes = Vec::new();
    let other = |error: io::Error| FileFault::Other(error.to_string());
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(other)?;
    text(bytes)
}

/// The text of a file's bytes.
fn text(bytes: Vec<u8>) -> Result<String, FileFault> {
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(FileFault::TooLarge);
    }
    String::from_utf8(bytes).map_err(|error| FileFault::NotUtf8(error.utf8_error().valid_up_to()))
}

fn open(dir: &Dir, name: &str) -> Result<File, FileFault> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW);
    let file = dir.open_with(name, &options).map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => FileFault::Link,
        _ => FileFault::Other(error.to_string()),
    })?;
    match file.metadata() {
        Ok(facts) if !facts.is_file() => Err(FileFault::NotAFile),
        Ok(facts) if facts.len() > MAX_FILE_BYTES => Err(FileFault::TooLarge),
        Ok(_) => Ok(file),
        Err(error) => Err(FileFault::Other(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn tree() -> tempfile::TempDir {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path();
        fs::create_dir_all(path.join("partials/deep")).expect("directories");
        fs::write(path.join("partials/a.md"), "a").expect("a file");
        fs::write(path.join("partials/deep/b.md"), "b").expect("a file");
        fs::write(path.join("bad.md"), b"ok\xff").expect("a file");
        fs::write(path.join("big.md"), vec![b'x'; 300_000]).expect("a file");
        symlink("partials/a.md", path.join("link.md")).expect("a link");
        symlink("partials", path.join("linked")).expect("a link");
        directory
    }

    #[test]
    fn one_bad_file_spoils_only_itself() {
        let directory = tree();
        let files = FileTree::read(directory.path(), None).expect("it is read").expect("it is there");
        let text = |name: &str| files.get(name).expect("an entry").text.clone();
        assert_eq!(text("partials/a.md").as_deref(), Ok("a"));
        assert_eq!(text("partials/deep/b.md").as_deref(), Ok("b"));
        assert_eq!(text("bad.md"), Err(FileFault::NotUtf8(2)));
        assert_eq!(text("big.md"), Err(FileFault::TooLarge));
        assert_eq!(text("link.md"), Err(FileFault::Link));
        assert_eq!(text("linked"), Err(FileFault::Link));
        assert_eq!(files.len(), 6);
    }

    #[test]
    fn bytes_in_memory_are_held_to_the_same() {
        let big = vec![b'x'; 300_000];
        let files = FileTree::of_bytes([("a.md", &b"a"[..]), ("bad.md", b"ok\xff"), ("big.md", &big)]);
        let text = |name: &str| files.get(name).expect("an entry").text.clone();
        assert_eq!(text("a.md").as_deref(), Ok("a"));
        assert_eq!((text("bad.md"), text("big.md")), (Err(FileFault::NotUtf8(2)), Err(FileFault::TooLarge)));
    }

    #[test]
    fn what_is_not_there_is_no_tree() {
        let directory = tree();
        assert!(FileTree::read(&directory.path().join("none"), None).expect("no error").is_none());
        assert!(FileTree::read(&directory.path().join("linked"), None).is_err());
    }

    #[test]
    fn an_edit_makes_another_tree() {
        let directory = tree();
        let before = FileTree::read(directory.path(), None).expect("it is read").expect("it is there");
        let same = FileTree::read(directory.path(), Some(&before)).expect("it is read").expect("it is there");
        assert!(before.same_as(&same));
        fs::write(directory.path().join("partials/a.md"), "A").expect("a file");
        let after = FileTree::read(directory.path(), Some(&same)).expect("it is read").expect("it is there");
        assert!(!before.same_as(&after));
        assert_eq!(after.get("partials/a.md").expect("an entry").text.as_deref(), Ok("A"));
    }
}
