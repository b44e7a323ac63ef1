//! Owns the payloads about one node and its interrupts. Refuses nothing about order: which event may follow which is the
//! engine's to keep.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::agent::AgentRef;
use crate::id::{AgentId, InterruptId, NodeId};
use crate::names::wire_enum;
use crate::present;
use crate::snapshot::RunError;

wire_enum! {
    /// What a suspended node waits for.
    pub enum InterruptKind {
        /// Someone's approval.
        Approval = "approval",
        /// Someone's answer.
        Clarification = "clarification",
        /// Something outside.
        ExternalEvent = "external-event",
        /// Something the node type defines.
        Custom = "custom",
        /// The opening of a conversation.
        ConversationStart = "conversation.start",
        /// A turn of a conversation.
        ConversationExchange = "conversation.exchange",
        /// The end of a conversation.
        ConversationClose = "conversation.close",
        /// Someone's word on a decision an agent was not sure of.
        LowConfidence = "low-confidence",
    }
}

impl InterruptKind {
    /// This kind where the payloads of `node.suspended` and `interrupt.resolved` allow it: only the first four.
    pub fn in_node_events(self) -> Option<Self> {
        matches!(self, Self::Approval | Self::Clarification | Self::ExternalEvent | Self::Custom)
            .then_some(self)
    }
}

/// `node.started`: a node began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeStarted {
    /// The node.
    pub node_id: NodeId,
    /// Its type.
    #[schemars(length(min = 1))]
    pub type_id: String,
    /// Which attempt this is, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// The agent that executes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentRef>,
}

/// `node.completed`: a node ended well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeCompleted {
    /// The node.
    pub node_id: NodeId,
    /// What it gave, masked where sensitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Map<String, Value>>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The agent that executed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentRef>,
}

/// `node.failed`: a node ended in an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeFailed {
    /// The node.
    pub node_id: NodeId,
    /// The error.
    pub error: RunError,
    /// How many attempts were made, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub attempts: Option<u32>,
}

/// `node.retried`: a node will be tried again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeRetried {
    /// The node.
    pub node_id: NodeId,
    /// Which attempt comes next, at least 1.
    #[schemars(range(min = 1))]
    pub attempt: u32,
    /// How long it waits, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// The error of the attempt before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<RunError>,
}

/// `node.skipped`: a node was passed over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeSkipped {
    /// The node.
    pub node_id: NodeId,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `node.cancelled`: a node was cancelled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeCancelled {
    /// The node.
    pub node_id: NodeId,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `node.suspended`: a node waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeSuspended {
    /// The node.
    pub node_id: NodeId,
    /// The interrupt it waits for.
    pub interrupt_id: InterruptId,
    /// What it waits for, where it is one of the four kinds a node event may name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "node_event_kind")]
    pub kind: Option<InterruptKind>,
    /// The interrupt's key, the same in every replay.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub key: Option<String>,
    /// Why, such as `low-confidence`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The agent whose decision is in question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// The confidence that was needed, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// The confidence there was, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<f64>,
}

/// `node.resumed`: a node goes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeResumed {
    /// The node.
    pub node_id: NodeId,
    /// The interrupt that was resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub interrupt_id: Option<InterruptId>,
    /// What it goes on with.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub resume_value: Option<Value>,
}

/// `interrupt.requested`: exactly the published interrupt, a closed shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct InterruptRequested {
    /// What is asked for.
    pub kind: InterruptKind,
    /// The interrupt's key, the same in every replay; 1 to 256 characters.
    #[schemars(length(min = 1, max = 256))]
    pub key: String,
    /// The facts of the request, shaped by its kind.
    pub data: Map<String, Value>,
    /// The JSON Schema of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume_schema: Option<Map<String, Value>>,
    /// How long it stays open, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// `interrupt.resolved`: an interrupt was answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InterruptResolved {
    /// The node that waited.
    #[schemars(with = "String")]
    pub node_id: NodeId,
    /// The interrupt.
    #[schemars(with = "String")]
    pub interrupt_id: InterruptId,
    /// What was asked for, where it is one of the four kinds a node event may name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "node_event_kind")]
    pub kind: Option<InterruptKind>,
    /// The answer.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub resume_value: Option<Value>,
}

/// The four kinds that node events may name.
fn node_event_kind(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let names: Vec<&str> = InterruptKind::ALL
        .into_iter()
        .filter_map(InterruptKind::in_node_events)
        .map(InterruptKind::as_str)
        .collect();
    schemars::json_schema!({ "type": "string", "enum": names })
}
