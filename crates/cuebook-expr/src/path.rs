//! Fixed paths into the scope: a root name and the steps after it.
//!
//! Owns the plain reference that `with:` strings and the `left` of an edge condition use. There is no arithmetic in a
//! reference, so a name in it may hold hyphens (`steps.house-style.output`), as node ids do; inside an expression such a
//! name is written `steps["house-style"]`.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::error::{ExprError, Problem, Problems};
use crate::lexer::{continues_name, starts_name};
use crate::limits::MAX_SOURCE_BYTES;
use crate::parser;
use crate::print;
use crate::roots;
use crate::scope::Scope;
use crate::span::Span;

/// One fixed step into a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// The entry of a map.
    Key(String),
    /// The item of a list, counted from 0.
    Index(usize),
}

impl Segment {
    /// The value one step further in, or none when there is nothing under that step.
    pub(crate) fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Key(key) => value.get(key),
            Self::Index(index) => value.get(index),
        }
    }

    /// Moves the value one step further in out of its container.
    pub(crate) fn take_from(&self, value: &mut Value) -> Option<Value> {
        match self {
            Self::Key(key) => value.get_mut(key),
            Self::Index(index) => value.get_mut(index),
        }
        .map(Value::take)
    }
}

/// A root name, fixed steps after it, and the place of both in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    root: String,
    segments: Vec<Segment>,
    span: Span,
}

impl Path {
    pub(crate) fn new(root: String, segments: Vec<Segment>, span: Span) -> Self {
        Self { root, segments, span }
    }

    /// Reads a reference such as `output.approved`, `items[0].name` or `steps.house-style.output`.
    ///
    /// # Errors
    ///
    /// Every mistake in the text: a text that is empty or over [`MAX_SOURCE_BYTES`] bytes, a missing or malformed name,
    /// a bracket that holds neither digits nor a quoted key, and anything that only an expression may hold.
    pub fn parse(text: &str) -> Result<Self, Vec<ExprError>> {
        let source: Arc<str> = Arc::from(text);
        let mut problems = Problems::default();
        let path = parser::reference::parse(&source, &mut problems);
        problems.into_result(&source, path)
    }

    /// The name that the scope is asked for.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// The fixed steps after the root; in an expression, only those before the first computed index.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Where the path is written: from the root to the last fixed step.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The value at the path, or none when the root or a step is missing.
    pub fn lookup<'s>(&self, scope: &'s dyn Scope) -> Option<&'s Value> {
        let root = scope.lookup(&self.root)?;
        self.segments.iter().try_fold(root, |value, segment| segment.of(value))
    }

    /// Reports a root name that is not among the known ones, with the nearest that is.
    ///
    /// `source` is the text that the path was read from; it is what the error shows.
    pub fn check_root(&self, source: &str, known: &[&str]) -> Vec<ExprError> {
        roots::check(&Arc::from(source), std::slice::from_ref(self), known)
    }
}

/// The path as an expression would write it.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.root)?;
        self.segments.iter().try_for_each(|segment| print::segment(f, segment))
    }
}

/// Whether a key can follow a dot in an expression.
pub(crate) fn is_plain_name(key: &str) -> bool {
    key.starts_with(starts_name) && key.chars().all(continues_name)
}

/// The finding about a text that is too long, if it is.
pub(crate) fn too_long(source: &str) -> Option<Problem> {
    let length = source.len();
    (length > MAX_SOURCE_BYTES).then(|| {
        let span = Span::new(source.floor_char_boundary(MAX_SOURCE_BYTES), length);
        Problem::new(span, format!("{length} bytes of source, the limit is {MAX_SOURCE_BYTES}"))
            .with_hint("compute parts of it in an earlier step")
    })
}
