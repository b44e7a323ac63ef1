//! Runs that ask for a stand-in instead of a model.

use cuebook_prompt::Trust;
use serde_json::{Value, json};

use crate::support::{Flow, TestHost};

fn host() -> TestHost {
    let config =
        json!({ "tokens": ["One ", "", "two"], "usage": { "promptTokens": 3, "completionTokens": 2 } });
    TestHost::answering(|_| panic!("no model is called"))
        .configurable(json!({ "mockProvider": { "id": "stream-text", "config": config } }))
}

#[tokio::test]
async fn the_tokens_are_the_chunks_and_the_answer() {
    let log = host().run(&Flow::new("w").ask("a", "Say it."), json!({})).await;
    let chunks: Vec<(&Value, &Value)> =
        log.payloads("output.chunk").into_iter().map(|chunk| (&chunk["chunk"], &chunk["isLast"])).collect();
    let expect = [("One ", false), ("", false), ("two", true)].map(|(text, last)| (json!(text), json!(last)));
    assert_eq!(chunks, expect.iter().map(|(text, last)| (text, last)).collect::<Vec<_>>());
    assert!(
        log.place("prompt.composed a") < log.place("provider.usage a"),
        "the prompt is composed all the same"
    );
    assert_eq!(log.payload("provider.usage")["totalTokens"], 5);
    assert_eq!(log.output("a", "text"), (&json!("One two"), Trust::Trusted));
    assert_eq!(log.end(), "run.completed");
}

#[tokio::test]
async fn a_node_without_a_prompt_is_answered_and_not_trusted() {
    let flow = Flow::new("w").node("a", "core.ai.callPrompt", json!({}));
    let log = host().run(&flow, json!({})).await;
    assert_eq!(log.output("a", "text"), (&json!("One two"), Trust::Untrusted));
    assert_eq!(log.payloads("prompt.composed").len(), 0);
    assert_eq!(log.end(), "run.completed");
}

#[tokio::test]
async fn a_secret_that_is_split_over_tokens_is_masked_in_every_chunk() {
    let template = json!({"templateId": "key", "version": "1.0.0", "kind": "user", "text": "Key {{key}}!",
        "variables": [{"name": "key", "type": "string", "required": true, "source": "secret"}]});
    let config = json!({ "tokens": ["The CANARY", "-secret", " it is."] });
    let host = TestHost::answering(|_| panic!("no model is called"))
        .template(&template)
        .secret("press-key", "CANARY-secret")
        .configurable(json!({ "mockProvider": { "id": "stream-text", "config": config } }));
    let node = json!({"config": {"userPromptRef": "prompt:key"},
        "inputs": {"key": {"type": "static", "value": "press-key"}}});
    let log = host.run(&Flow::new("w").node("a", "core.ai.callPrompt", node), json!({})).await;
    let chunks = log.payloads("output.chunk").into_iter().map(|chunk| chunk["chunk"].as_str().unwrap());
    assert_eq!(chunks.collect::<String>(), "The [REDACTED:press-key] it is.");
    assert_eq!(log.output("a", "text").0, &json!("The [REDACTED:press-key] it is."));
}
