//! What is wrong, where, and what to do about it.
//!
//! It owns the data of an error, a warning or a note. It refuses layout: [`Diagnostic`] prints one plain line, and
//! drawing the source with carets under it is left to whoever owns the terminal.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::source::Source;
use crate::span::{Position, Span};

/// How bad a finding is; the worse is the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing needs to change.
    Note,
    /// Works, but probably not as meant.
    Warning,
    /// Cannot work.
    Error,
}

impl Severity {
    /// The word in front of a message: `note`, `warning` or `error`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A span of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The text.
    pub source: Source,
    /// The bytes of it that are meant.
    pub span: Span,
}

impl Location {
    /// Line and column of the span's first byte.
    pub fn position(&self) -> Position {
        self.source.position(self.span.start)
    }
}

/// `name:line:column`.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, column } = self.position();
        write!(f, "{}:{line}:{column}", self.source.name())
    }
}

/// One finding about a text that a person wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Stable machine code in lower snake case.
    pub code: Cow<'static, str>,
    /// One sentence fragment in lower case without a final stop; never holds a value that could be secret.
    pub message: String,
    /// Where it is, if it is anywhere.
    pub label: Option<Location>,
    /// The places that led there, innermost first: the tags that include the file.
    pub included_from: Vec<Location>,
    /// The name that was probably meant.
    pub nearest: Option<String>,
    /// One thing to do about it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A finding without place or hint.
    pub fn new(severity: Severity, code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            severity,
            code: code.into(),
            message: message.into(),
            label: None,
            included_from: Vec::new(),
            nearest: None,
            hint: None,
        }
    }

    /// An error; see [`Diagnostic::new`].
    pub fn error(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// A warning; see [`Diagnostic::new`].
    pub fn warning(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// A note; see [`Diagnostic::new`].
    pub fn note(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message)
    }

    /// Says where.
    pub fn at(mut self, source: &Source, span: Span) -> Self {
        self.label = Some(Location { source: source.clone(), span });
        self
    }

    /// Names what was probably meant.
    pub fn with_nearest(mut self, name: impl Into<String>) -> Self {
        self.nearest = Some(name.into());
        self
    }

    /// Says what to do.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says what to do, where there is something.
    pub fn with_advice(self, advice: Option<impl Into<String>>) -> Self {
        match advice {
            Some(advice) => self.with_hint(advice),
            None => self,
        }
    }

    /// Changes how bad it is, for strict modes.
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Line and column of the first byte meant, if there is a place.
    pub fn position(&self) -> Option<Position> {
        self.label.as_ref().map(Location::position)
    }
}

/// One line without the hint: `name:line:column: severity[code]: message`.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = &self.label {
            write!(f, "{location}: ")?;
        }
        write!(f, "{}[{}]: {}", self.severity.as_str(), self.code, self.message)
    }
}

impl std::error::Error for Diagnostic {}
