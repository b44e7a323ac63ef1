//! Every route: who may call it.

use cuebook_host::wire::ErrorCode;
use cuebook_http::{ROUTES, Route, Scope};
use serde_json::{Value as Json, json};

use crate::support::{Call, POWERLESS, THEIRS, TestHost, workflow};

/// A request of `route` that is sound but for who makes it, about the run `run`.
pub(crate) fn request(route: &Route, run: &str) -> Call {
    let values = [
        ("{runId}", run),
        ("{workflowId}", "conformance-noop"),
        ("{agentId}", "local.desk.clerk"),
        ("{templateId}", "topic-user"),
        ("{nodeId}", "wait"),
        ("{sequence}", "0"),
        ("{artifactId}", "none"),
        ("{webhookId}", "none"),
        ("{token}", "none"),
    ];
    let path = values.iter().fold(route.path.to_owned(), |path, (name, value)| path.replace(name, value));
    assert!(!path.contains('{'), "{path}");
    let call = Call::new(route.method, &path);
    if route.method == "GET" { call } else { call.json(&body(route.path)) }
}

fn body(path: &str) -> Json {
    match path {
        "/v1/host/sample/workflows" => {
            let node = json!({
                "id": "n", "typeId": "core.noop", "name": "n", "position": { "x": 0, "y": 0 },
                "config": {}, "inputs": {},
            });
            workflow("registered", &[node], &json!([]))
        }
        "/v1/runs" => json!({ "workflowId": "conformance-noop" }),
        "/v1/runs:bulk-cancel" => json!({ "runIds": ["none"] }),
        "/v1/runs/{runId}/interrupts/{nodeId}" => json!({ "resumeValue": true }),
        "/v1/prompts:render" => json!({ "ref": "prompt:topic-user", "variables": { "topic": "tea" } }),
        "/v1/host/sample/prompt/resolve" => {
            json!({ "kind": "user", "node": { "nodeId": "n", "config": {} } })
        }
        "/v1/host/sample/prompt/compose" => {
            json!({ "templateId": "topic-user", "bindings": { "topic": "tea" } })
        }
        _ => json!({}),
    }
}

fn guarded() -> impl Iterator<Item = Route> {
    ROUTES.into_iter().filter(|route| !route.public)
}

#[tokio::test]
async fn without_a_key_every_guarded_route_answers_401() {
    let host = TestHost::builder().test_seams().open();
    let run = host.start("conformance-cancellable", &json!({})).await;
    for route in guarded() {
        let answer = host.send(request(&route, &run).anonymous()).await;
        answer.refuses(ErrorCode::Unauthenticated);
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"), "{route:?}");
    }
}

#[tokio::test]
async fn public_routes_answer_without_a_key() {
    let host = TestHost::new();
    for route in ROUTES.into_iter().filter(|route| route.public) {
        let answer = host.send(request(&route, "none").anonymous()).await;
        let expect = if route.path.contains("{token}") { 404 } else { 200 };
        assert_eq!(answer.status, expect, "{route:?}");
    }
}

#[tokio::test]
async fn a_key_without_scopes_may_do_nothing() {
    let host = TestHost::builder().test_seams().open();
    let run = host.start("conformance-cancellable", &json!({})).await;
    for route in guarded() {
        let error = host.send(request(&route, &run).key(POWERLESS)).await.refuses(ErrorCode::Forbidden);
        assert!(error["details"]["scopeRequired"].is_string(), "{route:?}: {error}");
    }
    assert_eq!(host.snapshot(&run).await["status"], "running");
}

#[tokio::test]
async fn another_tenants_run_is_not_there() {
    let host = TestHost::builder().test_seams().open();
    let run = host.start("conformance-cancellable", &json!({})).await;
    host.until_type(&run, "node.started").await;
    for route in guarded().filter(|route| route.path.contains("{runId}")) {
        let call = request(&route, &run).key(THEIRS);
        let error = host.send(call).await.refuses(ErrorCode::NotFound);
        let unknown = host.send(request(&route, "run_unknown").key(THEIRS)).await;
        assert_eq!(error, unknown.json(), "{route:?} tells that the run is there");
    }
    assert_eq!(host.snapshot(&run).await["status"], "running");
    let listed = host.send(Call::get("/v1/host/cuebook/runs").key(THEIRS)).await.gives(200);
    assert_eq!(listed, json!({ "runs": [] }));
    let bulk = Call::post("/v1/runs:bulk-cancel", &json!({ "runIds": [run] })).key(THEIRS);
    assert_eq!(host.send(bulk).await.gives(200)["results"][0]["error"]["error"], "not_found");
}

#[tokio::test]
async fn a_bearer_is_refused_without_being_echoed() {
    let host = TestHost::new();
    for header in ["Bearer wrong-key-5k", "Basic wrong-key-5k", "wrong-key-5k", "Bearer", "Bearer  ", ""] {
        let call = Call::get("/v1/agents").anonymous().header("authorization", header);
        let answer = host.send(call).await;
        answer.refuses(ErrorCode::Unauthenticated);
        assert!(!answer.text.contains("wrong-key"), "{}", answer.text);
    }
    let lower = Call::get("/v1/agents").anonymous();
    let lower = lower.header("authorization", &format!("bearer {}", crate::support::OURS));
    host.send(lower).await.gives(200);
}

#[test]
fn the_configuration_knows_every_scope() {
    let scopes = Scope::ALL.map(|scope| format!("\"{}\"", scope.as_str())).join(", ");
    let hash = "0".repeat(64);
    let directory = tempfile::TempDir::new().unwrap();
    let file = directory.path().join("cuebook.toml");
    std::fs::write(&file, format!("[keys.all]\nsha256 = \"{hash}\"\nscopes = [{scopes}]\n")).unwrap();
    let config = cuebook_host::load_config(&file).unwrap_or_else(|faults| panic!("{:?}", faults.to_json()));
    let named: Vec<Scope> =
        config.keys["all"].scopes.iter().flatten().filter_map(|name| Scope::parse(name)).collect();
    assert_eq!(named, Scope::ALL);
}
