//! The `{{name}}` language under a renderer's options.
//!
//! Names come from the context; one without a value is empty, or an error in strict mode. What looks like a placeholder
//! and is none is a warning.

use std::collections::BTreeMap;

use cuebook_template::flat::{Program, Sink};
use cuebook_template::pongo::Segment;
use cuebook_template::{Diagnostic, Location, Severity, Source, Span, Trust, Value};

use super::rendered::RenderedTemplate;
use super::renderer::{Renderer, split};
use crate::report::Problems;

/// Text that looks like a placeholder and is none, and names without a value: warnings, or errors in strict mode.
pub(super) fn findings(renderer: &Renderer, program: &Program, declared: &[&str]) -> Vec<Diagnostic> {
    let undeclared = program.undeclared(declared).into_iter();
    let severity = if renderer.options.strict { Severity::Error } else { Severity::Warning };
    let mut found = program.lints_knowing(|name| declared.contains(&name));
    if renderer.options.strict || renderer.has_context {
        found.extend(undeclared.map(|finding| finding.with_severity(severity)));
    }
    found.sort_by_key(|finding| finding.label.as_ref().map(|label| label.span));
    found
}

pub(super) fn render(
    renderer: &Renderer,
    source: Source,
    values: &BTreeMap<String, Value>,
) -> Result<RenderedTemplate, Problems> {
    let program = Program::parse(source);
    let declared: Vec<&str> = values.keys().map(String::as_str).collect();
    let (errors, warnings) = split(findings(renderer, &program, &declared));
    if !errors.is_empty() {
        return Err(errors.into_iter().chain(warnings).collect());
    }
    let mut writer = Writer {
        program: &program,
        values,
        text: String::new(),
        trust: Trust::Trusted,
        segments: renderer.options.origins.then(Vec::new),
    };
    program.render(&mut writer);
    let Writer { text, trust, segments, .. } = writer;
    Ok(RenderedTemplate { text, trust, segments, warnings })
}

struct Writer<'a> {
    program: &'a Program,
    values: &'a BTreeMap<String, Value>,
    text: String,
    trust: Trust,
    segments: Option<Vec<Segment>>,
}

impl Writer<'_> {
    fn push(&mut self, text: &str, span: Span, name: Option<&str>, trust: Trust) {
        let start = self.text.len();
        self.text.push_str(text);
        self.trust = self.trust.join(trust);
        if let Some(segments) = self.segments.as_mut().filter(|_| !text.is_empty()) {
            let location = Location { source: self.program.source().clone(), span };
            let range = start..self.text.len();
            segments.push(Segment { range, location, name: name.map(str::to_owned), trust });
        }
    }
}

impl Sink for Writer<'_> {
    fn literal(&mut self, text: &str, span: Span) {
        self.push(text, span, None, Trust::Trusted);
    }

    fn slot(&mut self, slot: usize, span: Span) {
        let name = &*self.program.names()[slot];
        if let Some(value) = self.values.get(name).filter(|value| !value.is_null()) {
            self.push(&value.text(), span, Some(name), value.trust());
        }
    }
}
