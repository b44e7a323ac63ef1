//! Owns workflow definitions as published: nodes, edges, ports, variables, triggers, channels. Refuses nothing about their
//! meaning: whether an edge leads somewhere or a condition parses is for the engine to say.

mod edge;
mod extras;
mod node;

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use edge::{ConditionType, EdgeCondition, TriggerRule, WorkflowEdge};
pub use extras::{ChannelAccess, ChannelDeclaration, NodeGroup, Size, TriggerType, WorkflowTrigger};
pub use node::{OutputRole, PortValue, Position, WorkflowNode};

use crate::id::WorkflowId;
use crate::names::wire_enum;
use crate::payload::LogLevel;
use crate::present;
use crate::reference::PromptRefs;
use crate::template::VariableType;
use crate::time::Timestamp;

const ID_FORM: &str = "a workflow id: a lower-case letter, then lower-case letters, digits, `_` or `-`";

wire_enum! {
    /// Whether a workflow is meant to be run.
    pub enum WorkflowStatus {
        /// It may be run.
        Active = "active",
        /// It is switched off.
        Inactive = "inactive",
        /// It is being written.
        Draft = "draft",
        /// It is kept for reference.
        Archived = "archived",
    }
}

/// A graph of typed nodes with its edges, triggers and variables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct WorkflowDefinition {
    /// The workflow's id.
    #[schemars(length(min = 1, max = 128), regex(pattern = "^[a-z][a-z0-9_-]*$"), extend("x-form" = ID_FORM))]
    pub id: WorkflowId,
    /// Its name for people.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its version, any text.
    #[schemars(length(min = 1))]
    pub version: String,
    /// A category for filtering.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Whether it may be run, in the older form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_active: Option<bool>,
    /// Whether it is meant to be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<WorkflowStatus>,
    /// The tenant it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The project it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_id: Option<String>,
    /// Its name in addresses.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[a-z0-9][a-z0-9_-]*$"))]
    pub slug: Option<String>,
    /// The nodes, at least one.
    #[schemars(length(min = 1))]
    pub nodes: Vec<WorkflowNode>,
    /// The edges between them.
    pub edges: Vec<WorkflowEdge>,
    /// What starts it.
    pub triggers: Vec<WorkflowTrigger>,
    /// Its declared variables.
    pub variables: Vec<WorkflowVariable>,
    /// Visual groups of nodes; they do not affect execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<NodeGroup>>,
    /// Its typed state channels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub channels: BTreeMap<String, ChannelDeclaration>,
    /// The JSON Schema of the `configurable` keys it accepts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configurable_schema: Option<Map<String, Value>>,
    /// Fallbacks for every node.
    #[serde(default, skip_serializing_if = "WorkflowDefaults::is_empty")]
    pub defaults: WorkflowDefaults,
    /// Authorship, classification and compliance, carried as written.
    #[schemars(schema_with = "metadata_schema")]
    pub metadata: Map<String, Value>,
    /// Limits of every run.
    pub settings: WorkflowSettings,
    /// The artifacts it accepts from a parent workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepts_inherited_artifacts: Option<Vec<Map<String, Value>>>,
    /// When it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// When it was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Fallbacks of a workflow (RFC 0029 §B).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct WorkflowDefaults {
    /// The prompts of layer `workflow-defaults`, by kind.
    #[serde(default, skip_serializing_if = "PromptRefs::is_empty")]
    pub prompt_refs: PromptRefs,
}

impl WorkflowDefaults {
    /// Whether no fallback is set.
    pub fn is_empty(&self) -> bool {
        self.prompt_refs.is_empty()
    }
}

/// A declared run variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct WorkflowVariable {
    /// The variable's name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The type its values have.
    #[serde(rename = "type")]
    pub value_type: VariableType,
    /// An explanation for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether a run needs it, unless there is a default.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Its value when the run's inputs have none.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub default_value: Option<Value>,
    /// Whether its value is masked wherever it is shown or stored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sensitive: bool,
}

/// Limits and habits of every run; keys of other hosts are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowSettings {
    /// The longest a run may take, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// How often a failed node is tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<u32>,
    /// The least level of log lines that are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_level: Option<LogLevel>,
    /// How often a loop may come round, at least 1; the protocol's default is 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_loopback_iterations: Option<u32>,
    /// Every other key, as written.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Known keys of `metadata` are typed; other keys are allowed.
fn metadata_schema(_: &mut SchemaGenerator) -> Schema {
    let text = json_schema!({ "type": "string" });
    let instant = json_schema!({ "type": "string", "format": "date-time" });
    json_schema!({
        "type": "object",
        "properties": {
            "createdBy": text, "createdAt": instant, "updatedBy": text, "updatedAt": instant,
            "tags": { "type": "array", "maxItems": 100, "items": { "type": "string", "minLength": 1, "maxLength": 256 } },
            "category": text, "author": text, "codeVersion": text, "customizedAt": instant, "customizedBy": text,
            "forkedFrom": text, "clonedFrom": text, "clonedAt": instant, "customProperties": { "type": "object" },
            "complianceClass": { "type": "string", "enum": ["public", "pii", "phi", "pci", "regulated"] },
            "complianceConfig": {
                "type": "object",
                "properties": { "maskingMode": { "type": "string", "enum": ["mask", "omit", "hash", "passthrough"] } },
            },
        },
    })
}
