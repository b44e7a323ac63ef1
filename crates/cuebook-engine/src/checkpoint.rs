//! The state of a run as a checkpoint keeps it: everything but the plan, which its facts name.
//!
//! It owns the version of the fold, which goes up whenever the same records come to another state or the state has another
//! shape. It refuses checkpoints of another version, which are passed over.

use std::num::NonZeroU64;
use std::sync::Arc;

use cuebook_log::Checkpoint;
use cuebook_prompt::{IntrinsicHashes, Pin, UsedSecret};
use cuebook_wire::{RunError, RunStatus, Sequence, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::facts::RunFacts;
use crate::plan::Plan;
use crate::state::{NodeState, RunState};

/// The version of the fold.
pub const FOLD_VERSION: u32 = 3;

/// How many records a run writes from one checkpoint to the next.
pub const CHECKPOINT_EVERY: NonZeroU64 = NonZeroU64::new(256).unwrap();

/// A state without its plan.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Image {
    pub(crate) facts: Arc<RunFacts>,
    status: RunStatus,
    next: Sequence,
    started_at: Timestamp,
    updated_at: Timestamp,
    nodes: Vec<NodeState>,
    executions: u64,
    pins: Vec<Pin>,
    secrets: Vec<UsedSecret>,
    agent_prompts: Option<IntrinsicHashes>,
    error: Option<RunError>,
    outputs: Map<String, Json>,
}

impl Image {
    /// Reads a checkpoint; `None` when it does not hold a state of this fold at its place.
    pub(crate) fn read(checkpoint: Checkpoint) -> Option<Self> {
        let image: Self = serde_json::from_value(checkpoint.state).ok()?;
        (checkpoint.fold == FOLD_VERSION && image.next == checkpoint.next).then_some(image)
    }

    /// The first record that is not in it.
    pub(crate) fn next(&self) -> Sequence {
        self.next
    }

    /// The state on the plan that its facts name; `None` when the plan has other nodes.
    pub(crate) fn on(self, plan: Arc<Plan>) -> Option<RunState> {
        let Self {
            facts,
            status,
            next,
            started_at,
            updated_at,
            nodes,
            executions,
            pins,
            secrets,
            agent_prompts,
            error,
            outputs,
        } = self;
        let fits = nodes.len() == plan.nodes.len() && facts.definition == plan.hash;
        fits.then_some(RunState {
            facts,
            plan,
            status,
            next,
            started_at,
            updated_at,
            nodes,
            executions,
            pins,
            secrets,
            agent_prompts,
            error,
            outputs,
        })
    }
}

impl RunState {
    /// The checkpoint of this state.
    pub fn checkpoint(&self) -> Checkpoint {
        let state = self.clone();
        let image = Image {
            facts: state.facts,
            status: state.status,
            next: state.next,
            started_at: state.started_at,
            updated_at: state.updated_at,
            nodes: state.nodes,
            executions: state.executions,
            pins: state.pins,
            secrets: state.secrets,
            agent_prompts: state.agent_prompts,
            error: state.error,
            outputs: state.outputs,
        };
        // The parts are plain structs with string keys, which always have a JSON form.
        let state = serde_json::to_value(image).unwrap_or_default();
        Checkpoint { next: self.next, fold: FOLD_VERSION, state }
    }

    /// The state that a checkpoint keeps, on the plan of its run; `None` when it is of another fold, plan or shape.
    pub fn of_checkpoint(checkpoint: Checkpoint, plan: Arc<Plan>) -> Option<Self> {
        Image::read(checkpoint)?.on(plan)
    }
}
