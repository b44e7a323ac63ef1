//! What is doubtful about a template's text, found when it is loaded.

use cuebook_template::{Diagnostic, Severity};
use cuebook_wire::PromptTemplate;

use crate::document::Document;
use crate::lint::place;

/// The findings of a template that stands at the JSON pointer `at` of `document`; none is worse than a warning, as what is
/// loaded is used.
pub(crate) fn lint(document: &Document, at: &str, template: &PromptTemplate) -> Vec<Diagnostic> {
    let found = cuebook_prompt::lint::template(template).into_iter();
    found.map(|finding| as_warning(place(document, at, finding))).collect()
}

fn as_warning(finding: Diagnostic) -> Diagnostic {
    let severity = finding.severity.min(Severity::Warning);
    finding.with_severity(severity)
}
