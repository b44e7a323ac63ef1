//! The flat language, and what it costs without types and places.

use cuebook_template::flat::{Program, Sink};
use cuebook_template::{Source, Span, Value};

use crate::workload;

/// A compiled flat prompt with its values, by slot.
pub(crate) struct Prompt {
    program: Program,
    values: Vec<Value>,
}

impl Prompt {
    pub(crate) fn new() -> Self {
        let (text, data) = workload::flat();
        let program = Self::compile(&text);
        let values = program.names().iter().map(|name| Value::trusted(data[&**name].clone())).collect();
        let prompt = Self { program, values };
        workload::check_flat(&prompt.render());
        prompt
    }

    pub(crate) fn compile(text: &str) -> Program {
        Program::parse(Source::new("flat.mustache", text))
    }

    pub(crate) fn render(&self) -> String {
        let mut text = Text { out: String::with_capacity(8192), values: &self.values };
        self.program.render(&mut text);
        text.out
    }
}

struct Text<'p> {
    out: String,
    values: &'p [Value],
}

impl Sink for Text<'_> {
    fn literal(&mut self, text: &str, _: Span) {
        self.out.push_str(text);
    }

    fn slot(&mut self, slot: usize, _: Span) {
        self.out.push_str(&self.values[slot].text());
    }
}

/// The same prompt as a list of texts and indices into texts.
pub(crate) struct Segments {
    segments: Vec<Segment>,
    texts: Vec<String>,
}

enum Segment {
    Literal(String),
    Slot(usize),
}

impl Segments {
    pub(crate) fn new() -> Self {
        let prompt = Prompt::new();
        let mut list = Self { segments: Vec::new(), texts: Vec::new() };
        prompt.program.render(&mut list);
        list.texts = prompt.values.iter().map(|value| value.text().into_owned()).collect();
        workload::check_flat(&list.render());
        list
    }

    pub(crate) fn render(&self) -> String {
        let mut out = String::with_capacity(8192);
        for segment in &self.segments {
            match segment {
                Segment::Literal(text) => out.push_str(text),
                Segment::Slot(slot) => out.push_str(&self.texts[*slot]),
            }
        }
        out
    }
}

impl Sink for Segments {
    fn literal(&mut self, text: &str, _: Span) {
        self.segments.push(Segment::Literal(text.to_owned()));
    }

    fn slot(&mut self, slot: usize, _: Span) {
        self.segments.push(Segment::Slot(slot));
    }
}
