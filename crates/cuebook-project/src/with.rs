//! References in `with:` strings: `{{ inputs.name }}` and `{{ steps.id.output }}`, with fixed steps after them.
//!
//! It owns how such a string is read and what an engine's input port makes of it. It refuses a language: no filters, no
//! arithmetic, and nothing but references between double braces.

use std::ops::Range;

use cuebook_expr::{Path, Segment};
use cuebook_wire::{NodeId, PortValue};
use serde_json::Value as Json;

/// A value under `with:`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum WithValue {
    /// A value that stands in the file.
    Static(Json),
    /// One reference and nothing else: the value it leads to, as it is.
    Whole(Reference),
    /// A text with references in it.
    Mixed(Vec<Piece>),
}

/// A piece of a mixed text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    Literal(String),
    Reference(Reference),
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reference {
    pub(crate) target: Target,
    /// The steps into the value.
    pub(crate) steps: Vec<Segment>,
    /// The bytes of the reference in the string, braces included.
    pub(crate) span: Range<usize>,
}

/// What a reference leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// An input of the workflow.
    Input(String),
    /// The output of a step.
    Step(String),
}

/// What is wrong with a string, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) hint: &'static str,
}

const SHAPE: &str = "write {{ inputs.name }}, {{ steps.id.output }} or a fixed path into one of them";

/// Reads a value under `with:`.
///
/// # Errors
///
/// Every place between double braces that holds no reference, and braces that are not closed.
pub(crate) fn read(value: &Json) -> Result<WithValue, Vec<Misfit>> {
    let Json::String(text) = value else {
        let nested = holds_braces(value);
        return if nested { Err(vec![nested_reference()]) } else { Ok(WithValue::Static(value.clone())) };
    };
    let mut pieces = Vec::new();
    let mut misfits = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find("{{").map(|found| at + found) {
        push_literal(&mut pieces, &text[at..open]);
        let Some(close) = text[open..].find("}}").map(|found| open + found + 2) else {
            misfits.push(misfit(open..text.len(), "a reference is not closed by `}}`"));
            at = text.len();
            break;
        };
        match reference(&text[open + 2..close - 2], open..close) {
            Ok(reference) => pieces.push(Piece::Reference(reference)),
            Err(misfit) => misfits.push(misfit),
        }
        at = close;
    }
    push_literal(&mut pieces, &text[at..]);
    if misfits.is_empty() { Ok(whole(text, pieces)) } else { Err(misfits) }
}

fn push_literal(pieces: &mut Vec<Piece>, text: &str) {
    if !text.is_empty() {
        pieces.push(Piece::Literal(text.to_owned()));
    }
}

fn whole(text: &str, mut pieces: Vec<Piece>) -> WithValue {
    match pieces.pop() {
        Some(Piece::Reference(reference)) if pieces.is_empty() => WithValue::Whole(reference),
        Some(Piece::Literal(text)) if pieces.is_empty() => WithValue::Static(text.into()),
        None => WithValue::Static(text.into()),
        Some(last) => {
            pieces.push(last);
            WithValue::Mixed(pieces)
        }
    }
}

fn holds_braces(value: &Json) -> bool {
    match value {
        Json::String(text) => text.contains("{{"),
        Json::Array(items) => items.iter().any(holds_braces),
        Json::Object(map) => map.values().any(holds_braces),
        _ => false,
    }
}

fn nested_reference() -> Misfit {
    let message = "a reference stands inside a list or a mapping".to_owned();
    Misfit { span: 0..0, message, hint: "give it a key of its own under `with`" }
}

fn misfit(span: Range<usize>, message: impl Into<String>) -> Misfit {
    Misfit { span, message: message.into(), hint: SHAPE }
}

fn reference(inner: &str, span: Range<usize>) -> Result<Reference, Misfit> {
    let not_one = || misfit(span.clone(), format!("`{}` is no reference", inner.trim()));
    let path = Path::parse(inner.trim()).map_err(|_| not_one())?;
    let keys: Vec<&Segment> = path.segments().iter().collect();
    match (path.root(), keys.as_slice()) {
        ("inputs", [Segment::Key(name), rest @ ..]) => {
            Ok(Reference { target: Target::Input(name.clone()), steps: cloned(rest), span })
        }
        ("steps", [Segment::Key(id), Segment::Key(output), rest @ ..]) if output == "output" => {
            Ok(Reference { target: Target::Step(id.clone()), steps: cloned(rest), span })
        }
        _ => Err(not_one()),
    }
}

fn cloned(steps: &[&Segment]) -> Vec<Segment> {
    steps.iter().map(|step| (*step).clone()).collect()
}

impl WithValue {
    /// The references in order.
    pub(crate) fn references(&self) -> impl Iterator<Item = &Reference> {
        let pieces: Vec<&Reference> = match self {
            Self::Static(_) => Vec::new(),
            Self::Whole(reference) => vec![reference],
            Self::Mixed(pieces) => pieces.iter().filter_map(Piece::reference).collect(),
        };
        pieces.into_iter()
    }

    /// The input port that gives the value; `is_json` says whether a step's answer is JSON.
    pub(crate) fn port(&self, is_json: &dyn Fn(&str) -> bool) -> PortValue {
        match self {
            Self::Static(value) => PortValue::Static { value: value.clone() },
            Self::Whole(reference) => reference.port(is_json),
            Self::Mixed(pieces) => {
                let expression =
                    pieces.iter().map(|piece| piece.expression(is_json)).collect::<Vec<_>>().join(" + ");
                PortValue::Expression { expression }
            }
        }
    }
}

impl Piece {
    fn reference(&self) -> Option<&Reference> {
        match self {
            Self::Literal(_) => None,
            Self::Reference(reference) => Some(reference),
        }
    }

    fn expression(&self, is_json: &dyn Fn(&str) -> bool) -> String {
        match self {
            Self::Literal(text) => quoted(text),
            Self::Reference(reference) => format!("string({})", reference.expression(is_json)),
        }
    }
}

impl Reference {
    fn port(&self, is_json: &dyn Fn(&str) -> bool) -> PortValue {
        match &self.target {
            Target::Input(name) if self.steps.is_empty() => {
                PortValue::Variable { variable_name: name.clone(), optional: false }
            }
            Target::Step(id) if self.steps.is_empty() => PortValue::Connection {
                node_id: NodeId::from(id.as_str()),
                output_key: output_of(id, is_json).to_owned(),
                optional: false,
            },
            _ => PortValue::Expression { expression: self.expression(is_json) },
        }
    }

    fn expression(&self, is_json: &dyn Fn(&str) -> bool) -> String {
        let root = match &self.target {
            Target::Input(name) => format!("variables.{name}"),
            Target::Step(id) => format!("nodes[{}].output.{}", quoted(id), output_of(id, is_json)),
        };
        self.steps.iter().fold(root, |path, step| match step {
            Segment::Key(key) => format!("{path}[{}]", quoted(key)),
            Segment::Index(index) => format!("{path}[{index}]"),
        })
    }
}

fn output_of(id: &str, is_json: &dyn Fn(&str) -> bool) -> &'static str {
    if is_json(id) { "json" } else { "text" }
}

/// A string literal of the expression language.
fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => literal.extend(['\\', char]),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            control if control.is_control() && u32::from(control) <= 0xffff => {
                let digits = format!("{:04x}", u32::from(control));
                literal.push_str("\\u");
                literal.push_str(&digits);
            }
            other => literal.push(other),
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(value: &Json, expect: &Json) {
        let port = read(value).map(|it| it.port(&|id| id == "facts"));
        assert_eq!(&serde_json::to_value(port.expect("a value")).expect("JSON"), expect, "of {value}");
    }

    #[track_caller]
    fn check_misfit(value: &Json, expect: &[&str]) {
        let misfits = read(value).expect_err("no value");
        let found: Vec<String> = misfits.iter().map(|it| format!("{:?} {}", it.span, it.message)).collect();
        assert_eq!(found, expect, "of {value}");
    }

    #[test]
    fn one_reference_is_the_value_itself() {
        check(&json!("{{ inputs.topic }}"), &json!({"type": "variable", "variableName": "topic"}));
        check(
            &json!("{{steps.draft.output}}"),
            &json!({"type": "connection", "nodeId": "draft", "outputKey": "text"}),
        );
        check(
            &json!("{{ steps.facts.output }}"),
            &json!({"type": "connection", "nodeId": "facts", "outputKey": "json"}),
        );
        check(
            &json!("{{ steps.facts.output.items[0]['a b'] }}"),
            &json!({"type": "expression", "expression": "nodes[\"facts\"].output.json[\"items\"][0][\"a b\"]"}),
        );
        check(
            &json!("{{ inputs.brief.title }}"),
            &json!({"type": "expression", "expression": "variables.brief[\"title\"]"}),
        );
    }

    #[test]
    fn text_around_references_makes_a_text() {
        check(
            &json!("Write about \"{{ inputs.topic }}\"\nfor {{ steps.my-step.output }}."),
            &json!({"type": "expression", "expression":
                "\"Write about \\\"\" + string(variables.topic) + \"\\\"\\nfor \" + string(nodes[\"my-step\"].output.text) + \".\""}),
        );
        check(&json!("plain { braces } }}"), &json!({"type": "static", "value": "plain { braces } }}"}));
        check(&json!(""), &json!({"type": "static", "value": ""}));
        check(&json!([1, {"a": "b"}]), &json!({"type": "static", "value": [1, {"a": "b"}]}));
    }

    #[test]
    fn nothing_but_references_stands_between_double_braces() {
        check_misfit(&json!("{{ topic }}"), &["0..11 `topic` is no reference"]);
        check_misfit(&json!("{{ inputs }}"), &["0..12 `inputs` is no reference"]);
        check_misfit(&json!("{{ steps.a.text }}"), &["0..18 `steps.a.text` is no reference"]);
        check_misfit(&json!("{{ inputs.a | upper }}"), &["0..22 `inputs.a | upper` is no reference"]);
        check_misfit(&json!("{{{ inputs.a }}}"), &["0..15 `{ inputs.a` is no reference"]);
        check_misfit(&json!("a {{ inputs.a"), &["2..13 a reference is not closed by `}}`"]);
        check_misfit(&json!(["{{ inputs.a }}"]), &["0..0 a reference stands inside a list or a mapping"]);
    }
}
