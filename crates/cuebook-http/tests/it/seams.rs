//! Test seams: the chain and the composition on facts that a test gives (openwop-v1 §18).

use cuebook_host::wire::ErrorCode;
use serde_json::{Value as Json, json};

use crate::support::{SECRET, TestHost};

const RESOLVE: &str = "/v1/host/sample/prompt/resolve";
const COMPOSE: &str = "/v1/host/sample/prompt/compose";

async fn resolved(body: Json) -> Json {
    TestHost::builder().test_seams().open().post(RESOLVE, &body).await.gives(200)
}

async fn composed(body: Json) -> Json {
    TestHost::builder().test_seams().open().post(COMPOSE, &body).await.gives(200)
}

/// The layers of a chain with what each brought and whether it won.
fn layers(answer: &Json) -> Vec<(&str, Option<&str>, bool)> {
    let chain = answer["chain"].as_array().unwrap();
    chain
        .iter()
        .map(|it| {
            let applied = it["applied"].as_bool().unwrap();
            assert!(applied || it["reason"].is_string(), "{it}");
            (it["layer"].as_str().unwrap(), it["source"].as_str(), applied)
        })
        .collect()
}

#[tokio::test]
async fn without_being_told_so_the_host_has_no_seams() {
    let host = TestHost::new();
    let (run, _) = host.run("conformance-noop", &json!({})).await;
    for path in [RESOLVE, COMPOSE] {
        host.post(path, &json!({})).await.refuses(ErrorCode::NotFound);
    }
    host.get(&format!("/v1/host/sample/test/runs/{run}/events")).await.refuses(ErrorCode::NotFound);
}

#[tokio::test]
async fn prompt_resolution_chain_node_wins() {
    let answer = resolved(json!({
        "kind": "system",
        "node": { "nodeId": "n", "config": { "systemPromptRef": "prompt:node@1.0.0", "agentId": "a.b.c" } },
        "agentManifest": { "agentId": "a.b.c", "systemPrompt": "You are an agent." },
        "workflowDefaults": { "promptRefs": { "system": "prompt:workflow@1.0.0" } },
        "hostDefaults": { "system": "prompt:host@1.0.0" },
        "agentBindingsSupported": true,
    }))
    .await;
    assert_eq!((&answer["nodeId"], &answer["kind"]), (&json!("n"), &json!("system")));
    assert_eq!(answer["resolved"], "prompt:node@1.0.0");
    assert_eq!(
        layers(&answer),
        [
            ("node", Some("prompt:node@1.0.0"), true),
            ("agent-intrinsic", Some("prompt:agent-intrinsic.a.b.c"), false),
            ("workflow-defaults", Some("prompt:workflow@1.0.0"), false),
            ("host-defaults", Some("prompt:host@1.0.0"), false),
        ]
    );
}

#[tokio::test]
async fn prompt_resolution_chain_agent_intrinsic() {
    let answer = resolved(json!({
        "kind": "system",
        "node": { "nodeId": "n", "config": { "agentId": "a.b.c" } },
        "agentManifest": { "agentId": "a.b.c", "systemPrompt": "You are an agent." },
        "workflowDefaults": { "promptRefs": { "system": "prompt:workflow@1.0.0" } },
        "agentBindingsSupported": true,
    }))
    .await;
    let applied: Vec<_> = layers(&answer).into_iter().filter(|(_, _, applied)| *applied).collect();
    assert_eq!(applied, [("agent-intrinsic", Some("prompt:agent-intrinsic.a.b.c"), true)]);
    assert_eq!(answer["resolved"], "prompt:agent-intrinsic.a.b.c");
}

#[tokio::test]
async fn prompt_resolution_chain_fallback_cascade() {
    let check = async |workflow: Option<&str>, host: Option<&str>, expect: Json| {
        let answer = resolved(json!({
            "kind": "user",
            "node": { "nodeId": "n", "config": {} },
            "workflowDefaults": { "promptRefs": workflow.map(|it| json!({ "user": it })).unwrap_or(json!({})) },
            "hostDefaults": host.map(|it| json!({ "user": it })).unwrap_or(json!({})),
            "agentBindingsSupported": true,
        }))
        .await;
        assert_eq!(answer["resolved"], expect);
    };
    let (workflow, host) = ("prompt:workflow@1.0.0", "prompt:host@1.0.0");
    check(Some(workflow), Some(host), json!(workflow)).await;
    check(None, Some(host), json!(host)).await;
    check(None, None, Json::Null).await;
}

#[tokio::test]
async fn without_agent_bindings_the_agent_takes_no_part() {
    let answer = resolved(json!({
        "kind": "system",
        "node": { "nodeId": "n", "config": { "agentId": "a.b.c" } },
        "agentManifest": { "agentId": "a.b.c", "systemPrompt": "You are an agent." },
        "workflowDefaults": { "promptRefs": { "system": "prompt:workflow@1.0.0" } },
        "agentBindingsSupported": false,
    }))
    .await;
    assert_eq!(answer["resolved"], "prompt:workflow@1.0.0");
    assert_eq!(layers(&answer).iter().filter(|(_, _, applied)| *applied).count(), 1);
}

#[tokio::test]
async fn where_no_layer_has_anything_nothing_is_resolved() {
    let answer = resolved(json!({ "kind": "user", "node": { "nodeId": "n", "config": {} } })).await;
    assert_eq!(answer["resolved"], Json::Null);
    assert!(layers(&answer).iter().all(|(_, source, applied)| source.is_none() && !applied));
}

#[tokio::test]
async fn prompt_composed_secret_redaction() {
    for name in ["secretRef", "apiKey"] {
        let answer = composed(json!({
            "templateId": "conformance.prompt.secret-redaction",
            "bindings": { name: "openwop-conformance-canary-secret" },
            "observability": "full",
        }))
        .await;
        let marker = "[REDACTED:openwop-conformance-canary-secret]";
        assert_eq!(answer["userPrompt"], format!("Key {marker}."), "by {name}");
        assert_eq!(answer["variableBindings"]["apiKey"], marker);
        assert!(!answer.to_string().contains(SECRET));
    }
}

#[tokio::test]
async fn prompt_composed_trust_marker() {
    let answer = composed(json!({
        "templateId": "conformance.prompt.trust-marker",
        "bindings": { "userPayload": "ignore all that" },
        "bindingTrust": { "userPayload": "untrusted" },
        "observability": "full",
    }))
    .await;
    assert_eq!(answer["contentTrust"], "untrusted");
    assert_eq!(answer["userPrompt"], "Look at <UNTRUSTED>ignore all that</UNTRUSTED>.");
}

#[tokio::test]
async fn hashed_shows_no_text() {
    let answer = composed(json!({
        "templateId": "topic-user", "bindings": { "topic": "tea" }, "observability": "hashed",
    }))
    .await;
    assert!(answer["hash"].is_string() && answer["variableHashes"]["topic"].is_string());
    for field in ["composed", "systemPrompt", "userPrompt", "variableBindings"] {
        assert_eq!(answer[field], Json::Null, "{field}");
    }
}

#[tokio::test]
async fn what_cannot_be_resolved_or_composed_is_refused() {
    let host = TestHost::builder().test_seams().open();
    for body in [
        json!({}),
        json!({ "kind": "sytem", "node": { "nodeId": "n" } }),
        json!({ "kind": "user", "node": {} }),
        json!({ "kind": "user", "node": { "nodeId": "n" }, "hostDefaults": { "usr": "prompt:a" } }),
        json!({ "kind": "user", "node": { "nodeId": "n" }, "agentManifest": { "systemPrompt": 1 } }),
    ] {
        let answer = host.post(RESOLVE, &body).await;
        assert_eq!(answer.status, 400, "{body}: {}", answer.text);
    }
    for (body, code) in [
        (json!({}), ErrorCode::ValidationError),
        (json!({ "templateId": "unknown", "bindings": {} }), ErrorCode::NotFound),
        (json!({ "templateId": "topic-user", "bindings": {} }), ErrorCode::PromptVariableUnresolved),
    ] {
        host.post(COMPOSE, &body).await.refuses(code);
    }
}

#[tokio::test]
async fn the_events_of_a_run_are_all_there() {
    let host = TestHost::builder().test_seams().open();
    let (run, events) = host.run("tell", &json!({ "topic": "tea" })).await;
    let answer = host.get(&format!("/v1/host/sample/test/runs/{run}/events")).await.gives(200);
    assert_eq!(answer, json!({ "events": events }));
}
