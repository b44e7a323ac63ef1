//! What a run is given: inputs as a person types them, `name=value`, read by the type that the workflow declares; an overlay
//! that its workflow allows.

use std::collections::BTreeMap;

use cuebook_engine::read_inputs;
use cuebook_prompt::Trust;
use cuebook_template::{Diagnostic, nearest};
use cuebook_wire::{
    Configurable, ErrorCode, Fault, VariableType, WorkflowDefinition, WorkflowVariable, strict,
};
use serde_json::{Map, Value as Json, json};

use crate::host::{input_problems, placed};
use crate::report::Problems;

/// One input as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedInput {
    /// The variable's name.
    pub name: String,
    /// The text of its value.
    pub text: String,
    /// Whether the value is tagged untrusted.
    pub untrusted: bool,
}

/// The pairs of `NAME=VALUE` by name.
///
/// # Errors
///
/// `validation_error` for every name that is given twice.
pub fn named(what: &str, pairs: &[(String, String)]) -> Result<BTreeMap<String, String>, Problems> {
    let mut problems = Problems::new();
    let mut named = BTreeMap::new();
    for (name, value) in pairs {
        if named.insert(name.clone(), value.clone()).is_some() {
            problems.push(given_twice(what, name));
        }
    }
    problems.or(named)
}

/// Reads typed inputs for `definition`.
///
/// # Errors
///
/// Everything that is wrong: a name that the workflow does not declare, with the nearest one, a name given twice, a
/// required input that is missing, and each text that is not of the declared type. The text itself is never shown.
pub fn read_typed(
    definition: &WorkflowDefinition,
    typed: &[TypedInput],
) -> Result<Map<String, Json>, Problems> {
    let mut problems = Problems::new();
    let mut inputs = Map::new();
    for (at, input) in typed.iter().enumerate() {
        if typed[..at].iter().any(|earlier| earlier.name == input.name) {
            problems.push(given_twice("input", &input.name));
            continue;
        }
        let variable = definition.variables.iter().find(|variable| variable.name == input.name);
        let value = match variable {
            Some(variable) => read_one(variable, &input.text),
            None => Err(undeclared(definition, &input.name).into()),
        };
        if let Some(value) = problems.collect(value) {
            inputs.insert(input.name.clone(), tagged(input, value));
        }
    }
    missing(definition, typed, &inputs).for_each(|problem| problems.push(problem));
    problems.or(inputs)
}

/// Reads inputs for a workflow that cannot be seen: each is a text.
///
/// # Errors
///
/// `validation_error` for every name that is given twice.
pub fn read_texts(typed: &[TypedInput]) -> Result<Map<String, Json>, Problems> {
    let mut problems = Problems::new();
    let mut inputs = Map::new();
    for input in typed {
        if inputs.insert(input.name.clone(), tagged(input, input.text.as_str().into())).is_some() {
            problems.push(given_twice("input", &input.name));
        }
    }
    problems.or(inputs)
}

/// Holds the overlay of a run against the schema that its workflow has for it.
pub(crate) fn check_configurable(
    definition: &WorkflowDefinition,
    configurable: Option<&Configurable>,
) -> Result<(), Problems> {
    let Some(schema) = &definition.configurable_schema else { return Ok(()) };
    let overlay = configurable.map_or_else(|| json!({}), |it| json!(it));
    let code = ErrorCode::ValidationError;
    let found = strict::against(Json::Object(schema.clone()), &overlay, code).unwrap_or_else(|reason| {
        let reason: String = reason.chars().take(120).collect();
        vec![Fault::new("", code, format!("the workflow's configurableSchema is no JSON Schema: {reason}"))]
    });
    input_problems(found.into_iter().map(|fault| placed(fault, "/configurable")).collect()).or(())
}

/// The value of an input with its tag when it is not to be trusted.
fn tagged(input: &TypedInput, value: Json) -> Json {
    if input.untrusted { json!({"value": value, "meta": {"contentTrust": "untrusted"}}) } else { value }
}

fn given_twice(what: &str, name: &str) -> Diagnostic {
    Diagnostic::error(ErrorCode::ValidationError.as_str(), format!("{what} '{name}' is given twice"))
        .with_hint("leave one of the two out")
}

/// The required inputs that nobody typed; what was typed has been read above.
fn missing(
    definition: &WorkflowDefinition,
    typed: &[TypedInput],
    inputs: &Map<String, Json>,
) -> impl Iterator<Item = Diagnostic> {
    let faults = read_inputs(definition, inputs, Trust::Trusted).err().unwrap_or_default();
    let was_typed = |path: &str| typed.iter().any(|input| path == format!("/inputs/{}", input.name));
    let untyped: Vec<Fault> = faults.into_iter().filter(|fault| !was_typed(&fault.path)).collect();
    input_problems(untyped).into_iter()
}

fn read_one(variable: &WorkflowVariable, text: &str) -> Result<Json, Problems> {
    if variable.value_type == VariableType::String {
        return Ok(text.into());
    }
    let value = serde_json::from_str(text).ok().filter(|value| variable.value_type.accepts(value));
    value.ok_or_else(|| {
        let kind = variable.value_type;
        let message = format!(
            "input '{}' is declared as {kind}, and the text given is not JSON of that type",
            variable.name
        );
        let example = match kind {
            VariableType::Number => "3.5",
            VariableType::Boolean => "true",
            VariableType::Array => "'[\"a\",\"b\"]'",
            VariableType::Object => "'{\"key\":\"value\"}'",
            VariableType::String => "text",
        };
        let problem = Diagnostic::error(ErrorCode::ValidationError.as_str(), message);
        problem.with_hint(format!("for example --input {}={example}", variable.name)).into()
    })
}

/// The problem of an input that nobody reads.
pub(crate) fn undeclared(definition: &WorkflowDefinition, name: &str) -> Diagnostic {
    let message = format!("workflow '{}' declares no input '{name}'", definition.id);
    let problem = Diagnostic::error(ErrorCode::ValidationError.as_str(), message);
    let names: Vec<&str> = definition.variables.iter().map(|variable| variable.name.as_str()).collect();
    match nearest(name, names.iter().copied()) {
        Some(near) => problem.with_hint(format!("did you mean '{near}'?")),
        None if names.is_empty() => problem.with_hint("it declares none"),
        None => problem.with_hint(format!("it declares {}", names.join(", "))),
    }
}
