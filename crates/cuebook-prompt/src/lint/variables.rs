//! The declarations of a template: variables that no placeholder takes, defaults that cannot be used, facts that no run has.

use cuebook_template::flat::Program;
use cuebook_template::{Diagnostic, nearest};
use cuebook_wire::template::VariableType;
use cuebook_wire::{ErrorCode, PromptTemplate, PromptVariable, VariableSource};

use super::{Finding, warning};
use crate::scope::CONTEXT_KEYS;

/// The findings in the order of the declarations.
pub(super) fn findings(program: &Program, template: &PromptTemplate) -> Vec<Finding> {
    let each = template.variables.iter().enumerate().flat_map(|(at, variable)| {
        let place = |member: &str| format!("/variables/{at}/{member}");
        let unused = program.unused(&variable.name).map(|found| Finding::at(place("name"), found));
        let default = default(variable).map(|found| Finding::at(place("defaultValue"), found));
        let secret = secret_default(variable).map(|found| Finding::at(place("defaultValue"), found));
        let fact = unknown_fact(variable).map(|found| Finding::at(place("name"), found));
        [unused, default, secret, fact].into_iter().flatten()
    });
    each.collect()
}

/// What is wrong with a default: of another type it fails every prompt that needs it, and of a required variable nobody
/// needs it. Null is no default.
fn default(variable: &PromptVariable) -> Option<Diagnostic> {
    let value = variable.default_value.as_ref()?;
    let found = VariableType::of(value)?;
    let (name, expected) = (&variable.name, variable.value_type);
    if found != expected {
        let message = format!("`{name}` is declared as {expected}, and its default is of type {found}");
        let problem = Diagnostic::error(ErrorCode::PromptDefaultMismatch.as_str(), message);
        return Some(problem.with_hint(format!("write a default of type {expected}, or declare {found}")));
    }
    variable.required.then(|| {
        let message = format!("`{name}` is required, so its default is never used");
        warning(ErrorCode::PromptDefaultUnused, message).with_hint("leave out the default, or `required`")
    })
}

/// A default of a secret variable that is no id of a secret, and so perhaps the secret.
fn secret_default(variable: &PromptVariable) -> Option<Diagnostic> {
    let default = variable.default_value.as_ref().filter(|_| variable.source == VariableSource::Secret)?;
    let words = default.as_str()?.split(['-', '_', '.']);
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
    if words.clone().all(is_word) && words.count() > 1 {
        return None;
    }
    let message =
        format!("the default of `{}` looks like a secret and not like the id of one", variable.name);
    let found = Diagnostic::error(ErrorCode::PromptDefaultMismatch.as_str(), message);
    Some(found.with_hint(
        "write the id of a declared secret, such as `crm-key`: defaults stand in lists and exports",
    ))
}

/// A fact of the context that no run has.
fn unknown_fact(variable: &PromptVariable) -> Option<Diagnostic> {
    let name = variable.name.as_str();
    if variable.source != VariableSource::Context || CONTEXT_KEYS.contains(&name) {
        return None;
    }
    let found = warning(ErrorCode::PromptContextUnknown, format!("no run has the fact `{name}`"));
    Some(match nearest(name, CONTEXT_KEYS) {
        Some(near) => found.with_nearest(near).with_hint(format!("did you mean `{near}`?")),
        None => found.with_hint(format!("the facts are {}", CONTEXT_KEYS.join(", "))),
    })
}
