//! What remains to be done: the runs that have not ended, and when each needs its writer next.
//!
//! A run that waits has no task and no state in memory; what wakes it is here. The store keeps what the writer said with
//! its last batch; it refuses to compute when anything is due.

use cuebook_wire::{RunId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::ports::Answer;

/// When a run needs its writer next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Due {
    /// Now: something is under way that only its writer can bring to an end.
    #[default]
    Now,
    /// At a time, to the millisecond.
    At(Timestamp),
    /// When a signal comes; nothing else moves it.
    OnSignal,
}

impl Due {
    /// The earlier of two.
    pub fn earlier(self, other: Self) -> Self {
        match (self, other) {
            (Self::Now, _) | (_, Self::Now) => Self::Now,
            (Self::At(one), Self::At(other)) => Self::At(one.min(other)),
            (Self::At(at), Self::OnSignal) | (Self::OnSignal, Self::At(at)) => Self::At(at),
            (Self::OnSignal, Self::OnSignal) => Self::OnSignal,
        }
    }
}

/// A run of any tenant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunKey {
    /// The tenant.
    pub tenant: String,
    /// The run.
    pub run_id: RunId,
}

/// A run that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// The run.
    pub key: RunKey,
    /// When it needs its writer, as its last batch said.
    pub due: Due,
    /// When its last record was written.
    pub updated_at: Timestamp,
    /// Whether a signal waits in its inbox.
    pub is_signalled: bool,
}

/// What remains to be done, for all tenants: for the host itself, never for a caller.
///
/// Runs without a batch and runs whose log has its terminal event are not in it.
pub trait Agenda: Send + Sync {
    /// The runs that have not ended, in the order of their keys' bytes, at most `limit`, after `after`.
    fn unfinished<'a>(&'a self, after: Option<&'a RunKey>, limit: usize) -> Answer<'a, Vec<Unfinished>>;

    /// The runs that are due at a time, the earliest first and then by key, at most `limit`, after `after`.
    fn due<'a>(
        &'a self,
        after: Option<&'a (Timestamp, RunKey)>,
        limit: usize,
    ) -> Answer<'a, Vec<(Timestamp, RunKey)>>;
}
