//! A text with a name, cheap to hand around.
//!
//! It owns the bytes that spans point into. It refuses to say where they came from beyond the name: files, stores and
//! layers are the business of other crates.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::span::{LineIndex, Position, Span};

/// A named text; a clone shares everything, the line index included.
#[derive(Clone)]
pub struct Source {
    name: Arc<str>,
    layer: Option<Arc<str>>,
    text: Arc<str>,
    /// The line of the file in which the text begins, from 1.
    first_line: usize,
    lines: Arc<OnceLock<LineIndex>>,
}

impl Source {
    /// Names a text: a path, a prompt ref, or whatever a reader will recognise in an error.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), layer: None, text: text.into(), first_line: 1, lines: Arc::default() }
    }

    /// Says which of several layers the text was found in.
    pub fn in_layer(mut self, layer: impl Into<Arc<str>>) -> Self {
        self.layer = Some(layer.into());
        self
    }

    /// Says in which line of its file the text begins, from 1; positions count from there.
    pub fn from_line(mut self, line: usize) -> Self {
        self.first_line = line.max(1);
        self
    }

    /// The line of its file in which the text begins, from 1.
    pub const fn begins_at_line(&self) -> usize {
        self.first_line
    }

    /// The name, as errors show it.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The layer in which the text was found, where there are layers.
    pub fn layer(&self) -> Option<&str> {
        self.layer.as_deref()
    }

    /// The whole text, byte for byte as given.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The text under `span`; `None` when the span is outside the text or cuts a character.
    pub fn slice(&self, span: Span) -> Option<&str> {
        self.text.get(span.range())
    }

    /// `span` cut at the end of its first line, so that a caret fits under it.
    pub fn first_line(&self, span: Span) -> Span {
        let text = self.slice(span).unwrap_or_default();
        let end = text.find('\n').map_or(span.end, |at| span.start + at);
        Span::new(span.start, end.max(span.start))
    }

    /// The line index, built at the first use.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.text))
    }

    /// Line and column of the byte at `offset`; see [`LineIndex::position`].
    pub fn position(&self, offset: usize) -> Position {
        let Position { line, column } = self.lines().position(offset);
        Position { line: line + self.first_line - 1, column }
    }
}

/// Shows the name and the length only: prompt text does not belong in debug output.
impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.name)
            .field("bytes", &self.text.len())
            .finish_non_exhaustive()
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.layer == other.layer
            && self.first_line == other.first_line
            && (Arc::ptr_eq(&self.text, &other.text) || self.text == other.text)
    }
}

impl Eq for Source {}
