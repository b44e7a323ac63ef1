//! The ports of storage: what the engine needs of a log, whoever keeps it.
//!
//! Every call takes a [`Principal`]: another tenant's run does not exist. Nothing is visible before it is durable.

use cuebook_prompt::Principal;
use cuebook_wire::{RunId, RunStatus, Sequence, Timestamp, WorkflowId};
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::record::Record;

/// The answer of a port.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, LogError>>;

/// Why a port could not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// There is no such run for this principal.
    #[error("run '{0}' is not known")]
    UnknownRun(RunId),
    /// A run of this id is there already.
    #[error("run '{0}' exists already")]
    RunExists(RunId),
    /// Somebody else wrote in between: the log's next sequence is not the expected one.
    #[error("the log continues at {next}, not at {expected}")]
    Conflict {
        /// The sequence that the writer expected to use next.
        expected: Sequence,
        /// The sequence that comes next.
        next: Sequence,
    },
    /// A newer writer has taken the run over.
    #[error("writer epoch {given} has been replaced by {current}")]
    StaleWriter {
        /// The epoch of the writer that was refused.
        given: u64,
        /// The epoch of the writer that holds the run.
        current: u64,
    },
    /// The terminal event is in the log; nothing may follow it.
    #[error("run '{0}' has ended")]
    Ended(RunId),
    /// The records do not carry the sequence numbers that follow.
    #[error("records are not numbered from {0} on")]
    Misnumbered(Sequence),
    /// The storage itself failed.
    #[error("storage failed: {0}")]
    Storage(String),
}

/// A batch of records of one run, all or nothing.
#[derive(Clone, Debug)]
pub struct Append {
    /// The run.
    pub run_id: RunId,
    /// The writer's epoch, from [`RunLog::open`].
    pub epoch: u64,
    /// The records, numbered densely from the log's next sequence on.
    pub records: Vec<Record>,
    /// The keys of the signals that these records take note of.
    pub consumed: Vec<String>,
    /// The run as the index shows it from then on.
    pub entry: RunEntry,
}

/// A run as lists show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunEntry {
    /// The run.
    pub run_id: RunId,
    /// The workflow it runs.
    pub workflow_id: WorkflowId,
    /// Where it stands.
    pub status: RunStatus,
    /// When it was started.
    pub started_at: Timestamp,
    /// When its last record was written.
    pub updated_at: Timestamp,
}

/// A message from outside to a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// The key under which a repetition is recognised.
    pub key: String,
    /// What the engine makes of it.
    pub body: serde_json::Value,
}

/// What became of an offered signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// It waits in the inbox.
    Accepted,
    /// One with its key came before.
    Duplicate,
}

/// The event log of runs.
pub trait RunLog: Send + Sync {
    /// Begins the log of a run and makes the caller its writer, or takes an existing run over; gives the epoch.
    fn open<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId, how: Open) -> Answer<'a, u64>;

    /// Appends a batch; when this returns, it is durable and visible.
    fn append<'a>(&'a self, principal: &'a Principal, batch: Append) -> Answer<'a, ()>;

    /// Reads at most `limit` records from `from` on, in order.
    fn read<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        from: Sequence,
        limit: usize,
    ) -> Answer<'a, Vec<Record>>;

    /// Follows the sequence that comes next; it changes when records become visible.
    fn watch<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
    ) -> Answer<'a, watch::Receiver<Sequence>>;
}

/// How [`RunLog::open`] treats an existing run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// It must not be there.
    New,
    /// It must be there; earlier writers are shut out.
    TakeOver,
}

/// The inboxes of runs.
pub trait Inbox: Send + Sync {
    /// Puts `signal` into the inbox of a run, once for each key.
    fn offer<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        signal: Signal,
    ) -> Answer<'a, Offered>;

    /// The signals that no record has taken note of yet, oldest first.
    fn pending<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId) -> Answer<'a, Vec<Signal>>;
}

/// The index of runs.
pub trait RunIndex: Send + Sync {
    /// The entry of one run.
    fn entry<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId) -> Answer<'a, RunEntry>;

    /// The runs of a principal, newest first, at most `limit`.
    fn runs<'a>(&'a self, principal: &'a Principal, limit: usize) -> Answer<'a, Vec<RunEntry>>;
}

/// Bodies by content hash.
pub trait Blobs: Send + Sync {
    /// Stores `bytes` under their hash, once, and gives the hash.
    fn put<'a>(&'a self, principal: &'a Principal, text: &'a str) -> Answer<'a, cuebook_prompt::ContentHash>;

    /// The text of `hash`, if it is there.
    fn get<'a>(
        &'a self,
        principal: &'a Principal,
        hash: &'a cuebook_prompt::ContentHash,
    ) -> Answer<'a, Option<String>>;
}

/// Everything that a store for runs offers.
pub trait RunStore: RunLog + Inbox + RunIndex + Blobs {}

impl<T: RunLog + Inbox + RunIndex + Blobs> RunStore for T {}
