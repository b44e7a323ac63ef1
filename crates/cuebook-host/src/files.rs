//! Reading files and directories, with errors that name the path; putting a text in the place of another.

use std::fs::{DirEntry, File};
use std::io::{self, Read, Write as _};
use std::path::{Component, Path, PathBuf};

use cuebook_template::{Diagnostic, Source};
use cuebook_wire::ErrorCode;

use crate::report::Problems;

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Room for a file whose length nobody asked for.
const FIRST_READ: usize = 8 * 1024;

/// Reads a UTF-8 text of at most 4 MiB; its name is the path as [`shown`].
///
/// # Errors
///
/// `file_unreadable` when it is not there, no regular file, too large, or not UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<Source, Problems> {
    let text = text_of(path).map_err(|reason| unreadable(path, &reason))?;
    Ok(Source::new(shown(path).to_string(), text))
}

/// As [`read_text`], for a file that [`list`] has found: it is not asked again what it is.
///
/// # Errors
///
/// As [`read_text`].
pub(crate) fn read_listed(path: &Path) -> Result<Source, Problems> {
    let text = read_utf8(path, FIRST_READ).map_err(|reason| unreadable(path, &reason))?;
    Ok(Source::new(shown(path).to_string(), text))
}

/// The text of a file under the rules of [`read_text`].
///
/// # Errors
///
/// Why there is none, as a fragment that does not name the path.
pub(crate) fn text_of(path: &Path) -> Result<String, String> {
    let facts = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !facts.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    if facts.len() > MAX_BYTES {
        return Err(format!("it has {} bytes; at most {MAX_BYTES} are read", facts.len()));
    }
    read_utf8(path, usize::try_from(facts.len()).unwrap_or_default() + 1)
}

/// The text of a file, for which there is room for `room` bytes at first: one more than it has saves a read.
fn read_utf8(path: &Path, room: usize) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(room);
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("it has more than {MAX_BYTES} bytes"));
    }
    utf8(bytes)
}

/// Reads a UTF-8 text of at most 4 MiB from a stream called `name`.
///
/// # Errors
///
/// `file_unreadable` when it cannot be read, is too large, or is not UTF-8.
pub(crate) fn read_stream(name: &str, stream: impl Read) -> Result<Source, Problems> {
    let read = || {
        let mut bytes = Vec::new();
        stream.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(format!("it has more than {MAX_BYTES} bytes"));
        }
        utf8(bytes)
    };
    let text = read().map_err(|reason| unreadable(Path::new(name), &reason))?;
    Ok(Source::new(name, text))
}

/// Puts `text` in the place of the file at `path`, whole or not at all; who may read it stays as it was.
///
/// # Errors
///
/// `file_unreadable` when it cannot be written; then the file is as it was.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), Problems> {
    let put = || -> io::Result<()> {
        let directory = path.parent().unwrap_or_else(|| Path::new("."));
        let mut new = tempfile::NamedTempFile::new_in(directory)?;
        new.write_all(text.as_bytes())?;
        new.as_file().set_permissions(path.metadata()?.permissions())?;
        new.as_file().sync_all()?;
        new.persist(path)?;
        File::open(directory)?.sync_all()
    };
    put().map_err(|error| {
        let message = format!("cannot write {}: {error}", shown(path));
        Diagnostic::error(ErrorCode::FileUnreadable.as_str(), message).into()
    })
}

/// Bytes as text.
///
/// # Errors
///
/// The offset of the first byte that is not UTF-8.
pub(crate) fn utf8(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes)
        .map_err(|error| format!("byte {} is not UTF-8", error.utf8_error().valid_up_to()))
}

/// A path as a person wants to read it: without a leading `./`.
pub fn shown(path: &Path) -> std::path::Display<'_> {
    path.strip_prefix(".").ok().filter(|rest| *rest != Path::new("")).unwrap_or(path).display()
}

/// The problem of a file that cannot be read.
pub(crate) fn unreadable(path: &Path, reason: &str) -> Problems {
    Diagnostic::error(ErrorCode::FileUnreadable.as_str(), format!("cannot read {}: {reason}", shown(path)))
        .into()
}

/// The files of `directory` with one of the `extensions`, by name; none when the directory is not there.
///
/// # Errors
///
/// `file_unreadable` when the directory is there and cannot be listed.
pub(crate) fn list(directory: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, Problems> {
    by_name(directory, |entry| {
        let name = entry.file_name();
        let extension = Path::new(&name).extension().and_then(|it| it.to_str());
        extension.is_some_and(|it| extensions.contains(&it)) && is_file(entry)
    })
}

/// Everything in `directory`, by name; nothing when it is not there.
///
/// # Errors
///
/// As [`list`].
pub(crate) fn entries(directory: &Path) -> Result<Vec<PathBuf>, Problems> {
    by_name(directory, |_| true)
}

/// Whether an entry is a file or leads to one; the listing knows it of all but links.
fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_file() || (kind.is_symlink() && entry.path().is_file()))
}

fn by_name(directory: &Path, wanted: impl Fn(&DirEntry) -> bool) -> Result<Vec<PathBuf>, Problems> {
    if !directory.exists() {
        return Ok(Vec::new());
    }
    let read = || -> io::Result<Vec<PathBuf>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            names.extend(wanted(&entry).then(|| entry.file_name()));
        }
        names.sort_unstable();
        Ok(names.into_iter().map(|name| directory.join(name)).collect())
    };
    read().map_err(|error| unreadable(directory, &error.to_string()))
}

/// The path of `relative` below `root`, if it stays there: no `..`, nothing absolute, no symlink that leads out.
pub(crate) fn contained(root: &Path, relative: &str) -> Option<PathBuf> {
    let path = goes_down(relative).then(|| root.join(relative))?;
    let (root, real) = (root.canonicalize().ok()?, path.canonicalize().ok()?);
    real.starts_with(root).then_some(path)
}

/// Whether a path, read without a look at the disk, names something below where it is joined to.
pub(crate) fn goes_down(relative: &str) -> bool {
    Path::new(relative).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[track_caller]
    fn check(root: &Path, relative: &str, expect: bool) {
        let path = contained(root, relative);
        assert_eq!(path.is_some(), expect, "of {relative:?}");
        if let Some(path) = path {
            assert_eq!(path, root.join(relative));
        }
    }

    #[test]
    fn a_path_stays_below_its_root() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path().join("root");
        fs::create_dir_all(root.join("inner")).expect("a directory");
        for file in ["root/a.md", "root/inner/b.md", "outside.md"] {
            fs::write(directory.path().join(file), "x").expect("a file");
        }
        symlink(root.join("a.md"), root.join("inner/within.md")).expect("a link");
        symlink(directory.path().join("outside.md"), root.join("out.md")).expect("a link");
        symlink(directory.path(), root.join("up")).expect("a link");
        check(&root, "a.md", true);
        check(&root, "./inner/b.md", true);
        check(&root, "inner/within.md", true);
        check(&root, "none.md", false);
        check(&root, "../outside.md", false);
        check(&root, "inner/../a.md", false);
        check(&root, root.join("a.md").to_str().expect("a text"), false);
        check(&root, "out.md", false);
        check(&root, "up/outside.md", false);
        check(&root, "up/root/a.md", true);
    }

    #[test]
    fn paths_are_shown_without_a_leading_dot() {
        for (path, expect) in [("./a/b", "a/b"), ("a/b", "a/b"), ("/a", "/a"), (".", "."), ("../a", "../a")] {
            assert_eq!(shown(Path::new(path)).to_string(), expect);
        }
    }

    #[test]
    fn files_are_listed_by_name_and_extension() {
        let directory = tempfile::tempdir().expect("a directory");
        for file in ["b.md", "a.json", "c.txt", "md"] {
            fs::write(directory.path().join(file), "x").expect("a file");
        }
        fs::create_dir(directory.path().join("d.md")).expect("a directory");
        let found = list(directory.path(), &["md", "json"]).expect("a list");
        assert_eq!(found, [directory.path().join("a.json"), directory.path().join("b.md")]);
        assert!(list(&directory.path().join("none"), &["md"]).expect("no list").is_empty());
    }
}
