//! What the strict reader says about broken documents, word for word.

use cuebook_wire::manifest::ManifestOrigin;
use cuebook_wire::{
    AgentManifest, CreateRun, Document, ErrorCode, Fault, PromptRef, PromptTemplate, WorkflowDefinition,
    strict,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

fn render(faults: &[Fault]) -> String {
    faults.iter().map(|fault| format!("{} {fault}", fault.code)).collect::<Vec<_>>().join("\n")
}

fn faults<T: Document>(document: &Value) -> String {
    match strict::read::<T>(document) {
        Ok(_) => "no fault".to_owned(),
        Err(faults) => render(&faults),
    }
}

#[test]
fn every_fault_of_a_template_at_once() {
    let document = json!({
        "templateId": "My Writer",
        "version": "1.0",
        "kind": "sytem",
        "txt": "hello",
        "variables": [
            { "name": "my-topic", "type": "integer" },
            { "name": "key", "type": "string", "required": true, "source": "env", "defualtValue": 1 },
        ],
        "modelHints": { "temperature": 3, "maxTokens": 0 },
        "tags": ["", "ok"],
        "meta": { "source": "pack", "packName": "vendor.acme.p" },
    });
    insta::assert_snapshot!(faults::<PromptTemplate>(&document));
}

#[test]
fn every_fault_of_a_workflow_at_once() {
    let document = json!({
        "id": "Demo", "name": "Demo", "version": "1", "nodse": [],
        "nodes": [
            { "id": "a", "typ": "core.noop", "name": "A", "position": { "x": 0 }, "config": [], "inputs": {
                "bare": "text",
                "untyped": { "value": 1 },
                "unknown": { "type": "constant", "value": 1 },
                "empty": { "type": "static" },
                "mixed": { "type": "connection", "nodeId": "b", "variableName": "v" },
                "long/name~": { "type": "variable", "variableName": "v", "optionl": true },
            } },
            { "id": "b", "typeId": "Core", "name": "B", "position": { "x": 0, "y": 0 }, "config": {}, "inputs": {},
              "agent": { "agentId": "ab", "version": "1", "channel": "stable" } },
        ],
        "edges": [{ "id": "e", "sourceNodeId": "a", "targetNodeId": "b", "triggerRule": "all_sucess",
                    "condition": { "type": "equal" } }],
        "triggers": [], "variables": [],
        "defaults": { "promptRefs": {
            "system": "prompt:Desk System", "user": "desk-user", "few-shot": "prompt:examples@1", "schema-hint": 7,
            "few_shot": "prompt:a",
        } },
        "metadata": {}, "settings": { "timeout": "soon", "maxLoopbackIterations": 0 },
    });
    insta::assert_snapshot!(faults::<WorkflowDefinition>(&document));
}

#[test]
fn faults_of_references() {
    let given = [
        json!("prompt:"),
        json!("prompt:Bad Id"),
        json!("prompt:a@1"),
        json!("prompt:a@01.0.0"),
        json!("writer"),
        json!(7),
        json!({ "templateID": "a" }),
        json!({ "templateId": "A", "version": "1.2" }),
    ];
    let said = given.iter().map(|given| format!("{given}\n{}", faults::<PromptRef>(given)));
    insta::assert_snapshot!(said.collect::<Vec<_>>().join("\n"));
}

fn manifest() -> Value {
    json!({ "agentId": "vendor.acme.team.writer", "persona": "Writer", "modelClass": "writing" })
}

/// What both origins say about the manifest with `members` added.
fn by_origin(members: &Value) -> String {
    let mut document = manifest();
    document.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    let said = |origin| match AgentManifest::read(&document, origin) {
        Ok(_) => "no fault".to_owned(),
        Err(faults) => render(&faults),
    };
    format!("{members}\npack:  {}\nlocal: {}\n", said(ManifestOrigin::Pack), said(ManifestOrigin::Local))
}

#[test]
fn intrinsic_prompts_by_origin() {
    let given = [
        json!({}),
        json!({ "systemPrompt": "You write." }),
        json!({ "systemPromptRef": "writer.md" }),
        json!({ "systemPrompt": "You write.", "systemPromptRef": "writer.md" }),
        json!({ "promptOverrides": { "system": "prompt:writer" } }),
        json!({ "promptOverrides": { "user": "prompt:writer" } }),
        json!({ "promptLibraryRef": "desk" }),
        json!({ "systemPrompt": "x", "agentId": "core.chat", "modelClass": "code" }),
    ];
    insta::assert_snapshot!(given.iter().map(by_origin).collect::<Vec<_>>().join("\n"));
}

/// A document of a kind that other crates read: one of several forms, told apart by a constant.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Source {
    File(#[expect(dead_code, reason = "only read")] FileSource),
    Env(#[expect(dead_code, reason = "only read")] EnvSource),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only read")]
struct FileSource {
    #[schemars(extend("const" = "file"))]
    from: String,
    path: String,
    encoding: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only read")]
struct EnvSource {
    #[schemars(extend("const" = "env"))]
    from: String,
    name: String,
}

impl Document for Source {
    const CODE: ErrorCode = ErrorCode::ConfigInvalid;
}

#[test]
fn of_several_forms_the_one_that_was_meant_is_explained() {
    let given = [
        json!({ "from": "env" }),
        json!({ "from": "file", "path": "a", "encodign": "utf-8" }),
        json!({ "from": "file", "path": 1, "name": "b" }),
        json!({ "from": "env", "name": "A" }),
    ];
    let said = given.iter().map(|given| format!("{given}\n{}", faults::<Source>(given)));
    insta::assert_snapshot!(said.collect::<Vec<_>>().join("\n"));
}

#[test]
fn two_variables_of_one_name_are_reported_beside_other_faults() {
    let variable = json!({ "name": "a", "type": "string", "required": true });
    let document = json!({
        "templateId": "a", "version": "1.0.0", "kind": "user", "text": "", "colour": "red",
        "variables": [variable, variable, variable],
    });
    insta::assert_snapshot!(faults::<PromptTemplate>(&document));
}

#[test]
fn what_only_reading_finds_has_its_place() {
    let document = json!({
        "templateId": "a", "version": "1.0.0", "kind": "user", "text": "",
        "meta": { "packVersion": "1.0.00" },
    });
    insta::assert_snapshot!(faults::<PromptTemplate>(&document));
}

#[test]
fn long_values_are_never_quoted() {
    let secret = "s3cret".repeat(100);
    let document = json!({
        "workflowId": 1, secret.clone(): secret, "configurable": { "mockProvider": secret }, "tags": [secret],
        "inputs": secret, "agentId": secret,
    });
    let faults = strict::read::<CreateRun>(&document).unwrap_err();
    assert!(faults.len() >= 5, "{faults:#?}");
    let longest = "s3cret".repeat(14);
    assert!(faults.iter().all(|fault| !fault.message.contains(&longest)), "{faults:#?}");
}

#[test]
fn faults_are_json_for_machines() {
    let fault = Fault::new("/kind", ErrorCode::PromptTemplateInvalid, "m").nearest(Some("user")).hint("h");
    let expected = json!({
        "path": "/kind", "code": "prompt_template_invalid", "message": "m", "nearest": "user", "hint": "h",
    });
    assert_eq!(serde_json::to_value(fault).unwrap(), expected);
}
