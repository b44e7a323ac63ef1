//! Owns the state of a run as a caller sees it, and the error a failed run carries. Reads tolerantly: a later protocol may
//! add fields.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::agent::AgentRef;
use crate::id::{NodeId, RunId, WorkflowId};
use crate::names::wire_enum;
use crate::payload::Owner;
use crate::time::Timestamp;

wire_enum! {
    /// How a run stands.
    pub enum RunStatus {
        /// It has not begun.
        Pending = "pending",
        /// It is at work.
        Running = "running",
        /// Someone paused it.
        Paused = "paused",
        /// It waits for someone's approval.
        WaitingApproval = "waiting-approval",
        /// It waits for someone's answer.
        WaitingInput = "waiting-input",
        /// It waits for something outside.
        WaitingExternal = "waiting-external",
        /// It ended well.
        Completed = "completed",
        /// It ended in an error.
        Failed = "failed",
        /// It is being cancelled.
        Cancelling = "cancelling",
        /// It was cancelled.
        Cancelled = "cancelled",
    }
}

impl RunStatus {
    /// Whether nothing more will happen.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// Whether the run waits for someone or something.
    pub fn is_waiting(self) -> bool {
        matches!(self, Self::WaitingApproval | Self::WaitingInput | Self::WaitingExternal)
    }
}

/// Why a run or a node failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunError {
    /// The machine-readable code; [`crate::ErrorCode`] holds the known ones.
    #[schemars(length(min = 1))]
    pub code: String,
    /// The explanation, scrubbed of secrets.
    #[schemars(length(min = 1))]
    pub message: String,
    /// The facts behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Map<String, Value>>,
    /// Whether another attempt may help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
}

impl RunError {
    /// The error `code` with its explanation.
    pub fn new(code: crate::ErrorCode, message: impl Into<String>) -> Self {
        Self { code: code.as_str().to_owned(), message: message.into(), details: None, retryable: None }
    }
}

/// The state of a run, folded from its log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunSnapshot {
    /// The run.
    pub run_id: RunId,
    /// The workflow it runs.
    pub workflow_id: WorkflowId,
    /// How it stands.
    pub status: RunStatus,
    /// Who it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
    /// The node it waits at.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub current_node_id: Option<NodeId>,
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// The agent at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentRef>,
    /// The agent that dispatches the others, the same for the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_orchestrator: Option<AgentRef>,
    /// The state of each node, shaped by the host.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_states: BTreeMap<NodeId, Value>,
    /// Inputs and outputs, masked where sensitive.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub variables: Map<String, Value>,
    /// The values of the state channels.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub channels: Map<String, Value>,
    /// Why it failed; written without `retryable`, which this place does not have.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "without_retryable")]
    #[schemars(schema_with = "closed_error")]
    pub error: Option<RunError>,
    /// The engine it began under.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_version: Option<String>,
    /// The version of its log's shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_log_schema_version: Option<u32>,
    /// The caller's tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100), inner(length(max = 256)))]
    pub tags: Vec<String>,
    /// The caller's metadata.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// The caller's overlay.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub configurable: Map<String, Value>,
    /// Totals of the run, shaped by the host.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metrics: Map<String, Value>,
    /// The open interrupt of a run that waits for something outside, for callers that must answer it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupt: Option<Map<String, Value>>,
}

impl RunSnapshot {
    /// The snapshot of a run about which only this is known.
    pub fn new(run_id: RunId, workflow_id: WorkflowId, status: RunStatus) -> Self {
        Self {
            run_id,
            workflow_id,
            status,
            owner: None,
            current_node_id: None,
            started_at: None,
            completed_at: None,
            agent: None,
            run_orchestrator: None,
            node_states: BTreeMap::new(),
            variables: Map::new(),
            channels: Map::new(),
            error: None,
            engine_version: None,
            event_log_schema_version: None,
            tags: Vec::new(),
            metadata: Map::new(),
            configurable: Map::new(),
            metrics: Map::new(),
            interrupt: None,
        }
    }
}

#[expect(clippy::ref_option, reason = "serde's `serialize_with` hands over a reference to the field")]
fn without_retryable<S: Serializer>(error: &Option<RunError>, serializer: S) -> Result<S::Ok, S::Error> {
    let closed = error.clone().map(|error| RunError { retryable: None, ..error });
    closed.serialize(serializer)
}

fn closed_error(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "properties": {
            "code": { "type": "string", "minLength": 1 },
            "message": { "type": "string", "minLength": 1 },
            "details": { "type": "object" },
        },
        "required": ["code", "message"],
        "additionalProperties": false,
    })
}
