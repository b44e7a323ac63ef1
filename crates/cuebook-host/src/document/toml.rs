//! TOML with places.

use cuebook_template::{Diagnostic, Source, Span};
use cuebook_wire::{ErrorCode, pointer};
use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::report::Problems;

/// Parses the part `within` of a text; `code` is that of a syntax error.
pub(super) fn parse(source: &Source, within: Span, code: ErrorCode) -> Result<Json, Problems> {
    let text = source.slice(within).unwrap_or_default();
    toml::from_str::<Json>(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let span = Span::new(within.start + span.start, within.start + span.end);
        let message = format!("this is not TOML: {}", error.message());
        Diagnostic::error(code.as_str(), message).at(source, source.first_line(span)).into()
    })
}

/// The place of a pointer in the part `within` of a text.
pub(super) fn locate(source: &Source, within: Span, pointer: &str) -> Span {
    let text = source.slice(within).unwrap_or_default();
    let Ok(table) = DeTable::parse(text) else { return source.first_line(within) };
    let mut span = None;
    let mut open = Some(Node::Table(table.get_ref()));
    for step in pointer::steps(pointer) {
        let Some((inner, place)) = open.take().and_then(|node| node.descend(&step)) else { break };
        span = Some(place);
        open = inner;
    }
    let span = span.map_or(within, |span| Span::new(within.start + span.start, within.start + span.end));
    source.first_line(span)
}

#[derive(Clone, Copy)]
enum Node<'t> {
    Table(&'t DeTable<'t>),
    Array(&'t [Spanned<DeValue<'t>>]),
}

impl<'t> Node<'t> {
    /// One step further in: what is there to descend into, and the place.
    fn descend(self, step: &str) -> Option<(Option<Node<'t>>, std::ops::Range<usize>)> {
        match self {
            Node::Table(table) => {
                let (key, value) = table.iter().find(|(key, _)| key.get_ref() == step)?;
                let (key, whole) = (key.span(), value.span());
                let place = key.start.min(whole.start)..key.end.max(whole.end);
                Some((Node::of(value.get_ref()), place))
            }
            Node::Array(items) => {
                let value = items.get(step.parse::<usize>().ok()?)?;
                Some((Node::of(value.get_ref()), value.span()))
            }
        }
    }

    fn of(value: &'t DeValue<'t>) -> Option<Self> {
        match value {
            DeValue::Table(table) => Some(Node::Table(table)),
            DeValue::Array(items) => Some(Node::Array(items)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"top = 1

[prompts]
observability = "full"
defaults = { system = "prompt:a" }

[secrets."a.b"]
from = "env:A"

[[replies]]
when = "x"

[[replies]]
when = "y"
list = [
  1,
  2,
]
deep.er = true
"#;

    #[track_caller]
    fn check_place(pointer: &str, expect: &str) {
        let source = Source::new("t.toml", TEXT);
        let all = Span::new(0, TEXT.len());
        assert_eq!(source.slice(locate(&source, all, pointer)), Some(expect), "of {pointer:?}");
    }

    #[test]
    fn a_pointer_leads_to_its_place() {
        check_place("/top", "top = 1");
        check_place("/prompts/observability", "observability = \"full\"");
        check_place("/prompts/defaults/system", "system = \"prompt:a\"");
        check_place("/secrets/a.b/from", "from = \"env:A\"");
        check_place("/replies/1/when", "when = \"y\"");
        check_place("/replies/1/list/1", "2");
        check_place("/replies/1/deep/er", "er = true");
    }

    #[test]
    fn a_table_is_at_its_header() {
        check_place("/prompts", "[prompts]");
        check_place("/secrets/a.b", "[secrets.\"a.b\"]");
        check_place("/replies/1", "[[replies]]");
        check_place("/replies/1/list", "list = [");
    }

    #[test]
    fn what_is_not_there_has_the_place_around_it() {
        check_place("", "top = 1");
        check_place("/none", "top = 1");
        check_place("/prompts/none", "[prompts]");
        check_place("/replies/7", "[[replies]]");
        check_place("/top/deeper", "top = 1");
    }

    #[test]
    fn places_within_a_part_are_those_of_the_whole() {
        let source = Source::new("t.md", "+++\na = 1\n+++\nb = 2");
        let matter = Span::new(4, 10);
        assert_eq!(source.slice(locate(&source, matter, "/a")), Some("a = 1"));
        assert_eq!(source.slice(locate(&source, matter, "/b")), Some("a = 1"));
    }

    #[test]
    fn a_syntax_error_has_its_place_and_the_code_asked_for() {
        let source = Source::new("t.md", "+++\na = \n+++\n");
        let code = ErrorCode::PromptTemplateInvalid;
        let problems = parse(&source, Span::new(4, 9), code).expect_err("it is refused");
        let problem = problems.iter().next().expect("a problem");
        assert_eq!((problem.code.as_ref(), problem.position().expect("a place").line), (code.as_str(), 2));
    }
}
