//! What runs hold in memory, and the removal of what nobody needs.

use std::collections::HashSet;

use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::{RunId, TemplateId, Timestamp, Version};

use super::requests::forget;
use super::{MemoryStore, Run, Tenant};
use crate::agenda::RunKey;
use crate::ports::{Answer, Append, LogError};
use crate::retention::{Expired, Expiry, Freed, Hold, Retention, Sweep};

/// What a run holds, by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Held {
    Body(ContentHash),
    Template(Option<String>, TemplateId, Version),
    Run(RunId),
    Scope(String),
}

impl Held {
    fn of(hold: &Hold, principal: &Principal) -> Self {
        match hold {
            Hold::Body(text) => Self::Body(ContentHash::of(text)),
            Hold::Template { template_id, version } => {
                Self::Template(principal.workspace.clone(), template_id.clone(), version.clone())
            }
            Hold::Run(run_id) => Self::Run(run_id.clone()),
            Hold::Scope(scope) => Self::Scope(scope.clone()),
        }
    }
}

impl Run {
    /// When it ended, if it has.
    fn ended_at(&self) -> Option<Timestamp> {
        self.entry.as_ref().filter(|_| self.head.ended).map(|entry| entry.updated_at)
    }

    fn expired(&self, run_id: &RunId) -> Option<Expired> {
        let ended_at = self.ended_at()?;
        Some(Expired { run_id: run_id.clone(), ended_at, records: self.head.next.0 })
    }
}

impl Tenant {
    fn is_held(&self, held: &Held) -> bool {
        self.runs.values().any(|run| run.holds.contains(held))
    }

    fn expired(&self, expiry: &Expiry) -> Vec<Expired> {
        let mut ended: Vec<(&Run, Expired)> =
            self.runs.iter().filter_map(|(run_id, run)| Some((run, run.expired(run_id)?))).collect();
        ended.sort_by(|(_, one), (_, other)| place(one).cmp(&place(other)));
        ended.truncate(ended.len().saturating_sub(expiry.keep));
        let may_go = |(run, expired): &(&Run, Expired)| {
            let status = run.entry.as_ref().map(|entry| entry.status);
            status.is_some_and(|status| expiry.admits(status, expired.ended_at))
                && !self.is_held(&Held::Run(expired.run_id.clone()))
        };
        ended.into_iter().filter(may_go).map(|(_, expired)| expired).collect()
    }

    fn remove(&mut self, run_id: &RunId) -> Option<Freed> {
        self.runs.get(run_id)?.ended_at()?;
        if self.is_held(&Held::Run(run_id.clone())) {
            return None;
        }
        let run = self.runs.remove(run_id)?;
        let bytes = run.records.iter().map(|record| {
            let private = record.private.as_json().map_or(0, |json| json.to_string().len());
            record.event.payload.to_string().len() + private
        });
        let mut freed = Freed { records: run.head.next.0, bytes: size(bytes.sum()), ..Freed::default() };
        for held in &run.holds {
            if let Held::Body(hash) = held
                && !self.is_held(held)
            {
                freed += self.drop_blob(hash);
            }
        }
        Some(freed)
    }

    fn drop_blob(&mut self, hash: &ContentHash) -> Freed {
        let text = self.blobs.remove(hash);
        text.map_or_else(Freed::default, |text| Freed {
            blobs: 1,
            bytes: size(text.len()),
            ..Freed::default()
        })
    }

    fn sweep(&mut self, sweep: &Sweep) -> Freed {
        let mut freed = Freed::default();
        let loose = self.blobs.keys().filter(|hash| !self.is_held(&Held::Body((*hash).clone())));
        for hash in loose.take(sweep.limit).cloned().collect::<Vec<_>>() {
            freed += self.drop_blob(&hash);
        }
        freed.requests += size(forget(&mut self.requests, sweep.claimed_by, sweep.limit));
        let held: HashSet<Held> = self.runs.values().flat_map(|run| run.holds.iter().cloned()).collect();
        for (workspace, shelf) in &mut self.shelves {
            let is_held = |id: &TemplateId, version: &Version| {
                held.contains(&Held::Template(workspace.clone(), id.clone(), version.clone()))
            };
            let (templates, bytes) = shelf.forget(sweep.removed_by, sweep.limit, is_held);
            freed += Freed { templates: size(templates), bytes: size(bytes), ..Freed::default() };
        }
        freed
    }
}

fn place(expired: &Expired) -> (Timestamp, &RunId) {
    (expired.ended_at, &expired.run_id)
}

fn size(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

impl MemoryStore {
    /// Appends a batch, and keeps the bodies that it brings.
    pub(super) fn append_holding(&self, principal: &Principal, batch: Append) -> Result<(), LogError> {
        let mut tenants = self.tenants();
        let unknown = || LogError::UnknownRun(batch.run_id.clone());
        let tenant = tenants.get_mut(&principal.tenant).ok_or_else(unknown)?;
        let run = tenant.runs.get_mut(&batch.run_id).ok_or_else(unknown)?;
        let holds = batch.holds.clone();
        run.append(batch)?;
        for hold in holds {
            run.holds.insert(Held::of(&hold, principal));
            if let Hold::Body(text) = hold {
                tenant.blobs.entry(ContentHash::of(&text)).or_insert_with(|| text.as_ref().to_owned());
            }
        }
        Ok(())
    }

    pub(super) fn holders_of_scope(&self, principal: &Principal, scope: &str) -> Vec<RunId> {
        let held = Held::Scope(scope.to_owned());
        let tenants = self.tenants();
        let runs = tenants.get(&principal.tenant).into_iter().flat_map(|tenant| &tenant.runs);
        let is_there = |(_, run): &(&RunId, &Run)| !run.head.ended && run.holds.contains(&held);
        runs.filter(is_there).map(|(run_id, _)| run_id.clone()).collect()
    }
}

impl Retention for MemoryStore {
    fn next_tenant<'a>(&'a self, after: Option<&'a str>) -> Answer<'a, Option<String>> {
        Box::pin(async move {
            let tenants = self.tenants();
            let with_runs = tenants.iter().filter(|(_, tenant)| !tenant.runs.is_empty());
            let names = with_runs.map(|(name, _)| name);
            Ok(names.filter(|name| after.is_none_or(|after| name.as_str() > after)).min().cloned())
        })
    }

    fn expired<'a>(
        &'a self,
        tenant: &'a str,
        expiry: &'a Expiry,
        after: Option<&'a Expired>,
        limit: usize,
    ) -> Answer<'a, Vec<Expired>> {
        Box::pin(async move {
            let tenants = self.tenants();
            let expired = tenants.get(tenant).map(|tenant| tenant.expired(expiry)).unwrap_or_default();
            let is_after = |run: &Expired| after.is_none_or(|after| place(run) > place(after));
            Ok(expired.into_iter().filter(is_after).take(limit).collect())
        })
    }

    fn remove_run<'a>(&'a self, run: &'a RunKey) -> Answer<'a, Option<Freed>> {
        Box::pin(async move {
            Ok(self.tenants().get_mut(&run.tenant).and_then(|tenant| tenant.remove(&run.run_id)))
        })
    }

    fn sweep<'a>(&'a self, sweep: &'a Sweep) -> Answer<'a, Freed> {
        Box::pin(async move {
            // One tenant a sweep, as the limit is for all of them.
            let mut tenants = self.tenants();
            let freed = tenants.values_mut().map(|tenant| tenant.sweep(sweep));
            Ok(freed.into_iter().find(|freed| !freed.is_nothing()).unwrap_or_default())
        })
    }
}
