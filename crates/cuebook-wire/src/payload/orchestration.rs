//! Owns the payloads about runs that steer or repeat other runs: orchestrator decisions, child runs, divergence of replays.
//! Refuses decisions outside the three published ones.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::id::{AgentId, EventId, RunId, Sequence, WorkflowId};
use crate::names::wire_enum;

wire_enum! {
    /// How a replay differs from its source.
    pub enum DivergenceKind {
        /// The same event with another content.
        Output = "output",
        /// An event of the source is missing.
        Missing = "missing",
        /// The replay has an event more.
        Extra = "extra",
        /// An event of another type stands in its place.
        TypeMismatch = "type-mismatch",
    }
}

/// What an orchestrator decided (RFC 0006).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum OrchestratorDecision {
    /// These workers go next.
    NextWorker {
        /// The workers, at least one.
        next_worker_ids: Vec<String>,
        /// How sure it is, 0 to 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        confidence: Option<f64>,
    },
    /// A person is asked.
    AskUser {
        /// The question.
        prompt: String,
    },
    /// The run ends.
    Terminate {
        /// Why.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// How sure it is, 0 to 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        confidence: Option<f64>,
    },
}

impl JsonSchema for OrchestratorDecision {
    fn schema_name() -> Cow<'static, str> {
        "OrchestratorDecision".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let confidence = json_schema!({ "type": "number", "minimum": 0, "maximum": 1 });
        let text = json_schema!({ "type": "string", "minLength": 1 });
        let workers = json_schema!({
            "type": "array", "minItems": 1, "items": { "type": "string", "minLength": 1, "maxLength": 256 },
        });
        json_schema!({
            "description": "What an orchestrator decided (RFC 0006).",
            "type": "object",
            "properties": { "kind": { "enum": ["next-worker", "ask-user", "terminate"] } },
            "required": ["kind"],
            "allOf": [
                {
                    "if": { "properties": { "kind": { "const": "next-worker" } }, "required": ["kind"] },
                    "then": {
                        "properties": { "kind": true, "nextWorkerIds": workers, "confidence": confidence },
                        "required": ["nextWorkerIds"],
                        "additionalProperties": false,
                    },
                },
                {
                    "if": { "properties": { "kind": { "const": "ask-user" } }, "required": ["kind"] },
                    "then": {
                        "properties": { "kind": true, "prompt": text },
                        "required": ["prompt"],
                        "additionalProperties": false,
                    },
                },
                {
                    "if": { "properties": { "kind": { "const": "terminate" } }, "required": ["kind"] },
                    "then": {
                        "properties": { "kind": true, "reason": text, "confidence": confidence },
                        "additionalProperties": false,
                    },
                },
            ],
        })
    }
}

/// `runOrchestrator.decided`: the orchestrator decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct RunOrchestratorDecided {
    /// The orchestrator.
    pub agent_id: AgentId,
    /// What it decided.
    pub decision: OrchestratorDecision,
    /// Which decision of the run this is, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub iteration: Option<u32>,
    /// The host that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub causation_host_id: Option<String>,
}

/// `node.dispatched`: a child run was started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct NodeDispatched {
    /// The child run.
    #[schemars(length(min = 1))]
    pub child_run_id: RunId,
    /// The workflow it runs.
    pub child_workflow_id: WorkflowId,
    /// Its status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub child_status: Option<String>,
}

/// `replay.diverged`: a replay differs from its source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayDiverged {
    /// The run that is replayed.
    pub source_run_id: RunId,
    /// Where in the source they part.
    pub at_sequence: Sequence,
    /// The source's event there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub original_event_id: Option<EventId>,
    /// The replay's event there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub replay_event_id: Option<EventId>,
    /// How they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divergence_kind: Option<DivergenceKind>,
    /// What differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divergence_point: Option<String>,
}
