//! Every call about runs, interrupts, workflows and agents: the request it makes, and what it reads from the answer.

use std::fmt::Debug;
use std::time::Duration;

use cuebook_client::{Client, ClientError, DrainPolicy, ForkRun, PauseRun, PollOptions};
use cuebook_wire::{AgentId, CreateRun, NodeId, RunId, RunOptions, Sequence, WorkflowDefinition, WorkflowId};
use serde_json::{Value, json};

use crate::server::{Script, Server, answer, json as json_answer};
use crate::support::{client, event, run};

/// Makes `call` of a host that gives `script`, and shows the request beside what was read.
async fn exchange<T: Debug>(
    script: Script,
    call: impl AsyncFnOnce(Client) -> Result<T, ClientError>,
) -> String {
    let server = Server::start([script]).await;
    let read = call(client(&server).0).await.unwrap();
    format!("{}\n\n{read:#?}", server.requests()[0].shown())
}

/// The same of a call that changes something, or of any other.
macro_rules! exchange {
    ($script:expr, |$client:ident| $call:expr) => {
        exchange($script, async |$client: Client| $call.into_future().await).await
    };
}

fn ok(body: &Value) -> Script {
    json_answer("200 OK", &body.to_string())
}

fn definition() -> Value {
    json!({
        "id": "w", "name": "W", "version": "1",
        "nodes": [{ "id": "n", "typeId": "core.noop", "name": "N", "position": { "x": 0, "y": 0 }, "config": {}, "inputs": {} }],
        "edges": [], "triggers": [], "variables": [], "metadata": {}, "settings": {},
    })
}

#[tokio::test]
async fn runs_are_created() {
    let body = r#"{"runId":"r","status":"pending","eventsUrl":"/v1/runs/r/events","priority":7}"#;
    let replayed =
        answer("201 Created", "content-type: application/json\r\nopenwop-Idempotent-Replay: true\r\n", body);
    let mut create = CreateRun::new(WorkflowId::new("w"));
    create.inputs.insert("topic".to_owned(), json!("night trains"));
    insta::assert_snapshot!(exchange!(replayed, |client| {
        client.runs().create(&create).idempotency_key("order-17").dedup()
    }));
    let first =
        answer("201 Created", "openwop-Idempotent-Replay: false\r\n", r#"{"runId":"r","status":"queued"}"#);
    insta::assert_snapshot!(exchange!(first, |client| { client.runs().create(&create) }));
}

#[tokio::test]
async fn runs_are_read() {
    let snapshot = json!({
        "runId": "run_1", "workflowId": "w", "status": "waiting-approval", "currentNodeId": "n", "tags": null,
        "agent": { "agentId": "core.writer", "modelClass": "writing" }, "engineVersion": 3, "mood": "good",
    });
    insta::assert_snapshot!(exchange!(ok(&snapshot), |client| client.runs().get(&run())));
}

#[tokio::test]
async fn events_are_read_at_once() {
    let run = run();
    let mut newer = event(1, "moon.phase.changed");
    newer["engineVersion"] = json!(4);
    newer["colour"] = json!("blue");
    newer.as_object_mut().unwrap().remove("payload");
    let events = json!({ "events": [event(0, "run.started"), newer] });
    insta::assert_snapshot!(exchange!(ok(&events), |client| client.runs().list_events(&run)));

    let mut polled = events;
    polled["isComplete"] = json!(true);
    let options = PollOptions { after: Some(Sequence(7)), wait: Some(Duration::from_mins(1)) };
    insta::assert_snapshot!(exchange!(ok(&polled), |client| client.runs().poll(&run, options)));
    insta::assert_snapshot!(exchange!(ok(&json!({ "events": [], "isComplete": false })), |client| {
        client.runs().poll(&run, PollOptions::default())
    }));
}

#[tokio::test]
async fn runs_are_cancelled() {
    let cancelled = json!({ "runId": "run_1", "status": "cancelling" });
    insta::assert_snapshot!(exchange!(ok(&cancelled), |client| client.runs().cancel(&run(), Some("late"))));
    insta::assert_snapshot!(exchange!(ok(&cancelled), |client| client.runs().cancel(&run(), None)));
    let results = json!({ "results": [
        { "runId": "a", "ok": true, "status": "cancelled" },
        { "runId": "b", "ok": false, "error": { "code": "run_terminal", "message": "over" } },
        { "runId": "c", "ok": false, "error": { "error": "not_found", "message": "unknown" } },
    ] });
    let runs = ["a", "b", "c"].map(RunId::new);
    insta::assert_snapshot!(exchange!(ok(&results), |client| client.runs().bulk_cancel(&runs, None)));
}

#[tokio::test]
async fn runs_are_paused_and_resumed() {
    let paused = json!({ "runId": "run_1", "status": "paused", "pausedAt": "2026-01-31T12:00:00Z" });
    let pause =
        PauseRun { reason: Some("lunch".to_owned()), drain_policy: Some(DrainPolicy::DrainCurrentNode) };
    insta::assert_snapshot!(exchange!(json_answer("202 Accepted", &paused.to_string()), |client| {
        client.runs().pause(&run(), &pause)
    }));
    let resumed = json!({ "runId": "run_1", "status": "running" });
    insta::assert_snapshot!(exchange!(json_answer("202 Accepted", &resumed.to_string()), |client| {
        client.runs().resume(&run(), None)
    }));
}

#[tokio::test]
async fn runs_are_forked() {
    let forked =
        json!({ "runId": "f", "sourceRunId": "run_1", "fromSeq": 5, "mode": "branch", "status": "pending" });
    let overlay = RunOptions { tags: vec!["what-if".to_owned()], ..RunOptions::default() };
    let branch = ForkRun { run_options_overlay: Some(overlay), ..ForkRun::branch(Sequence(5)) };
    insta::assert_snapshot!(exchange!(ok(&forked), |client| client.runs().fork(&run(), &branch)));
    insta::assert_snapshot!(exchange!(ok(&forked), |client| client.runs().fork(&run(), &ForkRun::replay())));
}

#[tokio::test]
async fn interrupts_are_resolved() {
    let resolved = json!({ "runId": "run_1", "nodeId": "gate/1", "status": "running" });
    let (node, value) = (NodeId::new("gate/1"), json!({ "action": "accept" }));
    insta::assert_snapshot!(exchange!(ok(&resolved), |client| {
        client.interrupts().resolve(&run(), &node, &value).idempotency_key("k")
    }));
    insta::assert_snapshot!(exchange!(answer("200 OK", "", ""), |client| {
        client.interrupts().resolve_by_token("ey.J_x=", &Value::Null)
    }));
    let asked =
        json!({ "kind": "seance", "key": "run_1:gate:0", "data": { "question": "who" }, "timeoutMs": 5 });
    insta::assert_snapshot!(exchange!(ok(&asked), |client| client.interrupts().inspect("ey.J_x=")));
}

#[tokio::test]
async fn workflows_are_read_and_registered() {
    insta::assert_snapshot!(exchange!(ok(&definition()), |client| client
        .workflows()
        .get(&WorkflowId::new("w"))));
    let workflow: WorkflowDefinition = serde_json::from_value(definition()).unwrap();
    insta::assert_snapshot!(exchange!(ok(&json!({ "workflowId": "w" })), |client| {
        client.extensions().register_workflow(&workflow)
    }));
    insta::assert_snapshot!(exchange!(answer("204 No Content", "", ""), |client| {
        client.extensions().register_workflow(&workflow)
    }));
}

#[tokio::test]
async fn agents_are_listed() {
    let agent = json!({ "agentId": "vendor.acme.team.writer", "persona": "Writer", "modelClass": "oracle", "degraded": ["x"] });
    insta::assert_snapshot!(exchange!(ok(&json!({ "agents": [agent] })), |client| client.agents().list()));
    insta::assert_snapshot!(exchange!(ok(&agent), |client| client.agents().get(&AgentId::new("host:a b"))));
}
