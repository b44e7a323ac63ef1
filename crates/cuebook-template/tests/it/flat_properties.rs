//! Properties of the flat language over generated templates.

use cuebook_template::Span;
use cuebook_template::flat::{Program, is_name};
use proptest::prelude::*;
use proptest::sample::select;

use crate::sinks::{calls, fill, identity, parse};

const PIECES: [&str; 26] = [
    "{", "}", "{{", "}}", "{{{", "}}}", "{{a}}", "{{ b }}", "a", "b", "_", "9", " ", "\n", "\r\n", "\t", "é",
    "😀", "$", "%", "#", "|", ".", "\"", ":", "\u{2028}",
];

/// Templates dense in braces.
fn template() -> impl Strategy<Value = String> {
    prop::collection::vec(select(PIECES.to_vec()), 0..40).prop_map(|pieces| pieces.concat())
}

/// The grammar once more, as slowly and plainly as it can be written.
fn placeholders_by_definition(text: &str) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let open =
            text[at..].starts_with("{{") && !text[at..].starts_with("{{{") && !text[..at].ends_with('{');
        let close = text[at..].find("}}").map(|offset| at + offset);
        if let (true, Some(close)) = (open, close) {
            let name = text[at + 2..close].trim_matches([' ', '\t', '\n', '\r']);
            if is_name(name) {
                found.push((name.to_owned(), Span::new(at, close + 2)));
                at = close + 2;
                continue;
            }
        }
        at += text[at..].chars().next().map_or(1, char::len_utf8);
    }
    found
}

fn check_pieces(program: &Program) -> Result<(), TestCaseError> {
    let pieces = calls(program);
    let mut end = 0;
    for (piece, span) in &pieces {
        prop_assert_eq!(span.start, end);
        prop_assert!(!span.is_empty(), "{} is empty", piece);
        end = span.end;
    }
    prop_assert_eq!(end, program.source().text().len());
    let literal = |piece: &(String, Span)| piece.0.starts_with('\'');
    prop_assert!(!pieces.windows(2).any(|pair| literal(&pair[0]) && literal(&pair[1])));
    Ok(())
}

fn check_lints(program: &Program) -> Result<(), TestCaseError> {
    let mut end = 0;
    for lint in program.lints_knowing(|name| name == "b") {
        let span = lint.label.as_ref().map(|label| label.span).expect("a lint has a place");
        prop_assert!(span.start >= end && !span.is_empty(), "{} at {:?} after {}", lint, span, end);
        prop_assert!(program.source().slice(span).is_some());
        let touches = |other: Span| span.start < other.end && other.start < span.end;
        prop_assert!(!program.placeholders().any(|placeholder| touches(placeholder.span)));
        end = span.end;
    }
    Ok(())
}

proptest! {
    #[test]
    fn identity_slots_reproduce_the_source(text in template()) {
        let program = parse(&text);
        prop_assert_eq!(identity(&program), text);
        check_pieces(&program)?;
    }

    #[test]
    fn any_text_is_a_program(text in any::<String>()) {
        let program = parse(&text);
        prop_assert_eq!(identity(&program), text);
        check_lints(&program)?;
    }

    #[test]
    fn the_parser_follows_the_definition(text in template()) {
        let program = parse(&text);
        let got: Vec<_> = program.placeholders().map(|one| (one.name.to_string(), one.span)).collect();
        prop_assert_eq!(got, placeholders_by_definition(&text));
    }

    #[test]
    fn slots_and_names_agree(text in template()) {
        let program = parse(&text);
        for placeholder in program.placeholders() {
            prop_assert_eq!(program.slot(&placeholder.name), Some(placeholder.slot));
            prop_assert_eq!(&program.names()[placeholder.slot], &placeholder.name);
        }
    }

    #[test]
    fn lints_point_at_literal_text_in_order(text in template()) {
        check_lints(&parse(&text))?;
    }

    #[test]
    fn a_value_is_inserted_once_and_unread(value in template(), before in "[a-z ]{0,8}", after in "[a-z ]{0,8}") {
        let text = format!("{before}{{{{v}}}}{after}{{{{v}}}}");
        prop_assert_eq!(fill(&text, |_| &value), format!("{before}{value}{after}{value}"));
    }
}
