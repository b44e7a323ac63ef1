//! JSON with places.

use std::collections::HashSet;

use cuebook_template::{Diagnostic, Source, Span};
use cuebook_wire::{ErrorCode, pointer};
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value as Json;

use crate::report::Problems;

pub(super) fn parse(source: &Source) -> Result<Json, Problems> {
    let text: &str = source.text();
    let json =
        serde_json::from_str(text.trim_start_matches('\u{FEFF}')).map_err(|error| syntax(source, &error))?;
    let duplicates: Problems =
        tree(text).map(|tree| duplicates(source, &tree)).unwrap_or_default().into_iter().collect();
    duplicates.or(json)
}

pub(super) fn locate(source: &Source, pointer: &str) -> Span {
    let all = Span::new(0, source.text().len());
    let Some(tree) = tree(source.text()) else { return source.first_line(all) };
    let mut span = Span::from(tree.range().start..tree.range().end);
    let mut value = &tree;
    for step in pointer::steps(pointer) {
        let Some((inner, place)) = descend(value, &step) else { break };
        (value, span) = (inner, place);
    }
    source.first_line(span)
}

fn tree(text: &str) -> Option<Value<'_>> {
    parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()).ok()?.value
}

fn descend<'t>(value: &'t Value<'t>, step: &str) -> Option<(&'t Value<'t>, Span)> {
    match value {
        Value::Object(object) => {
            let property = object.properties.iter().find(|property| property.name.as_str() == step)?;
            Some((&property.value, Span::new(property.range.start, property.range.end)))
        }
        Value::Array(array) => {
            let item = array.elements.get(step.parse::<usize>().ok()?)?;
            Some((item, Span::new(item.range().start, item.range().end)))
        }
        _ => None,
    }
}

fn syntax(source: &Source, error: &serde_json::Error) -> Problems {
    let offset = offset_of(source.text(), error.line(), error.column());
    let message = error.to_string();
    let reason = message.split(" at line ").next().unwrap_or_default();
    Diagnostic::error(ErrorCode::ValidationError.as_str(), format!("this is not JSON: {reason}"))
        .at(source, Span::new(offset, offset))
        .into()
}

/// The byte of a 1-based line and byte column.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let offset = (start + column.saturating_sub(1)).min(text.len());
    (0..=offset).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn duplicates(source: &Source, value: &Value<'_>) -> Vec<Diagnostic> {
    match value {
        Value::Object(object) => duplicate_keys(source, object),
        Value::Array(array) => array.elements.iter().flat_map(|item| duplicates(source, item)).collect(),
        _ => Vec::new(),
    }
}

fn duplicate_keys(source: &Source, object: &Object<'_>) -> Vec<Diagnostic> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for property in &object.properties {
        let name = property.name.as_str();
        if !seen.insert(name) {
            let span = source.first_line(Span::new(property.range.start, property.range.end));
            let message = format!("the key '{name}' is there twice");
            found.push(Diagnostic::error(ErrorCode::ValidationError.as_str(), message).at(source, span));
        }
        found.extend(duplicates(source, &property.value));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{\n  \"a\": [1, {\"b/c\": true, \"~\": null}],\n  \"long\": {\n    \"x\": 1\n  }\n}";

    #[track_caller]
    fn check_place(pointer: &str, expect: &str) {
        let source = Source::new("t.json", TEXT);
        assert_eq!(source.slice(locate(&source, pointer)), Some(expect), "of {pointer:?}");
    }

    #[test]
    fn a_pointer_leads_to_its_place() {
        check_place("/a/0", "1");
        check_place("/a/1/b~1c", "\"b/c\": true");
        check_place("/a/1/~0", "\"~\": null");
        check_place("/long/x", "\"x\": 1");
    }

    #[test]
    fn a_place_of_several_lines_is_its_first() {
        check_place("/long", "\"long\": {");
        check_place("", "{");
    }

    #[test]
    fn what_is_not_there_has_the_place_around_it() {
        check_place("/none", "{");
        check_place("/a/7", "\"a\": [1, {\"b/c\": true, \"~\": null}],".trim_end_matches(','));
        check_place("/a/x", "\"a\": [1, {\"b/c\": true, \"~\": null}]");
        check_place("/long/x/deeper", "\"x\": 1");
    }

    #[track_caller]
    fn check_problems(text: &str, expect: &[(usize, usize, &str)]) {
        let problems = parse(&Source::new("t.json", text)).expect_err("it is refused");
        let found: Vec<(usize, usize, String)> = problems
            .iter()
            .map(|problem| {
                let position = problem.position().expect("a place");
                (position.line, position.column, problem.message.clone())
            })
            .collect();
        let found: Vec<(usize, usize, &str)> =
            found.iter().map(|(line, column, message)| (*line, *column, message.as_str())).collect();
        assert_eq!(found, expect, "of {text:?}");
    }

    #[test]
    fn syntax_errors_have_their_place() {
        check_problems("", &[(1, 1, "this is not JSON: EOF while parsing a value")]);
        check_problems("{\n  \"a\": 1\n  \"b\": 2\n}", &[(3, 3, "this is not JSON: expected `,` or `}`")]);
        check_problems("[1] x", &[(1, 5, "this is not JSON: trailing characters")]);
        check_problems("{\"é\": x}", &[(1, 7, "this is not JSON: expected value")]);
    }

    #[test]
    fn every_key_that_is_there_twice_is_told() {
        let text = "{\"a\": 1, \"b\": [{\"c\": 1, \"c\": 2}],\n \"a\": 3}";
        check_problems(text, &[(1, 25, "the key 'c' is there twice"), (2, 2, "the key 'a' is there twice")]);
    }

    #[test]
    fn a_byte_order_mark_is_passed_over() {
        let json = parse(&Source::new("t.json", "\u{feff}{\"a\": 1}")).expect("it parses");
        assert_eq!(json, serde_json::json!({ "a": 1 }));
    }
}
