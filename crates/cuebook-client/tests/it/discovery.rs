//! What a host says about itself, whichever version of the protocol it follows.

use cuebook_wire::{Capabilities, PromptKind};
use serde_json::{Value, json};

use crate::server::{Server, json as json_answer};
use crate::support::client;

fn document(more: Value) -> String {
    let mut document = json!({
        "protocolVersion": "1.0", "supportedEnvelopes": ["clarification.request"], "schemaVersions": {},
        "limits": { "clarificationRounds": 3, "schemaRounds": 2, "envelopesPerTurn": 5 },
    });
    let Value::Object(more) = more else { panic!("blocks are members") };
    document.as_object_mut().unwrap().extend(more);
    document.to_string()
}

async fn read(more: Value) -> Capabilities {
    let server = Server::start([json_answer("200 OK", &document(more))]).await;
    let capabilities = client(&server).0.discovery().capabilities().await.unwrap();
    assert_eq!(server.lines(), ["GET /.well-known/openwop"]);
    assert_eq!(server.header("authorization"), ["-"], "the document is public");
    capabilities
}

#[tokio::test]
async fn blocks_are_found_at_the_root_and_under_capabilities() {
    let block = json!({ "supported": true, "templateKinds": ["user", "sonnet"], "observability": "loud" });
    for more in [json!({ "prompts": block }), json!({ "capabilities": { "prompts": block } })] {
        let prompts = read(more).await.prompts.unwrap();
        assert_eq!(prompts.template_kinds, Some(vec![PromptKind::User]));
        assert_eq!((prompts.supported, prompts.observability), (true, None));
    }
}

#[tokio::test]
async fn unknown_blocks_are_kept() {
    let capabilities = read(json!({ "timeTravel": { "supported": true } })).await;
    assert_eq!(capabilities.other["timeTravel"], json!({ "supported": true }));
}

#[tokio::test]
async fn the_description_of_the_api_is_kept_as_it_is() {
    let server = Server::start([json_answer("200 OK", r#"{"openapi":"3.1.0","paths":{}}"#)]).await;
    let openapi = client(&server).0.discovery().openapi().await.unwrap();
    assert_eq!(openapi, json!({ "openapi": "3.1.0", "paths": {} }));
    assert_eq!(
        (server.lines(), server.header("authorization")),
        (vec!["GET /v1/openapi.json".to_owned()], vec!["-".to_owned()])
    );
}
