//! The canary: a secret goes to the model, and nowhere else, whatever the model does with it.

use cuebook_engine::{Phase, snapshot};
use cuebook_wire::Observability;
use serde_json::{Value, json};

use crate::support::{Asked, Flow, Log, Reply, TestHost};

const CANARY: &str = "CANARY \"secret\" 4711";
const MARKER: &str = "[REDACTED:press-key]";

/// A host whose template sends the canary, and whose model answers as told.
fn host(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> TestHost {
    let template = json!({"templateId": "key", "version": "1.0.0", "kind": "user", "text": "Key {{key}}!",
        "variables": [{"name": "key", "type": "string", "required": true, "source": "secret"}]});
    TestHost::answering(answer).template(&template).secret("press-key", CANARY)
}

/// A node that sends the secret, and one behind it that repeats what it gave.
fn flow(config: Value) -> Flow {
    let mut own = json!({"userPromptRef": "prompt:key"});
    own.as_object_mut().unwrap().extend(config.as_object().unwrap().clone());
    let inputs = json!({"key": {"type": "static", "value": "press-key"}});
    let text = json!({"text": {"type": "connection", "nodeId": "a", "outputKey": "text"}});
    Flow::new("secrets")
        .node("a", "core.ai.callPrompt", json!({"config": own, "inputs": inputs}))
        .node("b", "core.identity", json!({ "inputs": text }))
        .edge("a", "b")
}

/// Nothing written, kept or shown holds the canary in any spelling; the model got it.
#[track_caller]
fn check(host: &TestHost, log: &Log) {
    assert!(host.models.asked()[0].user.contains(CANARY), "the model gets the secret itself");
    let kept = format!("{:?}", log.state);
    let shown = serde_json::to_string(&snapshot(&log.state)).unwrap();
    for text in [log.everything(), kept, shown] {
        for piece in ["CANARY", "4711", "Q0FOQVJZ", "CANARY%20"] {
            assert!(!text.contains(piece), "{piece} in {text}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_repeats_the_secret() {
    for observability in Observability::ALL {
        let host = host(|asked| Reply::text(&asked.user)).observability(observability);
        let log = host.run(&flow(json!({})), json!({})).await;
        check(&host, &log);
        assert_eq!(log.output("b", "text").0, &json!(format!("Key {MARKER}!")));
    }
}

#[tokio::test]
async fn a_masked_output_is_kept_without_the_secret_too() {
    let host = host(|asked| Reply::text(&asked.user));
    let inputs = json!({"key": {"type": "static", "value": "press-key"}});
    let node = json!({
        "config": {"userPromptRef": "prompt:key"}, "inputs": inputs, "outputSensitivity": {"text": true},
    });
    let log = host.run(&Flow::new("secrets").node("a", "core.ai.callPrompt", node), json!({})).await;
    check(&host, &log);
    assert_eq!(log.payload("node.completed")["outputs"], json!({"text": "[MASKED]"}));
    assert_eq!(log.output("a", "text").0, &json!(format!("Key {MARKER}!")));
}

#[tokio::test]
async fn an_answer_that_spells_the_secret_in_other_ways() {
    let escaped = serde_json::to_string(CANARY).unwrap();
    for spelled in [escaped.as_str(), "Q0FOQVJZICJzZWNyZXQiIDQ3MTE=", "CANARY%20%22secret%22%204711"] {
        let answer = format!("it is {spelled}");
        let host = host(move |_| Reply::text(&answer));
        let log = host.run(&flow(json!({})), json!({})).await;
        check(&host, &log);
        assert!(log.output("b", "text").0.as_str().unwrap().contains(MARKER));
    }
}

#[tokio::test]
async fn a_stream_that_splits_the_secret_anywhere() {
    for cut in 1..CANARY.len() {
        let (head, tail) = CANARY.split_at(cut);
        let (head, tail) = (format!("It is {head}"), format!("{tail}, I think."));
        let host = host(move |_| {
            Reply::pieces(&["So: ", &head, &tail, " And so on and so forth, at length, to the end."])
        });
        let log = host.run(&flow(json!({})), json!({})).await;
        check(&host, &log);
        let chunks = log.payloads("output.chunk");
        let text: String = chunks.iter().map(|chunk| chunk["chunk"].as_str().unwrap()).collect();
        assert_eq!(
            text,
            format!("So: It is {MARKER}, I think. And so on and so forth, at length, to the end.")
        );
        assert!(chunks.len() > 1, "{chunks:#?}");
    }
}

#[tokio::test]
async fn json_that_holds_the_secret_in_keys_and_values() {
    let escapes: Vec<String> = CANARY.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
    let escapes = escapes.concat();
    let answer = format!("{{\"{escapes}\": [\"{escapes}\"]}}");
    let host = host(move |_| Reply::text(&answer));
    let log = host.run(&flow(json!({"responseFormat": "json"})), json!({})).await;
    assert_eq!(log.output("a", "json").0, &json!({ MARKER: [MARKER] }));
}

#[tokio::test]
async fn a_failure_that_repeats_the_secret() {
    let host = host(|asked| Reply::failure(&format!("cannot send '{}'", asked.user), false));
    let log = host.run(&flow(json!({})), json!({})).await;
    check(&host, &log);
    assert_eq!(log.error().1, format!("cannot send 'Key {MARKER}!'"));
}

#[tokio::test]
async fn a_retry_that_repeats_the_secret() {
    let host = host(|asked| Reply::failure(&asked.user, asked.call == 0));
    let run = host.start(&flow(json!({})).with(json!({"settings": {"maxRetries": 1}})), json!({})).await;
    host.clock.ring(500).await;
    let log = run.end().await;
    check(&host, &log);
    assert_eq!(log.payload("node.retried")["lastError"]["message"], format!("Key {MARKER}!"));
}

#[tokio::test]
async fn an_answer_from_another_node_that_learned_it_elsewhere() {
    let host = host(|asked| Reply::text(if asked.user == "tell" { CANARY } else { "fine" }));
    let flow = flow(json!({})).ask("other", "tell").edge("a", "other");
    let log = host.run(&flow, json!({})).await;
    assert_eq!(log.output("other", "text").0, MARKER);
    check(&host, &log);
}

#[tokio::test]
async fn a_secret_that_cannot_be_had_stops_the_node_before_anything_is_sent() {
    for id in ["press-kee", "short"] {
        let host = host(|_| Reply::text("never")).secret("short", "1234567");
        let inputs = json!({"inputs": {"key": {"type": "static", "value": id}}, "config": {"userPromptRef": "prompt:key"}});
        let log = host.run(&Flow::new("secrets").node("a", "core.ai.callPrompt", inputs), json!({})).await;
        assert_eq!(log.error().0, "credential_unavailable");
        assert_eq!(host.models.asked().len(), 0);
        assert!(!log.everything().contains("press-key"), "the error lists no secret");
        assert_eq!(log.node("a").phase, Phase::Failed);
    }
}

#[tokio::test]
async fn untrusted_text_may_not_choose_a_secret() {
    let host = host(|_| Reply::text("never"));
    let tagged = json!({"value": "press-key", "meta": {"contentTrust": "untrusted"}});
    let inputs = json!({"inputs": {"key": {"type": "static", "value": tagged}}, "config": {"userPromptRef": "prompt:key"}});
    let log = host.run(&Flow::new("secrets").node("a", "core.ai.callPrompt", inputs), json!({})).await;
    assert_eq!(log.error().0, "credential_unavailable");
    assert_eq!(host.models.asked().len(), 0);
}
