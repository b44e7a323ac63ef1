//! Whether a file is the same as before, without reading it.
//!
//! It owns the comparison by time, size and inode. It refuses to trust a time younger than the clock's grain: a file written
//! just before it was read counts as changed until it has aged.

use std::time::{Duration, SystemTime};

use cap_std::fs::{Metadata, MetadataExt as _};

/// A file written less than this before it was looked at may be written again without its time moving.
const GRAIN: Duration = Duration::from_secs(1);

/// What tells one state of a file from another.
#[derive(Clone, Debug)]
pub(crate) struct Stamp {
    modified: SystemTime,
    length: u64,
    inode: u64,
    seen: SystemTime,
}

impl Stamp {
    pub(crate) fn of(facts: &Metadata) -> Option<Self> {
        let modified = facts.modified().ok()?.into_std();
        Some(Self { modified, length: facts.len(), inode: facts.ino(), seen: SystemTime::now() })
    }

    /// Whether the file was old enough when it was looked at.
    pub(crate) fn is_settled(&self) -> bool {
        self.seen.duration_since(self.modified).is_ok_and(|age| age >= GRAIN)
    }
}

impl PartialEq for Stamp {
    fn eq(&self, other: &Self) -> bool {
        (self.modified, self.length, self.inode) == (other.modified, other.length, other.inode)
    }
}
