//! What goes into a run: its inputs, and the values at the ports of its nodes.

use cuebook_engine::{RunInputs, read_inputs, snapshot};
use cuebook_prompt::Trust;
use serde_json::{Value, json};

use crate::support::flow::report;
use crate::support::{Flow, TestHost};

fn read(flow: &Flow, given: &Value) -> Result<RunInputs, String> {
    read_inputs(&flow.definition(), given.as_object().unwrap(), Trust::Trusted)
        .map_err(|faults| report(&faults))
}

/// One variable called `v`, `more` saying what else it declares.
fn one(value_type: &str, more: Value) -> Flow {
    Flow::new("inputs").noop("a").variable("v", value_type, more)
}

/// What `v` becomes when `given` is given for it; null for nothing.
#[track_caller]
fn check(flow: &Flow, given: &Value, expect: &Value) {
    let inputs = read(flow, given).unwrap();
    let value = inputs.variables.get("v").map_or(&Value::Null, |value| value.json());
    assert_eq!(value, expect, "{given}");
}

#[test]
fn every_fault_of_the_inputs_at_once() {
    let flow = Flow::new("inputs")
        .noop("a")
        .variable("topic", "string", json!({"required": true, "description": "what the piece is about"}))
        .variable("count", "number", json!({"required": true}))
        .variable("tags", "array", json!({}));
    let given = json!({"count": null, "tags": "a,b", "tpic": "x"});
    insta::assert_snapshot!(read(&flow, &given).unwrap_err());
}

#[test]
fn a_fault_never_repeats_the_value() {
    let faults = read(&one("number", json!({})), &json!({"v": "hunter2-hunter2"})).unwrap_err();
    assert_eq!(faults, "[validation_error] /inputs/v: input 'v' is declared as number, got string");
}

#[test]
fn falsy_values_are_values_and_null_is_none() {
    for (value_type, value) in [
        ("number", json!(0)),
        ("boolean", json!(false)),
        ("string", json!("")),
        ("array", json!([])),
        ("object", json!({})),
    ] {
        let other = json!({"number": 1, "boolean": true, "string": "x", "array": [1], "object": {"x": 1}});
        let flow = one(value_type, json!({"required": true, "defaultValue": other[value_type]}));
        check(&flow, &json!({ "v": value }), &value);
        check(&flow, &json!({"v": null}), &other[value_type]);
        check(&flow, &json!({}), &other[value_type]);
    }
}

#[test]
fn a_default_may_be_falsy_and_a_null_default_is_none() {
    check(&one("boolean", json!({"required": true, "defaultValue": false})), &json!({}), &json!(false));
    check(&one("string", json!({"defaultValue": null})), &json!({}), &json!(null));
    let faults =
        read(&one("string", json!({"required": true, "defaultValue": null})), &json!({})).unwrap_err();
    assert_eq!(faults, "[validation_error] /inputs/v: the run needs input 'v' (string)");
}

#[test]
fn tagged_envelopes_are_opened_and_their_trust_is_kept() {
    let tagged = |value: Value, trust: &str| json!({"v": {"value": value, "meta": {"contentTrust": trust}}});
    let flow = one("string", json!({}));
    let trust = |given: &Value, default: Trust| {
        read_inputs(&flow.definition(), given.as_object().unwrap(), default).unwrap().variables["v"].trust()
    };
    check(&flow, &tagged(json!("hello"), "untrusted"), &json!("hello"));
    assert_eq!(trust(&tagged(json!("x"), "untrusted"), Trust::Trusted), Trust::Untrusted);
    assert_eq!(trust(&tagged(json!("x"), "trusted"), Trust::Untrusted), Trust::Trusted);
    assert_eq!(trust(&json!({"v": "x"}), Trust::Untrusted), Trust::Untrusted);
    assert_eq!(trust(&json!({"v": "x"}), Trust::Trusted), Trust::Trusted);
    check(&flow, &tagged(json!(null), "untrusted"), &json!(null));
}

#[test]
fn undeclared_inputs_are_reported_with_what_was_meant() {
    let inputs = read(&one("string", json!({})), &json!({"w": 1, "vv": 2})).unwrap();
    let flow = Flow::new("inputs").noop("a").variable("topic", "string", json!({}));
    assert_eq!(inputs.undeclared.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["w", "vv"]);
    let inputs = read(&flow, &json!({"topci": "x"})).unwrap();
    assert_eq!(inputs.undeclared, [("topci".to_owned(), Some("topic".to_owned()))]);
}

#[tokio::test]
async fn undeclared_inputs_are_in_no_event() {
    let flow = one("string", json!({})).ask("ask", "hello");
    let log = TestHost::echoing().run(&flow, json!({"v": "kept", "stranger": "never-to-be-seen"})).await;
    assert_eq!(log.payload("run.started")["inputs"], json!({"v": "kept"}));
    assert!(!log.everything().contains("never-to-be-seen") && !log.everything().contains("stranger"));
}

#[tokio::test]
async fn sensitive_inputs_are_masked_in_events_and_snapshots_and_whole_in_the_run() {
    let flow = one("string", json!({"sensitive": true})).node(
        "b",
        "core.identity",
        json!({
            "inputs": {"v": {"type": "variable", "variableName": "v"}}, "outputSensitivity": {"v": true},
        }),
    );
    let log = TestHost::echoing().run(&flow, json!({"v": "delicate"})).await;
    assert_eq!(log.payload("run.started")["inputs"], json!({"v": "[MASKED]"}));
    assert_eq!(log.output("b", "v").0, "delicate");
    assert_eq!(snapshot(&log.state).variables, *json!({"v": "[MASKED]"}).as_object().unwrap());
}

/// The outputs of an identity node with these ports, behind `source`, which gives `n: 1` and `none: null`.
async fn ports(ports: Value) -> Result<Value, String> {
    let given = json!({"n": {"type": "static", "value": 1}, "none": {"type": "static", "value": null}});
    let flow = Flow::new("ports")
        .variable("set", "number", json!({"defaultValue": 0}))
        .variable("unset", "number", json!({}))
        .node("source", "core.identity", json!({ "inputs": given }))
        .node("sink", "core.identity", json!({ "inputs": ports }))
        .edge("source", "sink");
    let log = TestHost::echoing().run(&flow, json!({})).await;
    match log.node("sink").error.as_ref() {
        Some(error) => Err(error.message.clone()),
        None => Ok(log.payload("run.completed")["outputs"].clone()),
    }
}

#[tokio::test]
async fn ports_take_values_from_everywhere() {
    let inputs = json!({
        "static": {"type": "static", "value": [false]},
        "variable": {"type": "variable", "variableName": "set"},
        "connection": {"type": "connection", "nodeId": "source", "outputKey": "n"},
        "expression": {"type": "expression", "expression": "nodes.source.output.n + variables.set + 1"},
        "unset": {"type": "variable", "variableName": "unset", "optional": true},
        "absent": {"type": "connection", "nodeId": "source", "outputKey": "absent", "optional": true},
    });
    let expect = json!({"static": [false], "variable": 0, "connection": 1, "expression": 2});
    assert_eq!(ports(inputs).await, Ok(expect));
}

#[tokio::test]
async fn a_port_that_is_not_optional_needs_its_value() {
    let variable = json!({"p": {"type": "variable", "variableName": "unset"}});
    let connection = json!({"p": {"type": "connection", "nodeId": "source", "outputKey": "nn"}});
    let expression = json!({"p": {"type": "expression", "expression": "nodes.source.output.n + 'a'"}});
    let mut messages = Vec::new();
    for inputs in [variable, connection, expression] {
        messages.push(ports(inputs).await.unwrap_err());
    }
    insta::assert_snapshot!(messages.join("\n"));
}

#[tokio::test]
async fn a_node_behind_a_skipped_one_says_so() {
    let flow = Flow::new("skipped")
        .node("a", "core.identity", json!({"disabled": true}))
        .node(
            "b",
            "core.identity",
            json!({"inputs": {"x": {"type": "connection", "nodeId": "a", "outputKey": "x"}}}),
        )
        .rule("a", "b", "all_complete");
    let log = TestHost::echoing().run(&flow, json!({})).await;
    insta::assert_snapshot!(log.error().1, @r#"input 'x': node 'a' (skipped) has no output 'x'; mark the port "optional" if it may stay empty"#);
}

#[tokio::test]
async fn what_an_edge_carries_gives_way_to_what_the_port_names() {
    let source =
        json!({"inputs": {"n": {"type": "static", "value": 1}, "output": {"type": "static", "value": 2}}});
    let flow = Flow::new("carry")
        .node("a", "core.identity", source)
        .node("b", "core.identity", json!({"inputs": {"own": {"type": "static", "value": 9}}}))
        .edge_with("a", "b", json!({"id": "1", "sourceOutput": "n", "targetInput": "carried"}))
        .edge_with("a", "b", json!({"id": "2", "sourceOutput": "n", "targetInput": "own"}))
        .edge_with("a", "b", json!({"id": "3", "targetInput": "whole"}));
    let log = TestHost::echoing().run(&flow, json!({})).await;
    assert_eq!(log.payload("run.completed")["outputs"], json!({"carried": 1, "own": 9, "whole": 2}));
}
