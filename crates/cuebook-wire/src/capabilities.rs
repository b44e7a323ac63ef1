//! Owns the discovery document. Refuses nothing that another host may add: unknown blocks are kept as written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use crate::agent::AgentModelClass;
use crate::kind::PromptKind;
use crate::names::wire_enum;
use crate::payload::Verbosity;
use crate::reference::PromptRefs;
use crate::template::VariableSource;

wire_enum! {
    /// How much of a composition the log shows.
    #[derive(Default)]
    pub enum Observability {
        /// No `prompt.composed` at all.
        Off = "off",
        /// Hashes only.
        #[default]
        Hashed = "hashed",
        /// Redacted bodies.
        Full = "full",
    }
}

wire_enum! {
    /// Whose secrets a host resolves.
    pub enum SecretScope {
        /// A tenant's.
        Tenant = "tenant",
        /// A user's.
        User = "user",
        /// A run's.
        Run = "run",
        /// A workspace's.
        Workspace = "workspace",
    }
}

/// The limits of a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Limits {
    /// Rounds of questions of one run.
    pub clarification_rounds: u32,
    /// Rounds of schema repair of one call.
    pub schema_rounds: u32,
    /// Envelopes of one turn.
    pub envelopes_per_turn: u32,
    /// Node executions of one run, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_node_executions: Option<u64>,
    /// Time of one run, at least 1000 milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1000))]
    pub max_run_duration_ms: Option<u64>,
    /// Rounds of one loop, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_loop_iterations: Option<u64>,
    /// Tokens of one run, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_budget_tokens: Option<u64>,
    /// Cost of one run, in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub max_budget_cost_usd: Option<Number>,
}

/// The host's own prompt library.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct PromptLibrary {
    /// Its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Where prompts are rendered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "uri-reference"))]
    pub render_endpoint: Option<String>,
    /// The largest render request, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_render_request_bytes: Option<u64>,
}

/// What a host does with prompts (RFC 0027 §D, RFC 0028 §A, RFC 0029 §D).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct PromptCapabilities {
    /// Whether it resolves and composes prompts.
    pub supported: bool,
    /// Whether it has `/v1/prompts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoints_supported: Option<bool>,
    /// The kinds it knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("uniqueItems" = true))]
    pub template_kinds: Option<Vec<PromptKind>>,
    /// The sources it binds from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("uniqueItems" = true))]
    pub variable_sources: Option<Vec<VariableSource>>,
    /// The largest template, 1 to 65536 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65_536))]
    pub max_template_bytes: Option<u32>,
    /// How much of a composition the log shows; hashed when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observability: Option<Observability>,
    /// Whether it installs prompt packs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packs_supported: Option<bool>,
    /// Whether templates can be created and changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutable_library: Option<bool>,
    /// Its own library.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library: Option<PromptLibrary>,
    /// The prompts of layer `host-defaults`.
    #[serde(default, skip_serializing_if = "PromptRefs::is_empty")]
    pub defaults: PromptRefs,
    /// Whether the agent layer takes part in resolution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_bindings: Option<bool>,
}

/// Which software a host is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Implementation {
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Who makes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
}

/// What a host does with secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct SecretCapabilities {
    /// Whether it resolves secrets.
    pub supported: bool,
    /// Whose secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("uniqueItems" = true))]
    pub scopes: Option<Vec<SecretScope>>,
    /// Who resolves them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["host-managed"]))]
    pub resolution: Option<String>,
}

/// How an agent's reasoning is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct ReasoningCapabilities {
    /// How much of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verbosity: Option<Verbosity>,
    /// The longest summary, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_limit: Option<u32>,
    /// Whether it arrives in pieces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
}

/// What a host does with agents (RFC 0002 §D).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentCapabilities {
    /// Whether agents have an identity and events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supported: Option<bool>,
    /// The model classes it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("uniqueItems" = true))]
    pub model_classes: Option<Vec<AgentModelClass>>,
    /// Whether orchestrators run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orchestrator: Option<bool>,
    /// Whether child runs are dispatched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<bool>,
    /// How reasoning is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<ReasoningCapabilities>,
    /// Every other key, as written.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The discovery document of a host, `GET /.well-known/openwop`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// The version of the protocol, `1.0`.
    #[schemars(length(min = 1))]
    pub protocol_version: String,
    /// The envelope types it takes.
    #[schemars(inner(length(min = 1)))]
    pub supported_envelopes: Vec<String>,
    /// The version of each envelope's schema.
    pub schema_versions: BTreeMap<String, u32>,
    /// Its limits.
    pub limits: Limits,
    /// Which software it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implementation: Option<Implementation>,
    /// The version of its engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_version: Option<u32>,
    /// The version of its log's shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_log_schema_version: Option<u32>,
    /// What it does with prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompts: Option<PromptCapabilities>,
    /// What it does with secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secrets: Option<SecretCapabilities>,
    /// What it does with agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<AgentCapabilities>,
    /// The conformance fixtures it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(length(min = 1)), extend("uniqueItems" = true))]
    pub fixtures: Option<Vec<String>>,
    /// Every other block, as written.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
