//! Checkpoints: a fold's state at some place of a log, so that not every reader folds all of it.
//!
//! They are derived. The log alone says what happened: a checkpoint that is lost, deleted or of another fold costs time
//! and nothing else.

use cuebook_prompt::Principal;
use cuebook_wire::{RunId, Sequence};
use serde_json::Value as Json;

use crate::ports::Answer;

/// What the records before `next` come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The first record that is not in it.
    pub next: Sequence,
    /// The version of the fold that made it; another one cannot read it.
    pub fold: u32,
    /// The state; the engine knows its shape.
    pub state: Json,
}

/// The latest checkpoint of each run.
pub trait Checkpoints: Send + Sync {
    /// Keeps a checkpoint in place of the one before, unless that one goes further; across versions of the fold, the new
    /// one stays.
    ///
    /// # Errors
    ///
    /// [`LogError::UnknownRun`](crate::LogError::UnknownRun).
    fn keep<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        checkpoint: Checkpoint,
    ) -> Answer<'a, ()>;

    /// The latest checkpoint, if there is one and the fold `fold` made it.
    ///
    /// # Errors
    ///
    /// [`LogError::UnknownRun`](crate::LogError::UnknownRun).
    fn checkpoint<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        fold: u32,
    ) -> Answer<'a, Option<Checkpoint>>;

    /// Deletes the checkpoint of a run, if there is one.
    ///
    /// # Errors
    ///
    /// [`LogError::UnknownRun`](crate::LogError::UnknownRun).
    fn forget<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId) -> Answer<'a, ()>;
}
