//! What the promises are written with: a writer of one run, and all that can be seen of a run.

use std::sync::Arc;

use cuebook_prompt::Principal;
use cuebook_wire::{EventId, EventType, RunEvent, RunId, RunStatus, Sequence, Timestamp, WorkflowId};
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::agenda::Due;
use crate::ports::{Append, LogError, Offered, Open, RunEntry, RunStore, Signal};
use crate::record::{Private, Record};

/// A store under test.
pub(super) type Store = Arc<dyn RunStore>;

pub(super) fn tenant(name: &str) -> Principal {
    Principal { tenant: name.to_owned(), workspace: None }
}

pub(super) fn signal(key: &str) -> Signal {
    Signal { key: key.to_owned(), body: json!({ "for": key }) }
}

/// A record that tells its place, in what is served and in what is not.
pub(super) fn record(run_id: &RunId, sequence: u64) -> Record {
    let event = RunEvent {
        event_id: EventId::new(format!("{run_id}:{sequence}")),
        run_id: run_id.clone(),
        node_id: None,
        event_type: EventType::LogAppended,
        payload: json!({ "place": sequence }),
        timestamp: millis(sequence),
        sequence: Sequence(sequence),
        schema_version: None,
        engine_version: None,
        causation_id: None,
    };
    Record { event, private: Private::from_json(Some(json!({ "inside": sequence }))) }
}

/// An index entry that tells how long the log is.
pub(super) fn entry(run_id: &RunId, length: u64) -> RunEntry {
    RunEntry {
        run_id: run_id.clone(),
        workflow_id: WorkflowId::new("newsroom"),
        status: RunStatus::Running,
        started_at: millis(0),
        updated_at: millis(length),
    }
}

pub(super) fn millis(count: u64) -> Timestamp {
    Timestamp::from_millis(i64::try_from(count).unwrap_or(i64::MAX))
}

/// How long the log was when `entry` was written.
pub(super) fn length_in(entry: &RunEntry) -> u64 {
    entry.updated_at.millis_since(millis(0))
}

/// A writer of one run, which counts what it has appended.
#[derive(Clone)]
pub(super) struct Writer {
    pub(super) store: Store,
    pub(super) principal: Principal,
    pub(super) run_id: RunId,
    pub(super) epoch: u64,
    pub(super) next: u64,
}

impl Writer {
    /// Opens a new run of the tenant `acme`.
    pub(super) async fn begin(store: &Store, run_id: &str) -> Self {
        Self::begin_for(store, tenant("acme"), run_id).await
    }

    pub(super) async fn begin_for(store: &Store, principal: Principal, run_id: &str) -> Self {
        let run_id = RunId::new(run_id);
        let epoch = store.open(&principal, &run_id, Open::New).await.expect("a new run is opened");
        Self { store: Arc::clone(store), principal, run_id, epoch, next: 0 }
    }

    /// A second writer, which takes the run over.
    pub(super) async fn take_over(&self) -> Self {
        let opened = self.store.open(&self.principal, &self.run_id, Open::TakeOver).await;
        Self { epoch: opened.expect("a known run is taken over"), ..self.clone() }
    }

    /// A batch of records numbered as given.
    pub(super) fn numbered(&self, numbers: impl IntoIterator<Item = u64>) -> Append {
        let records: Vec<Record> = numbers.into_iter().map(|number| record(&self.run_id, number)).collect();
        let entry = entry(&self.run_id, self.next + records.len() as u64);
        let (run_id, epoch, consumed) = (self.run_id.clone(), self.epoch, Vec::new());
        Append { run_id, epoch, records, consumed, holds: Vec::new(), entry, due: Due::Now }
    }

    /// The batch of `count` records that may come next.
    pub(super) fn batch(&self, count: u64) -> Append {
        self.numbered(self.next..self.next + count)
    }

    /// The batch of one record that ends the run.
    pub(super) fn ending(&self) -> Append {
        let mut batch = self.batch(1);
        batch.records[0].event.event_type = EventType::RunCompleted;
        batch.entry.status = RunStatus::Completed;
        batch
    }

    pub(super) async fn send(&self, batch: Append) -> Result<(), LogError> {
        self.store.append(&self.principal, batch).await
    }

    /// Appends `batch`, which must be taken.
    pub(super) async fn commit(&mut self, batch: Append) {
        let count = batch.records.len() as u64;
        self.send(batch).await.expect("a good batch is taken");
        self.next += count;
    }

    /// Appends `count` records, which must be taken.
    pub(super) async fn append(&mut self, count: u64) {
        self.commit(self.batch(count)).await;
    }

    /// Puts the signal of `key` into the run's inbox.
    pub(super) async fn offer(&self, key: &str) -> Offered {
        self.offer_signal(signal(key)).await
    }

    pub(super) async fn offer_signal(&self, signal: Signal) -> Offered {
        self.store.offer(&self.principal, &self.run_id, signal).await.expect("a known run takes signals")
    }

    pub(super) async fn read(&self, from: u64, limit: usize) -> Vec<Record> {
        let read = self.store.read(&self.principal, &self.run_id, Sequence(from), limit).await;
        read.expect("a known run can be read")
    }

    pub(super) async fn log(&self) -> Vec<Record> {
        self.read(0, usize::MAX).await
    }

    /// How many records the log has.
    pub(super) async fn length(&self) -> u64 {
        self.log().await.len() as u64
    }

    pub(super) async fn pending(&self) -> Vec<Signal> {
        self.store.pending(&self.principal, &self.run_id).await.expect("a known run has an inbox")
    }

    /// The keys that wait in the inbox, oldest first.
    pub(super) async fn keys(&self) -> Vec<String> {
        self.pending().await.into_iter().map(|signal| signal.key).collect()
    }

    pub(super) async fn entry(&self) -> Result<RunEntry, LogError> {
        self.store.entry(&self.principal, &self.run_id).await
    }

    pub(super) async fn watch(&self) -> watch::Receiver<Sequence> {
        self.store.watch(&self.principal, &self.run_id).await.expect("a known run can be watched")
    }

    /// All that can be seen of the run, and of its tenant's index.
    pub(super) async fn view(&self) -> View {
        View {
            records: self.log().await,
            pending: self.pending().await,
            entry: self.entry().await,
            listed: self.store.runs(&self.principal, &[], usize::MAX).await.expect("a tenant has an index"),
        }
    }
}

/// All that can be seen of a run.
#[derive(Debug, PartialEq)]
pub(super) struct View {
    pub(super) records: Vec<Record>,
    pub(super) pending: Vec<Signal>,
    pub(super) entry: Result<RunEntry, LogError>,
    pub(super) listed: Vec<RunEntry>,
}

/// The sequences of `records`.
pub(super) fn sequences(records: &[Record]) -> Vec<u64> {
    records.iter().map(|record| record.event.sequence.0).collect()
}

/// What each of `tasks` gave, in their order.
pub(super) async fn all<T>(tasks: Vec<JoinHandle<T>>) -> Vec<T> {
    let mut results = Vec::with_capacity(tasks.len());
    for task in tasks {
        results.push(task.await.expect("a task of the suite ends well"));
    }
    results
}

/// Whether `watch` has news that were not looked at.
pub(super) fn woken(watch: &watch::Receiver<Sequence>) -> bool {
    watch.has_changed().expect("the store is open")
}
