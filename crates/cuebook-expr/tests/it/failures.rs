//! Why a valid expression has no value, and what the error says about it.

use cuebook_expr::Expression;
use serde_json::json;

use crate::support::{failure, object, parse, scope};

/// Evaluates each source and gives all failures in one text.
#[track_caller]
fn failures(sources: &[&str]) -> String {
    sources
        .iter()
        .map(|source| match parse(source).evaluate(&scope()) {
            Ok(value) => panic!("{source} gives {value}"),
            Err(error) => failure(&error) + "\n",
        })
        .collect()
}

#[test]
fn booleans_are_not_guessed() {
    insta::assert_snapshot!(failures(&[
        "tags && ready",
        "ready && status",
        "!count",
        "not output",
        "absent || ready",
        "score ? 1 : 2",
        "false || 1",
        "ready && (status + status)",
    ]));
}

#[test]
fn operators_name_both_types() {
    insta::assert_snapshot!(failures(&[
        "status + count",
        "count + status",
        "status + absent",
        "absent + 1",
        "status + tags",
        "1 + 2 + 'x' + 'y'",
        "status - 'x'",
        "tags * 2",
        "'5' * 2",
        "ready < true",
        "absent < 1",
        "1 < nothing",
        "status > nothing",
        "status < 1",
        "1 <= status",
        "[1] >= [1]",
        "-status",
    ]));
}

#[test]
fn arithmetic_stays_in_range() {
    insta::assert_snapshot!(failures(&[
        "1 / 0",
        "1.5 % (1 - 1)",
        "1 / 0.0",
        "huge + 1",
        "low - 1",
        "-huge",
        "huge * huge",
        "100000000000000000000.5 * number('1e300')",
    ]));
}

#[test]
fn searches_name_what_cannot_be_searched() {
    insta::assert_snapshot!(failures(&[
        "'x' in absent",
        "1 in count",
        "1 in status",
        "null not in output",
        "contains(ready, 1)",
        "contains(status, tags)",
    ]));
}

#[test]
fn indices_are_strings_or_whole_numbers() {
    insta::assert_snapshot!(failures(&[
        "tags[-1]",
        "tags[score]",
        "tags[absent]",
        "output[ready]",
        "tags[tags]"
    ]));
}

#[test]
fn functions_name_what_they_take() {
    insta::assert_snapshot!(failures(&[
        "size(absent)",
        "size(3)",
        "starts_with(status, 1)",
        "ends_with(count, 'x')",
        "upper(absent)",
        "trim(tags)",
        "string(tags)",
        "string(nothing)",
        "number(status)",
        "number('')",
        "number(' 1')",
        "number('1e999')",
        "number(true)",
        "number(absent)",
    ]));
}

#[test]
fn a_condition_must_be_a_boolean() {
    let error = parse("size(tags)").holds(&scope()).expect_err("a number is no condition");
    insta::assert_snapshot!(failure(&error));
    assert_eq!(parse("size(tags) == 2").holds(&scope()), Ok(true));
    assert_eq!(parse("size(tags) == 3").holds(&scope()), Ok(false));
}

#[test]
fn a_failure_has_its_parts() {
    let error = parse("ready && count").evaluate(&scope()).expect_err("a number is no boolean");
    assert_eq!((error.span().start, error.span().end), (9, 14));
    assert_eq!(error.message(), "expected a boolean, got a number");
    assert_eq!(error.hint(), Some("write `count != 0`"));
    assert_eq!(error.field(), None);
    assert_eq!(error.caret(), "ready && count\n         ^^^^^");
}

#[test]
fn no_failure_repeats_a_value() {
    let secret = "s3cr3t-value";
    let scope = object(json!({"secret": secret, "wrapped": [secret], "keyed": {secret: 1}, "n": 1}));
    let names = ["secret", "wrapped", "keyed"];
    let templates = [
        "X && true",
        "!X",
        "-X",
        "X + 1",
        "1 + X",
        "X < n",
        "X * 2",
        "n in X",
        "X in n",
        "n[X]",
        "size(n + X)",
        "starts_with(n, X)",
        "number(X)",
        "string(X) * 2",
        "X ? 1 : 2",
        "lower(X) - 1",
        "X[wrapped]",
    ];
    let mut failed = 0;
    for template in templates {
        for name in names {
            let expression = Expression::parse(&template.replace('X', name)).expect("the table is valid");
            if let Err(error) = expression.evaluate(&scope) {
                failed += 1;
                assert!(!failure(&error).contains(secret), "{template} with {name}: {error}");
            }
        }
    }
    assert!(failed > 30, "the table must be made of failures, only {failed} are");
}
