//! The state of a run: nothing but the fold of its records.

use std::sync::Arc;

use cuebook_prompt::{IntrinsicHashes, Pin, UsedSecret, Values};
use cuebook_wire::{AgentRef, InterruptId, NodeId, RunError, RunStatus, Sequence, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::facts::{ComposedPart, RunFacts};
use crate::plan::Plan;

/// Where a run stands.
#[derive(Clone, Debug)]
pub struct RunState {
    /// What was fixed at the start.
    pub facts: Arc<RunFacts>,
    /// The workflow.
    pub plan: Arc<Plan>,
    /// The status as the wire shows it.
    pub status: RunStatus,
    /// The sequence of the next record.
    pub next: Sequence,
    /// When the run was started.
    pub started_at: Timestamp,
    /// When its last record was written.
    pub updated_at: Timestamp,
    /// The nodes, in the order of the plan.
    pub nodes: Vec<NodeState>,
    /// How many `node.started` events there were.
    pub executions: u64,
    /// Versions fixed so far.
    pub pins: Vec<Pin>,
    /// The secrets that its compositions used, each use once.
    pub secrets: Vec<UsedSecret>,
    /// The own prompts of its agents as it has last told of them; a run of an older log never tells.
    pub agent_prompts: Option<IntrinsicHashes>,
    /// Why the run failed.
    pub error: Option<RunError>,
    /// What the run gave, once it is complete.
    pub outputs: Map<String, Json>,
}

/// Where a node stands. The shape is stored in checkpoints: a change to it is another version of the fold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeState {
    /// Its phase.
    pub phase: Phase,
    /// The current attempt, from 0.
    pub attempt: u32,
    /// When the current attempt started.
    pub started_at: Option<Timestamp>,
    /// When a delay ends or the next attempt starts.
    pub wake_at: Option<Timestamp>,
    /// When the attempt has taken too long.
    pub deadline: Option<Timestamp>,
    /// The values at its ports.
    pub inputs: Values,
    /// How many compositions its attempts have had, each different from the one before.
    pub compositions: u32,
    /// The composition that its model call stands on.
    pub composed: Option<Arc<ComposedPart>>,
    /// The warnings about its prompt that its execution has told, as code and message.
    pub told: Vec<(String, String)>,
    /// What it gave.
    pub outputs: Values,
    /// Why it failed, or why its last attempt did.
    pub error: Option<RunError>,
    /// The agent it ran as.
    pub agent: Option<AgentRef>,
    /// The interrupt it waits on.
    pub interrupt: Option<InterruptId>,
}

/// The phases of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Its edges have not decided about it.
    #[default]
    Pending,
    /// It runs.
    Running,
    /// An attempt failed; another is due.
    Retrying,
    /// It waits for an answer from outside.
    Suspended,
    /// It gave its outputs.
    Completed,
    /// It failed for good.
    Failed,
    /// It will not run.
    Skipped,
    /// The run ended before it did.
    Cancelled,
}

impl Phase {
    /// Whether nothing more happens to the node.
    pub fn is_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Skipped | Self::Cancelled)
    }

    /// Whether something is under way.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Running | Self::Retrying | Self::Suspended)
    }

    /// The phase's name in snapshots and expressions.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Retrying => "retrying",
            Self::Suspended => "suspended",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }
}

impl RunState {
    /// The state after the first record, whose facts are given.
    pub fn begin(facts: Arc<RunFacts>, plan: Arc<Plan>, at: Timestamp) -> Self {
        let nodes = vec![NodeState::default(); plan.nodes.len()];
        Self {
            agent_prompts: facts.agent_prompts.clone(),
            facts,
            plan,
            status: RunStatus::Running,
            next: Sequence(1),
            started_at: at,
            updated_at: at,
            nodes,
            executions: 0,
            pins: Vec::new(),
            secrets: Vec::new(),
            error: None,
            outputs: Map::new(),
        }
    }

    /// The state of the node called `id`.
    pub fn node_named(&self, id: &str) -> Option<&NodeState> {
        self.plan.index(&NodeId::new(id)).map(|index| &self.nodes[index])
    }

    /// The nodes that something is under way for, by index.
    pub fn active(&self) -> impl Iterator<Item = usize> + '_ {
        self.nodes.iter().enumerate().filter(|(_, node)| node.phase.is_active()).map(|(index, _)| index)
    }
}
