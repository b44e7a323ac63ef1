//! What is doubtful about a template's text, found when it is loaded: placeholders that no variable declares, variables
//! that no placeholder takes, and text that was probably meant as a placeholder or as logic.

use cuebook_template::flat::Program;
use cuebook_template::{Diagnostic, Location, Source, Span};
use cuebook_wire::PromptTemplate;

use crate::document::Document;

/// The findings of a template that stands at the JSON pointer `at` of `document`: those of its text in order of place,
/// then those of its variables.
pub(crate) fn lint(document: &Document, at: &str, template: &PromptTemplate) -> Vec<Diagnostic> {
    let program = Program::parse(Source::new("", template.text.as_str()));
    let declared: Vec<&str> = template.variables.iter().map(|variable| variable.name.as_str()).collect();
    let mut found = program.undeclared(&declared);
    found.extend(program.lints_knowing(|name| declared.contains(&name)));
    found.sort_by_key(|finding| finding.label.as_ref().map(|label| label.span.start));
    let in_text = found.into_iter().map(|finding| within_text(document, at, finding));
    let unused = declared.iter().enumerate().filter_map(|(index, name)| {
        let place = document.locate(&format!("{at}/variables/{index}/name"));
        Some(program.unused(name)?.at(document.source(), place))
    });
    in_text.chain(unused).collect()
}

/// The finding at its place in the document, no longer than a line.
fn within_text(document: &Document, at: &str, finding: Diagnostic) -> Diagnostic {
    let span = finding.label.as_ref().map_or(Span::new(0, 0), |label| label.span);
    let span = document.within_text(&format!("{at}/text"), span);
    Diagnostic { label: Some(Location { source: document.source().clone(), span }), ..finding }
}
