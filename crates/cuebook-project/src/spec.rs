//! The shape of a project file (ADR-0015, ADR-0037): agents, workflows, inclusions.
//!
//! It owns which keys there are and what type each has. It refuses unknown keys at every level; what only the whole shows,
//! such as a step that needs itself, is found by [`crate::rules`].

use std::borrow::Cow;

use cuebook_wire::strict::Document;
use cuebook_wire::{ErrorCode, VariableType};
use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json};

/// The pattern of a project's slug.
const SLUG: &str = "^[a-z0-9][a-z0-9-]{0,62}[a-z0-9]$";
const SLUG_FORM: &str = "a project's name: 2 to 64 of a-z 0-9 -, no hyphen at the ends";
/// The pattern of the names of agents, steps, workflows and included projects.
const NAME: &str = "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$";
const NAME_FORM: &str = "a name: letters, digits, `_` and `-`, at most 64, a letter or digit first";
/// The pattern of the names of inputs and of the keys of `with`.
const IDENTIFIER: &str = "^[A-Za-z_][A-Za-z0-9_]{0,63}$";
const IDENTIFIER_FORM: &str = "a name: letters, digits and `_`, at most 64, no digit first";

const BOTH_PROMPTS: &str = "`template` cannot be set together with `system_prompt`";
const NO_SYSTEM_PROMPT: &str = "`system_prompt` is missing: the files of the agent's prompt";
const BOTH_STEP_PROMPTS: &str = "`template` cannot be set together with `prompt`";
const NO_STEP_PROMPT: &str = "`prompt` is missing: the files of the step's prompt";
const PATHS_HINT: &str = "write one path, or a list of paths that are put together in this order";

/// A project file, with what overrides it merged in.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, title = "ProjectFile")]
pub struct ProjectFile {
    /// The version of the format: 1.
    #[schemars(range(min = 1, max = 1), extend("x-hint" = "this host reads version 1"))]
    pub version: u8,
    /// The project's name, unique among the projects of a host.
    #[schemars(regex(pattern = SLUG), extend("x-form" = SLUG_FORM))]
    pub project: String,
    /// One line about it.
    #[schemars(length(max = 280))]
    pub description: Option<String>,
    /// The agent that speaks for the project.
    pub primary: AgentSpec,
    /// The workflows by name.
    #[serde(default)]
    #[schemars(schema_with = "workflows_schema")]
    pub workflows: IndexMap<String, WorkflowSpec>,
    /// Included projects by name.
    #[serde(default)]
    #[schemars(schema_with = "projects_schema")]
    pub projects: IndexMap<String, IncludeSpec>,
    /// Plugins; kept, and without meaning here.
    pub plugins: Option<Json>,
    /// Tasks by name; kept, and without meaning here.
    #[schemars(length(max = 64))]
    pub tasks: Option<Map<String, Json>>,
    /// The paths of layered files that this project holds at its own bytes.
    pub owns: Option<Vec<String>>,
}

/// An agent, and those below it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(extend("if" = { "required": ["template"] }))]
#[schemars(extend("then" = { "properties": { "system_prompt": { "not": {}, "x-fault": BOTH_PROMPTS } } }))]
#[schemars(extend("else" = { "required": ["system_prompt"], "x-fault": NO_SYSTEM_PROMPT }))]
pub struct AgentSpec {
    /// The model's alias: a class of the host's `[models]`, or any name, which stands for the default.
    #[schemars(length(min = 1))]
    pub model: String,
    /// One line about the agent.
    #[schemars(length(max = 280))]
    pub description: Option<String>,
    /// The files of its prompt.
    pub system_prompt: Option<PromptPaths>,
    /// A layered template in place of files.
    #[schemars(length(min = 1))]
    pub template: Option<String>,
    /// The tools it may call, by name.
    pub tools: Option<Map<String, Json>>,
    /// Its sandbox; kept, and without meaning here.
    #[serde(default)]
    #[schemars(schema_with = "cage_schema")]
    pub cage: Option<Json>,
    /// The most turns of one task, at least 1.
    #[schemars(range(min = 1))]
    pub max_steps: Option<u32>,
    /// The most tokens of one answer, at least 1.
    #[schemars(range(min = 1))]
    pub max_output_tokens: Option<u32>,
    /// Plugins; kept, and without meaning here.
    pub plugins: Option<Json>,
    /// The agents below it, by name.
    #[serde(default)]
    #[schemars(schema_with = "subagents_schema")]
    pub subagents: IndexMap<String, AgentSpec>,
}

/// The files of one prompt, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptPaths(pub Vec<String>);

/// A workflow: steps that agents do.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct WorkflowSpec {
    /// One line about the workflow.
    #[schemars(length(max = 280))]
    pub description: String,
    /// What a run is given, by name.
    #[serde(default)]
    #[schemars(schema_with = "inputs_schema")]
    pub inputs: IndexMap<String, InputSpec>,
    /// The tools that its steps may call: no more than the primary agent's.
    pub tools: Option<Map<String, Json>>,
    /// The steps, at least one. Each begins when those it needs are done.
    #[schemars(length(min = 1))]
    pub steps: Vec<StepSpec>,
}

/// An input of a workflow.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct InputSpec {
    /// The type of its values.
    #[serde(rename = "type")]
    pub value_type: VariableType,
    /// Whether a run needs it.
    #[serde(default)]
    pub required: bool,
    /// Its value when a run gives none.
    pub default: Option<Json>,
    /// An explanation for people.
    #[schemars(length(max = 280))]
    pub description: Option<String>,
}

/// A step of a workflow: an agent, its prompt for this step, and the data it works on.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(extend("if" = { "required": ["template"] }))]
#[schemars(extend("then" = { "properties": { "prompt": { "not": {}, "x-fault": BOTH_STEP_PROMPTS } } }))]
#[schemars(extend("else" = { "required": ["prompt"], "x-fault": NO_STEP_PROMPT }))]
pub struct StepSpec {
    /// The step's name, unique in its workflow.
    #[schemars(regex(pattern = NAME), extend("x-form" = NAME_FORM))]
    pub id: String,
    /// The agent that does it: `primary`, a path such as `writer.researcher`, or `<project>/<agent>` of an included one.
    #[schemars(length(min = 1))]
    pub agent: String,
    /// The files of its prompt; nothing is put in front of them.
    pub prompt: Option<PromptPaths>,
    /// A layered template in place of files.
    #[schemars(length(min = 1))]
    pub template: Option<String>,
    /// The steps that must be done before.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The data of the user message, one block a key. Strings may hold `{{ inputs.name }}` and `{{ steps.id.output }}`.
    #[serde(default)]
    #[schemars(schema_with = "with_schema")]
    pub with: IndexMap<String, Json>,
    /// What the answer is: text, or JSON whose parts later steps can name.
    #[serde(default)]
    pub format: AnswerFormat,
    /// One line about the step.
    #[schemars(length(max = 280))]
    pub description: Option<String>,
}

/// What a step's answer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerFormat {
    /// Text.
    #[default]
    Text,
    /// JSON.
    Json,
}

/// An included project: its directory, and what is overridden in it.
#[derive(Clone, Debug)]
pub struct IncludeSpec {
    /// The directory, below this project's root.
    pub path: String,
}

/// The JSON Schema of project files (draft 2020-12).
pub fn schema() -> Json {
    cuebook_wire::schema::of_published::<ProjectFile>()
}

/// The same schema as the text of a file, which the command line writes and a host serves.
pub fn schema_text() -> String {
    format!("{:#}\n", schema())
}

impl Document for ProjectFile {
    const CODE: ErrorCode = ErrorCode::ProjectInvalid;
}

impl<'de> Deserialize<'de> for PromptPaths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            One(String),
            Many(Vec<String>),
        }
        Ok(Self(match Form::deserialize(deserializer)? {
            Form::One(path) => vec![path],
            Form::Many(paths) => paths,
        }))
    }
}

impl JsonSchema for PromptPaths {
    fn schema_name() -> Cow<'static, str> {
        "PromptPaths".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The path of a prompt file, or a list of paths in the order in which they are put together.",
            "type": ["string", "array"],
            "minLength": 1,
            "minItems": 1,
            "items": { "type": "string", "minLength": 1, "x-hint": "put the path in quotes" },
            "x-hint": PATHS_HINT,
        })
    }
}

impl<'de> Deserialize<'de> for IncludeSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Path(String),
            Full { path: String },
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::Path(path) | Form::Full { path } => Self { path },
        })
    }
}

impl JsonSchema for IncludeSpec {
    fn schema_name() -> Cow<'static, str> {
        "IncludeSpec".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The directory of an included project, below this project's root; or that and what is overridden in it.",
            "type": ["string", "object"],
            "minLength": 1,
            "properties": {
                "path": { "type": "string", "minLength": 1, "description": "The directory, below this project's root." },
                "override": { "type": "object", "description": "Values to merge over those of the included project; never prompts." },
            },
            "required": ["path"],
            "additionalProperties": false,
            "x-hint": "write the directory, or `path` and `override`",
        })
    }
}

impl JsonSchema for AnswerFormat {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AnswerFormat".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": ["text", "json"] })
    }
}

/// A mapping from names of one form to what `T` describes.
fn named<T: JsonSchema>(generator: &mut SchemaGenerator, pattern: &str, form: &str, most: usize) -> Schema {
    let values = generator.subschema_for::<T>();
    json_schema!({
        "type": "object",
        "propertyNames": { "pattern": pattern, "x-form": form },
        "additionalProperties": values,
        "maxProperties": most,
    })
}

fn workflows_schema(generator: &mut SchemaGenerator) -> Schema {
    named::<WorkflowSpec>(generator, NAME, NAME_FORM, 64)
}

fn projects_schema(generator: &mut SchemaGenerator) -> Schema {
    named::<IncludeSpec>(generator, NAME, NAME_FORM, 64)
}

fn subagents_schema(generator: &mut SchemaGenerator) -> Schema {
    named::<AgentSpec>(generator, NAME, NAME_FORM, 4096)
}

fn inputs_schema(generator: &mut SchemaGenerator) -> Schema {
    named::<InputSpec>(generator, IDENTIFIER, IDENTIFIER_FORM, 64)
}

fn with_schema(generator: &mut SchemaGenerator) -> Schema {
    named::<Json>(generator, IDENTIFIER, IDENTIFIER_FORM, 64)
}

fn cage_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["object", "string"], "pattern": "^disabled$", "x-form": "an object, or `disabled`" })
}
