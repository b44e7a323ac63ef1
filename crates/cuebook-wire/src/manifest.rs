//! Owns agents as they are defined (RFC 0003, RFC 0029 §B). Refuses both intrinsic prompts at once everywhere;
//! none is allowed only in a manifest that is local to the host and draws its prompt from elsewhere.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::ErrorCode;
use crate::id::{AgentId, LibraryId};
use crate::names::wire_enum;
use crate::reference::PromptRefs;
use crate::strict::{self, Document, Fault};

/// The published pattern of an agent id in a manifest: a tier and at least two more segments.
pub const MANIFEST_AGENT_PATTERN: &str =
    r"^(core|vendor|community|private|local)\.[a-z][a-z0-9_-]*(\.[a-z][a-zA-Z0-9_-]*)+$";

const AGENT_ID_FORM: &str = "an agent id of a manifest: core, vendor, community, private or local, then at least two more \
    parts, as in `vendor.acme.writer`";

const BOTH_PROMPTS: &str = "`systemPromptRef` cannot be set together with `systemPrompt`";

const NO_PROMPT: &str = "`systemPrompt` or `systemPromptRef` is missing";

const NO_PROMPT_ANYWHERE: &str = "the agent has no system prompt: set `systemPrompt`, `systemPromptRef`, \
    `promptOverrides.system` or `promptLibraryRef`";

wire_enum! {
    /// The model class a manifest asks for: the manifest's six values, not the wire's nine.
    pub enum ModelClass {
        /// Multi-step reasoning.
        Reasoning = "reasoning",
        /// Prose.
        Writing = "writing",
        /// Program code.
        Coding = "coding",
        /// Search and synthesis.
        Research = "research",
        /// Classification.
        Classification = "classification",
        /// Anything.
        General = "general",
    }
}

/// Whose rules a manifest is read by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ManifestOrigin {
    /// Shipped in a pack: the published schema, exactly one intrinsic prompt.
    Pack,
    /// A file of this host: may have no intrinsic prompt when overrides or a library stand in for it.
    Local,
}

/// The memories an agent reads and writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct MemoryShape {
    /// Notes of one task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scratchpad: Option<bool>,
    /// The dialogue of one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<bool>,
    /// Memory across runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_term: Option<bool>,
}

/// When an agent's decisions need a second opinion (RFC 0002 §F).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Confidence {
    /// Decisions below this confidence escalate; 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub default_threshold: Option<f64>,
}

/// The schemas of what an agent is handed and hands back, as paths within the pack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Handoff {
    /// The schema of a task.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub task_schema_ref: Option<String>,
    /// The schema of a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub return_schema_ref: Option<String>,
}

/// An agent as its author defines it (RFC 0003).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
#[schemars(extend("if" = { "required": ["systemPrompt"] }))]
#[schemars(extend("then" = { "properties": { "systemPromptRef": { "not": {}, "x-fault": BOTH_PROMPTS } } }))]
#[schemars(extend("else" = { "required": ["systemPromptRef"], "x-fault": NO_PROMPT }))]
pub struct AgentManifest {
    /// The agent's id.
    #[schemars(regex(pattern = MANIFEST_AGENT_PATTERN), extend("x-form" = AGENT_ID_FORM))]
    pub agent_id: AgentId,
    /// The agent's name for people.
    #[schemars(length(min = 1, max = 200))]
    pub persona: String,
    /// The class of model it needs.
    pub model_class: ModelClass,
    /// Its system prompt, inline.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub system_prompt: Option<String>,
    /// Its system prompt, as a file within the pack.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub system_prompt_ref: Option<String>,
    /// Its evaluation suite, as a file within the pack (RFC 0081 §A).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub eval_suite_ref: Option<String>,
    /// The tools it may call, `<scope>:<tool>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(length(min = 1)))]
    pub tool_allowlist: Option<Vec<String>>,
    /// The memories it uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_shape: Option<MemoryShape>,
    /// When its decisions escalate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// The schemas of its tasks and results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff: Option<Handoff>,
    /// A short label.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub label: Option<String>,
    /// One line about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 500))]
    pub description: Option<String>,
    /// The library it draws fallback prompts from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_library_ref: Option<LibraryId>,
    /// The prompts it prefers, by kind.
    #[serde(default, skip_serializing_if = "PromptRefs::is_empty")]
    pub prompt_overrides: PromptRefs,
}

/// A manifest read by the rules of [`ManifestOrigin::Local`].
#[derive(Deserialize)]
#[serde(transparent)]
struct LocalManifest(AgentManifest);

impl JsonSchema for LocalManifest {
    fn schema_name() -> Cow<'static, str> {
        "LocalAgentManifest".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = AgentManifest::json_schema(generator);
        let elsewhere = json!({
            "anyOf": [
                { "required": ["systemPromptRef"] },
                { "required": ["promptLibraryRef"] },
                { "required": ["promptOverrides"], "properties": { "promptOverrides": { "required": ["system"] } } },
            ],
            "x-fault": NO_PROMPT_ANYWHERE,
        });
        schema.insert("else".to_owned(), elsewhere);
        schema
    }
}

impl Document for LocalManifest {
    const CODE: ErrorCode = ErrorCode::AgentManifestInvalid;
}

impl AgentManifest {
    /// Reads a manifest strictly, by the rules of its origin.
    ///
    /// # Errors
    ///
    /// Every fault of the document, at least one: unknown keys, values outside their bounds, both intrinsic prompts at
    /// once, or no prompt where the origin needs one.
    pub fn read(value: &Value, origin: ManifestOrigin) -> Result<Self, Vec<Fault>> {
        match origin {
            ManifestOrigin::Pack => strict::read::<Self>(value),
            ManifestOrigin::Local => strict::read::<LocalManifest>(value).map(|local| local.0),
        }
    }
}
