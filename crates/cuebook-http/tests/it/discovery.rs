//! What the host says about itself to everybody.

use serde_json::json;

use crate::support::{Call, TestHost};

#[tokio::test]
async fn the_discovery_document_has_what_every_host_must_have() {
    let host = TestHost::new();
    let answer = host.send(Call::get("/.well-known/openwop").anonymous()).await;
    let document = answer.gives(200);
    assert_eq!(document["protocolVersion"], "1.0");
    assert!(document["supportedEnvelopes"].as_array().unwrap().contains(&json!("clarification.request")));
    assert!(document["schemaVersions"].is_object());
    for limit in ["clarificationRounds", "schemaRounds", "envelopesPerTurn", "maxNodeExecutions"] {
        assert!(document["limits"][limit].is_u64(), "{limit}");
    }
    assert!(answer.header("cache-control").unwrap().contains("max-age"));
    assert!(!answer.text.contains("\"edit\""));
}

#[tokio::test]
async fn every_family_is_at_the_root_and_under_capabilities() {
    let document = TestHost::new().get("/.well-known/openwop").await.gives(200);
    for family in ["agents", "replay", "prompts", "secrets", "debugBundle"] {
        assert!(document[family]["supported"].is_boolean(), "{family}");
        assert_eq!(document[family], document["capabilities"][family], "{family}");
    }
    let prompts = &document["prompts"];
    assert_eq!(prompts["endpointsSupported"], true);
    assert_eq!(prompts["mutableLibrary"], true);
    assert_eq!(prompts["observability"], "full");
    assert!(prompts["variableSources"].as_array().unwrap().contains(&json!("secret")));
}

#[tokio::test]
async fn fixtures_are_named_to_tests_alone() {
    let closed = TestHost::new().get("/.well-known/openwop").await.gives(200);
    assert_eq!((&closed["fixtures"], &closed["conformance"]), (&json!(null), &json!(null)));
    let open = TestHost::builder().test_seams().open().get("/.well-known/openwop").await.gives(200);
    assert!(open["fixtures"].as_array().unwrap().contains(&json!("conformance-noop")));
    assert!(!open["fixtures"].as_array().unwrap().contains(&json!("conformance-unsupported")));
    assert_eq!(open["conformance"]["mockAgent"], true);
}

#[tokio::test]
async fn a_document_that_the_caller_has_is_not_sent_again() {
    let host = TestHost::new();
    for path in [
        "/.well-known/openwop",
        "/v1/openapi.json",
        "/v1/host/cuebook/schemas/project",
        "/v1/prompts/topic-user",
    ] {
        let first = host.get(path).await;
        let tag = first.header("etag").unwrap().to_owned();
        for given in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".to_owned()] {
            let again = host.send(Call::get(path).header("if-none-match", &given)).await;
            assert_eq!((again.status, again.text.as_str()), (304, ""), "{path} {given}");
            assert_eq!(again.header("etag"), Some(tag.as_str()));
        }
        let other = host.send(Call::get(path).header("if-none-match", "\"other\"")).await;
        assert_eq!((other.status, &other.text), (200, &first.text));
    }
}

#[tokio::test]
async fn the_schema_of_project_files_is_served_as_it_is_written() {
    let answer = TestHost::new().send(Call::get("/v1/host/cuebook/schemas/project").anonymous()).await;
    assert_eq!((answer.status, answer.text.as_str()), (200, cuebook_host::project::schema_text().as_str()));
    assert_eq!(answer.header("content-type"), Some("application/schema+json"));
    assert_eq!(answer.json()["required"], json!(["version", "project", "primary"]));
}
