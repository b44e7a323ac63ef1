//! What can be wrong with a prompt, in terms a person can act on.

use std::fmt;

use cuebook_template::{Diagnostic, Source as TextSource, Span};
use cuebook_wire::{ErrorCode, PromptRef, RunError};
use serde_json::{Map, Value as Json};

/// One thing that is wrong with a prompt: code, sentence, place and hint; never a value.
#[derive(Clone, Debug)]
pub struct PromptError(Box<Parts>);

#[derive(Clone, Debug)]
struct Parts {
    code: ErrorCode,
    diagnostic: Diagnostic,
    reference: Option<String>,
    variable: Option<String>,
}

impl PromptError {
    /// An error with a message and nothing else.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let diagnostic = Diagnostic::error(code.as_str(), message.into());
        Self(Box::new(Parts { code, diagnostic, reference: None, variable: None }))
    }

    /// An error that was found in a file; the finding's own code begins the message.
    pub fn of(code: ErrorCode, found: Diagnostic) -> Self {
        let message = format!("{}: {}", found.code, found.message);
        let diagnostic = Diagnostic { code: code.as_str().into(), message, ..found };
        Self(Box::new(Parts { code, diagnostic, reference: None, variable: None }))
    }

    /// Names the ref it is about.
    pub fn about(self, reference: &PromptRef) -> Self {
        self.about_pinned(&reference.to_string())
    }

    /// Names the pinned ref it is about, as text.
    pub fn about_pinned(mut self, reference: &str) -> Self {
        self.0.reference = Some(reference.to_owned());
        self
    }

    /// Names the variable it is about.
    pub fn variable(mut self, name: &str) -> Self {
        self.0.variable = Some(name.to_owned());
        self
    }

    /// Says at which layer the ref stood.
    pub fn at_layer(self, layer: &str) -> Self {
        let message = format!("{} (named by {layer})", self.0.diagnostic.message);
        self.map(|diagnostic| Diagnostic { message, ..diagnostic })
    }

    /// Points at the place in the text.
    pub fn at(self, source: &TextSource, span: Span) -> Self {
        self.map(|diagnostic| diagnostic.at(source, span))
    }

    /// Adds what to do about it.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        self.map(|diagnostic| diagnostic.with_hint(hint))
    }

    fn map(mut self, change: impl FnOnce(Diagnostic) -> Diagnostic) -> Self {
        self.0.diagnostic = change(self.0.diagnostic);
        self
    }

    /// Whether it is about the variable called `name`.
    pub fn is_about_variable(&self, name: &str) -> bool {
        self.0.variable.as_deref() == Some(name)
    }

    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// The sentence, the place and the hint.
    pub fn diagnostic(&self) -> &Diagnostic {
        &self.0.diagnostic
    }

    /// The error as a node's failure, with its [`details`](Self::details).
    pub fn to_run_error(&self) -> RunError {
        RunError {
            code: self.0.code.as_str().to_owned(),
            message: self.0.diagnostic.message.clone(),
            details: Some(self.details()),
            retryable: None,
        }
    }

    /// What it is about, for `details`: `ref`, `variable`, `file` with `layer` and `includedFrom`, `line`, `column`, `hint`,
    /// as far as they are known.
    pub fn details(&self) -> Map<String, Json> {
        let Parts { diagnostic, reference, variable, .. } = &*self.0;
        let position = diagnostic.position();
        let place = diagnostic.label.as_ref().filter(|label| label.source.layer().is_some());
        let includes: Vec<String> = diagnostic.included_from.iter().map(ToString::to_string).collect();
        let entries = [
            ("ref", reference.clone().map(Json::from)),
            ("variable", variable.clone().map(Json::from)),
            ("file", place.map(|label| Json::from(&**label.source.name()))),
            ("layer", place.and_then(|label| label.source.layer()).map(Json::from)),
            ("includedFrom", (!includes.is_empty()).then(|| Json::from(includes))),
            ("line", position.map(|position| Json::from(position.line))),
            ("column", position.map(|position| Json::from(position.column))),
            ("hint", diagnostic.hint.clone().map(Json::from)),
        ];
        entries.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
    }
}

impl fmt::Display for PromptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.diagnostic.fmt(f)
    }
}

impl std::error::Error for PromptError {}

/// Everything that is wrong with one prompt; at least one error.
#[derive(Clone, Debug)]
pub struct PromptErrors(Vec<PromptError>);

impl PromptErrors {
    /// Takes the errors found; `None` when there are none.
    pub fn of(errors: Vec<PromptError>) -> Option<Self> {
        (!errors.is_empty()).then_some(Self(errors))
    }

    /// The errors in the order they were found.
    pub fn iter(&self) -> impl Iterator<Item = &PromptError> {
        self.0.iter()
    }

    /// The failure of a node: the first error, the others whole under `details.also`.
    pub fn to_run_error(&self) -> RunError {
        let mut errors = self.0.iter().map(PromptError::to_run_error);
        let mut first = errors.next().unwrap_or_else(|| RunError {
            code: ErrorCode::InternalError.as_str().to_owned(),
            message: "the prompt failed without a reason".to_owned(),
            details: None,
            retryable: None,
        });
        let also: Vec<Json> = errors.map(|error| serde_json::json!(error)).collect();
        if !also.is_empty() {
            first.details.get_or_insert_default().insert("also".to_owned(), also.into());
        }
        first
    }
}

impl From<PromptError> for PromptErrors {
    fn from(error: PromptError) -> Self {
        Self(vec![error])
    }
}
