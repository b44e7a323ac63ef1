//! Owns the payloads about what a run puts out: chunks, usage, channel writes, artifacts. Refuses prompt text and credentials
//! in usage by its closed shape.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use crate::id::{NodeId, RunId};
use crate::names::wire_enum;
use crate::time::Timestamp;

wire_enum! {
    /// Why a model stopped.
    pub enum FinishReason {
        /// It was done.
        Stop = "stop",
        /// It reached its ceiling of tokens.
        Length = "length",
        /// It wants tools called.
        ToolCalls = "tool_calls",
        /// A filter stopped it.
        ContentFilter = "content_filter",
    }
}

wire_enum! {
    /// Who registered an artifact's type.
    pub enum ArtifactRegistration {
        /// A pack.
        Pack = "pack",
        /// The host.
        Host = "host",
    }
}

/// The tokens of one model call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenUsage {
    /// Tokens sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// Tokens received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<u64>,
    /// Both together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<u64>,
}

/// What a model said about a chunk.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct ChunkMeta {
    /// Why it stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<FinishReason>,
    /// Probabilities of its tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logprobs: Option<Vec<Value>>,
    /// The tool calls it asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<Vec<Value>>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The tokens so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<TokenUsage>,
    /// The provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Whatever else the provider said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_extensions: Option<Map<String, Value>>,
}

/// `output.chunk`: a piece of a node's output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutputChunk {
    /// The node.
    pub node_id: NodeId,
    /// The piece, scrubbed of secrets.
    pub chunk: String,
    /// Whether it is the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_last: Option<bool>,
    /// The channel it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// What the model said about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<ChunkMeta>,
}

/// `provider.usage`: what one model call used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct ProviderUsage {
    /// The provider.
    #[schemars(length(min = 1))]
    pub provider: String,
    /// The model.
    #[schemars(length(min = 1))]
    pub model: String,
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// Both together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<u64>,
    /// An estimate of the cost, in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub cost_estimate_usd: Option<Number>,
    /// The currency of the estimate, by ISO 4217.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    pub currency: Option<String>,
    /// Whether a cache answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_hit: Option<bool>,
    /// The node that made the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub node_id: Option<NodeId>,
    /// The trace of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
}

/// `channel.written`: a channel was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct ChannelWritten {
    /// The channel, 1 to 256 characters.
    #[schemars(length(min = 1, max = 256))]
    pub channel: String,
    /// What was written.
    pub value: Value,
    /// How it is folded in.
    #[schemars(regex(
        pattern = r"^(replace|append|merge|counter|votes|feedback|vendor\.[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*)$"
    ))]
    pub reducer: String,
    /// The node that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 128))]
    pub node_id: Option<NodeId>,
    /// When it was written.
    pub written_at: Timestamp,
    /// The version of the channel's schema, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub schema_version: Option<u32>,
    /// The engine that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub source_engine_id: Option<String>,
    /// The run that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_run_id: Option<RunId>,
}

/// `artifact.created`: an artifact was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactCreated {
    /// The artifact.
    #[schemars(length(min = 1))]
    pub artifact_id: String,
    /// Its type.
    #[schemars(length(min = 1))]
    pub artifact_type: String,
    /// The node that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub node_id: Option<NodeId>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// One line about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Whether its type is registered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registered: Option<bool>,
    /// Who registered its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registration_source: Option<ArtifactRegistration>,
}
