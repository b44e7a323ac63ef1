//! Owns the nodes of a workflow and where their input ports get values from. Refuses unknown keys of a node, never of its
//! `config`, whose shape belongs to the node type.

use std::borrow::Cow;
use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use crate::agent::AgentRef;
use crate::id::NodeId;
use crate::names::wire_enum;

wire_enum! {
    /// How much a terminal node's output matters to a reader (RFC 0065); execution is the same.
    pub enum OutputRole {
        /// The main deliverable.
        Primary = "primary",
        /// An auxiliary output.
        Secondary = "secondary",
    }
}

const TYPE_FORM: &str = "a node type: a lower-case letter, then letters, digits, `.`, `_` or `-`";

/// Where an editor draws a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Position {
    /// How far to the right.
    pub x: Number,
    /// How far down.
    pub y: Number,
}

/// One step of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct WorkflowNode {
    /// The node's id within the workflow.
    pub id: NodeId,
    /// The type that says what the node does, such as `core.ai.callPrompt`.
    #[schemars(length(min = 1), regex(pattern = "^[a-z][a-zA-Z0-9._-]*$"), extend("x-form" = TYPE_FORM))]
    pub type_id: String,
    /// Its name for people.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Where an editor draws it.
    pub position: Position,
    /// Constants of the node, shaped by its type.
    pub config: Map<String, Value>,
    /// Where its input ports get their values from.
    pub inputs: IndexMap<String, PortValue>,
    /// Credentials it uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials_ref: Option<String>,
    /// Limits of the node, shaped by the host.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub settings: Map<String, Value>,
    /// How much its output matters to a reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_role: Option<OutputRole>,
    /// Whether it is passed over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
    /// Notes for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// The visual group it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_id: Option<String>,
    /// The agent that executes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentRef>,
    /// The contract of the envelopes it exchanges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub envelope_contract: Option<Map<String, Value>>,
    /// The type of artifact it makes or reviews.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// The card a chat shows it as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_type: Option<String>,
    /// Which of its outputs are masked in events.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub output_sensitivity: BTreeMap<String, bool>,
}

/// Where an input port gets its value from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PortValue {
    /// A constant.
    Static {
        /// The constant; null counts as a value.
        value: Value,
    },
    /// An expression over the run's state.
    Expression {
        /// Its text.
        expression: String,
    },
    /// An output of another node.
    Connection {
        /// The other node.
        node_id: NodeId,
        /// Its output port.
        output_key: String,
        /// Whether the port may stay empty.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        optional: bool,
    },
    /// A run variable.
    Variable {
        /// Its name.
        variable_name: String,
        /// Whether the port may stay empty.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        optional: bool,
    },
}

impl JsonSchema for PortValue {
    fn schema_name() -> Cow<'static, str> {
        "PortValue".into()
    }

    /// One branch for each `type`, chosen by it, so that a fault is reported within the branch that was meant.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let text = || json_schema!({ "type": "string", "minLength": 1 });
        let flag = || json_schema!({ "type": "boolean" });
        json_schema!({
            "description": "Where an input port gets its value from.",
            "x-hint": "write an object, such as {\"type\": \"static\", \"value\": 1} or {\"type\": \"variable\", \"variableName\": \"topic\"}",
            "type": "object",
            "properties": { "type": { "enum": ["static", "expression", "connection", "variable"] } },
            "required": ["type"],
            "allOf": [
                branch("static", &["value"], &[("value", true.into())]),
                branch("expression", &["expression"], &[("expression", text())]),
                branch("connection", &["nodeId", "outputKey"],
                    &[("nodeId", text()), ("outputKey", text()), ("optional", flag())]),
                branch("variable", &["variableName"], &[("variableName", text()), ("optional", flag())]),
            ],
        })
    }
}

/// The rules of a port of type `name`.
fn branch(name: &str, required: &[&str], properties: &[(&str, Schema)]) -> Schema {
    let mut known = Map::from_iter([("type".to_owned(), Value::Bool(true))]);
    known.extend(properties.iter().map(|(key, schema)| ((*key).to_owned(), schema.clone().to_value())));
    json_schema!({
        "if": { "properties": { "type": { "const": name } }, "required": ["type"] },
        "then": { "properties": known, "required": required, "additionalProperties": false },
    })
}
