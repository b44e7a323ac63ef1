//! Removal of finished runs and of what nobody needs any more: once on request, or again and again in the background.
//!
//! It owns which runs are old enough. The store refuses to remove what a remaining run needs. Each run goes in a
//! transaction of its own, so that others write in between, and what is cut off half way goes on where it was.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use cuebook_log::{Expired, Expiry, Freed, LogError, RunKey, RunStore, Sweep};
use cuebook_wire::{RunStatus, Timestamp};

use crate::host::Host;
use crate::refusal::Refusal;
use crate::requests;

/// How long the background rests between two rounds.
pub(crate) const EVERY: Duration = Duration::from_hours(1);
/// How many finished runs are looked at together.
const PAGE: usize = 64;
/// How many things outside of runs go in one step.
const STEP: usize = 256;

/// Which finished runs go; a run goes when everything here agrees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrunePolicy {
    /// Those that ended so long ago; any when absent.
    pub older_than: Option<Duration>,
    /// All but this many of each tenant, those that ended last.
    pub keep: usize,
    /// Those that ended so; any when empty.
    pub statuses: Vec<RunStatus>,
}

/// What a round has removed, or would remove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Runs.
    pub runs: u64,
    /// What went with them, and what lay about; of a round that only looks, the records alone.
    pub freed: Freed,
}

impl Host {
    /// Removes what `policy` lets go, of all tenants, and then what nobody needs.
    ///
    /// # Errors
    ///
    /// `service_unavailable` when the store fails; what went before is gone.
    pub async fn prune(&self, policy: &PrunePolicy) -> Result<Pruned, Refusal> {
        let now = self.now();
        let expiry = policy.expiry(now);
        let mut pruned = Pruned::default();
        // A fork that goes lets its source go, which is looked at before it.
        loop {
            let before = pruned.runs;
            let mut walk = Walk::new(&expiry);
            while let Some((run, _)) = walk.next(&*self.store).await? {
                self.remove(&run, &mut pruned).await?;
            }
            if pruned.runs == before {
                break;
            }
        }
        let sweep = policy.sweep(now);
        loop {
            let freed = self.store.sweep(&sweep).await?;
            if freed.is_nothing() {
                return Ok(pruned);
            }
            pruned.freed += freed;
        }
    }

    /// Counts what [`Self::prune`] would remove at once; a run that another one holds is not among it.
    ///
    /// # Errors
    ///
    /// `service_unavailable` when the store fails.
    pub async fn would_prune(&self, policy: &PrunePolicy) -> Result<Pruned, Refusal> {
        let mut pruned = Pruned::default();
        let expiry = policy.expiry(self.now());
        let mut walk = Walk::new(&expiry);
        while let Some((_, run)) = walk.next(&*self.store).await? {
            pruned.runs += 1;
            pruned.freed.records += run.records;
        }
        Ok(pruned)
    }

    /// Removes what `[retention]` lets go, now and every hour, in the background. Call it once, on a runtime.
    ///
    /// It does nothing when the table says nothing.
    pub fn keep_tidy(self: &Arc<Self>) {
        if !self.config.retention.is_on() {
            return;
        }
        let host = Arc::downgrade(self);
        tokio::spawn(async move {
            while let Some(present) = host.upgrade() {
                present.tidy_up().await;
                let rest = present.engine.clock.sleep_until(present.now().plus(EVERY));
                drop(present);
                rest.await;
            }
        });
    }

    async fn tidy_up(&self) {
        match self.prune(&self.standing_policy()).await {
            Ok(Pruned { runs: 0, freed }) if freed.is_nothing() => {}
            Ok(Pruned { runs, freed: Freed { records, blobs, bytes, .. } }) => {
                tracing::info!(runs, records, blobs, bytes, "what is kept no longer was removed");
            }
            Err(refusal) => {
                tracing::error!(code = refusal.code.as_str(), "what is kept no longer cannot be removed");
            }
        }
    }

    /// What `[retention]` says. No run goes there before the answers of the requests that made it are forgotten.
    fn standing_policy(&self) -> PrunePolicy {
        let retention = &self.config.retention;
        PrunePolicy {
            older_than: Some(retention.least_age()),
            keep: retention.keep_runs.unwrap_or_default(),
            statuses: retention.statuses.clone(),
        }
    }

    async fn remove(&self, run: &RunKey, pruned: &mut Pruned) -> Result<(), LogError> {
        if let Some(freed) = self.store.remove_run(run).await? {
            pruned.runs += 1;
            pruned.freed += freed;
        }
        Ok(())
    }
}

/// The runs that may go, tenant by tenant and page by page.
struct Walk<'e> {
    expiry: &'e Expiry,
    tenant: Option<String>,
    page: VecDeque<Expired>,
    last: Option<Expired>,
}

impl<'e> Walk<'e> {
    fn new(expiry: &'e Expiry) -> Self {
        Self { expiry, tenant: None, page: VecDeque::new(), last: None }
    }

    async fn next(&mut self, store: &dyn RunStore) -> Result<Option<(RunKey, Expired)>, LogError> {
        loop {
            if let (Some(run), Some(tenant)) = (self.page.pop_front(), &self.tenant) {
                self.last = Some(run.clone());
                return Ok(Some((RunKey { tenant: tenant.clone(), run_id: run.run_id.clone() }, run)));
            }
            if !self.turn_page(store).await? {
                return Ok(None);
            }
        }
    }

    /// Reads on, with the next tenant when this one has no more; false at the end.
    async fn turn_page(&mut self, store: &dyn RunStore) -> Result<bool, LogError> {
        if let Some(tenant) = &self.tenant {
            self.page = store.expired(tenant, self.expiry, self.last.as_ref(), PAGE).await?.into();
        }
        if self.page.is_empty() {
            self.tenant = store.next_tenant(self.tenant.as_deref()).await?;
            self.last = None;
        }
        Ok(self.tenant.is_some())
    }
}

impl PrunePolicy {
    fn expiry(&self, now: Timestamp) -> Expiry {
        let ended_by = self.older_than.map(|age| back(now, age));
        Expiry { ended_by, keep: self.keep, statuses: self.statuses.clone() }
    }

    /// Requests are known for a day, and the removal of a template is answered alike as long.
    fn sweep(&self, now: Timestamp) -> Sweep {
        let claimed_by = requests::forgotten_by(now);
        let removed_by = self.older_than.map_or(claimed_by, |age| back(now, age).min(claimed_by));
        Sweep { removed_by, claimed_by, limit: STEP }
    }
}

/// The time that was `age` before `now`.
fn back(now: Timestamp, age: Duration) -> Timestamp {
    let millis = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(now.as_millis().saturating_sub(millis))
}
