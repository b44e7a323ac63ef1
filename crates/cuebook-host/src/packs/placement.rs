//! Putting a checked pack into its place, whole or not at all: written beside it, then renamed.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use cuebook_template::Diagnostic;
use cuebook_wire::ErrorCode;
use tempfile::TempDir;

use super::Pack;
use super::integrity::INTEGRITY_FILE;
use crate::files::shown;
use crate::report::Problems;

/// Writes the files of `pack` and its hash to `place`, whose directory is made when it is not there; what is at `place` is
/// replaced.
///
/// # Errors
///
/// `file_unreadable` when something cannot be written; then `place` is as it was.
pub(super) fn put(pack: &Pack, place: &Path) -> Result<(), Problems> {
    let parent = place.parent().unwrap_or_else(|| Path::new("."));
    let failed = |error: io::Error| unwritable(place, &error);
    fs::create_dir_all(parent).map_err(failed)?;
    let new = beside(parent, ".new-").map_err(failed)?;
    write_all(pack, new.path()).map_err(failed)?;
    exchange(new.path(), place, parent).map_err(failed)
}

/// Takes away what is at `place`: out of the way first, so that no half of it can be found.
///
/// # Errors
///
/// `file_unreadable` when it cannot be moved.
pub(super) fn take_away(place: &Path) -> Result<(), Problems> {
    let parent = place.parent().unwrap_or_else(|| Path::new("."));
    let failed = |error: io::Error| unwritable(place, &error);
    let old = beside(parent, ".old-").map_err(failed)?;
    fs::rename(place, old.path().join("pack")).and_then(|()| sync(parent)).map_err(failed)
}

fn unwritable(place: &Path, error: &io::Error) -> Problems {
    let message = format!("cannot write {}: {error}", shown(place));
    Diagnostic::error(ErrorCode::FileUnreadable.as_str(), message).into()
}

fn beside(parent: &Path, prefix: &str) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(prefix).tempdir_in(parent)
}

fn write_all(pack: &Pack, root: &Path) -> io::Result<()> {
    let root = root.join("pack");
    fs::create_dir(&root)?;
    for (path, bytes) in pack.files.iter() {
        write(&root.join(path), bytes)?;
    }
    write(&root.join(INTEGRITY_FILE), format!("{}\n", pack.integrity).as_bytes())?;
    sync(&root)
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Moves the pack below `new` to `place`; what was there comes back when that fails.
fn exchange(new: &Path, place: &Path, parent: &Path) -> io::Result<()> {
    let old = beside(parent, ".old-")?;
    let aside = old.path().join("pack");
    let was_there = place.exists();
    if was_there {
        fs::rename(place, &aside)?;
    }
    let moved = fs::rename(new.join("pack"), place);
    if moved.is_err() && was_there && fs::rename(&aside, place).is_err() {
        // It cannot go back: it stays aside, where a person finds it, rather than be lost.
        let _ = old.keep();
    }
    moved.and_then(|()| sync(parent))
}

/// Makes the names in a directory durable.
fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}
