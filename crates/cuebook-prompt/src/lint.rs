//! What is doubtful about templates, told to whoever writes them; pure, and never in the way of a run.
//!
//! It owns the findings of the product: each has a stable code, a severity, a place and, where there is one, the nearest
//! name and a hint. It refuses to stop anything: a template that cannot be taken at all is refused by whoever takes it.
//! Every part is a module of one matter; [`template()`] puts together what one template shows by itself, [`changes`] what
//! it breaks of an earlier version, and [`slot`] what is wrong with where it stands.

mod hints;
mod markers;
mod size;
mod slots;
mod text;
mod variables;
mod versions;

use cuebook_template::flat::Program;
use cuebook_template::{Diagnostic, Source};
use cuebook_wire::{ErrorCode, PromptTemplate};

pub use size::{MAX_TEMPLATE_BYTES, Size};
pub use slots::slot;
pub use versions::{changes, predecessor};

/// One thing that is doubtful about a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The JSON pointer to the member that it is about (RFC 6901).
    pub path: String,
    /// What it is. Its place, if it has one, is in the template's text under the name `prompt:<id>@<version>`.
    pub diagnostic: Diagnostic,
}

impl Finding {
    fn in_text(diagnostic: Diagnostic) -> Self {
        Self { path: "/text".to_owned(), diagnostic }
    }

    fn at(path: impl Into<String>, diagnostic: Diagnostic) -> Self {
        Self { path: path.into(), diagnostic }
    }
}

/// What one template shows by itself: its text in order of place, then its variables, then the rest.
pub fn template(template: &PromptTemplate) -> Vec<Finding> {
    let program = Program::parse(text_of(template));
    let mut found = text::findings(&program, template);
    found.extend(variables::findings(&program, template));
    found.extend(hints::findings(template));
    found.extend(size::finding(template));
    found
}

/// The text of a template, called as messages about it call it.
fn text_of(template: &PromptTemplate) -> Source {
    Source::new(reference(template), template.text.as_str())
}

fn reference(template: &PromptTemplate) -> String {
    format!("prompt:{}@{}", template.template_id, template.version)
}

fn warning(code: ErrorCode, message: impl Into<String>) -> Diagnostic {
    Diagnostic::warning(code.as_str(), message)
}
