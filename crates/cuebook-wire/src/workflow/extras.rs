//! Owns what surrounds the graph: triggers, channels and visual groups. Refuses unknown keys, executes nothing.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::Position;
use crate::id::NodeId;
use crate::names::wire_enum;
use crate::present;

wire_enum! {
    /// What kind of thing starts a workflow.
    pub enum TriggerType {
        /// A person or a caller.
        Manual = "manual",
        /// A time.
        Schedule = "schedule",
        /// A web request.
        Webhook = "webhook",
        /// An event.
        Event = "event",
        /// An artifact.
        Artifact = "artifact",
        /// A canvas action.
        Canvas = "canvas",
        /// An envelope.
        Envelope = "envelope",
        /// A command.
        Command = "command",
        /// A chat message.
        ChatMessage = "chat-message",
        /// A write to a channel.
        ChannelWrite = "channel-write",
    }
}

/// Something that starts a workflow or one of its nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct WorkflowTrigger {
    /// The trigger's id within the workflow.
    #[schemars(length(min = 1))]
    pub id: String,
    /// What kind of thing it is.
    #[serde(rename = "type")]
    pub trigger_type: TriggerType,
    /// Its name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// An explanation for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its settings, shaped by its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<Map<String, Value>>,
    /// Whether it is switched on; on when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The node it starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<NodeId>,
    /// The event it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_type: Option<String>,
}

/// How wide and high an editor draws a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Size {
    /// How wide.
    pub width: Number,
    /// How high.
    pub height: Number,
}

/// A visual group of nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct NodeGroup {
    /// The group's id within the workflow.
    #[schemars(length(min = 1))]
    pub id: String,
    /// Its name for people.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Its colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// Whether it is drawn closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collapsed: Option<bool>,
    /// Its nodes.
    #[schemars(with = "Vec<String>")]
    pub node_ids: Vec<NodeId>,
    /// Where it is drawn.
    pub position: Position,
    /// How large it is drawn.
    pub size: Size,
}

/// Who may read and write a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChannelAccess(
    /// `"public"`, `"private"`, or an object with the lists `readers` and `writers`.
    pub Value,
);

impl JsonSchema for ChannelAccess {
    fn schema_name() -> Cow<'static, str> {
        "ChannelAccess".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "`public`, `private`, or the lists of who may read and write.",
            "type": ["string", "object"],
            "if": { "type": "string" },
            "then": { "enum": ["public", "private"] },
            "properties": {
                "readers": { "type": "array", "items": { "type": "string", "minLength": 1 } },
                "writers": { "type": "array", "items": { "type": "string", "minLength": 1 } },
            },
            "additionalProperties": false,
        })
    }
}

/// A typed state channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct ChannelDeclaration {
    /// How writes are folded into the channel's value.
    #[schemars(regex(
        pattern = r"^(replace|append|merge|counter|votes|feedback|message|vendor\.[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*)$"
    ))]
    pub reducer: String,
    /// The JSON Schema of its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Map<String, Value>>,
    /// Its value before the first write.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// The most entries it keeps, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_size: Option<u64>,
    /// How long an entry lives, 1 millisecond to 365 days.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 31_536_000_000_u64))]
    pub ttl_ms: Option<u64>,
    /// Settings of its reducer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Map<String, Value>>,
    /// Who may read and write it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<ChannelAccess>,
    /// The version of its schema, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub schema_version: Option<u32>,
    /// Older versions of its schema whose entries can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1)), extend("uniqueItems" = true))]
    pub compatible_with: Option<Vec<u32>>,
    /// Whether its values are masked wherever they are shown or stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<bool>,
}
