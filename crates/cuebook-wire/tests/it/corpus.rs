//! Whole documents, our own and the public ones, are read strictly and written back without loss.

use cuebook_wire::{
    AgentPackManifest, Document, PromptPackManifest, PromptTemplate, WorkflowDefinition, strict,
};
use serde::Serialize;
use serde_json::Value;

use crate::shared;

const WORKFLOW: &str = include_str!("../data/whole/workflow.json");
const TEMPLATE: &str = include_str!("../data/whole/template.json");
const PACK: &str = include_str!("../data/whole/pack.json");

/// Reads `document`, writes it, and holds what was written against `kept`.
#[track_caller]
fn check<T: Document + Serialize>(name: &str, document: &Value, kept: &Value) {
    match strict::read::<T>(document) {
        Ok(read) => assert_eq!(&serde_json::to_value(&read).unwrap(), kept, "{name}"),
        Err(faults) => panic!("{name}: {faults:#?}"),
    }
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// What is written of `document`: members that say what their absence says are left out.
fn normal(document: &Value) -> Value {
    match document {
        Value::Object(members) => {
            let kept = members.iter().filter(|(key, value)| !says_nothing(key, value));
            kept.map(|(key, value)| (key.clone(), normal(value))).collect()
        }
        Value::Array(items) => items.iter().map(normal).collect(),
        other => other.clone(),
    }
}

fn says_nothing(key: &str, value: &Value) -> bool {
    match key {
        "required" | "sensitive" | "disabled" | "optional" => value == &Value::Bool(false),
        "triggerRule" => value == "all_success",
        _ => false,
    }
}

#[test]
fn our_own_documents() {
    check::<WorkflowDefinition>("workflow", &parse(WORKFLOW), &parse(WORKFLOW));
    check::<PromptTemplate>("template", &parse(TEMPLATE), &parse(TEMPLATE));
    check::<AgentPackManifest>("pack", &parse(PACK), &parse(PACK));
}

#[test]
fn public_workflows() {
    let Some(folder) = shared::folder("openwop/fixtures") else { return };
    for (path, document) in shared::json_files(&folder) {
        check::<WorkflowDefinition>(&path.display().to_string(), &document, &normal(&document));
    }
}

#[test]
fn public_templates() {
    let Some(folder) = shared::folder("openwop/prompt-templates") else { return };
    for (path, document) in shared::json_files(&folder) {
        strict::read::<PromptTemplate>(&document)
            .unwrap_or_else(|faults| panic!("{}: {faults:#?}", path.display()));
    }
}

#[test]
fn public_packs() {
    let Some(folder) = shared::folder("openwop/packs") else { return };
    for (path, document) in
        shared::json_files(&folder).into_iter().filter(|(path, _)| path.ends_with("pack.json"))
    {
        if document["kind"] == "prompt" {
            check::<PromptPackManifest>(&path.display().to_string(), &document, &document);
            continue;
        }
        let pack = strict::read::<AgentPackManifest>(&document);
        let pack = pack.unwrap_or_else(|faults| panic!("{}: {faults:#?}", path.display()));
        assert_eq!(
            pack.agents.len(),
            document["agents"].as_array().map_or(0, Vec::len),
            "{}",
            path.display()
        );
    }
}
