//! The in-memory form of every port: for the command line, for tests and for simulation.
//!
//! It keeps the same promises as a durable store, except that it ends with the process.

mod agenda;
mod prompts;
mod requests;
mod retention;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::{RunId, RunStatus, Sequence, WorkflowId};
use tokio::sync::watch;

use crate::agenda::{Due, RunKey, Unfinished};
use crate::checkpoint::Checkpoint;
use crate::head::Head;
use crate::ports::{
    Answer, Append, Blobs, Definition, Definitions, Inbox, LogError, Offered, Open, RunEntry, RunIndex,
    RunLog, Signal,
};
use crate::queue::{QueueLength, WriteQueue};
use crate::record::Record;

/// A store that lives in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    tenants: Mutex<HashMap<String, Tenant>>,
}

#[derive(Debug, Default)]
struct Tenant {
    runs: BTreeMap<RunId, Run>,
    blobs: HashMap<ContentHash, String>,
    definitions: BTreeMap<WorkflowId, Definition>,
    requests: requests::Table,
    shelves: prompts::Shelves,
}

#[derive(Debug, Default)]
struct Run {
    head: Head,
    records: Vec<Record>,
    entry: Option<RunEntry>,
    due: Due,
    checkpoint: Option<Checkpoint>,
    inbox: Vec<Signal>,
    seen: HashSet<String>,
    holds: HashSet<retention::Held>,
    next: watch::Sender<Sequence>,
}

impl Run {
    fn append(&mut self, batch: Append) -> Result<(), LogError> {
        self.head = self.head.admit(&batch)?;
        let consumed: HashSet<String> = batch.consumed.into_iter().collect();
        self.inbox.retain(|signal| !consumed.contains(&signal.key));
        self.records.extend(batch.records);
        self.entry = Some(batch.entry);
        self.due = batch.due;
        let next = self.head.next;
        self.next.send_if_modified(|seen| std::mem::replace(seen, next) != next);
        Ok(())
    }

    fn offer(&mut self, signal: Signal, room: usize) -> Offered {
        if self.seen.contains(&signal.key) {
            return Offered::Duplicate;
        }
        if self.inbox.len() >= room {
            return Offered::Full;
        }
        self.seen.insert(signal.key.clone());
        self.inbox.push(signal);
        self.next.send_modify(|_| {});
        Offered::Accepted
    }

    fn keep(&mut self, checkpoint: Checkpoint) {
        let kept = self.checkpoint.as_ref();
        let goes_further =
            kept.is_some_and(|kept| kept.fold == checkpoint.fold && kept.next > checkpoint.next);
        if !goes_further {
            self.checkpoint = Some(checkpoint);
        }
    }

    /// What remains to be done, if anything.
    fn unfinished(&self, key: RunKey) -> Option<Unfinished> {
        let entry = self.entry.as_ref().filter(|_| !self.head.ended)?;
        let is_signalled = !self.inbox.is_empty();
        Some(Unfinished { key, due: self.due, updated_at: entry.updated_at, is_signalled })
    }

    fn read(&self, from: Sequence, limit: usize) -> Vec<Record> {
        let start = usize::try_from(from.0).unwrap_or(usize::MAX);
        self.records.iter().skip(start).take(limit).cloned().collect()
    }
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn tenants(&self) -> MutexGuard<'_, HashMap<String, Tenant>> {
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Acts on a run of the principal's tenant, once the answer is awaited.
    fn with_run<'a, T: Send + 'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        act: impl FnOnce(&mut Run) -> T + Send + 'a,
    ) -> Answer<'a, T> {
        Box::pin(async move {
            let mut tenants = self.tenants();
            let run = tenants.get_mut(&principal.tenant).and_then(|tenant| tenant.runs.get_mut(run_id));
            run.map(act).ok_or_else(|| LogError::UnknownRun(run_id.clone()))
        })
    }

    fn begin(&self, principal: &Principal, run_id: &RunId) -> Result<u64, LogError> {
        let mut tenants = self.tenants();
        let runs = &mut tenants.entry(principal.tenant.clone()).or_default().runs;
        if runs.contains_key(run_id) {
            return Err(LogError::RunExists(run_id.clone()));
        }
        Ok(runs.entry(run_id.clone()).or_default().head.epoch)
    }

    fn newest(&self, principal: &Principal, statuses: &[RunStatus], limit: usize) -> Vec<RunEntry> {
        let tenants = self.tenants();
        let runs = tenants.get(&principal.tenant).into_iter().flat_map(|tenant| tenant.runs.values());
        let is_meant = |entry: &RunEntry| statuses.is_empty() || statuses.contains(&entry.status);
        let mut entries: Vec<RunEntry> = runs.filter_map(|run| run.entry.clone()).filter(is_meant).collect();
        entries.sort_by(|one, other| (other.started_at, &other.run_id).cmp(&(one.started_at, &one.run_id)));
        entries.truncate(limit);
        entries
    }

    /// The runs of all tenants that have not ended, by key.
    fn all_unfinished(&self) -> Vec<Unfinished> {
        let tenants = self.tenants();
        let of_tenant = |(tenant, runs): (&String, &Tenant)| -> Vec<Unfinished> {
            let key = |run_id: &RunId| RunKey { tenant: tenant.clone(), run_id: run_id.clone() };
            runs.runs.iter().filter_map(|(run_id, run)| run.unfinished(key(run_id))).collect()
        };
        let mut all: Vec<Unfinished> = tenants.iter().flat_map(of_tenant).collect();
        all.sort_by(|one, other| one.key.cmp(&other.key));
        all
    }

    fn keep(&self, principal: &Principal, text: &str) -> ContentHash {
        let hash = ContentHash::of(text);
        let mut tenants = self.tenants();
        let blobs = &mut tenants.entry(principal.tenant.clone()).or_default().blobs;
        blobs.entry(hash.clone()).or_insert_with(|| text.to_owned());
        hash
    }

    fn define(&self, principal: &Principal, workflow_id: &WorkflowId, text: &str) -> ContentHash {
        let hash = ContentHash::of(text);
        let definition =
            Definition { workflow_id: workflow_id.clone(), hash: hash.clone(), text: text.to_owned() };
        let mut tenants = self.tenants();
        let definitions = &mut tenants.entry(principal.tenant.clone()).or_default().definitions;
        definitions.insert(workflow_id.clone(), definition);
        hash
    }

    fn defined(&self, principal: &Principal, after: Option<&WorkflowId>, limit: usize) -> Vec<Definition> {
        let tenants = self.tenants();
        let Some(tenant) = tenants.get(&principal.tenant) else { return Vec::new() };
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let page = tenant.definitions.range::<WorkflowId, _>((start, Bound::Unbounded)).take(limit);
        page.map(|(_, definition)| definition.clone()).collect()
    }
}

impl RunLog for MemoryStore {
    fn open<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId, how: Open) -> Answer<'a, u64> {
        match how {
            Open::New => Box::pin(async move { self.begin(principal, run_id) }),
            Open::TakeOver => self.with_run(principal, run_id, |run| run.head.take_over()),
        }
    }

    fn append<'a>(&'a self, principal: &'a Principal, batch: Append) -> Answer<'a, ()> {
        Box::pin(async move { self.append_holding(principal, batch) })
    }

    fn read<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        from: Sequence,
        limit: usize,
    ) -> Answer<'a, Vec<Record>> {
        self.with_run(principal, run_id, move |run| run.read(from, limit))
    }

    fn watch<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
    ) -> Answer<'a, watch::Receiver<Sequence>> {
        self.with_run(principal, run_id, |run| run.next.subscribe())
    }
}

impl Inbox for MemoryStore {
    fn offer_within<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        signal: Signal,
        room: usize,
    ) -> Answer<'a, Offered> {
        self.with_run(principal, run_id, move |run| run.offer(signal, room))
    }

    fn pending<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId) -> Answer<'a, Vec<Signal>> {
        self.with_run(principal, run_id, |run| run.inbox.clone())
    }
}

impl RunIndex for MemoryStore {
    fn entry<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId) -> Answer<'a, RunEntry> {
        Box::pin(async move {
            let entry = self.with_run(principal, run_id, |run| run.entry.clone()).await?;
            entry.ok_or_else(|| LogError::UnknownRun(run_id.clone()))
        })
    }

    fn runs<'a>(
        &'a self,
        principal: &'a Principal,
        statuses: &'a [RunStatus],
        limit: usize,
    ) -> Answer<'a, Vec<RunEntry>> {
        Box::pin(async move { Ok(self.newest(principal, statuses, limit)) })
    }

    fn in_scope<'a>(&'a self, principal: &'a Principal, scope: &'a str) -> Answer<'a, Vec<RunId>> {
        Box::pin(async move { Ok(self.holders_of_scope(principal, scope)) })
    }
}

impl Blobs for MemoryStore {
    fn put<'a>(&'a self, principal: &'a Principal, text: &'a str) -> Answer<'a, ContentHash> {
        Box::pin(async move { Ok(self.keep(principal, text)) })
    }

    fn get<'a>(&'a self, principal: &'a Principal, hash: &'a ContentHash) -> Answer<'a, Option<String>> {
        Box::pin(async move {
            let tenants = self.tenants();
            Ok(tenants.get(&principal.tenant).and_then(|tenant| tenant.blobs.get(hash).cloned()))
        })
    }
}

impl Definitions for MemoryStore {
    fn register<'a>(
        &'a self,
        principal: &'a Principal,
        workflow_id: &'a WorkflowId,
        text: &'a str,
    ) -> Answer<'a, ContentHash> {
        Box::pin(async move { Ok(self.define(principal, workflow_id, text)) })
    }

    fn definition<'a>(
        &'a self,
        principal: &'a Principal,
        workflow_id: &'a WorkflowId,
    ) -> Answer<'a, Option<Definition>> {
        Box::pin(async move {
            let tenants = self.tenants();
            let tenant = tenants.get(&principal.tenant);
            Ok(tenant.and_then(|tenant| tenant.definitions.get(workflow_id).cloned()))
        })
    }

    fn definitions<'a>(
        &'a self,
        principal: &'a Principal,
        after: Option<&'a WorkflowId>,
        limit: usize,
    ) -> Answer<'a, Vec<Definition>> {
        Box::pin(async move { Ok(self.defined(principal, after, limit)) })
    }
}

impl WriteQueue for MemoryStore {
    fn queue(&self) -> QueueLength {
        QueueLength::default()
    }
}
