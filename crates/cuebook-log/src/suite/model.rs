//! A store so simple that it can be read: lists, no locks, no watchers. Histories are held against it.

use std::collections::{BTreeMap, BTreeSet};

use cuebook_wire::Sequence;

use super::history::Run;
use crate::ports::{Append, LogError, Offered, RunEntry, Signal};
use crate::record::Record;

/// What a store must hold after a history.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) runs: BTreeMap<Run, ModelRun>,
    pub(super) blobs: BTreeSet<(u8, String)>,
}

/// What a store must hold of one run.
#[derive(Debug, Default)]
pub(super) struct ModelRun {
    pub(super) takeovers: u64,
    pub(super) records: Vec<Record>,
    pub(super) entry: Option<RunEntry>,
    offered: Vec<Signal>,
    consumed: BTreeSet<String>,
}

impl Model {
    /// The entries of a tenant, newest first.
    pub(super) fn listed(&self, tenant: u8) -> Vec<RunEntry> {
        let of_tenant = self.runs.iter().filter(|(run, _)| run.tenant == tenant);
        let mut entries: Vec<RunEntry> = of_tenant.filter_map(|(_, run)| run.entry.clone()).collect();
        entries.sort_by_key(|entry| (entry.started_at, entry.run_id.clone()));
        entries.reverse();
        entries
    }
}

impl ModelRun {
    pub(super) fn epoch(&self) -> u64 {
        1 + self.takeovers
    }

    pub(super) fn next(&self) -> u64 {
        self.records.len() as u64
    }

    pub(super) fn append(&mut self, batch: &Append) -> Result<(), LogError> {
        let is_terminal = |record: &Record| record.event.event_type.is_terminal();
        let numbers: Vec<u64> = batch.records.iter().map(|record| record.event.sequence.0).collect();
        let due: Vec<u64> = (self.next()..).take(numbers.len()).collect();
        if batch.epoch != self.epoch() {
            return Err(LogError::StaleWriter { given: batch.epoch, current: self.epoch() });
        }
        if self.records.iter().any(is_terminal) {
            return Err(LogError::Ended(batch.run_id.clone()));
        }
        if numbers.first() != due.first() {
            return Err(LogError::Conflict { expected: Sequence(numbers[0]), next: Sequence(due[0]) });
        }
        if numbers != due {
            return Err(LogError::Misnumbered(Sequence(self.next())));
        }
        if batch.records.iter().rev().skip(1).any(is_terminal) {
            return Err(LogError::Ended(batch.run_id.clone()));
        }
        self.records.extend(batch.records.iter().cloned());
        let waiting: Vec<String> = self.pending().into_iter().map(|signal| signal.key).collect();
        self.consumed.extend(batch.consumed.iter().filter(|key| waiting.contains(key)).cloned());
        self.entry = Some(batch.entry.clone());
        Ok(())
    }

    pub(super) fn has_ended(&self) -> bool {
        self.records.last().is_some_and(|record| record.event.event_type.is_terminal())
    }

    pub(super) fn offer(&mut self, signal: &Signal) -> Offered {
        if self.offered.iter().any(|earlier| earlier.key == signal.key) {
            return Offered::Duplicate;
        }
        self.offered.push(signal.clone());
        Offered::Accepted
    }

    pub(super) fn pending(&self) -> Vec<Signal> {
        self.offered.iter().filter(|signal| !self.consumed.contains(&signal.key)).cloned().collect()
    }

    pub(super) fn read(&self, from: u64, limit: usize) -> Vec<Record> {
        self.records.iter().filter(|record| record.event.sequence.0 >= from).take(limit).cloned().collect()
    }
}
