//! What is wrong with what a person handed us, all of it at once, shown where it stands.

use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use cuebook_template::{Diagnostic, Severity};
use serde_json::{Value as Json, json};

/// One or more problems that stop what was asked; nothing was done.
#[derive(Clone, Debug, Default)]
pub struct Problems(Vec<Diagnostic>);

impl Problems {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a problem.
    pub fn push(&mut self, problem: Diagnostic) {
        self.0.push(problem);
    }

    /// Adds the problems of `result` if it failed, and gives its value otherwise.
    pub fn collect<T>(&mut self, result: Result<T, Problems>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(problems) => {
                self.0.extend(problems.0);
                None
            }
        }
    }

    /// The problems in the order they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `value` when there is no problem.
    ///
    /// # Errors
    ///
    /// The problems, when there are any.
    pub fn or<T>(self, value: T) -> Result<T, Self> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }

    /// All problems as a person reads them, with the line and a caret; in colour when `colour` is set.
    pub fn render(&self, colour: bool) -> String {
        self.0.iter().map(|problem| render(problem, colour)).collect::<Vec<_>>().join("\n\n")
    }

    /// All problems as JSON: `code`, `severity`, `message`, `file`, `line`, `column`, `hint`.
    pub fn to_json(&self) -> Json {
        self.0.iter().map(to_json).collect()
    }
}

impl From<Diagnostic> for Problems {
    fn from(problem: Diagnostic) -> Self {
        Self(vec![problem])
    }
}

impl Extend<Diagnostic> for Problems {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, problems: I) {
        self.0.extend(problems);
    }
}

impl IntoIterator for Problems {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl FromIterator<Diagnostic> for Problems {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(problems: I) -> Self {
        Self(problems.into_iter().collect())
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    }
}

impl std::error::Error for Problems {}

/// One diagnostic with its source line, a caret and its hint.
pub fn render(problem: &Diagnostic, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(problem.message.as_str()).id(&*problem.code);
    let help =
        problem.hint.as_ref().map(|hint| Group::with_title(Level::HELP.secondary_title(hint.as_str())));
    match &problem.label {
        None => {
            let parts = std::iter::once(Group::with_title(title)).chain(help);
            parts.map(|part| renderer.render(&[part])).collect::<Vec<_>>().join("\n")
        }
        Some(label) => {
            let source = Snippet::source(&**label.source.text()).path(&**label.source.name());
            let shown = title.element(source.annotation(AnnotationKind::Primary.span(label.span.range())));
            renderer.render(&std::iter::once(shown).chain(help).collect::<Vec<_>>())
        }
    }
}

fn to_json(problem: &Diagnostic) -> Json {
    let mut facts = json!({
        "code": problem.code,
        "severity": problem.severity.as_str(),
        "message": problem.message,
    });
    if let Some(label) = &problem.label {
        let position = label.position();
        facts["file"] = Json::from(&**label.source.name());
        facts["line"] = position.line.into();
        facts["column"] = position.column.into();
    }
    if let Some(hint) = &problem.hint {
        facts["hint"] = hint.as_str().into();
    }
    facts
}
