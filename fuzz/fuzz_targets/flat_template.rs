//! The flat language: any text parses, and slots that hold their own placeholders give the source back.

#![no_main]

use cuebook_template::flat::{Program, Sink};
use cuebook_template::{Source, Span};
use libfuzzer_sys::fuzz_target;

/// Puts the source's own bytes into every slot, and holds each piece to its place.
struct Identity<'a> {
    source: &'a str,
    out: String,
}

impl Sink for Identity<'_> {
    fn literal(&mut self, text: &str, span: Span) {
        assert_eq!(text, &self.source[span.range()]);
        self.out.push_str(text);
    }

    fn slot(&mut self, _: usize, span: Span) {
        assert_eq!(span.start, self.out.len());
        self.out.push_str(&self.source[span.range()]);
    }
}

fuzz_target!(|text: &str| {
    let program = Program::parse(Source::new("fuzz", text));
    let mut sink = Identity { source: text, out: String::new() };
    program.render(&mut sink);
    assert_eq!(sink.out, text);
    for lint in program.lints_knowing(|_| true) {
        assert!(lint.label.is_some_and(|label| label.source.slice(label.span).is_some()));
    }
});
