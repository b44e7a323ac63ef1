//! What is doubtful about a template's text, found when it is loaded: placeholders that no variable declares, and text that
//! was probably meant as a placeholder.

use cuebook_template::flat::Program;
use cuebook_template::{Diagnostic, Location, Source, Span, nearest};
use cuebook_wire::{ErrorCode, PromptTemplate};

use crate::document::Document;

/// The findings of a template that stands at the JSON pointer `at` of `document`, in order of place.
pub(super) fn lint(document: &Document, at: &str, template: &PromptTemplate) -> Vec<Diagnostic> {
    let is_declared = |name: &str| template.variable(name).is_some();
    let program = Program::parse(Source::new("", template.text.as_str()));
    let mut found: Vec<Diagnostic> = undeclared(&program, template).collect();
    found.extend(program.lints_knowing(is_declared));
    found.sort_by_key(|finding| finding.label.as_ref().map(|label| label.span.start));
    found.into_iter().map(|finding| placed(document, at, finding)).collect()
}

/// One finding for each name that no variable declares, at its first placeholder.
fn undeclared<'a>(
    program: &'a Program,
    template: &'a PromptTemplate,
) -> impl Iterator<Item = Diagnostic> + 'a {
    let names = program.names().iter().filter(|name| template.variable(name).is_none());
    names.filter_map(move |name| {
        let placeholder = program.placeholders().find(|it| it.name == *name)?;
        let message =
            format!("the placeholder '{{{{{name}}}}}' is not a declared variable: it may stay empty");
        let known = template.variables.iter().map(|variable| variable.name.as_str());
        let hint = match nearest(name, known) {
            Some(near) => format!("did you mean '{{{{{near}}}}}'?"),
            None => format!("declare '{name}' under variables"),
        };
        let code = ErrorCode::PromptPlaceholderUndeclared.as_str();
        Some(Diagnostic::warning(code, message).at(program.source(), placeholder.span).with_hint(hint))
    })
}

/// The finding at its place in the document, no longer than a line.
fn placed(document: &Document, at: &str, finding: Diagnostic) -> Diagnostic {
    let span = finding.label.as_ref().map_or(Span::new(0, 0), |label| label.span);
    let span = document.within_text(&format!("{at}/text"), span);
    Diagnostic { label: Some(Location { source: document.source().clone(), span }), ..finding }
}
