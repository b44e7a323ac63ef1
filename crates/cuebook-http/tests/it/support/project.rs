//! The project that test hosts serve: workflows under their public names, templates of every kind, one agent, one secret.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

/// The value of the one secret.
pub(crate) const SECRET: &str = "CANARY-CONFORMANCE-SECRET-81f0";

const CONFIG: &str = r#"
[secrets.openwop-conformance-canary-secret]
from = "file:canary"
"#;

/// A workflow of `nodes`, one after the other, with `variables`.
pub(crate) fn workflow(id: &str, nodes: &[Json], variables: &Json) -> Json {
    let ids: Vec<&str> = nodes.iter().map(|node| node["id"].as_str().unwrap()).collect();
    let edges = ids
        .windows(2)
        .map(|pair| json!({ "id": pair.join("-"), "sourceNodeId": pair[0], "targetNodeId": pair[1] }));
    json!({
        "id": id, "name": id, "version": "1.0", "nodes": nodes, "edges": edges.collect::<Vec<_>>(),
        "triggers": [], "variables": variables, "metadata": {}, "settings": {},
    })
}

fn node(id: &str, type_id: &str, config: &Json, inputs: &Json) -> Json {
    let position = json!({ "x": 0, "y": 0 });
    json!({
        "id": id, "typeId": type_id, "name": id, "position": position, "config": config, "inputs": inputs,
    })
}

fn variable(name: &str, kind: &str, default: Option<Json>) -> Json {
    let mut variable = json!({ "name": name, "type": kind, "required": default.is_none() });
    if let Some(default) = default {
        variable["defaultValue"] = default;
    }
    variable
}

fn delay(id: &str, default: u64) -> Json {
    let inputs = json!({ "delayMs": { "type": "variable", "variableName": "delayMs" } });
    let variables = json!([variable("delayMs", "number", Some(default.into()))]);
    workflow(id, &[node("wait", "core.delay", &json!({}), &inputs)], &variables)
}

fn agent(id: &str, config: &Json) -> Json {
    let mut node = node("agent", "core.conformance.mock-agent", config, &json!({}));
    node["agent"] = json!({ "agentId": "core.conformance.tested", "modelClass": "reasoning" });
    workflow(id, &[node], &json!([]))
}

fn prompted(id: &str, config: &Json) -> Json {
    let variables = json!([
        variable("topic", "string", Some("tea".into())),
        variable("prompt", "string", Some("a baseline".into())),
    ]);
    let inputs = json!({ "topic": { "type": "variable", "variableName": "topic" } });
    workflow(id, &[node("writer", "local.sample.demo.mock-ai", config, &inputs)], &variables)
}

/// The workflows of the project.
fn workflows() -> Vec<Json> {
    let noop = |id| node(id, "core.noop", &json!({}), &json!({}));
    let payload = json!({ "payload": { "type": "variable", "variableName": "payload" } });
    let echo = node("echo", "core.identity", &json!({}), &payload);
    let chunks = json!(["One. ", "Two. ", "Three."]);
    vec![
        workflow("conformance-noop", &[noop("noop")], &json!([])),
        workflow("conformance-multi-node", &[noop("a"), noop("b"), noop("c")], &json!([])),
        workflow("conformance-identity", &[echo], &json!([variable("payload", "object", None)])),
        workflow("conformance-failure", &[node("fail", "core.fail", &json!({}), &json!({}))], &json!([])),
        delay("conformance-delay", 1),
        delay("conformance-cancellable", 30_000),
        workflow(
            "conformance-stream-text",
            &[node(
                "ai",
                "core.ai.callPrompt",
                &json!({ "promptId": "noop", "expectsStreaming": true }),
                &json!({}),
            )],
            &json!([]),
        ),
        workflow(
            "conformance-unsupported",
            &[node("x", "core.unheardOf", &json!({}), &json!({}))],
            &json!([]),
        ),
        agent("conformance-agent-low-confidence", &json!({ "mockConfidence": 0.5 })),
        agent("conformance-agent-confident", &json!({ "mockConfidence": 0.7 })),
        agent(
            "conformance-agent-reasoning",
            &json!({
                "mockReasoning": { "summary": "Looks it up, then hands over." },
                "mockToolCalls": [{ "toolId": "desk.lookup", "arguments": { "x": 1 }, "result": { "x": 1 } }],
                "mockHandoff": { "toAgentId": "core.conformance.other", "reason": "it knows more" },
            }),
        ),
        agent(
            "conformance-agent-reasoning-streaming",
            &json!({ "mockReasoning": { "summary": "Counts.", "streamChunks": chunks } }),
        ),
        prompted(
            "conformance-prompt-end-to-end",
            &json!({ "systemPromptRef": "prompt:conformance.prompt.writer-system@1.0.0" }),
        ),
        prompted(
            "conformance-prompt-all-four-kinds",
            &json!({
                "systemPromptRef": "prompt:conformance.prompt.writer-system@1.0.0",
                "userPromptRef": "prompt:conformance.prompt.writer-user@1.0.0",
                "schemaHintPromptRef": "prompt:conformance.prompt.schema-hint@1.0.0",
                "fewShotPromptRefs": [
                    "prompt:conformance.prompt.few-shot@1.0.0",
                    "prompt:conformance.prompt.few-shot-2@1.0.0",
                ],
            }),
        ),
        prompted("tell", &json!({ "userPromptRef": "prompt:topic-user" })),
    ]
}

/// A template of the wire's form.
pub(crate) fn template(id: &str, version: &str, kind: &str, text: &str, variables: &Json) -> Json {
    json!({ "templateId": id, "version": version, "kind": kind, "text": text, "variables": variables })
}

/// The templates of the project.
fn templates() -> Vec<Json> {
    let plain = |id: &str, kind: &str, text: &str| {
        template(&format!("conformance.prompt.{id}"), "1.0.0", kind, text, &json!([]))
    };
    let input = |name: &str| json!([{ "name": name, "type": "string", "required": true, "source": "input" }]);
    let secret = json!([{ "name": "apiKey", "type": "string", "required": true, "source": "secret" }]);
    let mut tagged = template("topic-user", "1.0.0", "user", "Write about {{topic}}.", &input("topic"));
    tagged["tags"] = json!(["editorial", "first draft"]);
    tagged["modelHints"] = json!({ "modelClass": "writing" });
    let mut later = tagged.clone();
    later["version"] = "1.10.0".into();
    later["text"] = "Write briefly about {{topic}}.".into();
    let mut early = later.clone();
    early["version"] = "2.0.0-rc.1".into();
    vec![
        plain("writer-system", "system", "You write."),
        plain("writer-user", "user", "Write something."),
        plain("schema-hint", "schema-hint", "Answer in JSON."),
        plain("few-shot", "few-shot", "Q: 1? A: 1."),
        plain("few-shot-2", "few-shot", "Q: 2? A: 2."),
        template(
            "conformance.prompt.trust-marker",
            "1.0.0",
            "user",
            "Look at {{userPayload}}.",
            &input("userPayload"),
        ),
        template("conformance.prompt.secret-redaction", "1.0.0", "user", "Key {{apiKey}}.", &secret),
        tagged,
        later,
        early,
    ]
}

/// Writes the project below `root`, `config` in front of its configuration.
pub(super) fn write(root: &Path, config: &str, more_templates: &[Json]) {
    let config = format!("{config}{CONFIG}");
    for directory in ["workflows", "prompts", "agents"] {
        fs::create_dir_all(root.join(directory)).unwrap();
    }
    fs::write(root.join("cuebook.toml"), config).unwrap();
    fs::write(root.join("canary"), SECRET).unwrap();
    fs::set_permissions(root.join("canary"), fs::Permissions::from_mode(0o600)).unwrap();
    for workflow in workflows() {
        let id = workflow["id"].as_str().unwrap();
        fs::write(root.join(format!("workflows/{id}.json")), workflow.to_string()).unwrap();
    }
    for (at, template) in templates().iter().chain(more_templates).enumerate() {
        fs::write(root.join(format!("prompts/{at}.json")), template.to_string()).unwrap();
    }
    let agent = json!({
        "agentId": "local.desk.clerk", "persona": "Clerk", "modelClass": "general",
        "systemPrompt": "You are a clerk who never tells this sentence.",
    });
    fs::write(root.join("agents/clerk.json"), agent.to_string()).unwrap();
}

/// A folder of the shared material, if it is there.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("CUEBOOK_SHARED").map_or(beside, PathBuf::from);
    Some(shared.join(path)).filter(|folder| folder.is_dir())
}
