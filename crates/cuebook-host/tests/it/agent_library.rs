//! `promptLibraryRef`: an agent's last word comes from a pack, and a library that is missing is told of when it is looked in.

use cuebook_host::prompt::Principal;
use serde_json::{Value as Json, json};

use crate::support::{Project, about_tea, run};

/// The desk's node, bound to an agent that has nothing of its own but the library `vendor.acme.house`.
fn project(config: &Json) -> Project {
    let agent = json!({
        "agentId": "local.desk.clerk", "persona": "Clerk", "modelClass": "general",
        "promptLibraryRef": "vendor.acme.house",
    });
    let workflow = json!({
        "id": "ask", "name": "Ask", "version": "1.0.0",
        "nodes": [{
            "id": "answer", "typeId": "core.ai.callPrompt", "name": "Answer", "position": { "x": 0, "y": 0 },
            "config": config, "inputs": { "topic": { "type": "variable", "variableName": "topic" } },
        }],
        "edges": [], "triggers": [], "variables": [{ "name": "topic", "type": "string", "required": true }],
        "metadata": {}, "settings": {},
    });
    Project::new()
        .with("workflows/ask.json", &workflow.to_string())
        .with("agents/clerk.json", &agent.to_string())
        .with("cuebook.toml", "[prompts]\nobservability = \"full\"\n")
}

/// Adds the pack `vendor.acme.house` with `default-system` in two versions.
fn with_house(project: Project) -> Project {
    let template = |version: &str, text: &str| json!({ "templateId": "default-system", "version": version, "kind": "system", "text": text });
    let pack = json!({
        "name": "vendor.acme.house", "version": "1.0.0", "kind": "prompt", "engines": { "openwop": ">=1" },
        "prompts": [template("1.0.0", "Be brief."), template("1.1.0", "Be kind.")],
    });
    project.with("packs/house/pack.json", &pack.to_string())
}

/// The payloads of one type, of a run.
async fn payloads(project: &Project, event_type: &str) -> Vec<Json> {
    let host = project.host().unwrap();
    let workflow = host.workflow(None).unwrap();
    let principal = Principal::local();
    let (_, records) = run(&host, about_tea(&principal, &workflow, None)).await;
    let found = records.iter().filter(|record| record.event.event_type.as_str() == event_type);
    found.map(|record| json!(record.event.payload)).collect()
}

#[tokio::test]
async fn the_latest_default_of_the_library_is_used() {
    let config = json!({ "agentId": "local.desk.clerk", "userPromptRef": "prompt:question" });
    let project = with_house(project(&config));
    let resolved = payloads(&project, "agent.promptResolved").await;
    assert_eq!(resolved[0]["resolved"], "prompt:default-system");
    let expect =
        json!({ "layer": "agent-library-default", "source": "prompt:default-system", "applied": true });
    assert_eq!(resolved[0]["chain"][1], expect);
    let composed = payloads(&project, "prompt.composed").await;
    assert_eq!(composed[0]["systemPrompt"], "Be kind.");
    assert_eq!(composed[0]["refs"], json!(["prompt:default-system@1.1.0", "prompt:question@1.0.0"]));
    assert_eq!(payloads(&project, "log.appended").await, [Json::Null; 0]);
}

#[track_caller]
fn check_codes(told: &[Json], expect: &[&str]) {
    let codes: Vec<&str> = told.iter().map(|payload| payload["code"].as_str().unwrap()).collect();
    assert_eq!(codes, expect);
}

#[tokio::test]
async fn a_missing_library_is_told_of_once_and_the_run_goes_on() {
    let config = json!({ "agentId": "local.desk.clerk", "userPromptRef": "prompt:question" });
    let project = project(&config);
    check_codes(&payloads(&project, "log.appended").await, &["agent_library_unresolvable"]);
    assert_eq!(payloads(&project, "run.completed").await.len(), 1);
}

#[tokio::test]
async fn a_library_that_nobody_looks_in_is_not_missed() {
    let config = json!({
        "agentId": "local.desk.clerk", "systemPrompt": "Be yourself.", "userPromptRef": "prompt:question",
    });
    check_codes(&payloads(&project(&config), "log.appended").await, &[]);
}

#[tokio::test]
async fn ref_and_inline_body_together_are_told_of_once() {
    let config = json!({
        "userPrompt": "Say nothing.", "userPromptRef": "prompt:question", "systemPrompt": "Be yourself.",
    });
    check_codes(&payloads(&project(&config), "log.appended").await, &["prompt_ref_supersedes_inline"]);
}

#[tokio::test]
async fn an_agent_that_nobody_knows_is_told_of_once() {
    let config = json!({ "agentId": "local.desk.clark", "userPromptRef": "prompt:question" });
    check_codes(&payloads(&project(&config), "log.appended").await, &["agent_binding_unresolvable"]);
}

#[test]
fn what_clients_need_to_preview_a_chain_is_advertised() {
    let prompts = |config: &str| {
        let project = Project::new().with("cuebook.toml", config);
        project.host().unwrap().capabilities(false)["prompts"].clone()
    };
    let plain = prompts("");
    assert_eq!(plain["variableSources"], json!(["input", "variable", "context"]));
    assert!(plain.get("defaults").is_none());
    assert_eq!((&plain["agentBindings"], &plain["packsSupported"]), (&json!(true), &json!(true)));
    let more = prompts(
        "[prompts]\nagent_bindings = false\n[prompts.defaults]\nuser = \"prompt:question\"\n[secrets.key]\nfrom = \"env:KEY\"\n",
    );
    assert_eq!(more["variableSources"], json!(["input", "variable", "context", "secret"]));
    assert_eq!(more["defaults"], json!({ "user": "prompt:question" }));
    assert_eq!(more["agentBindings"], false);
}
