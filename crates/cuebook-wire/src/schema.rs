//! Owns the JSON Schemas (draft 2020-12) made from the types, and the list of those that are published. Refuses null for an
//! absent member: an optional member is there or not.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use crate::error::ErrorEnvelope;
use crate::event::RunEvent;
use crate::manifest::AgentManifest;
use crate::options::{CreateRun, RunOptions};
use crate::pack::{AgentPackManifest, PromptPackManifest};
use crate::reference::PromptRef;
use crate::snapshot::RunSnapshot;
use crate::template::PromptTemplate;
use crate::workflow::WorkflowDefinition;
use crate::{AgentRef, Capabilities};

/// The schema of `T`, with the `x-` annotations that [`crate::strict`] takes its messages from.
pub fn of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with_transform(RecursiveTransform(tidy));
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// The schema of `T` as it is published, without the annotations.
pub fn of_published<T: JsonSchema>() -> Value {
    let mut schema = of::<T>();
    drop_annotations(&mut schema);
    schema
}

/// The schemas of request and answer bodies as an OpenAPI document refers to them: by type name, under
/// `#/components/schemas/`.
pub fn components() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .with_transform(RecursiveTransform(tidy));
    let mut generator = settings.into_generator();
    generator.subschema_for::<CreateRun>();
    generator.subschema_for::<ErrorEnvelope>();
    generator.subschema_for::<PromptTemplate>();
    generator.subschema_for::<RunEvent>();
    generator.subschema_for::<RunSnapshot>();
    generator.subschema_for::<WorkflowDefinition>();
    let mut definitions = generator.take_definitions(true);
    definitions.insert("PromptRef".to_owned(), of::<PromptRef>());
    definitions.values_mut().for_each(drop_annotations);
    definitions
}

/// The schemas that are published with the documentation: file name without extension, and schema without annotations.
pub fn published() -> Vec<(&'static str, Value)> {
    let mut schemas = vec![
        ("agent-manifest", of::<AgentManifest>()),
        ("agent-pack-manifest", of::<AgentPackManifest>()),
        ("agent-ref", of::<AgentRef>()),
        ("capabilities", of::<Capabilities>()),
        ("create-run", of::<CreateRun>()),
        ("error-envelope", of::<ErrorEnvelope>()),
        ("prompt-pack-manifest", of::<PromptPackManifest>()),
        ("prompt-ref", of::<PromptRef>()),
        ("prompt-template", of::<PromptTemplate>()),
        ("run-event", of::<RunEvent>()),
        ("run-event-payloads", crate::payload::schema()),
        ("run-options", of::<RunOptions>()),
        ("run-snapshot", of::<RunSnapshot>()),
        ("workflow-definition", of::<WorkflowDefinition>()),
    ];
    for (_, schema) in &mut schemas {
        drop_annotations(schema);
    }
    schemas
}

/// Removes the `x-` annotations, which mean nothing outside this crate.
fn drop_annotations(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.retain(|key, _| !key.starts_with("x-"));
            members.values_mut().for_each(drop_annotations);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_annotations),
        _ => {}
    }
}

/// Makes one schema say what the wire says: no null for an absent member, no number formats of Rust's.
pub(crate) fn tidy(schema: &mut Schema) {
    let Some(members) = schema.as_object_mut() else { return };
    if members.get("default").is_some_and(Value::is_null) {
        members.remove("default");
    }
    if members.get("format").and_then(Value::as_str).is_some_and(is_rust_format) {
        members.remove("format");
    }
    let required: Vec<Value> = members.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        let optional = properties.iter_mut().filter(|(name, _)| !required.iter().any(|known| known == *name));
        optional.filter_map(|(_, property)| property.as_object_mut()).for_each(refuse_null);
    }
}

fn is_rust_format(format: &str) -> bool {
    matches!(
        format,
        "uint" | "uint8" | "uint16" | "uint32" | "uint64" | "int32" | "int64" | "float" | "double"
    )
}

/// Takes null out of the types a member may have.
fn refuse_null(property: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            property.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = property.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            property.remove("anyOf");
            property.extend(only);
        }
    }
}
