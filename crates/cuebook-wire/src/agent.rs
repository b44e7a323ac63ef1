//! Owns an agent's identity at run time, the closed `AgentRef` (RFC 0002 §A as published). Refuses nothing about who the
//! agent is: an id need not be registered anywhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::AgentId;
use crate::manifest::ModelClass;
use crate::names::wire_enum;

wire_enum! {
    /// The model class of an agent at run time: the wire's nine values, not the manifest's six.
    pub enum AgentModelClass {
        /// Multi-step reasoning.
        Reasoning = "reasoning",
        /// Tool use.
        ToolUsing = "tool-using",
        /// Dialogue.
        Chat = "chat",
        /// Program code.
        Code = "code",
        /// Images.
        Vision = "vision",
        /// Several media.
        Multimodal = "multimodal",
        /// Embeddings.
        Embedding = "embedding",
        /// Classification.
        Classification = "classification",
        /// Retrieval.
        Retrieval = "retrieval",
    }
}

impl AgentModelClass {
    /// The wire's class of the same name, where there is one; the texts define no other mapping.
    pub fn from_manifest(class: ModelClass) -> Option<Self> {
        match class {
            ModelClass::Reasoning => Some(Self::Reasoning),
            ModelClass::Classification => Some(Self::Classification),
            ModelClass::Writing | ModelClass::Coding | ModelClass::Research | ModelClass::General => None,
        }
    }
}

/// Who acts: the projection of an agent that snapshots, nodes and events carry.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
#[schemars(extend("if" = { "required": ["version"] }))]
#[schemars(extend("then" = { "properties": { "channel": { "not": {}, "x-fault": "`channel` cannot be set together with `version`" } } }))]
pub struct AgentRef {
    /// The agent's id, 3 to 256 characters.
    pub agent_id: AgentId,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub name: Option<String>,
    /// The class of model it runs on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_class: Option<AgentModelClass>,
    /// Its long-term memory, opaque.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub memory_ref: Option<String>,
    /// An exact version; excludes `channel`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub version: Option<String>,
    /// A deployment channel; excludes `version`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 64))]
    pub channel: Option<String>,
    /// The manifest it was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub source_manifest_id: Option<String>,
}

impl AgentRef {
    /// The bare identity of `agent_id`.
    pub fn new(agent_id: AgentId) -> Self {
        Self {
            agent_id,
            name: None,
            model_class: None,
            memory_ref: None,
            version: None,
            channel: None,
            source_manifest_id: None,
        }
    }
}
