//! Owns the differences between published versions of the protocol that a strict shape would stumble over.
//!
//! Each function brings one document to the shape of `cuebook-wire`. They refuse to repair anything else: what is wrong
//! stays wrong and is reported with its place.

use std::str::FromStr;

use cuebook_wire::capabilities::SecretScope;
use cuebook_wire::payload::Verbosity;
use cuebook_wire::{AgentModelClass, Observability, PromptKind, VariableSource};
use serde_json::{Map, Value};

/// One event: `engineVersion` is text in older versions and a number in newer ones; a payload may be left out.
pub(crate) fn event(value: &mut Value) {
    let Some(members) = value.as_object_mut() else { return };
    number_to_text(members, "engineVersion");
    members.entry("payload").or_insert(Value::Null);
}

/// A list of events under `events`.
pub(crate) fn events(value: &mut Value) {
    if let Some(items) = value.get_mut("events").and_then(Value::as_array_mut) {
        items.iter_mut().for_each(event);
    }
}

/// A snapshot: as for events; empty parts may be null, and RFC 0002's model classes are not the wire's.
pub(crate) fn snapshot(value: &mut Value) {
    let Some(members) = value.as_object_mut() else { return };
    members.retain(|_, member| !member.is_null());
    number_to_text(members, "engineVersion");
    for agent in ["/agent/modelClass", "/runOrchestrator/modelClass"] {
        keep_known::<AgentModelClass>(value, agent);
    }
}

/// A discovery document: blocks stand at the root or, in older hosts, under `capabilities`; lists of names are open.
pub(crate) fn discovery(value: &mut Value) {
    lift_capabilities(value);
    keep_known::<PromptKind>(value, "/prompts/templateKinds");
    keep_known::<VariableSource>(value, "/prompts/variableSources");
    keep_known::<Observability>(value, "/prompts/observability");
    keep_known::<SecretScope>(value, "/secrets/scopes");
    keep_known::<AgentModelClass>(value, "/agents/modelClasses");
    keep_known::<Verbosity>(value, "/agents/reasoning/verbosity");
}

fn lift_capabilities(value: &mut Value) {
    let Some(members) = value.as_object_mut() else { return };
    let Some(Value::Object(blocks)) = members.get("capabilities").cloned() else { return };
    for (name, block) in blocks {
        members.entry(name).or_insert(block);
    }
}

fn number_to_text(members: &mut Map<String, Value>, name: &str) {
    if let Some(Value::Number(number)) = members.get(name) {
        let text = Value::String(number.to_string());
        members.insert(name.to_owned(), text);
    }
}

/// Drops names outside the set `T` at `pointer`, which is one name or a list of them.
fn keep_known<T: FromStr>(value: &mut Value, pointer: &str) {
    let is_known = |name: &Value| name.as_str().is_none_or(|name| name.parse::<T>().is_ok());
    match value.pointer_mut(pointer) {
        Some(Value::Array(names)) => names.retain(is_known),
        Some(name) if !is_known(name) => *name = Value::Null,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(adapt: fn(&mut Value), mut given: Value, expect: &Value) {
        adapt(&mut given);
        assert_eq!(given, *expect);
    }

    #[test]
    fn events_are_brought_to_one_shape() {
        check(event, json!({ "engineVersion": 2 }), &json!({ "engineVersion": "2", "payload": null }));
        check(
            event,
            json!({ "engineVersion": "2", "payload": {} }),
            &json!({ "engineVersion": "2", "payload": {} }),
        );
        check(event, json!([1]), &json!([1]));
        check(events, json!({ "events": [{}] }), &json!({ "events": [{ "payload": null }] }));
    }

    #[test]
    fn snapshots_are_brought_to_one_shape() {
        check(
            snapshot,
            json!({ "tags": null, "engineVersion": 1, "agent": { "modelClass": "writing" } }),
            &json!({ "engineVersion": "1", "agent": { "modelClass": null } }),
        );
        check(
            snapshot,
            json!({ "runOrchestrator": { "modelClass": "chat" } }),
            &json!({ "runOrchestrator": { "modelClass": "chat" } }),
        );
    }

    #[test]
    fn discovery_blocks_are_found_where_they_stand() {
        check(
            discovery,
            json!({ "agents": 1, "capabilities": { "agents": 2, "prompts": { "templateKinds": ["user", "poem"] } } }),
            &json!({
                "agents": 1,
                "capabilities": { "agents": 2, "prompts": { "templateKinds": ["user", "poem"] } },
                "prompts": { "templateKinds": ["user"] },
            }),
        );
        check(
            discovery,
            json!({ "prompts": { "observability": "loud" }, "secrets": { "scopes": ["moon", 7] } }),
            &json!({ "prompts": { "observability": null }, "secrets": { "scopes": [7] } }),
        );
    }
}
