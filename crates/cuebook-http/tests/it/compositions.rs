//! What a node was told, under the rule of observability.

use cuebook_host::wire::ErrorCode;
use serde_json::{Value as Json, json};

use crate::support::{Call, THEIRS, TestHost};

/// Runs a prompted workflow; gives the path of its composition and the event that tells of it.
async fn composed(host: &TestHost) -> (String, Json) {
    let (run, events) = host.run("tell", &json!({ "topic": "tea" })).await;
    let event = events.into_iter().find(|event| event["type"] == "prompt.composed").unwrap();
    (format!("/v1/host/cuebook/runs/{run}/compositions/{}", event["sequence"]), event)
}

#[tokio::test]
async fn a_composition_tells_the_origin_of_every_byte() {
    let host = TestHost::new();
    let (path, event) = composed(&host).await;
    let composition = host.get(&path).await.gives(200);
    let text = composition["composed"].as_str().unwrap();
    assert_eq!(text, "Write briefly about tea.");
    assert_eq!((&composition["hash"], &composition["nodeId"]), (&event["payload"]["hash"], &json!("writer")));
    let segments = composition["segments"].as_array().unwrap();
    assert!(segments.len() >= 3, "text, value, text: {segments:?}");
    assert!(composition["pins"].is_array() && composition["bodies"].is_array());
}

#[tokio::test]
async fn another_tenants_composition_and_other_records_are_not_found() {
    let host = TestHost::new();
    let (path, _) = composed(&host).await;
    host.send(Call::get(&path).key(THEIRS)).await.refuses(ErrorCode::NotFound);
    let run = path.rsplit_once('/').unwrap().0;
    for sequence in ["0", "1", "1000000", "-1", "x", "18446744073709551615", "18446744073709551616"] {
        host.get(&format!("{run}/{sequence}")).await.refuses(ErrorCode::NotFound);
    }
}

#[tokio::test]
async fn without_full_observability_no_text_is_shown() {
    let host = TestHost::builder().observability("hashed").open();
    let (path, event) = composed(&host).await;
    let answer = host.get(&path).await;
    assert_eq!(answer.gives(200)["hash"], event["payload"]["hash"]);
    for text in [answer.text, event.to_string()] {
        assert!(!text.contains("briefly") && !text.contains("tea"), "{text}");
    }
}
