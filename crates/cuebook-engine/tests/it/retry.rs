//! Attempts that fail and are made again.

use cuebook_wire::Observability;
use serde_json::{Value, json};

use crate::support::{Asked, Flow, Log, Reply, TestHost};

/// One prompt node that may be tried `retries` times more.
fn flow(retries: u32) -> Flow {
    Flow::new("retry").ask("a", "hello").with(json!({"settings": {"maxRetries": retries}}))
}

/// Fails `times` times in a way that may pass, then answers.
fn hiccups(times: usize) -> impl Fn(&Asked) -> Reply {
    move |asked| if asked.call < times { Reply::failure("busy", true) } else { Reply::text("done") }
}

/// Runs with the clock moved to each of `rings` in turn.
async fn run(host: &TestHost, flow: &Flow, rings: &[u64]) -> Log {
    let run = host.start(flow, json!({})).await;
    for ring in rings {
        host.clock.ring(*ring).await;
    }
    run.end().await
}

#[tokio::test]
async fn the_pause_doubles_with_each_attempt() {
    let host = TestHost::answering(hiccups(3));
    let log = run(&host, &flow(3), &[500, 1500, 3500]).await;
    let delays: Vec<&Value> =
        log.payloads("node.retried").iter().map(|payload| &payload["delayMs"]).collect();
    assert_eq!(delays, [500, 1000, 2000]);
    let attempts: Vec<&Value> =
        log.payloads("node.started").iter().map(|payload| &payload["attempt"]).collect();
    assert_eq!(attempts, [0, 1, 2, 3]);
    assert_eq!(log.end(), "run.completed");
}

#[tokio::test]
async fn the_pause_has_an_end() {
    let host = TestHost::answering(hiccups(8));
    let mut rings = vec![500];
    for pause in [1000, 2000, 4000, 8000, 16_000, 32_000, 32_000] {
        rings.push(rings.last().unwrap() + pause);
    }
    let log = run(&host, &flow(9), &rings).await;
    assert_eq!(log.payloads("node.retried").last().unwrap()["delayMs"], 32_000);
}

#[tokio::test]
async fn a_node_that_came_through_has_no_error_left() {
    let host = TestHost::answering(hiccups(1));
    let log = run(&host, &flow(1), &[500]).await;
    assert_eq!(log.payload("node.retried")["lastError"]["message"], "busy");
    assert_eq!(log.node("a").error, None);
    assert_eq!(log.output("a", "text").0, "done");
}

#[tokio::test]
async fn the_last_failure_is_the_nodes() {
    let host = TestHost::answering(hiccups(5));
    let log = run(&host, &flow(1), &[500]).await;
    assert_eq!(log.payload("node.failed")["attempts"], 2);
    assert_eq!(log.error(), ("provider_error", "busy"));
}

#[tokio::test]
async fn a_failure_that_stays_is_not_tried_again() {
    let host = TestHost::answering(|_| Reply::failure("refused", false));
    let log = run(&host, &flow(3), &[]).await;
    assert_eq!(log.payloads("node.retried"), Vec::<&Value>::new());
    assert_eq!(log.payload("node.failed")["attempts"], 1);
}

#[tokio::test]
async fn one_composition_is_one_invocation_and_is_told_once() {
    for observability in [Observability::Full, Observability::Off] {
        let host = TestHost::answering(hiccups(2)).observability(observability);
        let log = run(&host, &flow(2), &[500, 1500]).await;
        let asked = host.models.asked();
        assert_eq!(asked.len(), 3);
        assert!(asked.iter().all(|one| one.invocation == asked[0].invocation));
        assert_eq!(asked[0].invocation.as_str().len(), 43);
        assert_eq!(log.lines_of("agent.promptResolved").len(), 1);
        assert_eq!(log.node("a").compositions, 1);
    }
}

#[tokio::test]
async fn a_new_value_behind_a_marker_is_no_new_composition() {
    let template = json!({"templateId": "cue", "version": "1.0.0", "kind": "user", "text": "Key: {{key}}",
        "variables": [{"name": "key", "type": "string", "required": true, "source": "secret"}]});
    let host = TestHost::answering(hiccups(1)).template(&template).secret("one", "first-secret");
    let config = json!({"userPromptRef": "prompt:cue"});
    let node = json!({"config": config, "inputs": {"key": {"type": "static", "value": "one"}}});
    let flow = Flow::new("retry").node("a", "core.ai.callPrompt", node);
    let flow = flow.with(json!({"settings": {"maxRetries": 1}}));
    let run = host.start(&flow, json!({})).await;
    run.until("node.retried", "a").await;
    host.vault.set("one", "changed-secret");
    host.clock.ring(500).await;
    let log = run.end().await;
    assert_eq!(log.payloads("prompt.composed").len(), 1);
    let asked = host.models.asked();
    assert_eq!(
        (asked[0].user.as_str(), asked[1].user.as_str()),
        ("Key: first-secret", "Key: changed-secret")
    );
    assert_eq!(asked[0].invocation, asked[1].invocation);
}

#[tokio::test]
async fn an_agent_rewritten_between_attempts_is_told_with_a_new_composition() {
    let agent = |text: &str| json!({"agentId": "local.press.writer", "persona": "Writer", "modelClass": "writing", "systemPrompt": text});
    let host = TestHost::answering(hiccups(2)).agent(&agent("Write short."));
    let node = json!({"config": {"agentId": "local.press.writer"}});
    let flow = Flow::new("retry").node("a", "core.ai.callPrompt", node);
    let run = host.start(&flow.with(json!({"settings": {"maxRetries": 2}})), json!({})).await;
    run.until("node.retried", "a").await;
    host.cast.add(&agent("Write long."));
    host.clock.ring(500).await;
    host.clock.ring(1500).await;
    let log = run.end().await;
    let composed: Vec<&Value> = log.payloads("prompt.composed").iter().map(|one| &one["composed"]).collect();
    assert_eq!(composed, ["Write short.", "Write long."]);
    assert_eq!(log.lines_of("agent.promptResolved").len(), 2);
    let asked = host.models.asked();
    assert_ne!(asked[0].invocation, asked[1].invocation);
    assert_eq!(asked[1].invocation, asked[2].invocation);
}

#[tokio::test]
async fn a_superseded_inline_body_is_told_once_though_the_composition_changes() {
    let agent = |text: &str| json!({"agentId": "local.press.writer", "persona": "Writer", "modelClass": "writing", "systemPrompt": text});
    let task = json!({"templateId": "task", "version": "1.0.0", "kind": "user", "text": "Write {{topic}}."});
    let host = TestHost::answering(hiccups(1)).agent(&agent("Write short.")).template(&task);
    let config =
        json!({"agentId": "local.press.writer", "userPromptRef": "prompt:task", "userPrompt": "Never seen."});
    let flow = Flow::new("retry").node("a", "core.ai.callPrompt", json!({ "config": config }));
    let run = host.start(&flow.with(json!({"settings": {"maxRetries": 1}})), json!({})).await;
    run.until("node.retried", "a").await;
    host.cast.add(&agent("Write long."));
    host.clock.ring(500).await;
    let log = run.end().await;
    assert_eq!(log.payloads("prompt.composed").len(), 2);
    let codes: Vec<&Value> = log.payloads("log.appended").iter().map(|one| &one["code"]).collect();
    assert_eq!(codes, ["prompt_ref_supersedes_inline", "prompt_placeholder_undeclared"]);
}

#[tokio::test]
async fn invocations_differ_between_nodes_runs_and_providers() {
    let host = TestHost::echoing();
    let node = |provider: &str| json!({"config": {"userPrompt": "x", "provider": provider}});
    let flow = Flow::new("ids").ask("a", "x").ask("b", "x").node("c", "core.ai.callPrompt", node("other"));
    host.run(&flow, json!({})).await;
    let host = host.run_id("run_other");
    host.run(&flow, json!({})).await;
    let mut ids: Vec<String> =
        host.models.asked().iter().map(|asked| asked.invocation.as_str().to_owned()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 6);
}

#[tokio::test]
async fn a_model_that_gives_no_json_may_try_again() {
    let host = TestHost::answering(|asked| Reply::text(if asked.call == 0 { "{oops" } else { "{\"n\": 1}" }));
    let config =
        json!({"config": {"userPrompt": "x", "responseFormat": "json"}, "settings": {"maxRetries": 1}});
    let log = run(&host, &Flow::new("json").node("a", "core.ai.callPrompt", config), &[500]).await;
    assert_eq!(log.payload("node.retried")["lastError"]["code"], "model_output_invalid");
    assert_eq!(log.output("a", "json").0, &json!({"n": 1}));
}
