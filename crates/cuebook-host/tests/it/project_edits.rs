//! Edits of a project's files between the lives of a host, as the runs that lived through them tell it.

use std::fs;

use cuebook_host::prompt::{ContentHash, Principal};
use cuebook_host::wire::{NodeId, RunId, RunStatus, Sequence};
use cuebook_host::{Host, log::Record};
use serde_json::{Value as Json, json};
use std::sync::Arc;

use crate::support::Project;
use crate::support::life::{create, life, rest, until};

const FILE: &str = "\
version: 1
project: press
primary:
  model: default
  system_prompt: texts/role.md
  subagents:
    critic: { model: default, system_prompt: texts/critic.md }
";
const CRITIC: &str = "local.press.critic";

fn node(id: &str, type_id: &str, config: &Json) -> Json {
    json!({
        "id": id, "typeId": type_id, "name": id, "position": {"x": 0, "y": 0}, "inputs": {}, "config": config,
    })
}

fn question(id: &str) -> Json {
    let unsure = json!({"mockDecision": {"decision": "go", "confidence": 0.1}});
    node(id, "core.conformance.mock-agent", &unsure)
}

fn critic(id: &str) -> Json {
    node(id, "core.ai.callPrompt", &json!({"agentId": CRITIC, "userPrompt": "Read it."}))
}

/// Asks a person, has the critic speak, asks again, has the critic speak again.
fn project() -> Project {
    let nodes = [question("first"), critic("one"), question("second"), critic("two")];
    let edge = |from: &str, to: &str| json!({"id": format!("{from}-{to}"), "sourceNodeId": from, "targetNodeId": to});
    let workflow = json!({
        "id": "conformance-asked", "name": "Asked", "version": "1.0.0", "nodes": nodes,
        "edges": [edge("first", "one"), edge("one", "second"), edge("second", "two")],
        "triggers": [], "variables": [], "metadata": {}, "settings": {},
    });
    Project::new()
        .with("workflows/asked.json", &workflow.to_string())
        .with(".cuebook/project.yaml", FILE)
        .with("texts/role.md", "You edit.")
        .with("texts/critic.md", "Be kind.")
}

async fn answer(host: &Arc<Host>, run_id: &RunId, node: &str) {
    let node = NodeId::new(node);
    host.resolve_interrupt(&Principal::local(), run_id, &node, json!("yes"), None)
        .await
        .map_err(|refusal| refusal.message)
        .unwrap();
}

async fn records(host: &Host, run_id: &RunId) -> Vec<Record> {
    host.store.read(&Principal::local(), run_id, Sequence(0), usize::MAX).await.unwrap()
}

/// Waits until a node asks.
async fn until_asked(host: &Host, run_id: &RunId, node: &str) {
    let asks = |record: &Record| {
        let event = &record.event;
        event.event_type.as_str() == "node.suspended" && event.payload["nodeId"] == node
    };
    while !records(host, run_id).await.iter().any(asks) {
        tokio::task::yield_now().await;
    }
}

/// The fields of every change of an agent's prompt that the log tells of.
fn told(records: &[Record]) -> Vec<Json> {
    let told = records.iter().filter(|record| record.event.payload["code"] == "agent_prompt_changed");
    told.map(|record| record.event.payload["fields"].clone()).collect()
}

/// What each composition of a run says.
fn composed(records: &[Record]) -> Vec<String> {
    let events = records.iter().filter(|record| record.event.event_type.as_str() == "prompt.composed");
    events.map(|record| record.event.payload["composed"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_run_that_waited_over_an_edit_tells_of_it_once() {
    let project = project().with("cuebook.toml", "[prompts]\nobservability = \"full\"\n");
    let run_id = life(&project, async |host| {
        let run_id = create(&host, "conformance-asked").await;
        until(&host, &run_id, RunStatus::WaitingApproval).await;
        rest(&host).await;
        run_id
    });
    fs::write(project.path().join("texts/critic.md"), "Be stern.").unwrap();
    life(&project, async |host| {
        answer(&host, &run_id, "first").await;
        until_asked(&host, &run_id, "second").await;
        rest(&host).await;
    });
    life(&project, async |host| {
        answer(&host, &run_id, "second").await;
        until(&host, &run_id, RunStatus::Completed).await;
        let records = records(&host, &run_id).await;
        let expect = json!({
            "agentId": CRITIC, "before": ContentHash::of("Be kind."), "now": ContentHash::of("Be stern."),
        });
        assert_eq!(told(&records), [expect]);
        assert_eq!(composed(&records), ["Be stern.\n\nRead it.", "Be stern.\n\nRead it."]);
    });
}
