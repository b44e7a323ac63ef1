//! A project directory of a host, with the last state of it that was sound.
//!
//! It owns when files are read again: project files when their stamps differ, prompt files when somebody saw them change. It
//! refuses to give a sound state up for a broken one.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cuebook_template::{Diagnostic, Severity};

use crate::facts::FileFacts;
use crate::load::{Loaded, load};
use crate::snapshot::Snapshot;
use crate::stamp::Stamps;

/// A project directory.
#[derive(Debug)]
pub(crate) struct Slot {
    directory: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    good: Arc<Snapshot>,
    stamps: Stamps,
    facts: FileFacts,
    /// Why the project files as they are now cannot be used.
    broken: Vec<Diagnostic>,
    /// Whether a prompt file was touched that was not looked into since.
    is_touched: bool,
    /// What is wrong with the prompt files that the good state lists.
    unusable: Vec<Diagnostic>,
}

impl Slot {
    /// Opens a directory; gives what is doubtful about it too.
    pub(crate) fn open(directory: &Path) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        let mut facts = FileFacts::default();
        let (snapshot, remarks) = read(directory, &mut facts)?;
        let state = State {
            stamps: Stamps::of(&snapshot.files()),
            good: Arc::new(snapshot),
            facts,
            broken: Vec::new(),
            is_touched: false,
            unusable: Vec::new(),
        };
        Ok((Self { directory: directory.to_owned(), state: Mutex::new(state) }, remarks))
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The last good state, without a look at the files.
    pub(crate) fn good(&self) -> Arc<Snapshot> {
        Arc::clone(&self.lock().good)
    }

    /// The last good state, after a look at whether the project files are still the same; and what is wrong with them.
    pub(crate) fn current(&self) -> (Arc<Snapshot>, Vec<Diagnostic>) {
        let state = self.fresh();
        (Arc::clone(&state.good), state.broken.clone())
    }

    /// What is wrong with the project files, or else with the prompt files that were touched.
    pub(crate) fn faults(&self) -> Vec<Diagnostic> {
        let mut state = self.fresh();
        state.look_again();
        if state.broken.is_empty() { state.unusable.clone() } else { state.broken.clone() }
    }

    pub(crate) fn touched(&self, path: &Path) {
        let mut state = self.lock();
        state.is_touched |= state.facts.forget(path);
    }

    pub(crate) fn reads(&self) -> usize {
        self.lock().facts.reads()
    }

    fn fresh(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        if !state.stamps.hold() {
            state.reload(&self.directory);
        }
        state
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn reload(&mut self, directory: &Path) {
        self.facts.forget_faults();
        self.stamps = Stamps::of(&self.good.files());
        match read(directory, &mut self.facts) {
            Ok((snapshot, _)) => {
                self.stamps = Stamps::of(&snapshot.files());
                self.good = Arc::new(snapshot);
                self.broken = Vec::new();
                self.is_touched = false;
                self.unusable = Vec::new();
            }
            Err(problems) => self.broken = problems,
        }
    }

    /// Looks into the prompt files that were touched, and into no other.
    fn look_again(&mut self) {
        if !std::mem::take(&mut self.is_touched) {
            return;
        }
        let mut found = Vec::new();
        for project in &self.good.projects {
            for recipe in project.recipes() {
                found.extend(self.facts.check(project.root(), recipe));
            }
        }
        found.retain(|finding| finding.severity == Severity::Error);
        self.unusable = found;
    }
}

fn read(directory: &Path, facts: &mut FileFacts) -> Result<(Snapshot, Vec<Diagnostic>), Vec<Diagnostic>> {
    let Loaded { project, remarks } = load(directory, facts)?;
    Ok((Snapshot::of(&project)?, remarks))
}
