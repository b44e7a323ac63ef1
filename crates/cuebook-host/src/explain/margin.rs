//! A composed text with its origins in the margin.

use cuebook_prompt::{Origin, Segment, Trust};

/// One line of a composed text and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarginLine {
    /// The origins of the line: a text with its line number, then the variables on it.
    pub label: String,
    /// The line without its end.
    pub text: String,
}

/// Splits `composed` into lines, each with the origins of its bytes.
pub fn margin(composed: &str, segments: &[Segment]) -> Vec<MarginLine> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in composed.split('\n') {
        let end = start + line.len();
        let label = label(composed, segments, start, end);
        lines.push(MarginLine { label, text: line.strip_suffix('\r').unwrap_or(line).to_owned() });
        start = end + 1;
    }
    lines
}

fn label(composed: &str, segments: &[Segment], start: usize, end: usize) -> String {
    let on_line = segments.iter().filter(|segment| touches(segment, start, end));
    let mut place = None;
    let mut variables: Vec<String> = Vec::new();
    for segment in on_line {
        match &segment.origin {
            Origin::Variable { .. } => {
                let name = variable_label(&segment.origin);
                if !variables.contains(&name) {
                    variables.push(name);
                }
            }
            Origin::Joint => {}
            origin if place.is_none() => {
                let before = composed[segment.start..start.max(segment.start)].matches('\n').count();
                place = text_label(origin, before);
            }
            _ => {}
        }
    }
    place.into_iter().chain(variables).collect::<Vec<_>>().join(" ")
}

/// Whether a segment has bytes on the line, or came out empty within it; a line end belongs to no line.
fn touches(segment: &Segment, start: usize, end: usize) -> bool {
    let is_empty = segment.start == segment.end;
    let blank = start == end && segment.start <= start && segment.end > start;
    blank
        || (segment.start < end && segment.end > start)
        || (is_empty && (start..=end).contains(&segment.start))
}

fn text_label(origin: &Origin, lines_before: usize) -> Option<String> {
    match origin {
        Origin::Template { reference, line } => {
            let name = reference.strip_prefix("prompt:").unwrap_or(reference);
            Some(format!("{name}:{}", line + lines_before))
        }
        Origin::File { path, line, layer: None } => Some(format!("{path}:{}", line + lines_before)),
        Origin::File { path, line, layer: Some(layer) } => {
            // The rank is enough in a margin; the segments have the whole name.
            let rank = layer.split(' ').next().unwrap_or_default();
            Some(format!("{path}:{} ({rank})", line + lines_before))
        }
        Origin::Inline { field, line } => Some(format!("{field}:{}", line + lines_before)),
        Origin::Variable { .. } | Origin::Joint => None,
    }
}

fn variable_label(origin: &Origin) -> String {
    match origin {
        Origin::Variable { name, secret: true, .. } => format!("<{name}: secret>"),
        Origin::Variable { name, source, trust: Trust::Untrusted, .. } => {
            format!("<{name}: {source}, untrusted>")
        }
        Origin::Variable { name, source, .. } => format!("<{name}: {source}>"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuebook_wire::VariableSource;

    fn template(start: usize, end: usize, line: usize) -> Segment {
        Segment { start, end, origin: Origin::Template { reference: "prompt:a@1.0.0".into(), line } }
    }

    fn variable(start: usize, end: usize, trust: Trust, secret: bool) -> Segment {
        let (name, reference) = ("v".into(), "prompt:a@1.0.0".into());
        let source = VariableSource::Input;
        let origin =
            Origin::Variable { name, source, trust, secret, reference, line: 1, path: None, layer: None };
        Segment { start, end, origin }
    }

    #[track_caller]
    fn check(composed: &str, segments: &[Segment], expect: &[(&str, &str)]) {
        let lines = margin(composed, segments);
        let found: Vec<(&str, &str)> =
            lines.iter().map(|line| (line.label.as_str(), line.text.as_str())).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn lines_know_their_origin() {
        check("one\ntwo", &[template(0, 7, 1)], &[("a@1.0.0:1", "one"), ("a@1.0.0:2", "two")]);
        check(
            "one\n\nthree",
            &[template(0, 10, 4)],
            &[("a@1.0.0:4", "one"), ("a@1.0.0:5", ""), ("a@1.0.0:6", "three")],
        );
        let joined =
            [template(0, 1, 1), Segment { start: 1, end: 3, origin: Origin::Joint }, template(3, 4, 1)];
        check("a\n\nb", &joined, &[("a@1.0.0:1", "a"), ("", ""), ("a@1.0.0:1", "b")]);
    }

    #[test]
    fn every_kind_of_text_has_its_name() {
        let file = Origin::File { path: "prompts/a.md".to_owned(), line: 1, layer: None };
        let inline = Origin::Inline { field: "config.userPrompt".to_owned(), line: 1 };
        let parts = [
            Segment { start: 0, end: 3, origin: file },
            Segment { start: 3, end: 5, origin: Origin::Joint },
            Segment { start: 5, end: 8, origin: inline },
        ];
        check(
            "a\r\n\n\nb\nc",
            &parts,
            &[
                ("prompts/a.md:1", "a"),
                ("", ""),
                ("", ""),
                ("config.userPrompt:1", "b"),
                ("config.userPrompt:2", "c"),
            ],
        );
    }

    #[test]
    fn the_same_variable_is_named_once_on_a_line() {
        let parts = [
            variable(0, 1, Trust::Trusted, false),
            template(1, 2, 1),
            variable(2, 3, Trust::Trusted, false),
            variable(3, 3, Trust::Untrusted, false),
        ];
        check("x-x", &parts, &[("a@1.0.0:1 <v: input> <v: input, untrusted>", "x-x")]);
    }

    #[test]
    fn variables_are_named_on_their_lines() {
        let parts = [template(0, 2, 1), variable(2, 5, Trust::Trusted, false), template(5, 7, 1)];
        check(
            "a x\nya\nb",
            &parts,
            &[("a@1.0.0:1 <v: input>", "a x"), ("a@1.0.0:1 <v: input>", "ya"), ("", "b")],
        );
        check("", &[variable(0, 0, Trust::Untrusted, false)], &[("<v: input, untrusted>", "")]);
        check("[R]", &[variable(0, 3, Trust::Trusted, true)], &[("<v: secret>", "[R]")]);
    }
}
