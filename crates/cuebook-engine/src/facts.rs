//! What is fixed when a run starts, and the private parts of the records that follow.
//!
//! These shapes are stored: a change to one is a change of the log's format.

use std::collections::BTreeMap;

use cuebook_prompt::{CompositionRecord, ContentHash, IntrinsicHashes, Principal, Trust, Values};
use cuebook_wire::{AgentId, AgentRef, Configurable, Observability, RunId, Timestamp, WorkflowId};
use serde::{Deserialize, Serialize};

/// The private part of `run.started`: the facts that the run keeps, whatever changes around it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunFacts {
    /// The run.
    pub run_id: RunId,
    /// On whose behalf it runs.
    pub principal: Principal,
    /// The user whom `currentUserId` names, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The workflow.
    pub workflow_id: WorkflowId,
    /// The hash of its definition, under which the definition is kept.
    pub definition: ContentHash,
    /// The run's variables: inputs and defaults, each with its trust.
    pub variables: Values,
    /// The caller's overlay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configurable: Option<Configurable>,
    /// The caller's tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The caller's metadata.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// What `now` is for the whole run.
    pub now: Timestamp,
    /// How much of a composition may be stored.
    pub observability: Observability,
    /// The most `node.started` events that the run may have.
    pub max_node_executions: u64,
    /// The most events that the run may have; one that would need more fails, and the events of its ending come on top.
    #[serde(default = "unbounded", skip_serializing_if = "is_unbounded")]
    pub max_events: u64,
    /// The scope that the run works in, if its caller named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Who the agents are that nodes bind by `config.agentId`; those that nobody knows are not here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<AgentId, AgentRef>,
    /// The own prompts of those agents when the run started; older logs do not have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_prompts: Option<IntrinsicHashes>,
}

fn unbounded() -> u64 {
    u64::MAX
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_unbounded(limit: &u64) -> bool {
    *limit == u64::MAX
}

/// The private part of `node.started`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeStart {
    /// The values at the input ports.
    pub inputs: Values,
    /// When a delay ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake_at: Option<Timestamp>,
    /// When the attempt has taken too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
}

/// The private part of `node.retried`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RetryPlan {
    /// When the next attempt starts.
    pub wake_at: Timestamp,
}

/// The private part of `interrupt.resolved`, when a request brought the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerPart {
    /// The request, by a name that no other has; it knows its own answer again when it is repeated.
    pub by: String,
}

/// The private part of the record that makes a composition durable: `prompt.composed`; with observability off, the last
/// `agent.promptResolved`, or a `log.appended` when no kind was resolved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComposedPart {
    /// The hash of the observed text.
    pub hash: ContentHash,
    /// The trust of the whole.
    pub trust: Trust,
    /// Pins, segments, bodies and variables.
    pub record: CompositionRecord,
}

/// The private part of `node.completed`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeEnd {
    /// The trust of each output port that is not trusted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub trust: BTreeMap<String, Trust>,
    /// The outputs that the event shows masked.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub masked: serde_json::Map<String, serde_json::Value>,
}
