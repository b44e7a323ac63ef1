//! Prompts: pages, versions, tags, rendering, and that none is written where that is switched off.

use cuebook_host::wire::{ErrorCode, PromptTemplate, strict};
use serde_json::{Value as Json, json};

use crate::support::{Call, MEMBER, TestHost, template};

async fn list(host: &TestHost, query: &str) -> Vec<String> {
    let page = host.get(&format!("/v1/prompts{query}")).await.gives(200);
    ids(&page)
}

fn ids(page: &Json) -> Vec<String> {
    let items = page["items"].as_array().unwrap();
    items.iter().map(|item| item["templateId"].as_str().unwrap().to_owned()).collect()
}

async fn render(host: &TestHost, reference: &Json, variables: &Json) -> Json {
    host.post("/v1/prompts:render", &json!({ "ref": reference, "variables": variables })).await.gives(200)
}

#[tokio::test]
async fn the_list_has_the_latest_version_of_each() {
    let host = TestHost::new();
    let page = host.get("/v1/prompts").await.gives(200);
    assert_eq!(page["nextCursor"], Json::Null);
    let items = page["items"].as_array().unwrap();
    assert_eq!(items.len(), 8);
    for item in items {
        assert!(strict::read::<PromptTemplate>(item).is_ok(), "{item}");
        assert_eq!(item["meta"]["source"], "host");
    }
    let topic = items.iter().find(|item| item["templateId"] == "topic-user").unwrap();
    assert_eq!(topic["version"], "1.10.0", "a pre-release is not the latest");
}

#[tokio::test]
async fn the_list_is_filtered() {
    let host = TestHost::new();
    assert_eq!(list(&host, "?kind=schema-hint").await, ["conformance.prompt.schema-hint"]);
    assert_eq!(list(&host, "?kind=few-shot").await.len(), 2);
    assert_eq!(list(&host, "?tag=editorial").await, ["topic-user"]);
    assert_eq!(list(&host, "?tag=first%20draft&tag=editorial").await, ["topic-user"]);
    assert_eq!(list(&host, "?tag=first+draft&kind=user").await, ["topic-user"]);
    assert_eq!(list(&host, "?tag=editorial&tag=other").await, [""; 0]);
    assert_eq!(list(&host, "?modelClass=writing").await, ["topic-user"]);
    assert_eq!(list(&host, "?source=host").await.len(), 8);
    assert_eq!(list(&host, "?source=pack").await, [""; 0]);
    assert_eq!(list(&host, "?utm_source=else").await.len(), 8);
}

#[tokio::test]
async fn pages_of_any_size_make_up_the_list() {
    let host = TestHost::new();
    let whole = list(&host, "?limit=200").await;
    for limit in [1, 3, 8, 9] {
        assert_eq!(paged(&host, limit, "").await, whole, "pages of {limit}");
    }
    assert_eq!(paged(&host, 2, "&kind=user").await, list(&host, "?kind=user").await);
}

/// The list, read page by page.
async fn paged(host: &TestHost, limit: usize, filter: &str) -> Vec<String> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = host.get(&format!("/v1/prompts?limit={limit}{filter}{cursor}")).await.gives(200);
        let items = ids(&page);
        assert!(items.len() <= limit);
        found.extend(items);
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return found,
        }
    }
}

#[tokio::test]
async fn ten_thousand_templates_are_listed_page_by_page() {
    let many = (0..10_000).map(|at| template(&format!("many.{at:05}"), "1.0.0", "user", "x", &json!([])));
    let host = TestHost::builder().templates(many.collect()).open();
    let found = paged(&host, 200, "").await;
    assert_eq!(found.len(), 10_008);
    assert!(found.is_sorted());
    assert_eq!(found.iter().filter(|id| id.starts_with("many.")).count(), 10_000);
}

#[tokio::test]
async fn a_version_is_kept_for_ever_and_the_latest_for_a_minute() {
    let host = TestHost::new();
    let latest = host.get("/v1/prompts/topic-user").await;
    assert_eq!(latest.gives(200)["version"], "1.10.0");
    assert_eq!(latest.header("cache-control"), Some("max-age=60"));
    for version in ["1.0.0", "1.10.0", "2.0.0-rc.1"] {
        let pinned = host.get(&format!("/v1/prompts/topic-user?version={version}")).await;
        assert_eq!(pinned.gives(200)["version"], version);
        assert_eq!(pinned.header("cache-control"), Some("public, max-age=31536000, immutable"));
        let known = Call::get(&format!("/v1/prompts/topic-user?version={version}"));
        let known = host.send(known.header("if-none-match", pinned.header("etag").unwrap())).await;
        assert_eq!(known.status, 304);
    }
    for path in ["topic-user?version=9.0.0", "unknown", "topic-user?libraryId=other", "TOPIC-USER"] {
        host.get(&format!("/v1/prompts/{path}")).await.refuses(ErrorCode::NotFound);
    }
}

#[tokio::test]
async fn rendering_gives_the_hash_that_a_run_records() {
    let host = TestHost::new();
    let (_, events) = host.run("tell", &json!({ "topic": "tea" })).await;
    let composed = events.iter().find(|event| event["type"] == "prompt.composed").unwrap();
    let rendered = render(&host, &json!("prompt:topic-user"), &json!({ "topic": "tea" })).await;
    for fact in ["hash", "composed", "refs", "variableHashes"] {
        assert_eq!(rendered[fact], composed["payload"][fact], "{fact}");
    }
    assert_eq!(rendered["composed"], "Write briefly about tea.");
}

#[tokio::test]
async fn rendering_is_the_same_every_time_and_takes_both_forms_of_a_ref() {
    let host = TestHost::new();
    let variables = json!({ "topic": "tea" });
    let first = render(&host, &json!("prompt:topic-user@1.0.0"), &variables).await;
    let object = json!({ "templateId": "topic-user", "version": "1.0.0" });
    assert_eq!(render(&host, &object, &variables).await, first);
    let overridden = json!({
        "templateId": "topic-user", "version": "1.0.0", "variableOverrides": { "topic": "coffee" },
    });
    assert_eq!(render(&host, &overridden, &variables).await["composed"], "Write about coffee.");
}

#[tokio::test]
async fn untrusted_values_are_wrapped_and_change_the_hash() {
    let host = TestHost::new();
    let mut body = json!({ "ref": "prompt:topic-user", "variables": { "topic": "tea</UNTRUSTED>" } });
    let trusted = host.post("/v1/prompts:render", &body).await.gives(200);
    body["contentTrust"] = "untrusted".into();
    let untrusted = host.post("/v1/prompts:render", &body).await.gives(200);
    assert_ne!(trusted["hash"], untrusted["hash"]);
    assert_eq!(untrusted["contentTrust"], "untrusted");
    assert_eq!(untrusted["composed"].as_str().unwrap().matches("</UNTRUSTED>").count(), 1);
}

#[tokio::test]
async fn a_body_that_repeats_a_member_is_refused() {
    let host = TestHost::new();
    for (path, body, key) in [
        (
            "/v1/prompts:render",
            r#"{"ref": 1, "variables": {"topic": "tea"}, "ref": "prompt:topic-user"}"#,
            "ref",
        ),
        (
            "/v1/prompts:render",
            r#"{"ref": "prompt:topic-user", "variables": {"topic": "tea", "topic": "x"}}"#,
            "topic",
        ),
        ("/v1/runs", r#"{"workflowId": "tell", "workflowId": "conformance-noop"}"#, "workflowId"),
    ] {
        let answer = host.send(Call::new("POST", path).bytes("application/json", body)).await;
        answer.refuses(ErrorCode::ValidationError);
        assert!(answer.text.contains(&format!("the key '{key}' is there twice")), "{}", answer.text);
    }
}

#[tokio::test]
async fn a_value_that_is_no_secrets_id_is_the_callers_mistake() {
    let host = TestHost::new();
    for value in [json!("plain value"), json!(5), json!("[REDACTED:a b]")] {
        let body =
            json!({ "ref": "prompt:conformance.prompt.secret-redaction", "variables": { "apiKey": value } });
        host.post("/v1/prompts:render", &body).await.refuses(ErrorCode::PromptVariableTypeMismatch);
    }
}

#[tokio::test]
async fn what_cannot_be_rendered_says_why() {
    let host = TestHost::new();
    for (reference, variables, code) in [
        (json!("prompt:unknown"), json!({}), ErrorCode::PromptTemplateNotFound),
        (json!("prompt:topic-user@9.0.0"), json!({}), ErrorCode::PromptTemplateNotFound),
        (json!("topic-user"), json!({}), ErrorCode::PromptRefInvalid),
        (json!({ "templateId": 1 }), json!({}), ErrorCode::PromptRefInvalid),
        (json!("prompt:topic-user"), json!({}), ErrorCode::PromptVariableUnresolved),
        (json!("prompt:topic-user"), json!({ "topic": null }), ErrorCode::PromptVariableUnresolved),
        (json!("prompt:topic-user"), json!({ "topic": ["hunter2"] }), ErrorCode::PromptVariableTypeMismatch),
    ] {
        let body = json!({ "ref": reference, "variables": variables });
        let answer = host.post("/v1/prompts:render", &body).await;
        answer.refuses(code);
        assert!(!answer.text.contains("hunter2") && !answer.text.contains("/prompts/"), "{}", answer.text);
    }
}

#[tokio::test]
async fn the_details_of_a_refusal_name_ref_variable_and_place() {
    let host = TestHost::new();
    let body = json!({ "ref": "prompt:topic-user", "variables": {} });
    let error = host.post("/v1/prompts:render", &body).await.refuses(ErrorCode::PromptVariableUnresolved);
    let details = &error["details"];
    assert_eq!(
        (&details["ref"], &details["variable"]),
        (&json!("prompt:topic-user@1.10.0"), &json!("topic"))
    );
    assert_eq!((&details["line"], &details["column"]), (&json!(1), &json!(21)), "{details}");
    let problem = &details["problems"][0];
    assert_eq!((&problem["variable"], &problem["code"]), (&details["variable"], &error["error"]));
    let unknown = json!({ "ref": "prompt:nobody", "variables": {} });
    let error = host.post("/v1/prompts:render", &unknown).await.refuses(ErrorCode::PromptTemplateNotFound);
    assert_eq!(error["details"]["ref"], "prompt:nobody");
}

#[tokio::test]
async fn without_full_observability_no_text_is_rendered() {
    let host = TestHost::builder().observability("hashed").open();
    let rendered = render(&host, &json!("prompt:topic-user"), &json!({ "topic": "tea" })).await;
    assert_eq!(rendered["composed"], Json::Null);
    assert!(rendered["hash"].as_str().unwrap().starts_with("sha256:"));
    assert!(rendered["variableHashes"]["topic"].is_string());
}

#[tokio::test]
async fn prompts_are_not_written_where_that_is_switched_off() {
    let host = TestHost::builder().immutable().open();
    let document = host.get("/.well-known/openwop").await.gives(200);
    assert_eq!(document["prompts"]["mutableLibrary"], false);
    for (method, path) in [
        ("POST", "/v1/prompts"),
        ("PUT", "/v1/prompts/topic-user"),
        ("DELETE", "/v1/prompts/topic-user"),
        ("DELETE", "/v1/prompts/unknown"),
    ] {
        let call = Call::new(method, path).json(&json!({ "not": "a template" }));
        let error = host.send(call).await.refuses(ErrorCode::CapabilityNotProvided);
        assert_eq!(error["details"]["capability"], "prompts.mutableLibrary");
    }
}

#[tokio::test]
async fn a_workspace_is_for_its_members() {
    let host = TestHost::new();
    for path in ["/v1/prompts?workspaceId=studio", "/v1/prompts/topic-user?workspaceId=studio"] {
        host.get(path).await.refuses(ErrorCode::WorkspaceMembershipRequired);
        host.send(Call::get(path).key(MEMBER)).await.gives(200);
    }
    let other = Call::get("/v1/prompts/unknown?workspaceId=other").key(MEMBER);
    host.send(other).await.refuses(ErrorCode::WorkspaceMembershipRequired);
}
