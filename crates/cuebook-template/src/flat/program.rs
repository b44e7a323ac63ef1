//! A parsed template: which slot stands where.
//!
//! It owns the placeholders of one source and the numbering of its slots. It refuses values: what a slot becomes is the
//! [`Sink`]'s affair, so that one pass can write several faces of the same text and a source map.

use std::collections::HashMap;
use std::sync::Arc;

use super::scan::{Found, Placeholders};
use crate::diagnostic::Diagnostic;
use crate::source::Source;
use crate::span::Span;

/// One occurrence of a placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// The name between the braces.
    pub name: Arc<str>,
    /// The slot that all occurrences of the name share.
    pub slot: usize,
    /// The bytes from the first `{` to the last `}`.
    pub span: Span,
}

/// Receives a rendered template piece by piece, in order; the spans touch and cover the whole source.
pub trait Sink {
    /// Takes literal text; never empty, and never followed by another literal.
    fn literal(&mut self, text: &str, span: Span);

    /// Takes the place of a slot: an index into [`Program::names`].
    fn slot(&mut self, slot: usize, span: Span);
}

/// A flat template, ready to be rendered any number of times.
#[derive(Clone, Debug)]
pub struct Program {
    source: Source,
    placeholders: Vec<Placeholder>,
    names: Vec<Arc<str>>,
    slots: HashMap<Arc<str>, usize>,
}

impl Program {
    /// Parses a source in linear time; every text is a program.
    pub fn parse(source: Source) -> Self {
        let text = Arc::clone(source.text());
        let mut program = Self { source, placeholders: Vec::new(), names: Vec::new(), slots: HashMap::new() };
        for found in Placeholders::new(&text) {
            program.add(&text, found);
        }
        program
    }

    fn add(&mut self, text: &str, found: Found) {
        let slot = self.intern(&text[found.name.range()]);
        let name = Arc::clone(&self.names[slot]);
        self.placeholders.push(Placeholder { name, slot, span: found.span });
    }

    fn intern(&mut self, name: &str) -> usize {
        if let Some(&slot) = self.slots.get(name) {
            return slot;
        }
        let slot = self.names.len();
        let name: Arc<str> = name.into();
        self.names.push(Arc::clone(&name));
        self.slots.insert(name, slot);
        slot
    }

    /// The source it was parsed from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Every placeholder, in order of occurrence.
    pub fn placeholders(&self) -> impl ExactSizeIterator<Item = &Placeholder> {
        self.placeholders.iter()
    }

    /// The distinct names, in order of first occurrence; the index of a name is its slot.
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// The slot of a name; `None` when no placeholder has it.
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.slots.get(name).copied()
    }

    /// Hands the template to `sink`, piece by piece.
    pub fn render(&self, sink: &mut impl Sink) {
        let mut at = 0;
        for placeholder in &self.placeholders {
            self.literal(sink, Span::new(at, placeholder.span.start));
            sink.slot(placeholder.slot, placeholder.span);
            at = placeholder.span.end;
        }
        self.literal(sink, Span::new(at, self.source.text().len()));
    }

    fn literal(&self, sink: &mut impl Sink, span: Span) {
        if !span.is_empty() {
            sink.literal(&self.source.text()[span.range()], span);
        }
    }

    /// Reports text that looks like a placeholder or like template logic and stays literal, in order of place.
    ///
    /// All findings are warnings, or notes where literal text is probably meant.
    pub fn lints(&self) -> Vec<Diagnostic> {
        self.lints_knowing(|_| false)
    }

    /// As [`Program::lints`]; also knows the names that `is_declared` accepts.
    ///
    /// `${topic}` and `{topic}` are ordinary text in most prompts. They are reported when `topic` is a slot of this
    /// program or a declared variable.
    pub fn lints_knowing(&self, is_declared: impl Fn(&str) -> bool) -> Vec<Diagnostic> {
        super::lint::lint(self, &is_declared)
    }
}
