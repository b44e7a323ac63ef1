//! The versions of one template, in their order.
//!
//! It owns which of them a ref without version means. It refuses two entries of one version.

use cuebook_wire::Version;

use crate::library::Entry;

/// The versions of one template: a list, as most templates have one or a few.
#[derive(Debug, Default)]
pub(crate) struct Versions(Vec<Entry>);

impl Versions {
    /// Adds `entry`; `false` when its version is there already.
    pub(crate) fn add(&mut self, entry: Entry) -> bool {
        match self.position(&entry.template.version) {
            Ok(_) => false,
            Err(at) => {
                // Most templates have one version: no room is kept for others.
                self.0.reserve_exact(1);
                self.0.insert(at, entry);
                true
            }
        }
    }

    /// The entry of a version.
    pub(crate) fn get(&self, version: &Version) -> Option<&Entry> {
        self.position(version).ok().and_then(|at| self.0.get(at))
    }

    /// The highest version that is no pre-release, else the highest.
    pub(crate) fn latest(&self) -> Option<&Entry> {
        let released = self.0.iter().rev().find(|entry| !entry.template.version.is_prerelease());
        released.or_else(|| self.0.last())
    }

    /// All entries, the lowest version first.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.0.iter()
    }

    fn position(&self, version: &Version) -> Result<usize, usize> {
        self.0.binary_search_by(|entry| entry.template.version.cmp(version))
    }
}
