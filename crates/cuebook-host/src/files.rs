//! Reading files and directories, with errors that name the path.

use std::path::{Component, Path, PathBuf};

use cuebook_template::{Diagnostic, Source};
use cuebook_wire::ErrorCode;

use crate::report::Problems;

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Reads a UTF-8 text of at most 4 MiB; its name is the path as [`shown`].
///
/// # Errors
///
/// `file_unreadable` when it is not there, no regular file, too large, or not UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<Source, Problems> {
    let problem = |reason: &str| unreadable(path, reason);
    let facts = std::fs::metadata(path).map_err(|error| problem(&error.to_string()))?;
    if !facts.is_file() {
        return Err(problem("it is not a regular file"));
    }
    if facts.len() > MAX_BYTES {
        return Err(problem(&format!("it has {} bytes; at most {MAX_BYTES} are read", facts.len())));
    }
    let bytes = std::fs::read(path).map_err(|error| problem(&error.to_string()))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| problem(&format!("byte {} is not UTF-8", error.utf8_error().valid_up_to())))?;
    Ok(Source::new(shown(path).to_string(), text))
}

/// A path as a person wants to read it: without a leading `./`.
pub fn shown(path: &Path) -> std::path::Display<'_> {
    path.strip_prefix(".").ok().filter(|rest| *rest != Path::new("")).unwrap_or(path).display()
}

fn unreadable(path: &Path, reason: &str) -> Problems {
    Diagnostic::error(ErrorCode::FileUnreadable.as_str(), format!("cannot read {}: {reason}", shown(path)))
        .into()
}

/// The files of `directory` with one of the `extensions`, by name; none when the directory is not there.
///
/// # Errors
///
/// `file_unreadable` when the directory is there and cannot be listed.
pub(crate) fn list(directory: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, Problems> {
    let wanted = |path: &PathBuf| {
        path.is_file()
            && path.extension().and_then(|it| it.to_str()).is_some_and(|it| extensions.contains(&it))
    };
    Ok(entries(directory)?.into_iter().filter(wanted).collect())
}

/// Everything in `directory`, by name; nothing when it is not there.
///
/// # Errors
///
/// As [`list`].
pub(crate) fn entries(directory: &Path) -> Result<Vec<PathBuf>, Problems> {
    if !directory.exists() {
        return Ok(Vec::new());
    }
    let read = || -> std::io::Result<Vec<PathBuf>> {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        paths.sort();
        Ok(paths)
    };
    read().map_err(|error| unreadable(directory, &error.to_string()))
}

/// The path of `relative` below `root`, if it stays there: no `..`, nothing absolute, no symlink that leads out.
pub(crate) fn contained(root: &Path, relative: &str) -> Option<PathBuf> {
    let plain =
        Path::new(relative).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let path = plain.then(|| root.join(relative))?;
    let (root, real) = (root.canonicalize().ok()?, path.canonicalize().ok()?);
    real.starts_with(root).then_some(path)
}
