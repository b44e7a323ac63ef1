//! A run as the wire shows it: the fold of its log, projected.

use std::sync::Arc;

use cuebook_engine::{Plan, RunFacts, RunState, StoredRun, snapshot};
use cuebook_log::Record;
use cuebook_prompt::Principal;
use cuebook_wire::{RunId, RunSnapshot, Sequence};

use crate::host::Host;
use crate::refusal::Refusal;
use crate::service::broken;

/// How far a run's log has been folded; a reader who goes along the log keeps it, and each record is folded once.
#[derive(Debug, Default)]
pub struct Projection(Option<RunState>);

impl Projection {
    /// The first sequence that is not in it.
    fn next(&self) -> Sequence {
        self.0.as_ref().map_or(Sequence(0), |state| state.next)
    }
}

impl Host {
    /// The run's snapshot now.
    ///
    /// # Errors
    ///
    /// `not_found`.
    pub async fn run_snapshot(&self, principal: &Principal, run_id: &RunId) -> Result<RunSnapshot, Refusal> {
        Ok(snapshot(&self.run_state(principal, run_id).await?))
    }

    /// Where a run stands, from its last checkpoint on.
    pub(crate) async fn run_state(&self, principal: &Principal, run_id: &RunId) -> Result<RunState, Refusal> {
        let stored = StoredRun::read(&*self.store, principal, run_id).await?;
        let plan = self.plan_of(principal, stored.facts()).await?;
        Ok(stored.fold(plan)?)
    }

    /// The plan that a run is fixed to.
    pub(crate) async fn plan_of(
        &self,
        principal: &Principal,
        facts: &RunFacts,
    ) -> Result<Arc<Plan>, Refusal> {
        if let Some(plan) = self.service.plan(&facts.definition) {
            return Ok(plan);
        }
        let text = self.store.get(principal, &facts.definition).await?.ok_or_else(broken)?;
        self.compiled(&facts.definition, &text)
    }

    /// The run's snapshot right after the event at `sequence`, or after the last one when there are not so many.
    ///
    /// `projection` is one of the same run that is not past that event; it is taken there.
    ///
    /// # Errors
    ///
    /// `not_found`; `internal_error` when the log cannot be read.
    pub async fn snapshot_at(
        &self,
        principal: &Principal,
        run_id: &RunId,
        projection: &mut Projection,
        sequence: Sequence,
    ) -> Result<RunSnapshot, Refusal> {
        let next = projection.next();
        let count = sequence.0.saturating_add(1).saturating_sub(next.0);
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let records = self.store.read(principal, run_id, next, count).await?;
        let state = match projection.0.take() {
            None => self.folded(principal, &records).await?,
            Some(mut state) => {
                records.iter().try_for_each(|record| state.fold(record)).map_err(|_| broken())?;
                state
            }
        };
        Ok(snapshot(projection.0.insert(state)))
    }

    /// Folds a log on the plan that its run is fixed to.
    pub(crate) async fn folded(
        &self,
        principal: &Principal,
        records: &[Record],
    ) -> Result<RunState, Refusal> {
        let first = records.first().ok_or_else(|| Refusal::not_found("run"))?;
        let facts = RunState::facts_of(first).map_err(|_| broken())?;
        let plan = self.plan_of(principal, &facts).await?;
        RunState::of_log(records, plan).map_err(|_| broken())?.ok_or_else(broken)
    }
}
