//! The user library under many hands at once, and in runs: nothing stale, nothing twice, pins that hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cuebook_host::wire::ErrorCode;
use futures_util::future::join_all;
use serde_json::{Value as Json, json};

use crate::support::{Call, TestHost, template, workflow};

fn of(version: &str, text: &str) -> Json {
    template("house.style", version, "user", text, &json!([]))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_thirty_two_equal_versions_one_is_made() {
    let host = TestHost::builder().on_disk().open();
    let create = |at: u32| {
        let host = &host;
        async move { host.post("/v1/prompts", &of("1.0.0", &at.to_string())).await }
    };
    let answers = join_all((0..32).map(create)).await;
    let (made, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 201);
    assert_eq!((made.len(), refused.len()), (1, 31));
    for answer in &refused {
        answer.refuses(ErrorCode::PromptAlreadyExists);
    }
    let kept = host.get("/v1/prompts/house.style").await.gives(200);
    assert_eq!(kept, made[0].json());
    let listed = host.get("/v1/prompts?source=user").await.gives(200);
    assert_eq!(listed["items"], json!([kept]));
}

/// A reader who begins after a write was answered sees that write or a later one, by every way to read.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_never_see_what_a_write_has_replaced() {
    let host = Arc::new(TestHost::builder().on_disk().open());
    host.post("/v1/prompts", &of("1.0.0", "0")).await.gives(201);
    let answered = Arc::new(AtomicU64::new(0));
    let readers = (0..3).map(|way| {
        let (host, answered) = (Arc::clone(&host), Arc::clone(&answered));
        tokio::spawn(async move { while read(&host, way, &answered).await < 60 {} })
    });
    let readers: Vec<_> = readers.collect();
    for at in 1..=60 {
        let call =
            Call::new("PUT", "/v1/prompts/house.style").json(&of(&format!("1.{at}.0"), &at.to_string()));
        host.send(call).await.gives(200);
        answered.store(at, Ordering::SeqCst);
    }
    for reader in readers {
        reader.await.expect("no reader saw an old text");
    }
}

/// What one way of reading gives; it is not older than what was answered before.
async fn read(host: &TestHost, way: u8, answered: &AtomicU64) -> u64 {
    let least = answered.load(Ordering::SeqCst);
    let text = match way {
        0 => host.get("/v1/prompts/house.style").await.gives(200)["text"].clone(),
        1 => host.get("/v1/prompts?source=user").await.gives(200)["items"][0]["text"].clone(),
        _ => {
            let body = json!({ "ref": "prompt:house.style", "variables": {} });
            host.post("/v1/prompts:render", &body).await.gives(200)["composed"].clone()
        }
    };
    let seen: u64 = text.as_str().unwrap().parse().unwrap();
    assert!(seen >= least, "{seen} was read by way {way} after {least} had been answered");
    seen
}

/// A workflow of two prompt nodes with an interrupt between them.
fn held() -> Json {
    let prompt = |id: &str| {
        let config = json!({ "userPromptRef": "prompt:house.style" });
        json!({
            "id": id, "typeId": "local.sample.demo.mock-ai", "name": id, "position": { "x": 0, "y": 0 },
            "config": config, "inputs": {},
        })
    };
    let wait = json!({
        "id": "wait", "typeId": "core.conformance.mock-agent", "name": "wait", "position": { "x": 0, "y": 0 },
        "config": { "mockConfidence": 0.1 }, "inputs": {},
        "agent": { "agentId": "core.conformance.tested", "modelClass": "reasoning" },
    });
    workflow("conformance-held", &[prompt("before"), wait, prompt("after")], &json!([]))
}

fn composed(events: &[Json]) -> Vec<&Json> {
    let composed = events.iter().filter(|event| event["type"] == "prompt.composed");
    composed.map(|event| &event["payload"]["composed"]).collect()
}

#[tokio::test]
async fn a_run_keeps_its_version_through_a_replacement_and_a_removal() {
    let host = TestHost::builder().on_disk().open();
    host.post("/v1/prompts", &of("1.0.0", "one")).await.gives(201);
    host.post("/v1/host/sample/workflows", &held()).await.gives(201);
    let run = host.start("conformance-held", &json!({})).await;
    host.until_type(&run, "interrupt.requested").await;
    host.send(Call::new("PUT", "/v1/prompts/house.style").json(&of("2.0.0", "two"))).await.gives(200);
    let other = host.start("conformance-held", &json!({})).await;
    let events = host.until_type(&other, "interrupt.requested").await;
    assert_eq!(composed(&events), ["two"], "a new run gets the new version at once");
    assert_eq!(host.send(Call::new("DELETE", "/v1/prompts/house.style")).await.status, 204);
    for (run, expect) in [(run, "one"), (other, "two")] {
        let path = format!("/v1/runs/{run}/interrupts/wait");
        host.post(&path, &json!({ "resumeValue": 1 })).await.gives(200);
        let events = host.ended(&run).await;
        assert_eq!(composed(&events), [expect, expect]);
    }
    let third = host.start("conformance-held", &json!({})).await;
    let events = host.ended(&third).await;
    assert_eq!(events.last().unwrap()["payload"]["error"]["code"], "prompt_template_not_found");
}
