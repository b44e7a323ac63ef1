//! What several test modules share.

use std::fmt::Write;

use cuebook_expr::{EvalError, ExprError, Expression};
use serde_json::{Map, Value, json};

/// The scope that most tables are written against.
pub(crate) fn scope() -> Map<String, Value> {
    object(json!({
        "status": "done",
        "score": 0.5,
        "count": 3,
        "whole": 2.0,
        "ready": true,
        "nothing": null,
        "tags": ["draft", "legal"],
        "items": [{"name": "a", "price": 1}, {"name": "b", "price": 2.5}],
        "output": {"approved": true, "note": "", "by key": 7, "in": "word", "list": [1, 2, 3]},
        "host": {"phase": "plan"},
        "empty": {"text": "", "list": [], "map": {}},
        "huge": u64::MAX,
        "low": i64::MIN,
        "i": 1,
    }))
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("not a map: {other}"),
    }
}

#[track_caller]
pub(crate) fn parse(source: &str) -> Expression {
    Expression::parse(source).unwrap_or_else(|errors| panic!("{source}\n{}", report(&errors)))
}

/// Reading errors as a snapshot shows them.
pub(crate) fn report(errors: &[ExprError]) -> String {
    errors.iter().fold(String::new(), |text, error| entry(text, error, &error.caret()))
}

/// An evaluation error as a snapshot shows it.
pub(crate) fn failure(error: &EvalError) -> String {
    entry(String::new(), error, &error.caret())
}

fn entry(mut text: String, error: &dyn std::error::Error, caret: &str) -> String {
    writeln!(text, "{error}").expect("a string takes all text");
    for line in caret.lines() {
        writeln!(text, "  | {}", line.trim_end()).expect("a string takes all text");
    }
    text
}
