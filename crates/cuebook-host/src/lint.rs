//! The lint of templates, where they stand: in files, in packs, in the libraries of a host.
//!
//! It owns how a finding gets its place in a document, and what is looked at together. It refuses findings of its own: they
//! are those of `cuebook_prompt::lint`, the same for every face.

mod library;
mod sources;
mod versions;

pub(crate) use sources::pack_lints;
pub use sources::{PromptCheck, check_paths, check_project, check_templates};
pub(crate) use versions::Versions;

use cuebook_prompt::lint::{Finding, Size};
use cuebook_template::{Diagnostic, Location, Severity};
use cuebook_wire::{ErrorCode, PromptTemplate};
use serde_json::{Value as Json, json};

use crate::document::Document;
use crate::report::{Problems, to_json};

/// What the lint says about one template.
#[derive(Clone, Debug)]
pub struct PromptLint {
    /// The template: `prompt:<id>@<version>`.
    pub reference: String,
    /// How long its text is.
    pub size: Size,
    findings: Vec<Placed>,
}

/// A finding with its place in the document that the template was read from, if it was read from one.
#[derive(Clone, Debug)]
struct Placed {
    path: String,
    problem: Diagnostic,
}

impl PromptLint {
    /// The findings about a template that stands in no document.
    pub(crate) fn of(template: &PromptTemplate, findings: Vec<Finding>) -> Self {
        let placed = |it: Finding| Placed { path: it.path, problem: it.diagnostic };
        Self::new(template, findings.into_iter().map(placed).collect())
    }

    /// The findings about a template that stands at the JSON pointer `at` of `document`.
    pub(crate) fn within(
        document: &Document,
        at: &str,
        template: &PromptTemplate,
        findings: Vec<Finding>,
    ) -> Self {
        let placed = |it: Finding| Placed { path: it.path.clone(), problem: place(document, at, it) };
        Self::new(template, findings.into_iter().map(placed).collect())
    }

    fn new(template: &PromptTemplate, findings: Vec<Placed>) -> Self {
        let reference = format!("prompt:{}@{}", template.template_id, template.version);
        Self { reference, size: Size::of(&template.text), findings }
    }

    /// The findings with every placeholder that nobody declares as an error.
    pub fn strictly(mut self) -> Self {
        let undeclared = ErrorCode::PromptPlaceholderUndeclared.as_str();
        for found in self.findings.iter_mut().filter(|found| found.problem.code == undeclared) {
            found.problem.severity = Severity::Error;
        }
        self
    }

    /// How many findings there are.
    pub fn count(&self) -> usize {
        self.findings.len()
    }

    /// The worst severity among the findings.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|found| found.problem.severity).max()
    }

    /// The findings as a person reads them; those without a place name the template and the member.
    pub fn problems(&self) -> Problems {
        let named = |found: &Placed| {
            let problem = found.problem.clone();
            if problem.label.is_some() {
                return problem;
            }
            let message = format!("{} (at {} of {})", problem.message, found.path, self.reference);
            Diagnostic { message, ..problem }
        };
        self.findings.iter().map(named).collect()
    }

    /// As JSON: `ref`, `size` and `findings`, each with `path` besides what [`Problems::to_json`] has.
    pub fn to_json(&self) -> Json {
        let finding = |found: &Placed| {
            let mut facts = to_json(&found.problem);
            facts["path"] = found.path.as_str().into();
            facts
        };
        let findings: Vec<Json> = self.findings.iter().map(finding).collect();
        json!({ "ref": self.reference, "size": self.size, "findings": findings })
    }
}

/// The finding at its place in the document, no longer than a line.
pub(crate) fn place(document: &Document, at: &str, finding: Finding) -> Diagnostic {
    let span = match &finding.diagnostic.label {
        Some(label) => document.within_text(&format!("{at}/text"), label.span),
        None => document.locate(&format!("{at}{}", finding.path)),
    };
    let label = Some(Location { source: document.source().clone(), span });
    Diagnostic { label, ..finding.diagnostic }
}
