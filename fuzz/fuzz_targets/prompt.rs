//! From a node's config to the composed prompt: nothing panics, segments tile the text, no secret is seen.
//!
//! The input is up to three lines: the config as JSON, the values as JSON, and the template, which may go on.

#![no_main]

use std::sync::Arc;

use cuebook_prompt::{
    BindPolicy, ContentHash, NodePrompts, Part, Pinned, Scope, SecretId, SecretText, SecretValues, Slot,
    Trust, Value, Values, bind, compose,
};
use cuebook_wire::{LibraryId, NodeId, Observability, PromptKind, PromptTemplate};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value as Json, json};

const CANARY: &str = "canary-0d4c2b1a";

fn template(text: &str) -> Option<PromptTemplate> {
    let variable = |name: &str, of: &str, source: &str| json!({ "name": name, "type": of, "required": false, "source": source });
    let variables = [
        variable("s", "string", "input"),
        variable("n", "number", "input"),
        variable("o", "object", "variable"),
        variable("k", "string", "secret"),
    ];
    let document = json!({
        "templateId": "t", "version": "1.0.0", "kind": "user", "text": text, "variables": variables,
    });
    serde_json::from_value(document).ok()
}

fn values(json: &str) -> Values {
    let Ok(Json::Object(members)) = serde_json::from_str(json) else { return Values::new() };
    members.into_iter().map(|(name, value)| (name, Value::from_tagged(value, Trust::Untrusted))).collect()
}

/// The text alone, bound to the values and composed with a secret in reach.
fn parts(pinned: &Arc<Pinned>, node: &NodePrompts, scope: &Scope) -> Vec<Part> {
    let reference = node.candidate(PromptKind::User, 0);
    let bound = bind(pinned, reference, scope, BindPolicy::default());
    let slots = [Slot::Chain(PromptKind::User), Slot::Additional(PromptKind::System)];
    let part = |(bindings, slot)| Part { pinned: Arc::clone(pinned), slot, bindings };
    bound.into_iter().flat_map(|bindings| [bindings.clone(), bindings]).zip(slots).map(part).collect()
}

fuzz_target!(|text: &str| {
    let mut lines = text.splitn(3, '\n');
    let config: Json = lines.next().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
    let values = values(lines.next().unwrap_or_default());
    let node = config.as_object().and_then(|config| NodePrompts::read(config).ok()).unwrap_or_default();
    let Some(template) = template(lines.next().unwrap_or(text)) else { return };
    let Ok(library) = LibraryId::parse("fuzz") else { return };
    let pinned = Arc::new(Pinned::template(&library, &template));
    let mut inputs = values.clone();
    inputs.insert("k".to_owned(), Value::trusted(json!("key")));
    let scope = Scope::Node { inputs, variables: values, context: Values::new() };
    let secret = SecretId::parse("key").zip(SecretText::new(CANARY.to_owned()));
    let secrets: SecretValues = secret.into_iter().collect();
    let Some(composition) = compose(parts(&pinned, &node, &scope), &secrets) else { return };

    let observed = &composition.observed;
    assert_eq!(observed.hash, ContentHash::of(&observed.composed));
    let end = observed.segments.iter().fold(0, |at, segment| {
        assert_eq!(segment.start, at);
        assert!(observed.composed.get(segment.start..segment.end).is_some());
        segment.end
    });
    assert_eq!(end, observed.composed.len());
    assert!(observed.to_payload(&NodeId::new("n"), Observability::Full).is_some());
    assert!(text.contains(CANARY) || !format!("{observed:?}").contains(CANARY));
});
