//! The bounds, each just kept and just exceeded.

use cuebook_expr::limits::{MAX_BUILT_BYTES, MAX_LIST_ITEMS, MAX_NESTING, MAX_SOURCE_BYTES};
use cuebook_expr::{Expression, Path};
use serde_json::{Value, json};

use crate::support::{object, parse};

#[track_caller]
fn refused(source: &str) -> String {
    let errors = Expression::parse(source).expect_err("the bound is exceeded");
    assert_eq!(errors.len(), 1, "one bound, one error: {errors:?}");
    errors[0].to_string()
}

#[track_caller]
fn check_nesting(shape: impl Fn(usize) -> String) {
    parse(&shape(MAX_NESTING));
    assert!(refused(&shape(MAX_NESTING + 1)).contains("nested 65 deep here, the limit is 64"));
    assert!(refused(&shape(MAX_NESTING + 100)).contains("nested 65 deep here, the limit is 64"));
}

#[test]
fn source_has_a_length() {
    let padded = |length: usize| format!("true{}", " ".repeat(length - 4));
    parse(&padded(MAX_SOURCE_BYTES));
    let message = refused(&padded(MAX_SOURCE_BYTES + 1));
    assert!(message.contains("4097 bytes of source, the limit is 4096"), "{message}");
    assert!(Path::parse(&"a".repeat(MAX_SOURCE_BYTES)).is_ok());
    assert!(Path::parse(&"a".repeat(MAX_SOURCE_BYTES + 1)).is_err());
}

#[test]
fn a_long_source_is_cut_between_characters() {
    let message = refused(&format!("'{}'", "é".repeat(MAX_SOURCE_BYTES)));
    assert!(message.contains("8194 bytes of source"), "{message}");
}

#[test]
fn nesting_has_a_depth() {
    check_nesting(|depth| format!("{}a{}", "(".repeat(depth), ")".repeat(depth)));
    check_nesting(|depth| format!("{}a{}", "[".repeat(depth), "]".repeat(depth)));
    check_nesting(|depth| format!("{}1{}", "a[".repeat(depth), "]".repeat(depth)));
    check_nesting(|depth| format!("{}a{}", "size(".repeat(depth), ")".repeat(depth)));
    check_nesting(|depth| format!("{}a", "!".repeat(depth)));
    check_nesting(|depth| format!("{}a", "- ".repeat(depth)));
    check_nesting(|depth| format!("{}a", "not ".repeat(depth)));
    check_nesting(|depth| format!("{}z", "a ? b : ".repeat(depth)));
    check_nesting(|depth| format!("{}a{}", "a ? ".repeat(depth), " : b".repeat(depth)));
}

#[test]
fn the_deepest_tree_is_read_printed_and_evaluated() {
    let level = "a||b&&c==d<e+f*-[";
    let source = format!("{}1{}", level.repeat(MAX_NESTING / 2), "]".repeat(MAX_NESTING / 2));
    let expression = parse(&source);
    assert_eq!(parse(&expression.to_string()), expression);
    let negations = parse(&format!("{}a == b", "not ".repeat(MAX_NESTING)));
    assert_eq!(parse(&negations.to_string()), negations);
    let scope = object(json!({"a": false, "b": true, "c": 1, "d": 1, "e": 1, "f": 1}));
    assert!(expression.evaluate(&scope).is_err(), "a list has no opposite");
}

#[test]
fn length_is_not_depth() {
    let terms = vec!["a"; 1000];
    let scope = object(json!({"a": true}));
    for operator in ["&&", "||"] {
        assert_eq!(parse(&terms.join(operator)).evaluate(&scope), Ok(json!(true)));
    }
    assert_eq!(parse(&vec!["1"; 1000].join("+")).evaluate(&scope), Ok(json!(1000)));
    assert_eq!(parse(&terms.join(".")).evaluate(&scope), Ok(Value::Null));
}

#[test]
fn lists_have_a_length() {
    let list = |items: usize| format!("size([{}])", vec!["1"; items].join(","));
    assert_eq!(parse(&list(MAX_LIST_ITEMS)).evaluate(&object(json!({}))), Ok(json!(1000)));
    assert!(refused(&list(MAX_LIST_ITEMS + 1)).contains("a list of 1001 items, the limit is 1000"));
}

#[test]
fn new_values_have_a_size() {
    let half = "x".repeat(MAX_BUILT_BYTES / 2 - 8);
    let scope = object(json!({"half": half, "list": [half]}));
    for (within, beyond) in [
        ("half + ''", "half + half + '12345678' + '1'"),
        ("[half]", "[half, half, 1]"),
        ("[list]", "[list, list]"),
        ("upper(half)", "upper(half) + lower(half) + trim(half)"),
        ("string(half)", "[string(half), half]"),
    ] {
        assert!(parse(within).evaluate(&scope).is_ok(), "{within}");
        let error = parse(beyond).evaluate(&scope).expect_err(beyond);
        assert!(error.message().contains("the limit is 1048576"), "{error}");
    }
}

#[test]
fn reading_large_values_is_free() {
    let large = "x".repeat(4 * MAX_BUILT_BYTES);
    let scope = object(json!({"large": large, "list": [large]}));
    let source = "size(large) == size(list[0]) && large == list[0] && large in list && 'x' in large";
    assert_eq!(parse(source).evaluate(&scope), Ok(json!(true)));
}

#[test]
fn deep_values_are_compared_without_recursion() {
    let nest = |leaf: Value| (0..1_000).fold(leaf, |value, _| json!([value]));
    let scope = object(json!({"a": nest(json!(1)), "b": nest(json!(1.0)), "c": nest(json!(2))}));
    assert_eq!(parse("a == b && a != c && a in [c, b]").evaluate(&scope), Ok(json!(true)));
}
