//! The inventory of agents: who they are, never what they are told.

use cuebook_host::wire::ErrorCode;
use serde_json::json;

use crate::support::TestHost;

#[tokio::test]
async fn agents_of_the_project_are_listed_as_local() {
    let host = TestHost::new();
    let list = host.get("/v1/agents").await.gives(200);
    assert_eq!(list["total"], 1);
    let clerk = &list["agents"][0];
    assert_eq!((&clerk["agentId"], &clerk["local"]), (&json!("local.desk.clerk"), &json!(true)));
    assert_eq!((&clerk["persona"], &clerk["modelClass"]), (&json!("Clerk"), &json!("general")));
    assert_eq!(host.get("/v1/agents/local.desk.clerk").await.gives(200), *clerk);
    host.get("/v1/agents/local.desk.clark").await.refuses(ErrorCode::NotFound);
}

#[tokio::test]
async fn no_prompt_is_shown() {
    let host = TestHost::new();
    for path in ["/v1/agents", "/v1/agents/local.desk.clerk", "/.well-known/openwop"] {
        let text = host.get(path).await.text;
        assert!(!text.contains("who never tells") && !text.contains("systemPrompt"), "{path}: {text}");
    }
}
