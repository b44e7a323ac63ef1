//! Runs: create, read, list, cancel.

use cuebook_host::wire::{ErrorCode, RunSnapshot, WorkflowDefinition, strict};
use serde_json::{Value as Json, json};

use crate::support::{Call, THEIRS, TestHost, workflow};

fn path(run: &str) -> String {
    format!("/v1/runs/{run}")
}

async fn cancel(host: &TestHost, run: &str) -> Json {
    host.post(&format!("{}/cancel", path(run)), &json!({ "reason": "enough" })).await.gives(200)
}

#[tokio::test]
async fn a_created_run_says_where_it_is() {
    let host = TestHost::new();
    let answer = host.post("/v1/runs", &json!({ "workflowId": "conformance-noop" })).await;
    let created = answer.gives(201);
    let run = created["runId"].as_str().unwrap();
    assert_eq!(answer.header("location"), Some(path(run).as_str()));
    assert_eq!(created["statusUrl"], path(run));
    assert_eq!(created["eventsUrl"], format!("{}/events", path(run)));
    assert!(["pending", "running"].contains(&created["status"].as_str().unwrap()));
    host.ended(run).await;
    let snapshot = host.snapshot(run).await;
    assert_eq!((&snapshot["runId"], &snapshot["status"]), (&json!(run), &json!("completed")));
    assert!(serde_json::from_value::<RunSnapshot>(snapshot).is_ok());
}

#[tokio::test]
async fn tags_and_metadata_are_kept() {
    let host = TestHost::new();
    let body = json!({ "workflowId": "conformance-noop", "tags": ["nightly"], "metadata": { "ticket": 7 } });
    let created = host.post("/v1/runs", &body).await.gives(201);
    let events = host.ended(created["runId"].as_str().unwrap()).await;
    let started = &events[0]["payload"];
    assert_eq!((&started["tags"], &started["metadata"]), (&body["tags"], &body["metadata"]));
}

#[tokio::test]
async fn an_unknown_workflow_is_refused_and_not_echoed() {
    let host = TestHost::new();
    for id in ["sk-live-4eC39HqLyjWDarjtT1zdp7dc", "unknown", "../etc/passwd", "", "a\u{0}b", "WORKFLOW"] {
        let answer = host.post("/v1/runs", &json!({ "workflowId": id })).await;
        answer.refuses(ErrorCode::ValidationError);
        assert!(id.is_empty() || !answer.text.contains(id), "{}", answer.text);
    }
}

#[tokio::test]
async fn undeclared_inputs_are_accepted_and_never_seen_again() {
    let host = TestHost::builder().test_seams().open();
    let inputs = json!({ "delaySeconds": 3, "apiToken": "hunter2hunter2" });
    let (run, _) = host.run("conformance-noop", &inputs).await;
    for path in [
        path(&run),
        format!("{}/events/poll", path(&run)),
        format!("/v1/host/sample/test/runs/{run}/events"),
        "/v1/host/cuebook/runs".to_owned(),
    ] {
        let text = host.get(&path).await.text;
        assert!(!text.contains("hunter2") && !text.contains("apiToken"), "{path}: {text}");
    }
}

#[tokio::test]
async fn inputs_are_held_against_their_declaration() {
    let host = TestHost::new();
    for (workflow, inputs) in [
        ("conformance-identity", json!({})),
        ("conformance-identity", json!({ "payload": "hunter2hunter2" })),
        ("conformance-cancellable", json!({ "delayMs": "hunter2hunter2" })),
    ] {
        let body = json!({ "workflowId": workflow, "inputs": inputs });
        let answer = host.post("/v1/runs", &body).await;
        answer.refuses(ErrorCode::ValidationError);
        assert!(!answer.text.contains("hunter2"), "{}", answer.text);
    }
    assert_eq!(host.get("/v1/host/cuebook/runs").await.gives(200), json!({ "runs": [] }));
}

#[tokio::test]
async fn runs_are_listed_newest_first() {
    let host = TestHost::new();
    let mut expect = Vec::new();
    for _ in 0..3 {
        expect.insert(0, host.run("conformance-noop", &json!({})).await.0);
    }
    let listed = host.get("/v1/host/cuebook/runs").await.gives(200);
    let found: Vec<&str> =
        listed["runs"].as_array().unwrap().iter().map(|run| run["runId"].as_str().unwrap()).collect();
    assert_eq!(found, expect);
    let first = listed["runs"][0].as_object().unwrap();
    let keys: Vec<&str> = first.keys().map(String::as_str).collect();
    assert_eq!(keys, ["runId", "workflowId", "status", "startedAt", "updatedAt"]);
    let two = host.get("/v1/host/cuebook/runs?limit=2").await.gives(200);
    assert_eq!(two["runs"].as_array().unwrap()[..], listed["runs"].as_array().unwrap()[..2]);
}

#[tokio::test]
async fn a_run_under_way_is_cancelled() {
    let host = TestHost::new();
    let run = host.start("conformance-cancellable", &json!({})).await;
    let answer = cancel(&host, &run).await;
    assert_eq!(answer["runId"], json!(run));
    assert!(["cancelling", "cancelled"].contains(&answer["status"].as_str().unwrap()));
    let events = host.ended(&run).await;
    let last = events.last().unwrap();
    assert_eq!(last["type"], "run.cancelled");
    assert_eq!(
        (&last["payload"]["reason"], &last["payload"]["cancelledBy"]),
        (&json!("enough"), &json!("ours"))
    );
    assert_eq!(cancel(&host, &run).await["status"], "cancelled");
}

#[tokio::test]
async fn a_run_that_has_ended_tells_how_when_it_is_cancelled() {
    let host = TestHost::new();
    for (workflow, status) in [("conformance-noop", "completed"), ("conformance-failure", "failed")] {
        let (run, events) = host.run(workflow, &json!({})).await;
        assert_eq!(cancel(&host, &run).await, json!({ "runId": run, "status": status }));
        let empty = host.send(Call::new("POST", &format!("{}/cancel", path(&run)))).await;
        assert_eq!(empty.gives(200)["status"], status);
        assert_eq!(host.ended(&run).await, events, "nothing follows the end");
    }
    host.post("/v1/runs/run_unknown/cancel", &json!({})).await.refuses(ErrorCode::NotFound);
}

#[tokio::test]
async fn bulk_cancel_answers_for_each_run_in_the_order_asked() {
    let host = TestHost::new();
    let (done, _) = host.run("conformance-noop", &json!({})).await;
    let one = host.start("conformance-cancellable", &json!({ "delaySeconds": 9 })).await;
    let two = host.start("conformance-cancellable", &json!({})).await;
    let ids = json!({ "runIds": [two, "none", done, one, two], "reason": "over" });
    let answer = host.post("/v1/runs:bulk-cancel", &ids).await.gives(200);
    let results = answer["results"].as_array().unwrap();
    let found: Vec<_> = results.iter().map(|it| (it["runId"].clone(), it["ok"].clone())).collect();
    let expect = [(&two, true), (&"none".to_owned(), false), (&done, false), (&one, true), (&two, true)];
    assert_eq!(found, expect.map(|(id, ok)| (json!(id), json!(ok))));
    assert_eq!(results[1]["error"]["error"], "not_found");
    assert_eq!(results[2]["error"]["error"], "run_terminal");
    assert_eq!(results[2]["status"], "completed");
    for run in [&one, &two] {
        assert_eq!(host.ended(run).await.last().unwrap()["payload"]["reason"], "over");
    }
    let again = host.post("/v1/runs:bulk-cancel", &json!({ "runIds": [one] })).await.gives(200);
    assert_eq!(again["results"], json!([{ "runId": one, "ok": true, "status": "cancelled" }]));
}

#[tokio::test]
async fn bulk_cancel_takes_a_hundred_runs_and_no_more() {
    let host = TestHost::new();
    let ids = |count| json!({ "runIds": vec!["none"; count] });
    let hundred = host.post("/v1/runs:bulk-cancel", &ids(100)).await.gives(200);
    assert_eq!(hundred["results"].as_array().unwrap().len(), 100);
    for count in [0, 101] {
        let error = host.post("/v1/runs:bulk-cancel", &ids(count)).await.refuses(ErrorCode::ValidationError);
        assert_eq!(error["details"]["maxRunIds"], 100);
    }
}

#[tokio::test]
async fn what_the_host_does_not_offer_says_so() {
    let host = TestHost::new();
    let (run, _) = host.run("conformance-noop", &json!({})).await;
    for (action, capability) in
        [("fork", "replay"), ("pause", "runs.pauseResume"), ("resume", "runs.pauseResume")]
    {
        let call = format!("{}:{action}", path(&run));
        let error = host.post(&call, &json!({})).await.refuses(ErrorCode::CapabilityNotProvided);
        assert_eq!(error["details"]["capability"], capability);
        let unknown = format!("/v1/runs/none:{action}");
        host.post(&unknown, &json!({})).await.refuses(ErrorCode::NotFound);
    }
    host.post(&format!("{}:dance", path(&run)), &json!({})).await.refuses(ErrorCode::NotFound);
    for part in ["ancestry", "debug-bundle", "artifacts/a"] {
        host.get(&format!("{}/{part}", path(&run))).await.refuses(ErrorCode::NotFound);
    }
    host.post("/v1/webhooks", &json!({})).await.refuses(ErrorCode::NotFound);
    host.get("/v1/tools").await.refuses(ErrorCode::NotFound);
}

fn greeting(node: &str) -> Json {
    let node = json!({
        "id": node, "typeId": "core.noop", "name": "n", "position": { "x": 0, "y": 0 }, "config": {},
        "inputs": {},
    });
    workflow("greeting", &[node], &json!([]))
}

#[tokio::test]
async fn a_registered_workflow_belongs_to_its_tenant() {
    let host = TestHost::new();
    let registered = host.post("/v1/host/sample/workflows", &greeting("hello")).await.gives(201);
    assert_eq!(registered["workflowId"], "greeting");
    let (_, events) = host.run("greeting", &json!({})).await;
    assert!(events.iter().any(|event| event["nodeId"] == "hello"));
    let shown = host.get("/v1/workflows/greeting").await.gives(200);
    assert_eq!(shown["nodes"][0]["id"], "hello");
    assert!(strict::read::<WorkflowDefinition>(&shown).is_ok());
    host.send(Call::get("/v1/workflows/greeting").key(THEIRS)).await.refuses(ErrorCode::NotFound);
    let theirs = Call::post("/v1/runs", &json!({ "workflowId": "greeting" })).key(THEIRS);
    host.send(theirs).await.refuses(ErrorCode::ValidationError);
}

#[tokio::test]
async fn registering_again_replaces_and_leaves_runs_as_they_are() {
    let host = TestHost::new();
    host.post("/v1/host/sample/workflows", &greeting("hello")).await.gives(201);
    let (old, _) = host.run("greeting", &json!({})).await;
    let before = host.snapshot(&old).await;
    host.post("/v1/host/sample/workflows", &greeting("goodbye")).await.gives(201);
    let (_, events) = host.run("greeting", &json!({})).await;
    assert!(events.iter().any(|event| event["nodeId"] == "goodbye"));
    assert_eq!(host.snapshot(&old).await, before);
}

#[tokio::test]
async fn runs_and_registered_workflows_outlive_the_process() {
    let host = TestHost::builder().on_disk().open();
    host.post("/v1/host/sample/workflows", &greeting("hello")).await.gives(201);
    let (run, events) = host.run("greeting", &json!({})).await;
    let before = host.snapshot(&run).await;
    let host = host.restarted().await;
    assert_eq!(host.snapshot(&run).await, before);
    assert_eq!(host.ended(&run).await, events);
    assert_eq!(cancel(&host, &run).await["status"], "completed");
    host.run("greeting", &json!({})).await;
}

#[tokio::test]
async fn an_overlay_is_held_against_the_schema_of_its_workflow() {
    let host = TestHost::new();
    let schema = json!({ "type": "object", "additionalProperties": false,
        "properties": { "recursionLimit": { "type": "integer", "minimum": 5 } } });
    let definition = |schema: Json| {
        json!({
            "id": "strict", "name": "Strict", "version": "1.0.0", "configurableSchema": schema,
            "nodes": [{ "id": "n", "typeId": "core.noop", "name": "N", "position": { "x": 0, "y": 0 },
                "config": {}, "inputs": {} }],
            "edges": [], "triggers": [], "variables": [], "metadata": {}, "settings": {},
        })
    };
    host.post("/v1/host/sample/workflows", &definition(schema)).await.gives(201);
    let run = |configurable: Json| json!({ "workflowId": "strict", "configurable": configurable });
    host.post("/v1/runs", &json!({ "workflowId": "strict" })).await.gives(201);
    host.post("/v1/runs", &run(json!({ "recursionLimit": 5 }))).await.gives(201);
    for wrong in [json!({ "bogus": 1 }), json!({ "recursionLimit": 4 }), json!({ "temperature": 0.5 })] {
        let error = host.post("/v1/runs", &run(wrong)).await.refuses(ErrorCode::ValidationError);
        assert!(error["message"].as_str().unwrap().contains("(at /configurable"), "{error}");
    }
    host.post("/v1/host/sample/workflows", &definition(json!({ "type": 7 }))).await.gives(201);
    let error = host.post("/v1/runs", &run(json!({}))).await.refuses(ErrorCode::ValidationError);
    assert!(error["message"].as_str().unwrap().contains("is no JSON Schema"), "{error}");
}
