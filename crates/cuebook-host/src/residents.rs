//! Which runs have a task in this process: those that are in flight.
//!
//! A run has one task at most: whoever wants to take it up claims its place here first. New runs are admitted within
//! bounds; a run that was admitted once always gets its place.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cuebook_engine::RunSignals;
use cuebook_log::RunKey;

use crate::tally::{Bounds, Full, Tally};

/// The runs that have a task, or are about to.
#[derive(Default)]
pub(crate) struct Residents(Mutex<Places>);

#[derive(Default)]
struct Places {
    runs: HashMap<RunKey, Option<RunSignals>>,
    tally: Tally,
}

impl Places {
    fn claim(&mut self, key: &RunKey) {
        self.runs.insert(key.clone(), None);
        self.tally.enter(&key.tenant);
    }

    fn leave(&mut self, key: &RunKey) {
        if self.runs.remove(key).is_some() {
            self.tally.leave(&key.tenant);
        }
    }
}

impl Residents {
    fn places(&self) -> MutexGuard<'_, Places> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims the place of a run; false when somebody has it.
    pub(crate) fn claim(&self, key: &RunKey) -> bool {
        let mut places = self.places();
        let is_free = !places.runs.contains_key(key);
        if is_free {
            places.claim(key);
        }
        is_free
    }

    /// Claims the place of a new run, unless as many are in flight as may be; false when somebody has it.
    pub(crate) fn claim_within(&self, key: &RunKey, bounds: Bounds) -> Result<bool, Full> {
        let mut places = self.places();
        if places.runs.contains_key(key) {
            return Ok(false);
        }
        places.tally.check(&key.tenant, bounds)?;
        places.claim(key);
        Ok(true)
    }

    /// Says how the task of a run is reached, whose place is claimed.
    pub(crate) fn enter(&self, key: &RunKey, signals: RunSignals) {
        if let Some(place) = self.places().runs.get_mut(key) {
            *place = Some(signals);
        }
    }

    /// Gives the place of a run up.
    pub(crate) fn leave(&self, key: &RunKey) {
        self.places().leave(key);
    }

    /// The way to the task of a run, when it has one that is under way.
    pub(crate) fn signals(&self, key: &RunKey) -> Option<RunSignals> {
        self.places().runs.get(key).cloned().flatten()
    }

    /// How many runs have a task.
    pub(crate) fn count(&self) -> usize {
        self.places().runs.len()
    }
}

#[cfg(test)]
mod tests {
    use cuebook_wire::RunId;

    use super::*;

    fn key(tenant: &str, run: &str) -> RunKey {
        RunKey { tenant: tenant.to_owned(), run_id: RunId::new(run) }
    }

    #[test]
    fn a_place_is_claimed_once_until_it_is_left() {
        let residents = Residents::default();
        let (one, other) = (key("acme", "run_1"), key("globex", "run_1"));
        assert!(residents.claim(&one) && !residents.claim(&one) && residents.claim(&other));
        assert!(residents.signals(&one).is_none());
        residents.leave(&one);
        residents.leave(&one);
        assert_eq!(residents.count(), 1);
        assert!(residents.claim(&one));
    }

    #[test]
    fn new_runs_are_admitted_within_the_bounds_of_host_and_tenant() {
        let residents = Residents::default();
        let bounds = Bounds { host: 3, tenant: 2 };
        let claim = |tenant: &str, run: &str| residents.claim_within(&key(tenant, run), bounds);
        assert_eq!((claim("a", "1"), claim("a", "2")), (Ok(true), Ok(true)));
        assert_eq!(claim("a", "3"), Err(Full::Tenant(2)));
        assert_eq!(claim("a", "2"), Ok(false), "it is in flight already");
        assert_eq!((claim("b", "1"), claim("b", "2")), (Ok(true), Err(Full::Host(3))));
        assert!(residents.claim(&key("a", "4")), "what was admitted once gets its place");
        for run in ["1", "2", "4"] {
            residents.leave(&key("a", run));
        }
        assert_eq!((claim("a", "3"), residents.count()), (Ok(true), 2));
    }
}
