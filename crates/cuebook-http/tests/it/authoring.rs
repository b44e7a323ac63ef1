//! Lint, versions, import and preview: beside the protocol, under its rules.

use cuebook_host::wire::ErrorCode;
use serde_json::{Value as Json, json};

use crate::support::{Call, TestHost, template};

fn of(id: &str, version: &str, text: &str) -> Json {
    template(id, version, "user", text, &json!([]))
}

async fn import(host: &TestHost, body: &Json) -> Json {
    host.send(Call::post("/v1/host/cuebook/prompts:import", body)).await.gives(200)
}

#[tokio::test]
async fn versions_are_listed_removed_ones_too() {
    let host = TestHost::new();
    for version in ["1.0.0", "1.1.0"] {
        host.send(Call::post("/v1/prompts", &of("tone", version, version))).await.gives(201);
    }
    let removed = host.send(Call::new("DELETE", "/v1/prompts/tone?version=1.0.0")).await;
    assert_eq!(removed.status, 204);
    let told = host.send(Call::get("/v1/host/cuebook/prompts/tone/versions")).await.gives(200);
    let versions = told["versions"].as_array().unwrap();
    assert_eq!((&versions[0]["version"], &versions[1]["version"]), (&json!("1.0.0"), &json!("1.1.0")));
    assert!(versions[0]["removedAt"].is_string() && versions[1]["removedAt"].is_null(), "{told}");
    for path in ["lint", "versions"] {
        let unknown = Call::get(&format!("/v1/host/cuebook/prompts/none/{path}"));
        host.send(unknown).await.refuses(ErrorCode::NotFound);
    }
}

#[tokio::test]
async fn an_import_is_whole_or_nothing() {
    let host = TestHost::new();
    let two = json!({ "templates": [of("a", "1.0.0", "x"), of("b", "1.0.0", "{{y}}")] });
    let mut dry = two.clone();
    dry["dryRun"] = true.into();
    assert_eq!(import(&host, &dry).await["added"], json!(["prompt:a@1.0.0", "prompt:b@1.0.0"]));
    host.send(Call::get("/v1/prompts/a")).await.refuses(ErrorCode::NotFound);
    let told = import(&host, &two).await;
    assert_eq!(told["templates"][1]["findings"][0]["code"], "prompt_placeholder_undeclared");
    assert_eq!(import(&host, &two).await["unchanged"], json!(["prompt:a@1.0.0", "prompt:b@1.0.0"]));
    let mixed = json!({ "templates": [of("c", "1.0.0", "x"), of("a", "1.0.0", "y"), of("b", "0.9.0", "y")] });
    let refused = host.send(Call::post("/v1/host/cuebook/prompts:import", &mixed)).await;
    let refused = refused.refuses(ErrorCode::PromptAlreadyExists);
    let paths: Vec<&Json> =
        refused["details"]["faults"].as_array().unwrap().iter().map(|fault| &fault["path"]).collect();
    assert_eq!(paths, ["/templates/1/version", "/templates/2/version"]);
    host.send(Call::get("/v1/prompts/c")).await.refuses(ErrorCode::NotFound);
    let malformed = json!({ "templates": [of("d", "1.0.0", "x"), { "templateId": "e" }] });
    let refused = host.send(Call::post("/v1/host/cuebook/prompts:import", &malformed)).await;
    let refused = refused.refuses(ErrorCode::ValidationError);
    assert!(
        refused["details"]["faults"][0]["path"].as_str().unwrap().starts_with("/templates/1"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_library_may_be_larger_than_other_bodies() {
    let host = TestHost::new();
    let text = "x".repeat(60_000);
    let templates: Vec<Json> = (0..80).map(|at| of(&format!("t{at}"), "1.0.0", &text)).collect();
    assert_eq!(
        import(&host, &json!({ "templates": templates })).await["added"].as_array().unwrap().len(),
        80
    );
}

#[tokio::test]
async fn imports_are_not_taken_where_the_library_is_fixed() {
    let host = TestHost::builder().immutable().open();
    let body = json!({ "templates": [of("a", "1.0.0", "x")] });
    let refused = host.send(Call::post("/v1/host/cuebook/prompts:import", &body)).await;
    refused.refuses(ErrorCode::CapabilityNotProvided);
}

#[tokio::test]
async fn a_node_is_previewed_as_it_would_run() {
    let host = TestHost::new();
    let body = json!({ "config": { "userPromptRef": "prompt:draft" }, "bindings": { "topic": "tea" },
        "template": template("draft", "0.1.0", "user", "On {{topic}}.",
            &json!([{ "name": "topic", "type": "string", "required": true }])) });
    let seen = host.send(Call::post("/v1/host/cuebook/preview", &body)).await.gives(200);
    assert_eq!(seen["composition"]["composed"], "On tea.");
    let chain = &seen["resolutions"][0]["chain"];
    assert_eq!((&chain[0]["layer"], &chain[0]["applied"]), (&json!("node"), &json!(true)));
    assert_eq!(chain.as_array().unwrap().len(), 4);
    assert_eq!(seen["templates"][0]["findings"], json!([]));
    assert_eq!((&seen["problems"], &seen["slots"]), (&json!([]), &json!([])));
    host.send(Call::get("/v1/prompts/draft")).await.refuses(ErrorCode::NotFound);
    let created = host.send(Call::post("/v1/prompts", &body["template"])).await.gives(201);
    assert_eq!(created["templateId"], "draft");
    let render = json!({ "ref": "prompt:draft", "variables": { "topic": "tea" } });
    let rendered = host.send(Call::post("/v1/prompts:render", &render)).await.gives(200);
    assert_eq!(rendered["hash"], seen["composition"]["hash"]);
}

#[tokio::test]
async fn a_preview_shows_texts_only_where_renders_do() {
    let host = TestHost::builder().observability("hashed").open();
    let body = json!({ "config": { "userPrompt": "Not for everybody." } });
    let answer = host.send(Call::post("/v1/host/cuebook/preview", &body)).await;
    assert!(answer.gives(200)["composition"]["hash"].is_string());
    assert!(!answer.text.contains("Not for everybody"), "{}", answer.text);
}

#[tokio::test]
async fn what_is_no_preview_is_told_with_every_fault() {
    let host = TestHost::new();
    let body = json!({ "workflowId": "w", "kind": "usr", "template": { "templateId": "a" }, "agent": {} });
    let refused = host.send(Call::post("/v1/host/cuebook/preview", &body)).await;
    let refused = refused.refuses(ErrorCode::ValidationError);
    let told = refused["details"]["faults"].to_string();
    for path in ["/agent", "/template", "/kind", "/nodeId"] {
        assert!(told.contains(path), "{path} is not in {told}");
    }
    host.send(Call::post("/v1/host/cuebook/preview", &json!({}))).await.refuses(ErrorCode::ValidationError);
    let other = json!({ "config": {}, "workflow": "x" });
    host.send(Call::post("/v1/host/cuebook/preview", &other)).await.refuses(ErrorCode::ValidationError);
}
