//! Owns the two closed payloads about prompts (RFC 0027 §E, RFC 0029 §C). Refuses secrets by contract: only the observed
//! face of a composition may be put here.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::{AgentId, NodeId};
use crate::kind::PromptKind;
use crate::names::wire_enum;
use crate::reference::REF_PATTERN;

/// The published pattern of a content hash.
pub const HASH_PATTERN: &str = "^sha256:[0-9a-f]{64}$";

wire_enum! {
    /// Which messages a composition makes.
    pub enum CompositionKind {
        /// A system and a user message.
        SystemAndUser = "system+user",
        /// A system message.
        SystemOnly = "system-only",
        /// A user message.
        UserOnly = "user-only",
        /// A later turn of an agent's loop.
        AgentReasoning = "agent-reasoning",
    }
}

wire_enum! {
    /// Whether anything untrusted went into a text.
    #[derive(Default)]
    pub enum ContentTrust {
        /// Nothing did.
        #[default]
        Trusted = "trusted",
        /// Something did.
        Untrusted = "untrusted",
    }
}

wire_enum! {
    /// A layer of the resolution chain, the highest first (RFC 0029 §A).
    pub enum ChainLayer {
        /// The run's own overrides.
        RunConfigurable = "run-configurable",
        /// The node's configuration.
        Node = "node",
        /// The agent's own system prompt.
        AgentIntrinsic = "agent-intrinsic",
        /// The agent's preferred prompts.
        AgentOverrides = "agent-overrides",
        /// The agent's library.
        AgentLibraryDefault = "agent-library-default",
        /// The workflow's defaults.
        WorkflowDefaults = "workflow-defaults",
        /// The host's defaults.
        HostDefaults = "host-defaults",
    }
}

/// `prompt.composed`: what a model was, or is about to be, sent, as far as it may be observed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct PromptComposed {
    /// The node it was composed for.
    #[schemars(with = "String")]
    pub node_id: NodeId,
    /// The templates it was composed of, in order, in the stringy form.
    #[schemars(inner(regex(pattern = REF_PATTERN)))]
    pub refs: Vec<String>,
    /// Which messages it makes.
    pub kind: CompositionKind,
    /// SHA-256 of the observed text.
    #[schemars(regex(pattern = HASH_PATTERN))]
    pub hash: String,
    /// The observed text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub composed: Option<String>,
    /// The observed system message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// The observed user message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_prompt: Option<String>,
    /// The bound values, secrets as markers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable_bindings: Option<Map<String, Value>>,
    /// SHA-256 of each bound value's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "hashes")]
    pub variable_hashes: Option<BTreeMap<String, String>>,
    /// Whether anything untrusted went into it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_trust: Option<ContentTrust>,
    /// The host that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub causation_host_id: Option<String>,
}

impl PromptComposed {
    /// The facts every observability mode gives; bodies, bindings and hashes of variables are set by field.
    pub fn new(node_id: NodeId, refs: Vec<String>, kind: CompositionKind, hash: String) -> Self {
        Self {
            node_id,
            refs,
            kind,
            hash,
            composed: None,
            system_prompt: None,
            user_prompt: None,
            variable_bindings: None,
            variable_hashes: None,
            content_trust: None,
            causation_host_id: None,
        }
    }
}

/// One layer of the chain and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct ChainEntry {
    /// The layer.
    pub layer: ChainLayer,
    /// Its candidate, in the stringy form; absent when it had none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Whether its candidate won.
    pub applied: bool,
    /// Why it did not win.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `agent.promptResolved`: which prompt of one kind a node gets, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct AgentPromptResolved {
    /// The node.
    #[schemars(with = "String")]
    pub node_id: NodeId,
    /// The kind that was resolved.
    pub kind: PromptKind,
    /// The agent the node is bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub agent_id: Option<AgentId>,
    /// The layers, the highest first.
    pub chain: Vec<ChainEntry>,
    /// The winning candidate; null when no layer had one.
    #[schemars(schema_with = "text_or_null")]
    pub resolved: Option<String>,
    /// The host that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub causation_host_id: Option<String>,
}

fn text_or_null(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "null"] })
}

fn hashes(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "additionalProperties": { "type": "string", "pattern": HASH_PATTERN },
    })
}
