//! The in-memory form of every port: for the command line, for tests and for simulation.
//!
//! It keeps the same promises as a durable store, except that it ends with the process.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::{RunId, Sequence};
use futures_util::future::ready;
use tokio::sync::watch;

use crate::ports::{
    Answer, Append, Blobs, Inbox, LogError, Offered, Open, RunEntry, RunIndex, RunLog, Signal,
};
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
}

#[derive(Debug)]
struct Run {
    epoch: u64,
    records: Vec<Record>,
    entry: Option<RunEntry>,
    inbox: Vec<Signal>,
    seen: HashSet<String>,
    next: watch::Sender<Sequence>,
}

impl Run {
    fn new() -> Self {
        Self {
            epoch: 1,
            records: Vec::new(),
            entry: None,
            inbox: Vec::new(),
            seen: HashSet::new(),
            next: watch::Sender::new(Sequence(0)),
        }
    }

    fn check(&self, batch: &Append) -> Result<(), LogError> {
        let next = Sequence(self.records.len() as u64);
        if batch.epoch != self.epoch {
            return Err(LogError::StaleWriter { given: batch.epoch, current: self.epoch });
        }
        if self.records.last().is_some_and(|record| record.event.event_type.is_terminal()) {
            return Err(LogError::Ended(batch.run_id.clone()));
        }
        if let Some(first) = batch.records.first().filter(|record| record.event.sequence != next) {
            return Err(LogError::Conflict { expected: first.event.sequence, next });
        }
        let numbered =
            batch.records.iter().zip(next.0..).all(|(record, number)| record.event.sequence.0 == number);
        if numbered { Ok(()) } else { Err(LogError::Misnumbered(next)) }
    }

    fn append(&mut self, batch: Append) -> Result<(), LogError> {
        self.check(&batch)?;
        self.records.extend(batch.records);
        self.inbox.retain(|signal| !batch.consumed.contains(&signal.key));
        self.entry = Some(batch.entry);
        self.next.send_replace(Sequence(self.records.len() as u64));
        Ok(())
    }

    fn offer(&mut self, signal: Signal) -> Offered {
        if !self.seen.insert(signal.key.clone()) {
            return Offered::Duplicate;
        }
        self.inbox.push(signal);
        self.next.send_modify(|_| {});
        Offered::Accepted
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

    fn with_run<T>(
        &self,
        principal: &Principal,
        run_id: &RunId,
        act: impl FnOnce(&mut Run) -> Result<T, LogError>,
    ) -> Result<T, LogError> {
        let mut tenants = self.tenants();
        let run = tenants.get_mut(&principal.tenant).and_then(|tenant| tenant.runs.get_mut(run_id));
        act(run.ok_or_else(|| LogError::UnknownRun(run_id.clone()))?)
    }

    fn open_now(&self, principal: &Principal, run_id: &RunId, how: Open) -> Result<u64, LogError> {
        if how == Open::TakeOver {
            return self.with_run(principal, run_id, |run| {
                run.epoch += 1;
                Ok(run.epoch)
            });
        }
        let mut tenants = self.tenants();
        let runs = &mut tenants.entry(principal.tenant.clone()).or_default().runs;
        if runs.contains_key(run_id) {
            return Err(LogError::RunExists(run_id.clone()));
        }
        Ok(runs.entry(run_id.clone()).or_insert_with(Run::new).epoch)
    }
}

impl RunLog for MemoryStore {
    fn open<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId, how: Open) -> Answer<'a, u64> {
        Box::pin(ready(self.open_now(principal, run_id, how)))
    }

    fn append<'a>(&'a self, principal: &'a Principal, batch: Append) -> Answer<'a, ()> {
        let run_id = batch.run_id.clone();
        Box::pin(ready(self.with_run(principal, &run_id, |run| run.append(batch))))
    }

    fn read<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        from: Sequence,
        limit: usize,
    ) -> Answer<'a, Vec<Record>> {
        let start = usize::try_from(from.0).unwrap_or(usize::MAX);
        let read = |run: &mut Run| Ok(run.records.iter().skip(start).take(limit).cloned().collect());
        Box::pin(ready(self.with_run(principal, run_id, read)))
    }

    fn watch<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
    ) -> Answer<'a, watch::Receiver<Sequence>> {
        Box::pin(ready(self.with_run(principal, run_id, |run| Ok(run.next.subscribe()))))
    }
}

impl Inbox for MemoryStore {
    fn offer<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        signal: Signal,
    ) -> Answer<'a, Offered> {
        Box::pin(ready(self.with_run(principal, run_id, |run| Ok(run.offer(signal)))))
    }

    fn pending<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId) -> Answer<'a, Vec<Signal>> {
        Box::pin(ready(self.with_run(principal, run_id, |run| Ok(run.inbox.clone()))))
    }
}

impl RunIndex for MemoryStore {
    fn entry<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId) -> Answer<'a, RunEntry> {
        let entry = |run: &mut Run| run.entry.clone().ok_or_else(|| LogError::UnknownRun(run_id.clone()));
        Box::pin(ready(self.with_run(principal, run_id, entry)))
    }

    fn runs<'a>(&'a self, principal: &'a Principal, limit: usize) -> Answer<'a, Vec<RunEntry>> {
        let tenants = self.tenants();
        let runs = tenants.get(&principal.tenant).into_iter().flat_map(|tenant| tenant.runs.values());
        let mut entries: Vec<RunEntry> = runs.filter_map(|run| run.entry.clone()).collect();
        entries.sort_by(|one, other| (other.started_at, &other.run_id).cmp(&(one.started_at, &one.run_id)));
        entries.truncate(limit);
        Box::pin(ready(Ok(entries)))
    }
}

impl Blobs for MemoryStore {
    fn put<'a>(&'a self, principal: &'a Principal, text: &'a str) -> Answer<'a, ContentHash> {
        let hash = ContentHash::of(text);
        let mut tenants = self.tenants();
        let blobs = &mut tenants.entry(principal.tenant.clone()).or_default().blobs;
        blobs.entry(hash.clone()).or_insert_with(|| text.to_owned());
        Box::pin(ready(Ok(hash)))
    }

    fn get<'a>(&'a self, principal: &'a Principal, hash: &'a ContentHash) -> Answer<'a, Option<String>> {
        let text = self.tenants().get(&principal.tenant).and_then(|tenant| tenant.blobs.get(hash).cloned());
        Box::pin(ready(Ok(text)))
    }
}
