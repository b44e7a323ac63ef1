//! Which runs are about to begin in which scope of a tenant.
//!
//! A scope is what callers use for the thing that a run works on (openwop-v1 §3.3). It refuses to know what it is. The store
//! knows the runs that have begun, over restarts; here stand those of which it does not know yet.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cuebook_engine::RunFacts;
use cuebook_wire::{ErrorCode, RunId};
use serde_json::json;

use crate::host::Host;
use crate::refusal::Refusal;

/// How long a caller should wait for another run to end, in seconds.
const RETRY_AFTER: u64 = 5;

/// Tenant and scope.
type Slot = (String, String);

/// The runs that are about to begin, by scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scopes(Arc<Mutex<HashMap<Slot, Vec<RunId>>>>);

/// A run in its scope, which it leaves when this is dropped.
#[derive(Debug)]
pub(crate) struct InScope {
    scopes: Scopes,
    slot: Slot,
    run_id: RunId,
}

impl Scopes {
    fn table(&self) -> MutexGuard<'_, HashMap<Slot, Vec<RunId>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a run enter a scope; when it must be `alone`, only if no other run is there, else that run's id is the error.
    pub(crate) fn enter(
        &self,
        tenant: &str,
        scope: &str,
        run_id: &RunId,
        alone: bool,
    ) -> Result<InScope, RunId> {
        let slot = (tenant.to_owned(), scope.to_owned());
        let mut table = self.table();
        let runs = table.entry(slot.clone()).or_default();
        if let Some(other) = runs.iter().find(|other| alone && *other != run_id) {
            return Err(other.clone());
        }
        runs.push(run_id.clone());
        drop(table);
        Ok(InScope { scopes: self.clone(), slot, run_id: run_id.clone() })
    }
}

impl Drop for InScope {
    fn drop(&mut self) {
        let mut table = self.scopes.table();
        let Some(runs) = table.get_mut(&self.slot) else { return };
        if let Some(at) = runs.iter().position(|run| *run == self.run_id) {
            runs.swap_remove(at);
        }
        if runs.is_empty() {
            table.remove(&self.slot);
        }
    }
}

impl Host {
    /// Has a run enter the scope that its facts name; it must be held until the run's first record is durable.
    ///
    /// Whoever must be alone is let in only when no run that has not ended is there, nor one that is about to begin.
    pub(crate) async fn enter_scope(
        &self,
        facts: &RunFacts,
        alone: bool,
    ) -> Result<Option<InScope>, Refusal> {
        let Some(scope) = &facts.scope else { return Ok(None) };
        let entered = self.service.scopes.enter(&facts.principal.tenant, scope, &facts.run_id, alone);
        let entered = entered.map_err(|other| active(&other))?;
        if alone {
            let runs = self.store.in_scope(&facts.principal, scope).await?;
            if let Some(other) = runs.iter().find(|other| **other != facts.run_id) {
                return Err(active(other));
            }
        }
        Ok(Some(entered))
    }
}

/// Another run is under way in the scope.
fn active(run_id: &RunId) -> Refusal {
    let refusal = Refusal::new(ErrorCode::RunAlreadyActive, "another run is under way in this scope");
    let details = json!({ "activeRunId": run_id, "activeHost": "cloud", "retryAfter": RETRY_AFTER });
    Refusal { details: details.as_object().cloned().unwrap_or_default(), ..refusal }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a run may enter alone where others are, each given as tenant, scope and run.
    #[track_caller]
    fn check(others: &[(&str, &str, &str)], expect: Result<(), &str>) {
        let scopes = Scopes::default();
        let enter = |(tenant, scope, run): (&str, &str, &str), alone| {
            scopes.enter(tenant, scope, &RunId::new(run), alone)
        };
        let held: Vec<InScope> =
            others.iter().map(|other| enter(*other, false).expect("anybody may enter")).collect();
        let entered = enter(("acme", "s", "new"), true);
        assert_eq!(entered.as_ref().map(|_| ()).map_err(RunId::as_str), expect, "of {others:?}");
        drop((entered, held));
        assert!(scopes.table().is_empty(), "everybody has left");
    }

    #[test]
    fn a_run_enters_alone_where_no_other_is() {
        check(&[], Ok(()));
        check(&[("acme", "s", "old")], Err("old"));
        check(&[("acme", "s", "old"), ("acme", "s", "older")], Err("old"));
        check(&[("acme", "t", "old"), ("other", "s", "old"), ("ac", "mes", "old")], Ok(()));
        check(&[("acme", "s", "new")], Ok(()));
    }
}
