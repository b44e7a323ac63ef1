//! What is doubtful about a template's text, found when it is loaded or created: placeholders that no variable declares,
//! variables that no placeholder takes, and text that was probably meant as a placeholder or as logic.

use cuebook_template::flat::Program;
use cuebook_template::{Diagnostic, Location, Source, Span};
use cuebook_wire::PromptTemplate;

use crate::document::Document;

/// The findings of a template that stands at the JSON pointer `at` of `document`: those of its text in order of place,
/// then those of its variables.
pub(crate) fn lint(document: &Document, at: &str, template: &PromptTemplate) -> Vec<Diagnostic> {
    let program = program_of(template);
    let in_text = text_findings(&program, template).into_iter();
    let unused = unused(&program, template).map(|(index, finding)| {
        let place = document.locate(&format!("{at}/variables/{index}/name"));
        finding.at(document.source(), place)
    });
    in_text.map(|finding| within_text(document, at, finding)).chain(unused).collect()
}

/// The findings of a template by itself: those of its text in places of it, then those of its variables without one.
pub(crate) fn template_findings(template: &PromptTemplate) -> Vec<Diagnostic> {
    let program = program_of(template);
    let mut found = text_findings(&program, template);
    found.extend(unused(&program, template).map(|(_, finding)| finding));
    found
}

fn program_of(template: &PromptTemplate) -> Program {
    let name = format!("prompt:{}@{}", template.template_id, template.version);
    Program::parse(Source::new(name, template.text.as_str()))
}

fn text_findings(program: &Program, template: &PromptTemplate) -> Vec<Diagnostic> {
    let declared: Vec<&str> = template.variables.iter().map(|variable| variable.name.as_str()).collect();
    let mut found = program.undeclared(&declared);
    found.extend(program.lints_knowing(|name| declared.contains(&name)));
    found.sort_by_key(|finding| finding.label.as_ref().map(|label| label.span.start));
    found
}

/// The variables that no placeholder takes, by their index.
fn unused(program: &Program, template: &PromptTemplate) -> impl Iterator<Item = (usize, Diagnostic)> {
    template
        .variables
        .iter()
        .map(|variable| program.unused(&variable.name))
        .enumerate()
        .filter_map(|(index, finding)| Some((index, finding?)))
}

/// The finding at its place in the document, no longer than a line.
fn within_text(document: &Document, at: &str, finding: Diagnostic) -> Diagnostic {
    let span = finding.label.as_ref().map_or(Span::new(0, 0), |label| label.span);
    let span = document.within_text(&format!("{at}/text"), span);
    Diagnostic { label: Some(Location { source: document.source().clone(), span }), ..finding }
}
