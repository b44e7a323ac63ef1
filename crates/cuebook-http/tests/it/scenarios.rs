//! The public scenarios that concern prompts, runs, discovery, auth, ordering, failure, idempotency and streams, each
//! under its public name (openwop-v1 §19), on our own workflows of the public names; and every public workflow that this
//! host can run, where the shared folder is there.

use cuebook_host::wire::{ErrorCode, WorkflowDefinition, strict};
use serde_json::{Value as Json, json};

use crate::support::{Call, SECRET, TestHost, frames, shared, template};

fn types(events: &[Json]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

fn of_type<'e>(events: &'e [Json], name: &str) -> Vec<&'e Json> {
    events.iter().filter(|event| event["type"] == name).map(|event| &event["payload"]).collect()
}

#[tokio::test]
async fn discovery() {
    let host = TestHost::new();
    let document = host.send(Call::get("/.well-known/openwop").anonymous()).await.gives(200);
    assert_eq!(document["protocolVersion"], "1.0");
    assert_eq!(document["capabilities"]["prompts"]["supported"], true);
}

#[tokio::test]
async fn auth() {
    let host = TestHost::new();
    let call = Call::post("/v1/runs", &json!({ "workflowId": "conformance-noop" })).anonymous();
    host.send(call.clone()).await.refuses(ErrorCode::Unauthenticated);
    let invalid = call.header("authorization", "Bearer conformance-invalid-token");
    let answer = host.send(invalid).await;
    answer.refuses(ErrorCode::Unauthenticated);
    assert!(!answer.text.contains("conformance-invalid-token"));
}

#[tokio::test]
async fn runs_lifecycle() {
    let host = TestHost::new();
    for workflow in ["conformance-noop", "conformance-delay", "conformance-multi-node"] {
        let (run, events) = host.run(workflow, &json!({})).await;
        assert_eq!(types(&events)[0], "run.started");
        assert_eq!(host.snapshot(&run).await["status"], "completed");
    }
    let run = host.start("conformance-cancellable", &json!({})).await;
    host.post(&format!("/v1/runs/{run}/cancel"), &json!({})).await.gives(200);
    host.ended(&run).await;
    assert_eq!(host.snapshot(&run).await["status"], "cancelled");
}

#[tokio::test]
async fn event_ordering() {
    let host = TestHost::builder().on_disk().open();
    let (_, events) = host.run("conformance-multi-node", &json!({})).await;
    let sequences: Vec<u64> = events.iter().map(|event| event["sequence"].as_u64().unwrap()).collect();
    assert_eq!(sequences, (0..events.len() as u64).collect::<Vec<_>>());
    let times: Vec<&str> = events.iter().map(|event| event["timestamp"].as_str().unwrap()).collect();
    assert!(times.is_sorted());
    let mut done = Vec::new();
    for event in &events {
        match event["type"].as_str().unwrap() {
            "node.started" if event["nodeId"] == "b" => assert_eq!(done, ["a"]),
            "node.completed" => done.push(event["nodeId"].as_str().unwrap()),
            _ => {}
        }
    }
    assert_eq!(done, ["a", "b", "c"]);
    assert_eq!(types(&events).iter().filter(|name| name.starts_with("run.")).count(), 2);
}

#[tokio::test]
async fn failure_path() {
    let host = TestHost::new();
    let (run, events) = host.run("conformance-failure", &json!({})).await;
    let names = types(&events);
    assert_eq!(names[names.len() - 2..], ["node.failed", "run.failed"]);
    let snapshot = host.snapshot(&run).await;
    assert_eq!(snapshot["status"], "failed");
    assert!(snapshot["error"]["code"].is_string() && snapshot["error"]["message"].is_string());
}

#[tokio::test]
async fn idempotency() {
    let host = TestHost::new();
    let call = Call::post("/v1/runs", &json!({ "workflowId": "conformance-noop" })).idempotency_key("k");
    let first = host.send(call.clone()).await.gives(201);
    let second = host.send(call).await;
    assert_eq!(second.header("openwop-idempotent-replay"), Some("true"));
    assert_eq!(second.gives(201)["runId"], first["runId"]);
}

#[tokio::test]
async fn interrupt_race() {
    let host = TestHost::new();
    let run = host.start("conformance-agent-low-confidence", &json!({})).await;
    host.until_type(&run, "interrupt.requested").await;
    let path = format!("/v1/runs/{run}/interrupts/agent");
    let answer = |value: u64| {
        let call = Call::post(&path, &json!({ "resumeValue": value }));
        host.send(call)
    };
    let answers = futures_util::future::join_all((0..5).map(answer)).await;
    let won = answers.iter().filter(|answer| answer.status == 200).count();
    let lost = answers.iter().filter(|answer| answer.status == 409).count();
    assert_eq!((won, lost), (1, 4));
    assert_eq!(of_type(&host.ended(&run).await, "interrupt.resolved").len(), 1);
}

#[tokio::test]
async fn webhook_negative() {
    let host = TestHost::new();
    let body = json!({ "url": "http://127.0.0.1/", "events": ["run.completed"] });
    host.post("/v1/webhooks", &body).await.refuses(ErrorCode::NotFound);
    host.send(Call::new("DELETE", "/v1/webhooks/none")).await.refuses(ErrorCode::NotFound);
}

#[tokio::test]
async fn prompt_end_to_end_events() {
    let host = TestHost::new();
    let (_, events) = host.run("conformance-prompt-end-to-end", &json!({})).await;
    let reference = "prompt:conformance.prompt.writer-system@1.0.0";
    let resolved = of_type(&events, "agent.promptResolved");
    let system = resolved.iter().find(|it| it["kind"] == "system").unwrap();
    assert_eq!((&system["nodeId"], &system["resolved"]), (&json!("writer"), &json!(reference)));
    let applied: Vec<&Json> =
        system["chain"].as_array().unwrap().iter().filter(|it| it["applied"] == true).collect();
    assert_eq!(applied.len(), 1);
    assert_eq!((&applied[0]["layer"], &applied[0]["source"]), (&json!("node"), &json!(reference)));
    let composed = of_type(&events, "prompt.composed");
    assert_eq!(composed.len(), 1);
    assert_eq!((&composed[0]["kind"], &composed[0]["refs"]), (&json!("system-only"), &json!([reference])));
    assert_eq!(composed[0]["systemPrompt"], composed[0]["composed"]);
    assert_eq!(types(&events).last(), Some(&"run.completed"));
}

#[tokio::test]
async fn prompt_all_four_kinds_events() {
    let host = TestHost::new();
    let (_, events) = host.run("conformance-prompt-all-four-kinds", &json!({})).await;
    let refs = ["writer-system", "schema-hint", "few-shot", "few-shot-2", "writer-user"]
        .map(|name| json!(format!("prompt:conformance.prompt.{name}@1.0.0")));
    let resolved: Vec<&Json> =
        of_type(&events, "agent.promptResolved").iter().map(|it| &it["resolved"]).collect();
    let composed = of_type(&events, "prompt.composed");
    assert_eq!(composed[0]["refs"], json!(refs));
    assert!(refs.iter().all(|reference| resolved.contains(&reference)), "{resolved:?}");
    assert_eq!(composed[0]["kind"], "system+user");
}

#[tokio::test]
async fn prompt_resolution_chain_event() {
    let host = TestHost::new();
    let run = host.start("conformance-prompt-all-four-kinds", &json!({})).await;
    let events = host.ended(&run).await;
    let layers = [
        "run-configurable",
        "node",
        "agent-intrinsic",
        "agent-overrides",
        "agent-library-default",
        "workflow-defaults",
        "host-defaults",
    ];
    for payload in of_type(&events, "agent.promptResolved") {
        let chain = payload["chain"].as_array().unwrap();
        assert!(!chain.is_empty());
        assert!(chain.iter().all(|entry| layers.contains(&entry["layer"].as_str().unwrap())));
        let applied: Vec<&Json> = chain.iter().filter(|entry| entry["applied"] == true).collect();
        assert!(applied.len() <= 1);
        assert_eq!(applied.first().map_or(&Json::Null, |entry| &entry["source"]), &payload["resolved"]);
    }
}

#[tokio::test]
async fn prompt_composed_hashed_presence() {
    let host = TestHost::builder().observability("hashed").open();
    let (_, events) = host.run("tell", &json!({ "topic": "a plain word" })).await;
    let composed = of_type(&events, "prompt.composed");
    assert!(composed[0]["hash"].is_string() && composed[0]["variableHashes"].is_object());
    for field in ["composed", "systemPrompt", "userPrompt", "variableBindings"] {
        assert_eq!(composed[0][field], Json::Null, "{field}");
    }
}

/// What must not differ when the same work is done again (openwop-v1 §10.2): of a resolution what was resolved and which
/// layers applied, of a composition its hash, its refs and the hashes of its variables.
fn decided(events: &[Json]) -> Vec<Json> {
    let resolved = of_type(events, "agent.promptResolved").into_iter().map(|payload| {
        let applied: Vec<&Json> =
            payload["chain"].as_array().unwrap().iter().map(|entry| &entry["applied"]).collect();
        json!([payload["nodeId"], payload["kind"], payload["resolved"], applied])
    });
    let composed = of_type(events, "prompt.composed").into_iter();
    let composed =
        composed.map(|payload| json!([payload["hash"], payload["refs"], payload["variableHashes"]]));
    resolved.chain(composed).collect()
}

/// This host does not offer `replay` and says so; what the scenario holds a replay to holds of the same run made again.
#[tokio::test]
async fn prompt_resolution_replay_determinism() {
    for observability in ["off", "hashed", "full"] {
        let host = TestHost::builder().observability(observability).open();
        let (run, first) = host.run("conformance-prompt-all-four-kinds", &json!({})).await;
        let (_, again) = host.run("conformance-prompt-all-four-kinds", &json!({})).await;
        assert!(!decided(&first).is_empty());
        assert_eq!(decided(&first), decided(&again), "{observability}");
        let offered = host.get("/.well-known/openwop").await.gives(200)["replay"]["supported"].clone();
        assert_eq!(offered, false);
        let fork = host.post(&format!("/v1/runs/{run}:fork"), &json!({ "mode": "replay" })).await;
        fork.refuses(ErrorCode::CapabilityNotProvided);
    }
}

#[tokio::test]
async fn prompt_list_and_fetch() {
    let host = TestHost::new();
    let page = host.get("/v1/prompts").await.gives(200);
    for item in page["items"].as_array().unwrap() {
        let id = item["templateId"].as_str().unwrap();
        assert_eq!(host.get(&format!("/v1/prompts/{id}")).await.gives(200), *item);
    }
    host.get("/v1/prompts/nonexistent.template.id").await.refuses(ErrorCode::NotFound);
}

#[tokio::test]
async fn prompt_mutable_lifecycle() {
    let host = TestHost::new();
    let id = "conformance.mutable.lifecycle";
    let path = format!("/v1/prompts/{id}");
    let of = |version: &str| template(id, version, "user", "Hello.", &json!([]));
    let created = host.post("/v1/prompts", &of("1.0.0")).await;
    assert_eq!(created.status, 201);
    assert!(created.header("location").unwrap().contains(id));
    host.post("/v1/prompts", &of("1.0.0")).await.refuses(ErrorCode::PromptAlreadyExists);
    assert_eq!(host.get(&path).await.gives(200)["meta"]["source"], "user");
    host.send(Call::new("PUT", &path).json(&of("1.0.0"))).await.refuses(ErrorCode::PromptVersionNotGreater);
    host.send(Call::new("PUT", &path).json(&of("1.1.0"))).await.gives(200);
    assert_eq!(host.get(&path).await.gives(200)["version"], "1.1.0");
    assert_eq!(host.get(&format!("{path}?version=1.0.0")).await.gives(200)["version"], "1.0.0");
    assert_eq!(host.send(Call::new("DELETE", &path)).await.status, 204);
    host.get(&path).await.refuses(ErrorCode::NotFound);
}

#[tokio::test]
async fn prompt_render_deterministic() {
    let host = TestHost::new();
    let body = json!({ "ref": "prompt:topic-user@1.0.0", "variables": { "topic": "tea" } });
    let first = host.post("/v1/prompts:render", &body).await.gives(200);
    assert_eq!(host.post("/v1/prompts:render", &body).await.gives(200), first);
    let other = json!({ "ref": "prompt:topic-user@1.0.0", "variables": { "topic": "coffee" } });
    assert_ne!(host.post("/v1/prompts:render", &other).await.gives(200)["hash"], first["hash"]);
}

#[tokio::test]
async fn prompt_render_secret_redaction() {
    let host = TestHost::new();
    let marker = "[REDACTED:openwop-conformance-canary-secret]";
    let reference = "prompt:conformance.prompt.secret-redaction";
    let body = json!({ "ref": reference, "variables": { "apiKey": marker } });
    let rendered = host.post("/v1/prompts:render", &body).await.gives(200);
    assert_eq!(rendered["composed"], format!("Key {marker}."));
    assert!(!rendered.to_string().contains(SECRET));
}

#[tokio::test]
async fn stream_text_fixture() {
    let host = TestHost::builder().test_seams().open();
    let tokens = ["Hello", " ", "world", "!"];
    let config = json!({
        "tokens": tokens, "delayMsPerToken": 10, "finishReason": "stop",
        "usage": { "promptTokens": 5, "completionTokens": 4, "totalTokens": 9 },
    });
    let mock = |id: &str| {
        let mock = json!({ "id": id, "config": config });
        json!({ "workflowId": "conformance-stream-text", "configurable": { "mockProvider": mock } })
    };
    let run = host.post("/v1/runs", &mock("stream-text")).await.gives(201)["runId"].clone();
    let path = format!("/v1/runs/{}/events?streamMode=messages", run.as_str().unwrap());
    let frames = frames(&host.get(&path).await.text);
    let chunks: Vec<&Json> = frames.iter().map(|frame| &frame.data).collect();
    assert!(frames.iter().all(|frame| frame.event == "ai.message.chunk"));
    let said: Vec<&str> = chunks.iter().map(|chunk| chunk["chunk"].as_str().unwrap()).collect();
    assert_eq!(said, tokens);
    let last: Vec<&Json> = chunks.iter().map(|chunk| &chunk["isLast"]).collect();
    assert_eq!(last, [&json!(false), &json!(false), &json!(false), &json!(true)]);
    assert!(chunks.iter().all(|chunk| chunk["runId"] == run && chunk["nodeId"] == "ai"));
    assert_eq!(chunks[3]["meta"]["finishReason"], "stop");
    assert_eq!(chunks[3]["meta"]["usage"]["completionTokens"], 4);
    let snapshot = host.snapshot(run.as_str().unwrap()).await;
    assert_eq!(snapshot["status"], "completed");
    host.post("/v1/runs", &mock("does-not-exist")).await.refuses(ErrorCode::UnsupportedMockProvider);
    let unseamed = TestHost::new();
    unseamed.post("/v1/runs", &mock("stream-text")).await.refuses(ErrorCode::MockProviderForbidden);
}

#[tokio::test]
async fn agent_confidence_escalation() {
    let host = TestHost::new();
    let run = host.start("conformance-agent-low-confidence", &json!({})).await;
    let events = host.until_type(&run, "node.suspended").await;
    assert_eq!(of_type(&events, "agent.decided")[0]["confidence"], 0.5);
    let suspended = of_type(&events, "node.suspended")[0];
    assert_eq!(suspended["reason"], "low-confidence");
    assert_eq!((&suspended["threshold"], &suspended["observed"]), (&json!(0.7), &json!(0.5)));
    let (_, confident) = host.run("conformance-agent-confident", &json!({})).await;
    assert_eq!(of_type(&confident, "node.suspended").len(), 0, "the threshold itself is enough");
}

#[tokio::test]
async fn agent_reasoning_events() {
    let host = TestHost::new();
    let (run, _) = host.run("conformance-agent-reasoning", &json!({})).await;
    let call = Call::get(&format!("/v1/runs/{run}/events")).header("accept", "application/json");
    let answer = host.send(call).await.gives(200);
    let events = answer["events"].as_array().unwrap();
    let (called, returned) =
        (of_type(events, "agent.toolCalled")[0], of_type(events, "agent.toolReturned")[0]);
    assert_eq!(called["callId"], returned["callId"]);
    let handoff = of_type(events, "agent.handoff")[0];
    assert!(handoff["fromAgentId"].is_string() && handoff["toAgentId"].is_string(), "{handoff}");
    assert_eq!(of_type(events, "agent.reasoned").len(), 1);
}

#[tokio::test]
async fn agent_reasoning_streaming() {
    let host = TestHost::new();
    let (_, events) = host.run("conformance-agent-reasoning-streaming", &json!({})).await;
    let deltas = of_type(&events, "agent.reasoning.delta");
    let numbers: Vec<&Json> = deltas.iter().map(|delta| &delta["sequence"]).collect();
    assert_eq!(numbers, [&json!(0), &json!(1), &json!(2)]);
    let text: String = deltas.iter().map(|delta| delta["delta"].as_str().unwrap()).collect();
    assert_eq!(of_type(&events, "agent.reasoned")[0]["reasoning"], text);
}

#[tokio::test]
async fn public_workflows_of_known_node_types_can_be_registered() {
    let Some(folder) = shared("openwop/fixtures") else { return };
    let host = TestHost::new();
    let mut registered = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let definition: Json = serde_json::from_str(&text).unwrap();
        if strict::read::<WorkflowDefinition>(&definition).is_err() {
            continue;
        }
        let answer = host.post("/v1/host/sample/workflows", &definition).await;
        match answer.status {
            201 => registered += 1,
            _ => assert!(answer.status == 400, "{}: {}", definition["id"], answer.text),
        }
    }
    assert!(registered >= 10, "{registered}");
    let noop = host.run("conformance-noop", &json!({})).await.1;
    assert_eq!(types(&noop).last(), Some(&"run.completed"));
}
