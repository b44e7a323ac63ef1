//! Edge conditions.

use cuebook_expr::Condition;
use cuebook_expr::limits::MAX_PATTERN_BYTES;
use cuebook_wire::EdgeCondition;
use serde_json::{Value, json};

use crate::support::{failure, report, scope};

fn wire(condition: Value) -> EdgeCondition {
    serde_json::from_value(condition).expect("the table holds wire conditions")
}

#[track_caller]
fn compile(condition: Value) -> Condition {
    Condition::compile(&wire(condition)).unwrap_or_else(|errors| panic!("{}", report(&errors)))
}

#[track_caller]
fn check(kind: &str, left: &str, right: impl Into<Value>, expect: bool) {
    let right = right.into();
    let condition = compile(json!({"type": kind, "left": left, "right": right}));
    assert_eq!(condition.holds(&scope()), Ok(expect), "{left} {kind} {right}");
}

#[test]
fn equals_is_deep_and_by_value() {
    for (left, right, expect) in [
        ("status", json!("done"), true),
        ("status", json!("Done"), false),
        ("output.approved", json!(true), true),
        ("count", json!(3.0), true),
        ("output.list", json!([1.0, 2, 3]), true),
        ("output.list", json!([1, 2]), false),
        ("host", json!({"phase": "plan"}), true),
        ("nothing", json!(null), true),
        ("absent.x", json!(null), true),
        ("status", json!(null), false),
        ("output[\"by key\"]", json!(7), true),
    ] {
        check("equals", left, right.clone(), expect);
        check("notEquals", left, right, !expect);
    }
}

#[test]
fn contains_looks_for_parts_items_and_keys() {
    check("contains", "status", json!("on"), true);
    check("contains", "status", json!("On"), false);
    check("contains", "tags", json!("draft"), true);
    check("contains", "output.list", json!(2.0), true);
    check("contains", "output.list", json!([2]), false);
    check("contains", "output", json!("approved"), true);
    check("contains", "output", json!("true"), false);
    check("contains", "absent", json!("x"), false);
    check("contains", "nothing", json!(null), false);
}

#[test]
fn regex_matches_anywhere_unless_anchored() {
    check("regex", "status", json!("o.e"), true);
    check("regex", "status", json!("^one"), false);
    check("regex", "status", json!("^(?i)DONE$"), true);
    check("regex", "empty.text", json!("^$"), true);
    check("regex", "absent", json!(".*"), false);
}

#[test]
fn an_expression_needs_no_type() {
    let text = "output.approved && size(tags) == 2";
    for condition in [json!({"expression": text}), json!({"type": "expression", "expression": text})] {
        assert_eq!(compile(condition).holds(&scope()), Ok(true));
    }
}

#[test]
fn paths_of_both_kinds_are_listed_and_checked() {
    let paths = |condition: &Condition| condition.paths().iter().map(ToString::to_string).collect::<Vec<_>>();
    let left = compile(json!({"type": "equals", "left": "outptu.approved", "right": true}));
    assert_eq!(paths(&left), ["outptu.approved"]);
    let expression = compile(json!({"expression": "a.b && statsu == 1"}));
    assert_eq!(paths(&expression), ["a.b", "statsu"]);
    let known = ["status", "output", "a"];
    insta::assert_snapshot!(report(&[left.check_roots(&known), expression.check_roots(&known)].concat()));
}

#[test]
fn left_may_name_a_hyphenated_port() {
    let condition = compile(json!({"type": "equals", "left": "child-n1.output", "right": 1}));
    let scope = crate::support::object(json!({"child-n1": {"output": 1}}));
    assert_eq!(condition.holds(&scope), Ok(true));
}

#[test]
fn a_condition_is_refused_with_all_its_errors() {
    let errors: String = [
        json!({}),
        json!({"left": "status", "right": "done"}),
        json!({"type": "expression"}),
        json!({"type": "equals"}),
        json!({"type": "equals", "left": "status"}),
        json!({"type": "contains", "right": null}),
        json!({"type": "expression", "expression": "a", "left": "b", "right": 1}),
        json!({"expression": "sizee(a) &&", "left": "b"}),
        json!({"type": "equals", "left": "a", "right": 1, "expression": "b"}),
        json!({"type": "equals", "left": "a == b", "right": 1}),
        json!({"type": "equals", "expression": "a"}),
        json!({"type": "regex", "left": "a b", "right": "("}),
        json!({"type": "regex", "left": "a", "right": 1}),
        json!({"type": "regex", "left": "a", "right": "x(?=y)"}),
        json!({"type": "regex", "left": "a", "right": "(a)\\1"}),
        json!({"type": "regex", "left": "a", "right": "[z-a]"}),
        json!({"type": "regex", "left": "a", "right": "\\p{Nonsense}"}),
        json!({"type": "regex", "left": "a", "right": "(a{1000}){1000}"}),
        json!({"type": "regex", "left": "a", "right": "x".repeat(MAX_PATTERN_BYTES + 1)}),
        json!({"type": "regex", "left": "a", "right": "(".repeat(100) + &")".repeat(100)}),
    ]
    .into_iter()
    .map(|condition| {
        let errors = Condition::compile(&wire(condition.clone())).expect_err(&condition.to_string());
        report(&errors) + "\n"
    })
    .collect();
    insta::assert_snapshot!(errors);
}

#[test]
fn a_left_operand_of_the_wrong_type_fails() {
    let failures: String = [
        json!({"type": "contains", "left": "count", "right": 3}),
        json!({"type": "contains", "left": "ready", "right": "x"}),
        json!({"type": "contains", "left": "status", "right": 1}),
        json!({"type": "contains", "left": "output", "right": null}),
        json!({"type": "regex", "left": "output.list[0]", "right": "1"}),
        json!({"type": "regex", "left": "tags", "right": "draft"}),
        json!({"expression": "count"}),
        json!({"expression": "absent < 1"}),
    ]
    .into_iter()
    .map(|condition| failure(&compile(condition).holds(&scope()).expect_err("a type is wrong")) + "\n")
    .collect();
    insta::assert_snapshot!(failures);
}

#[test]
fn a_pattern_runs_in_linear_time_and_memory() {
    let condition = compile(json!({"type": "regex", "left": "text", "right": "^(a+)+$"}));
    let scope = crate::support::object(json!({"text": format!("{}b", "a".repeat(100_000))}));
    assert_eq!(condition.holds(&scope), Ok(false));
}
