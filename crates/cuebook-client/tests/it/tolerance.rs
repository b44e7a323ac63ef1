//! Documents of other hosts and newer protocols stay readable.

use cuebook_client::{Client, Open};
use cuebook_wire::{PromptTemplate, RunStatus, WorkflowDefinition, WorkflowId};
use serde_json::{Value, json};

use crate::server::{Server, json as json_answer};
use crate::support::shared;

#[track_caller]
fn check(name: &str, expect: &Open<RunStatus>) {
    let read: Open<RunStatus> = serde_json::from_value(json!(name)).unwrap();
    assert_eq!((&read, read.to_string().as_str()), (expect, name));
    assert_eq!(serde_json::to_value(&read).unwrap(), json!(name));
}

#[test]
fn open_names_are_kept_as_written() {
    check("waiting-input", &Open::Known(RunStatus::WaitingInput));
    check("queued", &Open::Other("queued".to_owned()));
    check("", &Open::Other(String::new()));
}

#[test]
fn only_known_names_are_known() {
    assert_eq!(Open::<RunStatus>::from("failed").known(), Some(RunStatus::Failed));
    assert_eq!(Open::<RunStatus>::from("Failed").known(), None);
}

/// The public documents below `path`, where they are there.
fn documents(path: &str) -> Vec<Value> {
    let Some(folder) = shared(path) else { return Vec::new() };
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.map(|path| serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()).collect()
}

fn workflow() -> Value {
    json!({
        "id": "w", "name": "W", "version": "1", "nodes": [], "edges": [], "triggers": [], "variables": [],
        "metadata": {}, "settings": { "mood": "good" }, "futureField": [1],
    })
}

#[tokio::test]
async fn workflows_of_the_corpus_are_read() {
    for document in [workflow()].into_iter().chain(documents("openwop/fixtures")) {
        let server = Server::start([json_answer("200 OK", &document.to_string())]).await;
        let client = Client::builder(&server.url()).build().unwrap();
        let read = client.workflows().get(&WorkflowId::new("w")).await.unwrap();
        let expect: WorkflowDefinition = serde_json::from_value(document).unwrap();
        assert_eq!(read, expect);
    }
}

#[tokio::test]
async fn templates_of_the_corpus_are_read() {
    let own =
        json!({ "templateId": "t", "version": "1.0.0", "kind": "system", "text": "", "futureField": {} });
    let items: Vec<Value> = [own].into_iter().chain(documents("openwop/prompt-templates")).collect();
    let server = Server::start([json_answer("200 OK", &json!({ "items": items }).to_string())]).await;
    let client = Client::builder(&server.url()).build().unwrap();
    let read = client.prompts().list(&cuebook_client::PromptQuery::default()).await.unwrap().items;
    let expect: Vec<PromptTemplate> = serde_json::from_value(Value::Array(items)).unwrap();
    assert_eq!(read, expect);
}
