//! Owns prompt templates and their typed variables (RFC 0027 §A). Refuses two variables of one name; placeholders in the
//! text are not looked at here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use crate::id::TemplateId;
use crate::kind::PromptKind;
use crate::names::wire_enum;
use crate::present;
use crate::time::Timestamp;
use crate::version::Version;

/// The most Unicode code points a template's text may have.
pub const TEXT_MAX_CHARS: usize = 65_536;

const VARIABLE_FORM: &str = "a variable name: a letter or `_`, then at most 63 letters, digits or `_`";

wire_enum! {
    /// The JSON type a variable is declared to have.
    pub enum VariableType {
        /// A JSON string.
        String = "string",
        /// A JSON number.
        Number = "number",
        /// `true` or `false`.
        Boolean = "boolean",
        /// A JSON array.
        Array = "array",
        /// A JSON object.
        Object = "object",
    }
}

impl VariableType {
    /// The type of `value`; none for JSON null.
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Null => None,
            Value::Bool(_) => Some(Self::Boolean),
            Value::Number(_) => Some(Self::Number),
            Value::String(_) => Some(Self::String),
            Value::Array(_) => Some(Self::Array),
            Value::Object(_) => Some(Self::Object),
        }
    }

    /// The name of the type of `value`, for messages; null has a name and no type.
    pub fn name_of(value: &Value) -> &'static str {
        Self::of(value).map_or("null", Self::as_str)
    }

    /// Whether `value` has this type; JSON null has none.
    pub fn accepts(self, value: &Value) -> bool {
        Self::of(value) == Some(self)
    }
}

wire_enum! {
    /// Where a variable's binding comes from (RFC 0027 §A).
    #[derive(Default)]
    pub enum VariableSource {
        /// The node's input port of the variable's name.
        #[default]
        Input = "input",
        /// The run variable of the variable's name.
        Variable = "variable",
        /// A secret of the host; redacted wherever it is observed.
        Secret = "secret",
        /// A fact of the run or the host.
        Context = "context",
    }
}

wire_enum! {
    /// Where a stored template came from.
    pub enum TemplateOrigin {
        /// Part of the host; immutable.
        Host = "host",
        /// Installed with a prompt pack; immutable.
        Pack = "pack",
        /// Created at run time.
        User = "user",
    }
}

/// One typed slot of a template's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct PromptVariable {
    /// The name in `{{name}}`.
    #[schemars(regex(pattern = r"^[a-zA-Z_][a-zA-Z0-9_]{0,63}$"), extend("x-form" = VARIABLE_FORM))]
    pub name: String,
    /// The type every bound value must have.
    #[serde(rename = "type")]
    pub value_type: VariableType,
    /// Whether an unbound slot is an error.
    pub required: bool,
    /// Where the binding comes from.
    #[serde(default)]
    pub source: VariableSource,
    /// A JSONPath (RFC 9535) into the source's value; the whole value when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extract_path: Option<String>,
    /// What an optional slot holds when it is not bound.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub default_value: Option<Value>,
    /// An explanation for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 500))]
    pub description: Option<String>,
}

/// Hints for authoring tools; they never override a node's configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct ModelHints {
    /// A suggested model class, an open set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_class: Option<String>,
    /// A suggested sampling temperature, 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 2))]
    pub temperature: Option<Number>,
    /// A suggested ceiling of answer tokens, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u64>,
    /// A suggested envelope kind (RFC 0021).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub envelope_type: Option<String>,
}

/// Where a template came from and when it changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
#[schemars(extend("if" = { "properties": { "source": { "const": "pack" } }, "required": ["source"] }))]
#[schemars(extend("then" = { "required": ["packName", "packVersion"] }))]
pub struct TemplateMeta {
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// When it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// When it was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// Where it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<TemplateOrigin>,
    /// The pack it came with; required when `source` is `pack`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(
        pattern = r"^(core|vendor|community|private)\.[a-z][a-z0-9_-]*(\.[a-z][a-zA-Z0-9_-]*)+$"
    ))]
    pub pack_name: Option<String>,
    /// That pack's version; required when `source` is `pack`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack_version: Option<Version>,
}

/// A named, versioned prompt body with typed variables (RFC 0027 §A).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct PromptTemplate {
    /// The stable id.
    pub template_id: TemplateId,
    /// The version of this text and these variables.
    pub version: Version,
    /// The role the text plays.
    pub kind: PromptKind,
    /// The body, at most 65,536 Unicode code points.
    #[schemars(length(max = 65_536))]
    pub text: String,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub name: Option<String>,
    /// What the template is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2000))]
    pub description: Option<String>,
    /// The declared slots.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<PromptVariable>,
    /// Hints for authoring tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_hints: Option<ModelHints>,
    /// Labels, at most 32 of 1 to 64 characters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32), inner(length(min = 1, max = 64)))]
    pub tags: Vec<String>,
    /// Where it came from and when it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<TemplateMeta>,
}

impl PromptTemplate {
    /// The declared variable of that name.
    pub fn variable(&self, name: &str) -> Option<&PromptVariable> {
        self.variables.iter().find(|variable| variable.name == name)
    }
}
