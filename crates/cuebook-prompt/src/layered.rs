//! Layered templates in the pipeline: values in, text with origins out.
//!
//! It owns where a root name gets its value and what becomes of what the template engine gives. It refuses secrets:
//! what goes in is JSON with trust. What an untrusted value put into the text is wrapped by the composer, piece by
//! piece, so that a template cannot take a value's taint away.

use std::sync::Arc;

use cuebook_template::pongo::{Context, Program, Segment, Settings, undefined_names};
use cuebook_template::{Diagnostic, Trust, Value};
use cuebook_wire::{ErrorCode, PromptRef, VariableSource};

use crate::bind::{BindPolicy, Bindings, Bound, BoundValue};
use crate::failure::PromptError;
use crate::pinned::Pinned;
use crate::scope::Scope;

/// A range of a rendered layered template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    /// The file that it stands in or that asked for the value.
    pub(crate) file: Arc<str>,
    /// The 1-based line there.
    pub(crate) line: usize,
    /// The path of the value, when it is one.
    pub(crate) name: Option<String>,
    pub(crate) trust: Trust,
}

/// Binds the root names of a layered template and renders it.
///
/// # Errors
///
/// `prompt_render_failed` with the place in the file; under [`BindPolicy::strict_placeholders`] also for a name or
/// key without value.
pub(crate) fn bind(
    pinned: &Pinned,
    program: &Program,
    reference: Option<&PromptRef>,
    scope: &Scope,
    policy: BindPolicy,
) -> Result<Bindings, Vec<PromptError>> {
    let mut context = Context::new();
    let mut bindings = Bindings::default();
    for root in undefined_names(program) {
        let (source, value) = find(&root.name, reference, scope);
        if let Some(value) = &value {
            context.insert(root.name.as_str(), value.clone());
        }
        let value = value.map_or(BoundValue::Empty, BoundValue::Plain);
        bindings.variables.push(Bound { name: root.name.into(), source, value });
    }
    let settings = Settings { strict: policy.strict_placeholders, ..Settings::default() };
    let (rendered, segments) =
        program.render_with_origins(&context, &settings).map_err(|fault| vec![failed(pinned, *fault)])?;
    bindings.pieces = segments.into_iter().map(|segment| piece(&rendered.text, segment)).collect();
    Ok(bindings)
}

/// The ref's override, else a fact of the host, else the node's input of that name.
fn find(name: &str, reference: Option<&PromptRef>, scope: &Scope) -> (VariableSource, Option<Value>) {
    let overridden = reference.and_then(|reference| reference.variable_overrides.get(name));
    if let Some(json) = overridden.filter(|json| !json.is_null()) {
        return (VariableSource::Input, Some(Value::from_tagged(json.clone(), Trust::Trusted)));
    }
    let sources = [VariableSource::Context, VariableSource::Input];
    let found = sources.into_iter().find_map(|source| Some((source, scope.value(source, name)?.clone())));
    found.map_or((VariableSource::Input, None), |(source, value)| (source, Some(value)))
}

fn piece(text: &str, segment: Segment) -> Piece {
    Piece {
        text: text[segment.range].to_owned(),
        file: Arc::clone(segment.location.source.name()),
        line: segment.location.position().line,
        name: segment.name,
        trust: segment.trust,
    }
}

fn failed(pinned: &Pinned, fault: Diagnostic) -> PromptError {
    let message = format!("{}: {}", fault.code, fault.message);
    let error = PromptError::new(ErrorCode::PromptRenderFailed, message).about_pinned(&pinned.reference);
    let error = match fault.hint {
        Some(hint) => error.hint(hint),
        None => error,
    };
    match fault.label {
        Some(label) => error.at(&label.source, label.span).included_from(fault.included_from),
        None => error,
    }
}
