//! Owns the bodies and answers of calls about runs that are no published documents. Answers keep what they do not know;
//! a status of a later protocol is kept as written.

use std::time::Duration;

use cuebook_wire::{RunEvent, RunId, RunOptions, RunStatus, Sequence, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::open::Open;

/// A run that was started.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreatedRun {
    /// The run.
    pub run_id: RunId,
    /// How it stands.
    pub status: Open<RunStatus>,
    /// Where its events are, as the host says it.
    pub events_url: Option<String>,
    /// Where its snapshot is, as the host says it.
    pub status_url: Option<String>,
    /// Whether an earlier request of the same idempotency key had started it.
    #[serde(skip)]
    pub is_replay: bool,
    /// Every other field, as written.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Which events a poll asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PollOptions {
    /// The last event already known; all events when there is none.
    pub after: Option<Sequence>,
    /// How long the host may wait for an event, in whole seconds from 1 to 60; the host's 30 when absent.
    pub wait: Option<Duration>,
}

impl PollOptions {
    pub(super) fn problem(self) -> Option<String> {
        let fits = |wait: Duration| wait.subsec_nanos() == 0 && (1..=60).contains(&wait.as_secs());
        (!self.wait.is_none_or(fits)).then(|| "wait must be 1 to 60 whole seconds".to_owned())
    }
}

/// What a poll brought.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PollAnswer {
    /// The events after the known one, in order; none when nothing came in time.
    pub events: Vec<RunEvent>,
    /// Whether the run is over and no event will follow these.
    pub is_complete: bool,
}

#[derive(Deserialize)]
pub(super) struct EventList {
    pub(super) events: Vec<RunEvent>,
}

#[derive(Serialize)]
pub(super) struct Reason<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
}

/// A run that was cancelled, or is about to be.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelledRun {
    /// The run.
    pub run_id: RunId,
    /// `cancelled` or `cancelling`.
    pub status: Open<RunStatus>,
    /// Every other field, as written.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CancelMany<'a> {
    pub(super) run_ids: &'a [RunId],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
}

#[derive(Deserialize)]
pub(super) struct CancelResults {
    pub(super) results: Vec<BulkCancelled>,
}

/// What became of one of several runs to be cancelled.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BulkCancelled {
    /// The run.
    pub run_id: RunId,
    /// Whether it is cancelled, or about to be.
    pub ok: bool,
    /// `cancelled` or `cancelling`.
    pub status: Option<Open<RunStatus>>,
    /// Why not.
    pub error: Option<CancelRefusal>,
}

/// Why one of several runs was not cancelled.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct CancelRefusal {
    /// The host's code, such as `run_terminal`; published texts call the field `error` or `code`.
    #[serde(alias = "error")]
    pub code: String,
    /// The host's explanation.
    #[serde(default)]
    pub message: String,
    /// Every other field, as written.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What happens to the node at work when a run is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DrainPolicy {
    /// It stops.
    Immediate,
    /// It ends first; what hosts do unless told otherwise.
    DrainCurrentNode,
}

/// How a run is paused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PauseRun {
    /// Why, for the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What happens to the node at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drain_policy: Option<DrainPolicy>,
}

/// A run that was paused.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PausedRun {
    /// The run.
    pub run_id: RunId,
    /// `paused`.
    pub status: Open<RunStatus>,
    /// Since when.
    pub paused_at: Option<Timestamp>,
    /// Every other field, as written.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A run that goes on.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResumedRun {
    /// The run.
    pub run_id: RunId,
    /// `running`.
    pub status: Open<RunStatus>,
    /// Since when.
    pub resumed_at: Option<Timestamp>,
    /// Every other field, as written.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What a fork does with the log it starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForkMode {
    /// Runs again and compares; recorded outcomes stand in for models and tools.
    Replay,
    /// Keeps the events before a place and goes on anew; effects happen again.
    Branch,
}

/// How a run is forked.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ForkRun {
    /// What is done with the log.
    pub mode: ForkMode,
    /// The first event not taken over; a branch needs it, a replay begins at 0 without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_seq: Option<Sequence>,
    /// Other options for the new run; refused for a replay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_options_overlay: Option<RunOptions>,
}

impl ForkRun {
    /// A replay of the whole log.
    pub fn replay() -> Self {
        Self { mode: ForkMode::Replay, from_seq: None, run_options_overlay: None }
    }

    /// A branch that keeps the events before `from_seq`.
    pub fn branch(from_seq: Sequence) -> Self {
        Self { mode: ForkMode::Branch, from_seq: Some(from_seq), run_options_overlay: None }
    }
}

/// A run that was started from the log of another.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ForkedRun {
    /// The new run.
    pub run_id: RunId,
    /// The run it was started from.
    pub source_run_id: RunId,
    /// The first event not taken over.
    pub from_seq: Option<Sequence>,
    /// The mode, as the host says it.
    pub mode: String,
    /// How the new run stands.
    pub status: Option<Open<RunStatus>>,
    /// Where its events are, as the host says it.
    pub events_url: Option<String>,
    /// Every other field, as written.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
