//! `modelHints`: shown, looked at here, and never applied (RFC 0027 §A).

use std::str::FromStr as _;

use cuebook_template::{Diagnostic, nearest};
use cuebook_wire::template::ModelHints;
use cuebook_wire::{ErrorCode, ModelClass, PromptTemplate};

use super::{Finding, warning};

/// The temperatures that there are.
const TEMPERATURES: std::ops::RangeInclusive<f64> = 0.0..=2.0;

/// The findings in the order of the keys.
pub(super) fn findings(template: &PromptTemplate) -> Vec<Finding> {
    let Some(hints) = &template.model_hints else { return Vec::new() };
    let each = [
        ("modelClass", unknown_class(hints)),
        ("temperature", out_of_range(hints)),
        ("maxTokens", no_answer(hints)),
    ];
    let found = each.into_iter().filter_map(|(key, found)| Some((key, found?)));
    found.map(|(key, found)| Finding::at(format!("/modelHints/{key}"), found)).collect()
}

/// A class outside the published ones: the set is open, so this is a warning only where another was probably meant.
fn unknown_class(hints: &ModelHints) -> Option<Diagnostic> {
    let class = hints.model_class.as_deref()?;
    if ModelClass::from_str(class).is_ok() {
        return None;
    }
    let known = ModelClass::ALL.map(ModelClass::as_str);
    let message = "the model class is none of the published ones";
    if let Some(near) = nearest(class, known) {
        return Some(doubtful(message).with_nearest(near).with_hint(format!("did you mean `{near}`?")));
    }
    let note = Diagnostic::note(ErrorCode::PromptHintDoubtful.as_str(), message);
    Some(note.with_hint(format!("the published ones are {}", known.join(", "))))
}

fn out_of_range(hints: &ModelHints) -> Option<Diagnostic> {
    let temperature = hints.temperature.as_ref()?.as_f64()?;
    let found = || doubtful(&format!("a temperature of {temperature} is none that a model takes"));
    (!TEMPERATURES.contains(&temperature)).then(|| found().with_hint("temperatures are 0 to 2"))
}

fn no_answer(hints: &ModelHints) -> Option<Diagnostic> {
    let found = || doubtful("an answer of 0 tokens is no answer").with_hint("leave it out, or allow more");
    (hints.max_tokens? == 0).then(found)
}

fn doubtful(message: &str) -> Diagnostic {
    warning(ErrorCode::PromptHintDoubtful, message)
}
