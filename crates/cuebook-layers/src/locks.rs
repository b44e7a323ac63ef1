//! The records of several projects.
//!
//! It owns that each project's overlay is held against the record of that project. It refuses to mix them: a file that two
//! projects override has two lines, one in each record.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use cuebook_template::Diagnostic;

use crate::layer::Layer;
use crate::lock::Lock;
use crate::reference::TemplateRef;
use crate::snapshot::Snapshot;
use crate::status;

/// The records of projects by their directories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locks(BTreeMap<PathBuf, Lock>);

impl Locks {
    /// Reads the records of the projects in `directories`.
    ///
    /// # Errors
    ///
    /// As [`Lock::load`], for each of them.
    pub fn load(directories: impl IntoIterator<Item = PathBuf>) -> Result<Self, Vec<Diagnostic>> {
        let (mut locks, mut problems) = (Self::default(), Vec::new());
        for directory in directories {
            match Lock::load(&directory) {
                Ok(lock) => drop(locks.0.insert(directory, lock)),
                Err(found) => problems.extend(found),
            }
        }
        if problems.is_empty() { Ok(locks) } else { Err(problems) }
    }

    /// Records that were read before.
    #[cfg(test)]
    pub(crate) fn of_projects<const N: usize>(all: [(&str, Lock); N]) -> Self {
        Self(all.into_iter().map(|(project, lock)| (project.into(), lock)).collect())
    }

    /// The record that holds for the files of `layer`; none for the layers of sites and packs.
    pub fn of(&self, layer: &Layer) -> Option<&Lock> {
        self.0.get(layer.project()?)
    }

    /// Records, for each project, the bundled text below each file of its overlay that has no record yet, and of those in
    /// `looked_at` anew; forgets names that the overlay has no more. Gives the names whose record is another now.
    pub fn record(&mut self, snapshot: &Snapshot, looked_at: &[TemplateRef]) -> Vec<TemplateRef> {
        let mut changed: Vec<TemplateRef> = self
            .0
            .iter_mut()
            .flat_map(|(project, lock)| status::record(snapshot, project, lock, looked_at))
            .collect();
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// Writes each record that says anything, and those that said something before.
    ///
    /// # Errors
    ///
    /// What the system says, with the directory.
    pub fn save(&self) -> Result<(), (&Path, io::Error)> {
        self.0.iter().try_for_each(|(directory, lock)| {
            lock.save(directory).map_err(|error| (directory.as_path(), error))
        })
    }
}
