//! What is wrong with a workflow: every fault at once, each with its place and what was meant.

use serde_json::{Value, json};

use crate::support::Flow;
use crate::support::flow::report;
use crate::support::schemas::{read_json, shared};

/// The faults of a workflow as a person reads them.
#[track_caller]
fn faults(flow: &Flow) -> String {
    report(&flow.compile().expect_err("the workflow has faults"))
}

fn warnings(flow: &Flow) -> String {
    report(&flow.compile().unwrap().warnings)
}

fn reads(expression: &str) -> Value {
    json!({"inputs": {"x": {"type": "expression", "expression": expression}}})
}

#[test]
fn every_fault_of_a_bad_workflow_at_once() {
    let flow = Flow::new("bad")
        .variable("topic", "string", json!({}))
        .node("writer", "core.ai.callPromt", json!({}))
        .node("critic", "core.ai.callPrompt", json!({"config": {
            "systemPromptRef": "prompt:Bad Id", "fewShotPromptRefs": ["prompt:ok", "prompt:a@1"], "temperature": 3,
        }}))
        .node("mock", "core.conformance.mock-agent", json!({}))
        .node("reader", "core.identity", json!({"inputs": {
            "a": {"type": "variable", "variableName": "topics"},
            "b": {"type": "connection", "nodeId": "writr", "outputKey": "text"},
            "c": {"type": "connection", "nodeId": "critic", "outputKey": "text"},
            "d": {"type": "expression", "expression": "variables.topic +"},
        }}))
        .edge("writer", "critc")
        .edge_with("critic", "reader", json!({"condition": {"expression": "text =! 'a'"}}))
        .edge("reader", "writer");
    insta::assert_snapshot!(faults(&flow));
}

#[test]
fn names_that_are_used_twice() {
    let flow = Flow::new("twice").noop("a").noop("b").noop("a").edge("a", "b").edge("a", "b");
    let flow = flow.variable("v", "string", json!({})).variable("v", "number", json!({}));
    insta::assert_snapshot!(faults(&flow));
}

#[test]
fn defaults_are_of_the_types_that_their_variables_declare() {
    let default = |value: Value| json!({ "defaultValue": value });
    let flow = Flow::new("defaults")
        .noop("a")
        .variable("null", "number", default(json!(null)))
        .variable("tagged", "number", default(json!({"value": 1, "meta": {"contentTrust": "untrusted"}})))
        .variable("bad", "number", default(json!("three")));
    insta::assert_snapshot!(faults(&flow), @"[workflow_invalid] /variables/2/defaultValue: 'bad' is declared as number, and its default is of type string");
}

#[test]
fn cycles_are_shown_as_the_path_they_are() {
    let flow = Flow::new("cycles").noop("in").noop("a").noop("b").noop("c").noop("out").noop("self");
    let flow = flow.edge("in", "a").edge("a", "b").edge("b", "c").edge("c", "a").edge("c", "out");
    insta::assert_snapshot!(faults(&flow.edge("self", "self")));
}

#[test]
fn the_order_of_a_workflow_without_cycles_is_no_fault() {
    let flow = Flow::new("order").noop("a").noop("b").noop("c").edge("a", "b").edge("a", "c").edge("b", "c");
    assert_eq!(warnings(&flow), "");
}

#[test]
fn a_node_reads_only_what_comes_before_it() {
    let connection = json!({"inputs": {"x": {"type": "connection", "nodeId": "a", "outputKey": "x"}}});
    let flow = Flow::new("reads")
        .node("a", "core.identity", json!({}))
        .node("b", "core.identity", connection.clone())
        .node("c", "core.identity", reads("nodes.a.output.x"))
        .node("d", "core.identity", reads("nodes.a.output.x"))
        .node("e", "core.identity", connection)
        .edge("a", "d")
        .edge_with("d", "b", json!({"condition": {"expression": "nodes.c.status == 'completed'"}}));
    insta::assert_snapshot!(faults(&flow));
}

#[test]
fn expressions_name_what_there_is() {
    let flow = Flow::new("names")
        .variable("topic", "string", json!({}))
        .node("first", "core.identity", json!({}))
        .node("a", "core.identity", reads("variables.topics"))
        .node("b", "core.identity", reads("nodes.frist.output"))
        .node("c", "core.identity", reads("variable.topic"))
        .node("d", "core.identity", reads("nodes[\"first\"].output.x + variables[\"tpic\"]"))
        .edge("first", "d")
        .edge_with(
            "first",
            "b",
            json!({"condition": {"type": "equals", "left": "variables.topik", "right": 1}}),
        );
    insta::assert_snapshot!(faults(&flow));
}

#[test]
fn a_connection_names_an_output_that_its_node_can_have() {
    let from = |node: &str, output: &str, optional: bool| json!({"type": "connection", "nodeId": node, "outputKey": output, "optional": optional});
    let flow = Flow::new("outputs")
        .ask("writer", "x")
        .node("critic", "core.ai.callPrompt", json!({"config": {"userPrompt": "x", "responseFormat": "json"}}))
        .noop("noop")
        .node("reader", "core.identity", json!({"inputs": {
            "a": from("writer", "txt", false), "b": from("critic", "json", false), "c": from("noop", "out", false),
            "d": from("writer", "json", true),
        }}))
        .edge("writer", "reader")
        .edge("critic", "reader")
        .edge("noop", "reader");
    insta::assert_snapshot!(faults(&flow));
}

#[test]
fn conditions_say_what_is_missing() {
    let condition = |condition: Value| json!({"condition": condition});
    let flow = Flow::new("conditions").noop("a").noop("b").noop("c").noop("d").noop("e");
    let flow = flow
        .edge_with("a", "b", condition(json!({})))
        .edge_with("a", "c", condition(json!({"type": "equals", "left": "x", "expression": "true"})))
        .edge_with("a", "d", condition(json!({"type": "regex", "left": "x", "right": "(" })))
        .edge_with("a", "e", condition(json!({"expression": "(x"})));
    insta::assert_snapshot!(faults(&flow));
}

#[test]
fn configs_and_settings_are_read_strictly_where_the_engine_owns_them() {
    let flow = Flow::new("conformance-configs")
        .node("fail", "core.fail", json!({"config": {"code": 1, "message": ["x"], "other": 1}}))
        .node("ask", "core.ai.callPrompt", json!({
            "config": {"userPrompt": 1, "model": {}, "maxTokens": 0, "responseFormat": "xml", "temperature": "hot"},
            "settings": {"timeout": -1, "maxRetries": 4_294_967_296_u64},
        }))
        .node("mock", "core.conformance.mock-agent", json!({
            "config": {"mockToolCalls": [{"toolId": "a:b"}], "mockDecisions": 1, "mockConfidence": 2},
        }));
    insta::assert_snapshot!(faults(&flow));
}

#[test]
fn keys_that_look_like_slips_are_doubted_and_others_are_the_authors() {
    let config =
        json!({"systemPromtRef": "prompt:a", "tempreature": 1, "colour": "red", "userPrompt": "hello"});
    let flow = Flow::new("doubt").node("ask", "core.ai.callPrompt", json!({"config": config}));
    insta::assert_snapshot!(warnings(&flow));
    let flow = Flow::new("doubt").node("a", "core.noop", json!({"config": {"anything": 1}}));
    assert_eq!(warnings(&flow), "");
}

#[test]
fn paths_are_json_pointers() {
    let flow = Flow::new("paths").node(
        "a",
        "core.identity",
        json!({
            "inputs": {"a/b~c": {"type": "variable", "variableName": "none"}},
        }),
    );
    assert!(faults(&flow).contains("/nodes/0/inputs/a~1b~0c/variableName: "));
}

#[test]
fn a_timeout_of_zero_is_none() {
    let timeout =
        |value: Value| Flow::new("timeout").node("a", "core.noop", json!({"settings": {"timeout": value}}));
    assert_eq!(timeout(json!(0)).plan().nodes[0].timeout_ms, None);
    assert_eq!(timeout(json!(null)).plan().nodes[0].timeout_ms, None);
    assert_eq!(timeout(json!(5)).plan().nodes[0].timeout_ms, Some(5));
}

#[test]
fn retries_of_a_node_go_before_those_of_the_workflow() {
    let flow = Flow::new("retries").noop("a").node("b", "core.noop", json!({"settings": {"maxRetries": 0}}));
    let plan = flow.with(json!({"settings": {"maxRetries": 3}})).plan();
    assert_eq!(plan.nodes.iter().map(|node| node.max_retries).collect::<Vec<_>>(), [3, 0]);
}

#[test]
fn the_hash_of_a_plan_is_that_of_its_definition_in_any_order_of_keys() {
    let ordered = Flow::new("hash").noop("a").with(json!({"metadata": {"one": 1, "two": 2}})).plan();
    let reordered = Flow::new("hash").noop("a").with(json!({"metadata": {"two": 2, "one": 1}})).plan();
    let other = Flow::new("hash").noop("b").with(json!({"metadata": {"one": 1, "two": 2}})).plan();
    assert_eq!(ordered.hash, reordered.hash);
    assert_ne!(ordered.hash, other.hash);
}

#[test]
fn public_workflows_are_planned_or_refused_for_their_node_types_alone() {
    let Some(folder) = shared("openwop/fixtures") else { return };
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Err(faults) = Flow::from(read_json(&path)).compile() else { continue };
        let strange = faults.iter().find(|fault| !fault.path.ends_with("/typeId"));
        assert!(strange.is_none(), "{}: {}", path.display(), report(&faults));
    }
}
