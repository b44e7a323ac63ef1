//! Which runs have a task in this process.
//!
//! A run has one task at most: whoever wants to take it up claims its place here first.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cuebook_engine::RunSignals;
use cuebook_log::RunKey;

/// The runs that have a task, or are about to.
#[derive(Default)]
pub(crate) struct Residents(Mutex<HashMap<RunKey, Option<RunSignals>>>);

impl Residents {
    fn runs(&self) -> MutexGuard<'_, HashMap<RunKey, Option<RunSignals>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims the place of a run; false when somebody has it.
    pub(crate) fn claim(&self, key: &RunKey) -> bool {
        let mut runs = self.runs();
        let is_free = !runs.contains_key(key);
        if is_free {
            runs.insert(key.clone(), None);
        }
        is_free
    }

    /// Says how the task of a run is reached.
    pub(crate) fn enter(&self, key: RunKey, signals: RunSignals) {
        self.runs().insert(key, Some(signals));
    }

    /// Gives the place of a run up.
    pub(crate) fn leave(&self, key: &RunKey) {
        self.runs().remove(key);
    }

    /// The way to the task of a run, when it has one that is under way.
    pub(crate) fn signals(&self, key: &RunKey) -> Option<RunSignals> {
        self.runs().get(key).cloned().flatten()
    }

    /// How many runs have a task.
    pub(crate) fn count(&self) -> usize {
        self.runs().len()
    }
}

#[cfg(test)]
mod tests {
    use cuebook_wire::RunId;

    use super::*;

    #[test]
    fn a_place_is_claimed_once_until_it_is_left() {
        let residents = Residents::default();
        let key = RunKey { tenant: "acme".to_owned(), run_id: RunId::new("run_1") };
        let other = RunKey { tenant: "globex".to_owned(), ..key.clone() };
        assert!(residents.claim(&key) && !residents.claim(&key) && residents.claim(&other));
        assert!(residents.signals(&key).is_none());
        residents.leave(&key);
        assert_eq!(residents.count(), 1);
        assert!(residents.claim(&key));
    }
}
