//! The workflows that the clients start, and what each needs of them to come to its end.

use serde_json::{Value as Json, json};

use crate::serve::KEY;
use crate::support::Project;

/// How long the node of `linger` waits, in milliseconds: longer than anybody lets it.
const LINGER_MS: u64 = 30_000;

/// The built-in model, with one reply that no node can use.
const CONFIG: &str = "[prompts]\nobservability = \"full\"\n[providers.scripted]\nkind = \"scripted\"\nscript = \"script.toml\"\n";

/// What a run waits for from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// Nothing.
    Nothing,
    /// An answer, once it has asked.
    Answer,
    /// To be cancelled, once it is under way.
    Cancel,
}

/// A workflow.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) id: &'static str,
    pub(super) need: Need,
    /// The type of its last event.
    pub(super) end: &'static str,
}

/// All of them: prompts, branches and a join, a short wait, attempts that fail, a question, a long wait.
pub(super) const FLOWS: [Flow; 6] = [
    Flow { id: "talk", need: Need::Nothing, end: "run.completed" },
    Flow { id: "branches", need: Need::Nothing, end: "run.completed" },
    Flow { id: "pause", need: Need::Nothing, end: "run.completed" },
    Flow { id: "stumble", need: Need::Nothing, end: "run.failed" },
    Flow { id: "conformance-doubt", need: Need::Answer, end: "run.completed" },
    Flow { id: "linger", need: Need::Cancel, end: "run.cancelled" },
];

/// A project with all of them.
pub(super) fn project() -> Project {
    let inputs = json!({ "topic": { "type": "variable", "variableName": "topic" } });
    let asks = json!({ "userPromptRef": "prompt:question@1.0.0" });
    let not_json = json!({ "userPrompt": "Say anything.", "responseFormat": "json" });
    let branches = ["a", "b", "c", "d"];
    let fork = branches.iter().flat_map(|branch| [("start", *branch), (*branch, "join")]);
    let mut forked = vec![node("start", "core.noop", &json!({}), &json!({}))];
    forked.extend(branches.iter().zip(1..).map(|(branch, turn)| wait(branch, 5 * turn)));
    forked.push(node("join", "core.noop", &json!({}), &json!({})));
    let talk = ["first", "second"].map(|id| node(id, "core.ai.callPrompt", &asks, &inputs));
    let stumble = node("stumble", "core.ai.callPrompt", &not_json, &json!({}));
    let doubt = node("doubt", "core.conformance.mock-agent", &json!({ "mockConfidence": 0.5 }), &json!({}));
    let workflows = [
        ("talk", workflow("talk", &talk, &[("first", "second")])),
        ("branches", workflow("branches", &forked, &fork.collect::<Vec<_>>())),
        ("pause", workflow("pause", &[wait("pause", 300)], &[])),
        ("stumble", workflow("stumble", &[stumble], &[])),
        ("conformance-doubt", workflow("conformance-doubt", &[doubt], &[])),
        ("linger", workflow("linger", &[wait("linger", LINGER_MS)], &[])),
    ];
    let project = Project::desk()
        .env("CUEBOOK_API_KEY", KEY)
        .with("cuebook.toml", CONFIG)
        .with("script.toml", "[[replies]]\nwhen = 'Say anything'\nreply = 'This is no JSON.'\n");
    workflows
        .into_iter()
        .fold(project, |project, (id, text)| project.with(&format!("workflows/{id}.json"), text))
}

fn node(id: &str, type_id: &str, config: &Json, inputs: &Json) -> Json {
    json!({
        "id": id, "typeId": type_id, "name": id, "position": { "x": 0, "y": 0 },
        "config": config, "inputs": inputs,
    })
}

fn wait(id: &str, millis: u64) -> Json {
    node(id, "core.delay", &json!({}), &json!({ "delayMs": { "type": "static", "value": millis } }))
}

fn workflow(id: &str, nodes: &[Json], edges: &[(&str, &str)]) -> String {
    let edge = |(from, to): &(&str, &str)| json!({ "id": format!("{from}-{to}"), "sourceNodeId": from, "targetNodeId": to });
    json!({
        "id": id, "name": id, "version": "1.0.0", "nodes": nodes,
        "edges": edges.iter().map(edge).collect::<Vec<_>>(), "triggers": [],
        "variables": [{ "name": "topic", "type": "string", "required": false }],
        "metadata": {}, "settings": { "maxRetries": 1 },
    })
    .to_string()
}
