//! Sinks that the tests render into.

use cuebook_template::flat::{Program, Sink};
use cuebook_template::{Source, Span};

/// Writes a text for each slot.
pub(crate) struct Fill<'a> {
    values: Vec<&'a str>,
    pub(crate) out: String,
}

impl Sink for Fill<'_> {
    fn literal(&mut self, text: &str, _: Span) {
        self.out.push_str(text);
    }

    fn slot(&mut self, slot: usize, _: Span) {
        self.out.push_str(self.values[slot]);
    }
}

/// Renders `text` with a value for each name.
pub(crate) fn fill<'a>(text: &str, value: impl Fn(&str) -> &'a str) -> String {
    let program = parse(text);
    let values = program.names().iter().map(|name| value(name)).collect();
    let mut sink = Fill { values, out: String::new() };
    program.render(&mut sink);
    sink.out
}

/// One call of a sink, as text: `'literal'` or `[slot]`, with the span.
pub(crate) struct Calls(pub(crate) Vec<(String, Span)>);

impl Sink for Calls {
    fn literal(&mut self, text: &str, span: Span) {
        self.0.push((format!("'{text}'"), span));
    }

    fn slot(&mut self, slot: usize, span: Span) {
        self.0.push((format!("[{slot}]"), span));
    }
}

/// All calls that rendering makes.
pub(crate) fn calls(program: &Program) -> Vec<(String, Span)> {
    let mut sink = Calls(Vec::new());
    program.render(&mut sink);
    sink.0
}

/// Puts the source's own bytes into every slot.
pub(crate) struct Identity<'a> {
    source: &'a Source,
    pub(crate) out: String,
}

impl Sink for Identity<'_> {
    fn literal(&mut self, text: &str, _: Span) {
        self.out.push_str(text);
    }

    fn slot(&mut self, _: usize, span: Span) {
        self.out.push_str(self.source.slice(span).expect("the span of a slot lies in the source"));
    }
}

/// What the program gives when every slot holds its own placeholder: the source, if all is well.
pub(crate) fn identity(program: &Program) -> String {
    let mut sink = Identity { source: program.source(), out: String::new() };
    program.render(&mut sink);
    sink.out
}

/// Parses a text under a name that never matters.
pub(crate) fn parse(text: &str) -> Program {
    Program::parse(Source::new("t", text))
}
