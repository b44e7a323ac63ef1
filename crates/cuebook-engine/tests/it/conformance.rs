//! The public conformance workflows, run to their documented ends: our own equivalents always, the public ones with the
//! public templates when their folder is there. A test has its public scenario's name.
//!
//! Every event is held against our schemas and the published ones as in any other test.

use std::path::Path;

use cuebook_engine::snapshot;
use serde_json::{Value, json};

use crate::support::schemas::{read_json, shared};
use crate::support::{Flow, Log, TestHost};

/// A workflow with the host that has its templates.
struct Case {
    flow: Flow,
    host: TestHost,
}

/// The case called `name`: ours, and the public one when it is there.
fn cases(name: &str) -> Vec<Case> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let own = read_json(&data.join("templates.json")).as_array().unwrap().clone();
    let mut cases = vec![case(&data.join(format!("workflows/{name}.json")), own)];
    if let (Some(fixtures), Some(templates)) =
        (shared("openwop/fixtures"), shared("openwop/prompt-templates"))
    {
        let files = std::fs::read_dir(templates).unwrap();
        let public = files.map(|entry| read_json(&entry.unwrap().path())).collect();
        cases.push(case(&fixtures.join(format!("conformance-{name}.json")), public));
    }
    cases
}

fn case(workflow: &Path, templates: Vec<Value>) -> Case {
    let host = templates.iter().fold(TestHost::echoing(), TestHost::template);
    Case { flow: Flow::from(read_json(workflow)), host }
}

/// Runs every case called `name` and holds each log against `check`.
async fn check(name: &str, inputs: Value, check: impl Fn(&Log)) {
    for Case { flow, host } in cases(name) {
        check(&host.run(&flow, inputs.clone()).await);
    }
}

#[tokio::test]
async fn noop() {
    check("noop", json!({}), |log| {
        assert_eq!(log.lines(), ["run.started", "node.started noop", "node.completed noop", "run.completed"]);
    })
    .await;
}

#[tokio::test]
async fn delay() {
    for Case { flow, host } in cases("delay") {
        let run = host.start(&flow, json!({})).await;
        run.until("node.started", "wait").await;
        host.clock.ring(1000).await;
        let log = run.end().await;
        assert_eq!((log.end(), &log.payload("run.completed")["durationMs"]), ("run.completed", &json!(1000)));
    }
    check("delay", json!({"delayMs": 0}), |log| assert_eq!(log.end(), "run.completed")).await;
}

#[tokio::test]
async fn prompt_end_to_end_events() {
    let reference = "prompt:conformance.prompt.writer-system@1.0.0";
    check("prompt-end-to-end", json!({}), |log| {
        let resolved = log.payload("agent.promptResolved");
        assert_eq!((&resolved["nodeId"], &resolved["kind"]), (&json!("writer"), &json!("system")));
        assert_eq!(resolved["resolved"], reference);
        let applied: Vec<&Value> =
            resolved["chain"].as_array().unwrap().iter().filter(|entry| entry["applied"] == true).collect();
        assert_eq!(applied, [&json!({"layer": "node", "source": reference, "applied": true})]);
        let composed = log.payload("prompt.composed");
        assert_eq!((&composed["kind"], &composed["refs"]), (&json!("system-only"), &json!([reference])));
        assert_eq!(composed["composed"], composed["systemPrompt"]);
        assert!(composed["composed"].as_str().is_some_and(|text| !text.is_empty()));
        assert!(log.place("agent.promptResolved writer") < log.place("prompt.composed writer"));
        assert_eq!(log.end(), "run.completed");
    })
    .await;
}

#[tokio::test]
async fn prompt_all_four_kinds_events() {
    let refs = ["writer-system", "schema-hint", "few-shot", "few-shot-2", "writer-user"]
        .map(|id| format!("prompt:conformance.prompt.{id}@1.0.0"));
    check("prompt-all-four-kinds", json!({}), |log| {
        let payloads = log.payloads("agent.promptResolved");
        let resolved: Vec<&str> =
            payloads.iter().map(|payload| payload["resolved"].as_str().unwrap()).collect();
        assert_eq!(resolved, refs);
        let kinds: Vec<&Value> = payloads.iter().map(|payload| &payload["kind"]).collect();
        assert_eq!(kinds, ["system", "schema-hint", "few-shot", "few-shot", "user"]);
        let composed = log.payload("prompt.composed");
        assert_eq!((&composed["refs"], &composed["kind"]), (&json!(refs), &json!("system+user")));
        assert_eq!(log.end(), "run.completed");
    })
    .await;
}

#[tokio::test]
async fn agent_reasoning_events() {
    check("agent-reasoning", json!({}), |log| {
        let expect =
            ["agent.reasoned", "agent.toolCalled", "agent.toolReturned", "agent.handoff", "agent.decided"];
        let agent_events: Vec<_> =
            log.events().filter(|event| event.event_type.as_str().starts_with("agent.")).collect();
        assert_eq!(agent_events.iter().map(|event| event.event_type.as_str()).collect::<Vec<_>>(), expect);
        assert_eq!(agent_events[2].causation_id.as_ref(), Some(&agent_events[1].event_id));
        let agent = &log.payload("node.started")["agent"]["agentId"];
        for event in agent_events.iter().filter(|event| event.payload.get("agentId").is_some()) {
            assert_eq!(&event.payload["agentId"], agent);
        }
        let (called, returned) = (log.payload("agent.toolCalled"), log.payload("agent.toolReturned"));
        assert_eq!(called["callId"], returned["callId"]);
        assert_eq!((&called["toolName"], &called["inputs"]), (&called["toolId"], &called["arguments"]));
        assert_eq!(returned["outcome"], returned["result"]);
        let handoff = log.payload("agent.handoff");
        assert_eq!((&handoff["fromAgentId"], &handoff["from"]["agentId"]), (agent, agent));
        assert_eq!(handoff["toAgentId"], handoff["to"]["agentId"]);
        assert_eq!(log.end(), "run.completed");
    })
    .await;
}

#[tokio::test]
async fn failure_path() {
    check("failure", json!({}), |log| {
        assert_eq!(log.lines(), ["run.started", "node.started fail", "node.failed fail", "run.failed"]);
        let failed = log.payload("run.failed");
        assert_eq!(failed["failedNodeId"], "fail");
        assert_eq!(failed["error"], log.payload("node.failed")["error"]);
        let shown = serde_json::to_value(snapshot(&log.state)).unwrap();
        assert_eq!(shown["status"], "failed");
        assert_eq!(shown["error"], json!({"code": "node_failed", "message": "the node was told to fail"}));
    })
    .await;
}

#[tokio::test]
async fn multi_node_ordering() {
    check("multi-node", json!({}), |log| {
        assert_eq!(
            log.lines(),
            [
                "run.started",
                "node.started a",
                "node.completed a",
                "node.started b",
                "node.completed b",
                "node.started c",
                "node.completed c",
                "run.completed",
            ]
        );
    })
    .await;
}

#[tokio::test]
async fn identity_passthrough() {
    let payload = json!({"text": "ä", "list": [0, false, null, {}], "value": 1.0, "meta": {"n": -1}});
    let inputs = json!({"payload": payload});
    check("identity", inputs, |log| {
        assert_eq!(log.payload("run.started")["inputs"]["payload"], payload);
        assert_eq!(log.payload("node.completed")["outputs"], json!({"payload": payload}));
        assert_eq!(log.payload("run.completed")["outputs"], json!({"payload": payload}));
    })
    .await;
}

#[tokio::test]
async fn two_runs_differ_in_nothing_but_their_ids() {
    let inputs = json!({"payload": {"a": 1}});
    let told = |log: &Log| -> Vec<(String, Value)> {
        log.lines().into_iter().zip(log.events().map(|event| event.payload.clone())).collect()
    };
    for name in ["noop", "multi-node", "identity", "failure", "agent-reasoning", "prompt-all-four-kinds"] {
        for Case { flow, host } in cases(name) {
            let one = told(&host.run(&flow, inputs.clone()).await);
            let other = told(&host.run_id("run_other").run(&flow, inputs.clone()).await);
            assert_eq!(one, other, "{name}");
        }
    }
}
