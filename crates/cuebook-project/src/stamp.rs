//! Whether files are the same as before, without reading them.
//!
//! It owns the comparison by time, size and inode. It refuses to trust a time that is younger than the clock's grain: a file
//! that was written just before it was read counts as changed, until it has aged.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A file written less than this before it was looked at may be written again without its time moving.
const GRAIN: Duration = Duration::from_secs(1);

/// The stamps of some files at one moment.
#[derive(Debug)]
pub(crate) struct Stamps(Vec<(PathBuf, Option<Stamp>)>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    modified: SystemTime,
    length: u64,
    inode: u64,
    is_young: bool,
}

impl Stamps {
    pub(crate) fn of(files: &[PathBuf]) -> Self {
        Self(files.iter().map(|path| (path.clone(), stamp(path))).collect())
    }

    /// Whether every file is as it was.
    pub(crate) fn hold(&self) -> bool {
        self.0.iter().all(|(path, before)| match (before, stamp(path)) {
            (None, None) => true,
            (Some(before), Some(now)) => {
                !before.is_young
                    && (before.modified, before.length, before.inode) == (now.modified, now.length, now.inode)
            }
            _ => false,
        })
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    use std::os::unix::fs::MetadataExt as _;
    let facts = std::fs::metadata(path).ok()?;
    let modified = facts.modified().ok()?;
    let age = SystemTime::now().duration_since(modified).unwrap_or_default();
    Some(Stamp { modified, length: facts.len(), inode: facts.ino(), is_young: age < GRAIN })
}
