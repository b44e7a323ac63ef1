//! A run as the wire shows it: the fold of its log, projected.

use cuebook_engine::{RunState, snapshot};
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
        self.snapshot_at(principal, run_id, &mut Projection::default(), Sequence(u64::MAX)).await
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
        let plan = if let Some(plan) = self.service.plan(&facts.definition) {
            plan
        } else {
            let text = self.store.get(principal, &facts.definition).await?.ok_or_else(broken)?;
            self.compiled(&facts.definition, &text)?
        };
        RunState::of_log(records, plan).map_err(|_| broken())?.ok_or_else(broken)
    }
}
