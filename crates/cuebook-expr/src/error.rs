//! What went wrong, where, and what would have been right.
//!
//! Owns the two public errors and the collector behind them. A message speaks of types and of the source text; it
//! never repeats a value that came from the scope, because that value may be a secret.

use std::fmt;
use std::sync::Arc;

use crate::caret;
use crate::limits::MAX_ERRORS;
use crate::span::Span;

/// One finding at a place of a source text that the finder need not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    span: Span,
    message: String,
    hint: Option<String>,
}

impl Problem {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), hint: None }
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn with_hint_if(self, hint: Option<impl Into<String>>) -> Self {
        match hint {
            Some(hint) => self.with_hint(hint),
            None => self,
        }
    }
}

/// Collects findings up to [`MAX_ERRORS`], and none after it was closed.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    found: Vec<Problem>,
    closed: bool,
}

impl Problems {
    pub(crate) fn report(&mut self, problem: Problem) {
        if !self.closed && self.found.len() < MAX_ERRORS {
            self.found.push(problem);
        }
    }

    /// Reports the finding that makes all later ones meaningless.
    pub(crate) fn close_with(&mut self, problem: Problem) {
        self.report(problem);
        self.closed = true;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Gives `value` when nothing was found, else every finding in source order.
    pub(crate) fn into_result<T>(mut self, text: &Arc<str>, value: T) -> Result<T, Vec<ExprError>> {
        if self.found.is_empty() {
            return Ok(value);
        }
        self.found.sort_by_key(|problem| problem.span.start);
        Err(self.found.into_iter().map(|problem| ExprError::new(text, problem)).collect())
    }
}

/// A finding together with the text it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Located {
    text: Arc<str>,
    field: Option<&'static str>,
    problem: Problem,
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut place: Vec<String> = self.field.iter().map(|field| format!("`{field}`")).collect();
        if !self.text.is_empty() {
            let (line, column) = caret::line_and_column(&self.text, self.problem.span.start);
            place.extend((line > 1).then(|| format!("line {line}")));
            place.push(format!("column {column}"));
        }
        if !place.is_empty() {
            write!(f, "{}: ", place.join(", "))?;
        }
        f.write_str(&self.problem.message)?;
        self.problem.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

macro_rules! located_error {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        ///
        /// `Display` gives place, message and hint in one line.
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        #[error("{0}")]
        pub struct $name(Located);

        impl $name {
            pub(crate) fn new(text: &Arc<str>, problem: Problem) -> Self {
                Self(Located { text: Arc::clone(text), field: None, problem })
            }

            pub(crate) fn in_field(mut self, field: &'static str) -> Self {
                self.0.field = Some(field);
                self
            }

            /// Where in the source text, in bytes.
            pub fn span(&self) -> Span {
                self.0.problem.span
            }

            /// What is wrong: a lower-case fragment without the place and without the hint.
            pub fn message(&self) -> &str {
                &self.0.problem.message
            }

            /// What to write instead, when that can be said.
            pub fn hint(&self) -> Option<&str> {
                self.0.problem.hint.as_deref()
            }

            /// The field of an edge condition that the error is about; none for a bare expression.
            pub fn field(&self) -> Option<&'static str> {
                self.0.field
            }

            /// The source line and, under it, carets at the place; no final newline.
            ///
            /// Lines over 100 characters are cut around the place. Empty when the error is about a field that is
            /// not there, since then there is no text to show.
            pub fn caret(&self) -> String {
                caret::render(&self.0.text, self.0.problem.span)
            }
        }
    };
}

located_error! {
    /// Why a text is not an expression, a path or a condition.
    ExprError
}

located_error! {
    /// Why a valid expression has no value in a given scope.
    EvalError
}
