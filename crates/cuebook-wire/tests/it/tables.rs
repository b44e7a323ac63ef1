//! Good and bad documents for each schema: our schema, the strict reader and the published schema agree on every one.

use std::fs;
use std::path::Path;

use cuebook_wire::{
    AgentManifest, AgentPackManifest, AgentRef, Capabilities, CreateRun, Document, ErrorEnvelope,
    PromptPackManifest, PromptRef, PromptTemplate, RunEvent, RunOptions, RunSnapshot, WorkflowDefinition,
    schema, strict,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::shared;

/// The documents for one schema, each the base with some members set and removed.
#[derive(Deserialize)]
struct Table {
    base: Value,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    #[serde(rename = "case")]
    title: String,
    valid: bool,
    /// The schema has no objection but the strict reader has.
    #[serde(default)]
    refused: bool,
    /// The whole document, in place of the base.
    #[serde(default, deserialize_with = "some")]
    document: Option<Value>,
    #[serde(default)]
    set: Map<String, Value>,
    #[serde(default)]
    remove: Vec<String>,
}

fn some<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Case {
    fn document(&self, base: &Value) -> Value {
        let mut document = self.document.clone().unwrap_or_else(|| base.clone());
        for pointer in &self.remove {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            document.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key).unwrap();
        }
        for (pointer, value) in &self.set {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            match document.pointer_mut(parent).unwrap() {
                Value::Array(items) => items[key.parse::<usize>().unwrap()] = value.clone(),
                object => object[key] = value.clone(),
            }
        }
        document
    }
}

/// Holds every document of the table `name` against our schema, the strict reader, and the published schema if there is one.
#[track_caller]
fn check<T: Document>(name: &str, published: Option<&str>) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/{name}.json"));
    let table: Table = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let ours = jsonschema::options().should_validate_formats(true).build(&schema::of::<T>()).unwrap();
    let theirs = published.and_then(shared::validator);
    for case in &table.cases {
        let document = case.document(&table.base);
        assert_eq!(ours.is_valid(&document), case.valid, "our schema of {name} on {:?}", case.title);
        if let Some(theirs) = &theirs {
            assert_eq!(
                theirs.is_valid(&document),
                case.valid,
                "the published schema of {name} on {:?}",
                case.title
            );
        }
        let faults = strict::read::<T>(&document).err().unwrap_or_default();
        assert_eq!(
            faults.is_empty(),
            case.valid && !case.refused,
            "reading {name} on {:?}: {faults:?}",
            case.title
        );
    }
    assert!(table.cases.iter().any(|case| case.valid) && table.cases.iter().any(|case| !case.valid));
}

#[test]
fn templates() {
    check::<PromptTemplate>("prompt-template", Some("prompt-template.schema.json"));
}

#[test]
fn references() {
    check::<PromptRef>("prompt-ref", Some("prompt-ref.schema.json"));
}

#[test]
fn manifests() {
    check::<AgentManifest>("agent-manifest", Some("agent-manifest.schema.json"));
}

#[test]
fn packs() {
    check::<AgentPackManifest>("agent-pack-manifest", None);
    check::<PromptPackManifest>("prompt-pack-manifest", Some("prompt-pack-manifest.schema.json"));
}

#[test]
fn agents() {
    check::<AgentRef>("agent-ref", Some("agent-ref.schema.json"));
}

#[test]
fn workflows() {
    check::<WorkflowDefinition>("workflow-definition", Some("workflow-definition.schema.json"));
}

#[test]
fn events() {
    check::<RunEvent>("run-event", Some("run-event.schema.json"));
}

#[test]
fn snapshots() {
    check::<RunSnapshot>("run-snapshot", Some("run-snapshot.schema.json"));
}

#[test]
fn options() {
    check::<RunOptions>("run-options", Some("run-options.schema.json"));
}

#[test]
fn bodies_of_new_runs() {
    check::<CreateRun>("create-run", None);
}

#[test]
fn envelopes() {
    check::<ErrorEnvelope>("error-envelope", Some("error-envelope.schema.json"));
}

#[test]
fn discovery_documents() {
    check::<Capabilities>("capabilities", Some("capabilities.schema.json"));
}
