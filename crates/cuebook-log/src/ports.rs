//! The ports of storage: what the engine needs of a log, whoever keeps it.
//!
//! Every call takes a [`Principal`]: another tenant's run does not exist. The tenant is the boundary; workspaces of one
//! tenant share its runs. Nothing is visible before it is durable, and what is visible is a prefix of the log made of
//! whole batches.

use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::{RunId, RunStatus, Sequence, Timestamp, WorkflowId};
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::agenda::{Agenda, Due};
use crate::checkpoint::Checkpoints;
use crate::prompts::PromptLibrary;
use crate::queue::WriteQueue;
use crate::record::Record;
use crate::requests::Requests;
use crate::retention::{Hold, Retention};

/// The answer of a port, which does nothing before it is awaited.
///
/// Dropped while it is awaited, a call has happened as a whole or not at all. Every port may answer
/// [`LogError::Storage`], and every port that writes [`LogError::Full`]; its other errors are named with it.
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
    /// A batch speaks of another run than its own.
    #[error("a batch of run '{expected}' names run '{found}'")]
    OtherRun {
        /// The run of the batch.
        expected: RunId,
        /// The run that one of its records or its index entry names.
        found: RunId,
    },
    /// The storage itself failed.
    #[error("storage failed: {0}")]
    Storage(String),
    /// There is no room for what was to be written; nothing of it was, and what is there can be read.
    #[error("storage is full: {0}")]
    Full(String),
}

impl LogError {
    /// Whether the storage is at fault and not what it was asked, so that the same call may succeed later.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Storage(_) | Self::Full(_))
    }
}

/// A batch of records of one run, all or nothing.
#[derive(Clone, Debug)]
pub struct Append {
    /// The run.
    pub run_id: RunId,
    /// The writer's epoch, from [`RunLog::open`].
    pub epoch: u64,
    /// The records, numbered densely from the log's next sequence on; none when only signals are taken note of.
    pub records: Vec<Record>,
    /// The keys of the signals that these records take note of; keys that do not wait are passed over.
    pub consumed: Vec<String>,
    /// What the run takes hold of; what it holds already stays so.
    pub holds: Vec<Hold>,
    /// The run as the index shows it from then on, in place of what it showed before.
    pub entry: RunEntry,
    /// When the run needs its writer next; no matter once it has ended.
    pub due: Due,
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
    /// As many signals wait as there is room for; nothing was changed.
    Full,
}

/// The event log of runs.
pub trait RunLog: Send + Sync {
    /// Begins the log of a run and makes the caller its writer, or takes an existing run over; gives the epoch.
    ///
    /// The epoch of a new run is 1; each that takes over is greater than all before. A run without records is in no
    /// list, but its id is taken.
    ///
    /// # Errors
    ///
    /// [`LogError::RunExists`] when a run that must be new is there, [`LogError::UnknownRun`] when one that is to be taken
    /// over is not.
    fn open<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId, how: Open) -> Answer<'a, u64>;

    /// Appends a batch; when this returns, it is durable and visible, and watchers have been told.
    ///
    /// Records, consumed signals, holds and index entry change together or not at all.
    ///
    /// # Errors
    ///
    /// [`LogError::UnknownRun`], else what [`Head::admit`](crate::Head::admit) refuses.
    fn append<'a>(&'a self, principal: &'a Principal, batch: Append) -> Answer<'a, ()>;

    /// Reads at most `limit` records from `from` on, in order; none when `from` is past the end.
    ///
    /// # Errors
    ///
    /// [`LogError::UnknownRun`].
    fn read<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        from: Sequence,
        limit: usize,
    ) -> Answer<'a, Vec<Record>>;

    /// Follows the sequence that comes next, from its present value on.
    ///
    /// It reports a change when records have become visible and when a signal has been accepted, the value then being the
    /// same; at nothing else. Several changes may be reported as one. The value is never ahead of what can be read.
    ///
    /// # Errors
    ///
    /// [`LogError::UnknownRun`].
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
    /// It must be there, ended or not; earlier writers are shut out.
    TakeOver,
}

/// The inboxes of runs.
pub trait Inbox: Send + Sync {
    /// Puts `signal` into the inbox of a run, once for each key as long as the run is kept.
    ///
    /// A key stays known when its signal has been consumed. The inbox of a run that has ended still takes signals. When
    /// `room` signals wait already, a new one is not taken; a repetition is recognised nevertheless.
    ///
    /// # Errors
    ///
    /// [`LogError::UnknownRun`].
    fn offer_within<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        signal: Signal,
        room: usize,
    ) -> Answer<'a, Offered>;

    /// As [`Inbox::offer_within`], however many signals wait.
    ///
    /// # Errors
    ///
    /// [`LogError::UnknownRun`].
    fn offer<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        signal: Signal,
    ) -> Answer<'a, Offered> {
        self.offer_within(principal, run_id, signal, usize::MAX)
    }

    /// The signals that no record has taken note of yet, oldest first.
    ///
    /// # Errors
    ///
    /// [`LogError::UnknownRun`].
    fn pending<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId) -> Answer<'a, Vec<Signal>>;
}

/// The index of runs.
pub trait RunIndex: Send + Sync {
    /// The entry of one run, as its last batch left it.
    ///
    /// # Errors
    ///
    /// [`LogError::UnknownRun`], also before the first batch.
    fn entry<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId) -> Answer<'a, RunEntry>;

    /// The runs of a principal by their start, newest first, at most `limit`; of these statuses, or all when none is named.
    ///
    /// Runs of one start follow each other by descending id, in the order of its bytes.
    fn runs<'a>(
        &'a self,
        principal: &'a Principal,
        statuses: &'a [RunStatus],
        limit: usize,
    ) -> Answer<'a, Vec<RunEntry>>;

    /// The runs that hold the scope `scope` of the principal's tenant and have not ended, by the bytes of their ids.
    fn in_scope<'a>(&'a self, principal: &'a Principal, scope: &'a str) -> Answer<'a, Vec<RunId>>;
}

/// Bodies by content hash.
pub trait Blobs: Send + Sync {
    /// Stores `text` under its hash, once for each tenant, and gives the hash.
    ///
    /// It stays until the next [`Retention::sweep`], and from the batch on that has a run hold it, as long as that run.
    fn put<'a>(&'a self, principal: &'a Principal, text: &'a str) -> Answer<'a, ContentHash>;

    /// The text of `hash`, if this tenant has stored it.
    fn get<'a>(&'a self, principal: &'a Principal, hash: &'a ContentHash) -> Answer<'a, Option<String>>;
}

/// A workflow definition that was registered, as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The workflow.
    pub workflow_id: WorkflowId,
    /// The hash of `text`.
    pub hash: ContentHash,
    /// The definition as JSON text; the store keeps it byte by byte and does not read it.
    pub text: String,
}

/// Registered workflow definitions, the latest of each workflow.
pub trait Definitions: Send + Sync {
    /// Registers `text` for a workflow, in place of what was registered before, and gives its hash.
    fn register<'a>(
        &'a self,
        principal: &'a Principal,
        workflow_id: &'a WorkflowId,
        text: &'a str,
    ) -> Answer<'a, ContentHash>;

    /// The definition of a workflow, if this tenant has registered one.
    fn definition<'a>(
        &'a self,
        principal: &'a Principal,
        workflow_id: &'a WorkflowId,
    ) -> Answer<'a, Option<Definition>>;

    /// The definitions of a principal in the order of their ids' bytes, at most `limit`.
    ///
    /// The page begins after the id `after`, whether that is registered or not; without it, at the first.
    fn definitions<'a>(
        &'a self,
        principal: &'a Principal,
        after: Option<&'a WorkflowId>,
        limit: usize,
    ) -> Answer<'a, Vec<Definition>>;
}

/// Everything that a store for runs offers.
pub trait RunStore:
    RunLog
    + Inbox
    + RunIndex
    + Blobs
    + Definitions
    + Requests
    + Agenda
    + Checkpoints
    + PromptLibrary
    + Retention
    + WriteQueue
{
}

impl<T> RunStore for T where
    T: RunLog
        + Inbox
        + RunIndex
        + Blobs
        + Definitions
        + Requests
        + Agenda
        + Checkpoints
        + PromptLibrary
        + Retention
        + WriteQueue
{
}
