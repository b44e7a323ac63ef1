//! Which nodes start, in which order, and how the run ends: edges, trigger rules, conditions, failures.

use cuebook_engine::Phase;
use serde_json::{Value, json};

use crate::support::{Flow, Gate, Log, Reply, TestHost};

async fn run(flow: &Flow, inputs: Value) -> Log {
    TestHost::echoing().run(flow, inputs).await
}

/// Two sources with the given types, joined at `join` by `rule`.
fn fork(left: &str, right: &str, rule: &str) -> Flow {
    let flow = Flow::new("fork").node("left", left, json!({})).node("right", right, json!({}));
    flow.noop("join").rule("left", "join", rule).rule("right", "join", rule)
}

#[tokio::test]
async fn a_diamond_joins_once() {
    let flow = Flow::new("diamond").noop("a").noop("b").noop("c").noop("d");
    let flow = flow.edge("a", "b").edge("a", "c").edge("b", "d").edge("c", "d");
    let log = run(&flow, json!({})).await;
    assert_eq!(
        log.lines_of("node.started"),
        ["node.started a", "node.started b", "node.started c", "node.started d"]
    );
    assert!(log.place("node.completed b") < log.place("node.started d"));
    assert!(log.place("node.completed c") < log.place("node.started d"));
    assert_eq!(log.end(), "run.completed");
}

#[tokio::test]
async fn parallel_branches_wait_for_models_at_the_same_time() {
    let gate = Gate::new();
    let behind = gate.clone();
    let host = TestHost::answering(move |asked| Reply::text(&asked.user).behind(&behind));
    let flow = Flow::new("parallel").ask("left", "one").ask("right", "two").noop("join");
    let run = host.start(&flow.edge("left", "join").edge("right", "join"), json!({})).await;
    host.models.reached(2).await;
    gate.open();
    let log = run.end().await;
    assert!(log.place("node.started right") < log.place("node.completed left"));
    assert_eq!(log.node("join").phase, Phase::Completed);
}

#[tokio::test]
async fn every_rule_end_to_end() {
    /// Both ends of the fork and the rule, and what becomes of the join.
    #[track_caller]
    fn check(log: &Log, expect: Phase, end: &str) {
        assert_eq!((log.node("join").phase, log.end()), (expect, end), "{:#?}", log.lines());
    }
    let (good, bad) = ("core.noop", "core.fail");
    check(&run(&fork(good, good, "all_success"), json!({})).await, Phase::Completed, "run.completed");
    check(&run(&fork(good, bad, "all_success"), json!({})).await, Phase::Pending, "run.failed");
    check(&run(&fork(good, good, "any_success"), json!({})).await, Phase::Completed, "run.completed");
    check(&run(&fork(bad, good, "any_success"), json!({})).await, Phase::Pending, "run.failed");
    check(&run(&fork(bad, bad, "all_complete"), json!({})).await, Phase::Completed, "run.completed");
    check(&run(&fork(good, bad, "all_complete"), json!({})).await, Phase::Completed, "run.completed");
    check(&run(&fork(good, good, "none_failed"), json!({})).await, Phase::Completed, "run.completed");
    check(&run(&fork(good, bad, "none_failed"), json!({})).await, Phase::Pending, "run.failed");
    check(&run(&fork(good, bad, "any_failed"), json!({})).await, Phase::Completed, "run.completed");
    check(&run(&fork(good, good, "any_failed"), json!({})).await, Phase::Skipped, "run.completed");
}

#[tokio::test]
async fn any_success_starts_before_the_other_branch_ends() {
    let flow = Flow::new("race").noop("fast").delay("slow", 1000).noop("join");
    let flow = flow.rule("fast", "join", "any_success").rule("slow", "join", "any_success");
    let host = TestHost::echoing();
    let run = host.start(&flow, json!({})).await;
    run.until("node.completed", "join").await;
    host.clock.ring(1000).await;
    let log = run.end().await;
    assert!(log.place("node.completed join") < log.place("node.completed slow"));
    assert_eq!(log.lines_of("node.started join").len(), 1);
}

#[tokio::test]
async fn none_failed_lets_a_skipped_source_pass() {
    let never = json!({"condition": {"type": "expression", "expression": "false"}});
    let flow = Flow::new("skip").noop("a").noop("b").noop("join").edge_with("a", "b", never);
    let log = run(&flow.rule("b", "join", "none_failed"), json!({})).await;
    assert_eq!((log.node("b").phase, log.node("join").phase), (Phase::Skipped, Phase::Completed));
    let skipped = log.payload("node.skipped");
    assert_eq!(skipped, &json!({"nodeId": "b", "reason": "all_success does not hold"}));
}

#[tokio::test]
async fn a_skip_goes_down_the_line() {
    let flow = Flow::new("skip").node("a", "core.noop", json!({"disabled": true})).noop("b").noop("c");
    let log = run(&flow.edge("a", "b").edge("b", "c"), json!({})).await;
    assert_eq!(log.lines_of("node."), ["node.skipped a", "node.skipped b", "node.skipped c"]);
    assert_eq!(log.payloads("node.skipped")[0]["reason"], "the node is disabled");
    assert_eq!(log.end(), "run.completed");
}

/// Whether `b` runs behind an edge with this condition over an identity node's outputs `n: 3` and `text: "a cue"`.
#[track_caller]
fn check_condition(condition: &Value, expect: Phase) {
    let flow = conditional(condition);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let log = runtime.block_on(run(&flow, json!({"limit": 2})));
    assert_eq!(log.node("b").phase, expect, "{condition}");
}

fn conditional(condition: &Value) -> Flow {
    let inputs = json!({
        "n": {"type": "static", "value": 3},
        "text": {"type": "static", "value": "a cue"},
        "list": {"type": "static", "value": ["x", "y"]},
    });
    Flow::new("conditional")
        .variable("limit", "number", json!({}))
        .node("a", "core.identity", json!({"inputs": inputs}))
        .noop("b")
        .edge_with("a", "b", json!({"condition": condition}))
}

#[test]
fn conditions_of_every_type() {
    use Phase::{Completed, Skipped};
    let expression = |text: &str| json!({"type": "expression", "expression": text});
    check_condition(&expression("n > variables.limit"), Completed);
    check_condition(&expression("n < variables.limit"), Skipped);
    check_condition(&json!({"expression": "output.n == 3 && status == 'completed'"}), Completed);
    check_condition(&expression("nodes.a.output.text == 'a cue'"), Completed);
    let compare = |kind: &str, left: &str, right: Value| json!({"type": kind, "left": left, "right": right});
    check_condition(&compare("equals", "n", json!(3.0)), Completed);
    check_condition(&compare("equals", "text", json!("other")), Skipped);
    check_condition(&compare("equals", "missing", json!(null)), Completed);
    check_condition(&compare("notEquals", "text", json!("other")), Completed);
    check_condition(&compare("contains", "text", json!("cue")), Completed);
    check_condition(&compare("contains", "list", json!("z")), Skipped);
    check_condition(&compare("regex", "text", json!("^a .ue$")), Completed);
    check_condition(&compare("regex", "text", json!("^b")), Skipped);
}

#[tokio::test]
async fn names_of_the_run_go_before_outputs_and_outputs_before_the_rest() {
    let inputs = json!({
        "status": {"type": "static", "value": "draft"},
        "variables": {"type": "static", "value": {"limit": 9}},
    });
    let condition = "status == 'draft' && variables.limit == 2 && output.variables.limit == 9";
    let flow = Flow::new("names")
        .variable("limit", "number", json!({"defaultValue": 2}))
        .node("a", "core.identity", json!({ "inputs": inputs }))
        .noop("b")
        .edge_with("a", "b", json!({"condition": {"expression": condition}}));
    assert_eq!(run(&flow, json!({})).await.node("b").phase, Phase::Completed);
}

#[tokio::test]
async fn a_condition_that_cannot_be_tested_fails_its_target_with_a_caret() {
    let flow = conditional(&json!({"expression": "text > 3"}));
    let log = run(&flow, json!({})).await;
    assert_eq!(log.types_of("b"), ["node.started", "node.failed"]);
    insta::assert_snapshot!(log.error().1);
}

#[tokio::test]
async fn an_edge_that_is_not_taken_carries_nothing() {
    let carry = |condition: &str| {
        json!({"sourceOutput": "n", "targetInput": "got", "triggerRule": "all_complete",
            "condition": {"expression": condition}})
    };
    let source = |n: u32| json!({"inputs": {"n": {"type": "static", "value": n}}});
    let flow = Flow::new("merge")
        .node("a", "core.identity", source(1))
        .node("b", "core.identity", source(2))
        .node("join", "core.identity", json!({}))
        .edge_with("a", "join", carry("n == 1"))
        .edge_with("b", "join", carry("n == 1"));
    let log = run(&flow, json!({})).await;
    assert_eq!(log.output("join", "got").0, &json!(1));
}

#[tokio::test]
async fn a_failure_that_an_edge_takes_care_of_lets_the_run_go_on() {
    for rule in ["any_failed", "all_complete"] {
        let flow = Flow::new("care").fail("a").noop("care").noop("next");
        let log = run(&flow.rule("a", "care", rule).edge("a", "next"), json!({})).await;
        assert_eq!(
            (log.node("care").phase, log.node("next").phase, log.end()),
            (Phase::Completed, Phase::Skipped, "run.completed"),
            "{rule}"
        );
    }
}

#[tokio::test]
async fn a_failure_cancels_what_is_under_way_and_starts_nothing_more() {
    let host = TestHost::echoing();
    let flow = Flow::new("fast").delay("slow", 5000).delay("short", 10).fail("bad").noop("after");
    let run = host.start(&flow.edge("short", "bad").edge("slow", "after"), json!({})).await;
    host.clock.ring(10).await;
    let log = run.end().await;
    let lines = log.lines();
    let tail: Vec<&str> = lines.iter().rev().take(4).rev().map(String::as_str).collect();
    assert_eq!(tail, ["node.started bad", "node.failed bad", "node.cancelled slow", "run.failed"]);
    assert_eq!(log.payload("node.cancelled")["reason"], "the run failed");
    assert_eq!(log.payload("run.failed")["failedNodeId"], "bad");
    assert_eq!(log.node("after").phase, Phase::Pending);
}

#[tokio::test]
async fn core_fail_says_what_its_config_says() {
    let config = json!({"config": {"code": "out_of_ink", "message": "the press is dry"}});
    let log = run(&Flow::new("fail").node("a", "core.fail", config), json!({})).await;
    assert_eq!(log.error(), ("out_of_ink", "the press is dry"));
    let log = run(&Flow::new("fail").fail("a"), json!({})).await;
    assert_eq!(log.error(), ("node_failed", "the node was told to fail"));
}

#[tokio::test]
async fn a_run_gives_its_primary_nodes_or_else_its_last() {
    let give = |n: u32| json!({"inputs": {"n": {"type": "static", "value": n}}});
    let primary = |n: u32| json!({"inputs": {"n": {"type": "static", "value": n}}, "outputRole": "primary"});
    let flow = Flow::new("outputs").node("a", "core.identity", give(1)).node("b", "core.identity", give(2));
    let log = run(&flow, json!({})).await;
    assert_eq!(log.payload("run.completed")["outputs"], json!({"a": {"n": 1}, "b": {"n": 2}}));
    let log = run(&flow.clone().edge("a", "b"), json!({})).await;
    assert_eq!(log.payload("run.completed")["outputs"], json!({"n": 2}));
    let flow = Flow::new("outputs").node("a", "core.identity", primary(1)).noop("b").edge("a", "b");
    let log = run(&flow, json!({})).await;
    assert_eq!(log.payload("run.completed")["outputs"], json!({"n": 1}));
}

#[tokio::test]
async fn sensitive_outputs_are_masked_wherever_they_are_seen_and_whole_where_they_are_used() {
    let flow = Flow::new("masked")
        .node(
            "a",
            "core.identity",
            json!({
                "inputs": {"pin": {"type": "static", "value": 1234}}, "outputSensitivity": {"pin": true},
            }),
        )
        .node(
            "b",
            "core.identity",
            json!({
                "inputs": {"pin": {"type": "connection", "nodeId": "a", "outputKey": "pin"}},
                "outputSensitivity": {"pin": true},
            }),
        )
        .edge("a", "b");
    let log = run(&flow, json!({})).await;
    for completed in log.payloads("node.completed") {
        assert_eq!(completed["outputs"], json!({"pin": "[MASKED]"}));
    }
    assert_eq!(log.payload("run.completed")["outputs"], json!({"pin": "[MASKED]"}));
    assert_eq!(log.output("b", "pin").0, &json!(1234));
}

#[tokio::test]
async fn a_worker_that_breaks_down_fails_its_node_alone() {
    let host = TestHost::answering(|_| Reply::panic());
    let flow = Flow::new("panic").ask("a", "hello").noop("care").rule("a", "care", "any_failed");
    let log = host.run(&flow, json!({})).await;
    assert_eq!(log.payload("node.failed")["error"]["code"], "internal_error");
    assert_eq!(log.end(), "run.completed");
}
