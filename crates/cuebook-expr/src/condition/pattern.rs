//! Regular expressions of edge conditions.
//!
//! Owns their bounds. They run in time linear in the text, which is why look-around and back-references do not exist.

use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::ast::ErrorKind;
use serde_json::Value;

use crate::error::{ExprError, Problem};
use crate::limits::{MAX_COMPILED_PATTERN_BYTES, MAX_NESTING, MAX_PATTERN_BYTES};
use crate::span::Span;
use crate::value::type_name;

/// Compiles the right operand of a condition of type `regex`.
pub(super) fn of(right: &Value) -> Result<Regex, ExprError> {
    let Value::String(pattern) = right else {
        let message = format!("a `regex` condition takes a string, got {}", type_name(right));
        return Err(ExprError::new(&Arc::from(""), Problem::new(Span::default(), message)));
    };
    compile(pattern).map_err(|problem| ExprError::new(&Arc::from(pattern.as_str()), problem))
}

fn compile(pattern: &str) -> Result<Regex, Problem> {
    let length = pattern.len();
    if length > MAX_PATTERN_BYTES {
        let span = Span::new(pattern.floor_char_boundary(MAX_PATTERN_BYTES), length);
        return Err(Problem::new(
            span,
            format!("{length} bytes of pattern, the limit is {MAX_PATTERN_BYTES}"),
        ));
    }
    RegexBuilder::new(pattern)
        .nest_limit(nesting())
        .size_limit(MAX_COMPILED_PATTERN_BYTES)
        .build()
        .map_err(|_| syntax_problem(pattern).unwrap_or_else(|| too_large(length)))
}

fn nesting() -> u32 {
    u32::try_from(MAX_NESTING).unwrap_or(u32::MAX)
}

/// What the pattern's syntax gets wrong and where; none when the pattern is well formed.
fn syntax_problem(pattern: &str) -> Option<Problem> {
    let error = ParserBuilder::new().nest_limit(nesting()).build().parse(pattern).err()?;
    let (span, reason, hint) = match &error {
        regex_syntax::Error::Parse(error) => {
            (error.span(), error.kind().to_string(), syntax_hint(error.kind()))
        }
        regex_syntax::Error::Translate(error) => (error.span(), error.kind().to_string(), None),
        other => return Some(Problem::new(Span::new(0, pattern.len()), other.to_string())),
    };
    let span = Span::new(span.start.offset, span.end.offset);
    Some(Problem::new(span, format!("not a regular expression: {reason}")).with_hint_if(hint))
}

fn syntax_hint(kind: &ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::UnsupportedLookAround | ErrorKind::UnsupportedBackreference => {
            Some("patterns run in linear time; use an `expression` to join several tests")
        }
        ErrorKind::GroupUnclosed | ErrorKind::GroupUnopened => {
            Some("a literal parenthesis is written `\\(` or `\\)`")
        }
        ErrorKind::ClassUnclosed => Some("a literal bracket is written `\\[`"),
        _ => None,
    }
}

fn too_large(length: usize) -> Problem {
    let message =
        format!("the pattern compiles to more than the limit of {MAX_COMPILED_PATTERN_BYTES} bytes");
    Problem::new(Span::new(0, length), message).with_hint("make its counted repetitions smaller")
}
