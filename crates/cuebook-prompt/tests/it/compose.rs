//! Composition (RFC 0027 §E): places, joints, hashes, bytes, observability.

use std::sync::Arc;

use cuebook_prompt::{
    BindPolicy, Bindings, Composition, ContentHash, Part, Pinned, SecretValues, Slot, StaticPlace, compose,
};
use cuebook_wire::payload::CompositionKind;
use cuebook_wire::{NodeId, Observability, PromptKind};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::schemas;
use crate::support::{composed, exposed, inputs, optional, part, plain, template, untrusted, versioned};

fn of(parts: Vec<Part>) -> Composition {
    compose(parts, &SecretValues::new()).unwrap()
}

/// A text of its own kind that says its id.
fn text(id: &str, kind: &str, slot: impl FnOnce(PromptKind) -> Slot) -> Part {
    let part = part(&plain(id, "1.0.0", kind), json!({}), &inputs(json!({})), BindPolicy::default()).unwrap();
    Part { slot: slot(part.pinned.kind), ..part }
}

fn inline(kind: PromptKind, text: &str) -> Part {
    let pinned = Pinned::fixed("inline:field".to_owned(), kind, "field", text, StaticPlace::Field);
    Part { pinned: Arc::new(pinned), slot: Slot::Inline(kind), bindings: Bindings::default() }
}

fn bodies(composition: &Composition) -> (Option<&str>, Option<&str>) {
    (composition.observed.system_text(), composition.observed.user_text())
}

#[test]
fn every_kind_has_its_place_whatever_the_order_given() {
    let parts = vec![
        text("add-few", "few-shot", Slot::Additional),
        text("user", "user", Slot::Chain),
        text("few-1", "few-shot", Slot::Chain),
        text("add-system", "system", Slot::Additional),
        text("few-2", "few-shot", Slot::Chain),
        text("system", "system", Slot::Chain),
        text("add-hint", "schema-hint", Slot::Additional),
        text("hint", "schema-hint", Slot::Chain),
    ];
    let composition = of(parts);
    assert_eq!(
        bodies(&composition),
        (
            Some("system@1.0.0\n\nhint@1.0.0\n\nadd-system@1.0.0\n\nadd-hint@1.0.0"),
            Some("few-1@1.0.0\n\nfew-2@1.0.0\n\nuser@1.0.0\n\nadd-few@1.0.0"),
        )
    );
    let refs = ["system", "hint", "few-1", "few-2", "user", "add-few", "add-system", "add-hint"];
    assert_eq!(composition.observed.refs, refs.map(|id| format!("prompt:{id}@1.0.0")));
}

#[test]
fn the_slot_decides_the_place_not_the_template() {
    let wrong = text("u", "user", |_| Slot::Chain(PromptKind::System));
    assert_eq!(bodies(&of(vec![wrong])), (Some("u@1.0.0"), None));
}

#[test]
fn the_kind_says_which_bodies_there_are() {
    let cases = [
        (&["system", "user"][..], CompositionKind::SystemAndUser),
        (&["schema-hint", "few-shot"], CompositionKind::SystemAndUser),
        (&["system"], CompositionKind::SystemOnly),
        (&["schema-hint"], CompositionKind::SystemOnly),
        (&["user"], CompositionKind::UserOnly),
        (&["few-shot"], CompositionKind::UserOnly),
    ];
    for (kinds, expect) in cases {
        let parts = kinds.iter().map(|kind| text("t", kind, Slot::Chain)).collect();
        assert_eq!(of(parts).observed.kind, expect, "{kinds:?}");
    }
    assert!(compose(Vec::new(), &SecretValues::new()).is_none());
}

#[test]
fn an_inline_body_stands_in_the_text_but_in_no_list() {
    let composition =
        of(vec![text("u", "user", Slot::Chain), inline(PromptKind::System, "Say {{nothing}}.")]);
    assert_eq!(bodies(&composition), (Some("Say {{nothing}}."), Some("u@1.0.0")));
    assert_eq!(composition.observed.refs, ["prompt:u@1.0.0"]);
    assert_eq!(composition.observed.bodies[0].reference, "inline:field");
}

#[test]
fn an_empty_body_is_still_a_body() {
    let composition = of(vec![inline(PromptKind::System, ""), text("u", "user", Slot::Chain)]);
    assert_eq!(composition.observed.composed, "\n\nu@1.0.0");
    assert_eq!(exposed(&composition.dispatch), (Some(String::new()), Some("u@1.0.0".to_owned())));
}

#[test]
fn the_hash_is_that_of_the_observed_text() {
    let composition = of(vec![text("s", "system", Slot::Chain), text("u", "user", Slot::Chain)]);
    assert_eq!(composition.observed.composed, "s@1.0.0\n\nu@1.0.0");
    assert_eq!(composition.observed.hash, ContentHash::of("s@1.0.0\n\nu@1.0.0"));
    let hashes: Vec<_> = composition.observed.bodies.iter().map(|body| body.hash.clone()).collect();
    assert_eq!(hashes, [ContentHash::of("s@1.0.0"), ContentHash::of("u@1.0.0")]);
    // The digest of "abc" as FIPS 180-2 gives it.
    let abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(ContentHash::of("abc").as_str(), abc);
}

#[test]
fn values_pass_byte_for_byte() {
    let values = [
        "{{other}}",
        "{{value}}",
        "{{7*7}}",
        "${HOME}",
        "$1",
        "$&",
        "\\1",
        "\\",
        "&",
        "&amp;",
        "<b>",
        "\"",
        "'",
        "}",
        "}}",
        "{",
        "%s",
        "\r\n\t",
        "é\u{0301}\u{FEFF}",
        "[REDACTED:x]",
        "{% if %}",
    ];
    for value in values {
        let template =
            template("a{{value}}b{{other}}c{{ value }}", json!([optional("value"), optional("other")]));
        let scope = inputs(json!({ "value": value, "other": "o" }));
        let composition = composed(&template, json!({}), &scope, BindPolicy::default()).unwrap();
        let expect = format!("a{value}boc{value}");
        assert_eq!(composition.observed.composed, expect);
        assert_eq!(exposed(&composition.dispatch), (None, Some(expect)));
    }
}

#[test]
fn braces_that_are_no_placeholder_are_text() {
    for text in ["{\"a\": {\"b\": 1}}", "}", "{{{x}}}", "{{ x.y }}", "{{#x}}", "{x}", "{{}}", "}} {{"] {
        let template = template(text, json!([]));
        let scope = inputs(json!({ "x": "no" }));
        assert_eq!(
            composed(&template, json!({}), &scope, BindPolicy::default()).unwrap().observed.composed,
            text
        );
    }
}

#[test]
fn the_order_of_keys_does_not_matter() {
    let object = |text: &str| {
        let value: Json = serde_json::from_str(text).unwrap();
        let variable = json!({ "name": "x", "type": "object", "required": true });
        let scope = inputs(json!({ "x": value }));
        composed(&template("{{x}}", json!([variable])), json!({}), &scope, BindPolicy::default()).unwrap()
    };
    let one = object(r#"{"b": {"d": 1, "c": [2, {"f": 3, "e": 4}]}, "a": 5}"#);
    let two = object(r#"{"a": 5, "b": {"c": [2, {"e": 4, "f": 3}], "d": 1}}"#);
    assert_eq!(one.observed.composed, r#"{"a":5,"b":{"c":[2,{"e":4,"f":3}],"d":1}}"#);
    assert_eq!(one.observed.composed, two.observed.composed);
    assert_eq!(one.observed.hash, two.observed.hash);
    assert!(one.observed.variables.hashes().eq(two.observed.variables.hashes()));
}

/// The variables of parts `id@version` that each bind `x` to a value.
fn table(parts: &[(&str, &str, Json)]) -> Composition {
    let part = |(id, version, value): &(&str, &str, Json)| {
        let template = versioned(id, version, "few-shot", "{{x}}", json!([optional("x")]));
        part(&template, json!({ "x": value }), &inputs(json!({})), BindPolicy::default()).unwrap()
    };
    of(parts.iter().map(part).collect())
}

#[track_caller]
fn check_names(parts: &[(&str, &str, Json)], expect: Json) {
    assert_eq!(Json::from(table(parts).observed.variables.bindings()), expect);
}

#[test]
fn one_name_in_two_templates() {
    check_names(&[("a", "1.0.0", json!("1")), ("b", "1.0.0", json!("1"))], json!({ "x": "1" }));
    check_names(&[("a", "1.0.0", json!("1")), ("b", "1.0.0", json!("2"))], json!({ "a.x": "1", "b.x": "2" }));
    check_names(
        &[("a", "1.0.0", json!("1")), ("a", "2.0.0", json!("2")), ("b", "1.0.0", json!("1"))],
        json!({ "a.x": "1", "a@2.0.0.x": "2", "b.x": "1" }),
    );
    check_names(
        &[
            ("a", "1.0.0", json!("1")),
            ("a", "1.0.0", json!("2")),
            ("a", "1.0.0", json!("3")),
            ("a", "1.0.0", json!("2")),
        ],
        json!({ "a.x": "1", "a@1.0.0.x": "2", "a@1.0.0#2.x": "3" }),
    );
}

#[test]
fn no_entry_hides_the_trust_of_another() {
    for place in 0..3 {
        let value = |at: usize| if at == place { untrusted("bad") } else { json!(at.to_string()) };
        let parts: Vec<_> = (0..3).map(|at| ("a", "1.0.0", value(at))).collect();
        assert_eq!(table(&parts).observed.content_trust, cuebook_prompt::Trust::Untrusted);
    }
}

fn payload(observability: Observability) -> Option<cuebook_wire::payload::PromptComposed> {
    let user = versioned("u", "1.0.0", "user", "On {{topic}}.", json!([optional("topic")]));
    let user = part(&user, json!({}), &inputs(json!({ "topic": "tides" })), BindPolicy::default()).unwrap();
    let composition = of(vec![text("s", "system", Slot::Chain), user]);
    let payload = composition.observed.to_payload(&NodeId::new("writer"), observability);
    payload.iter().for_each(schemas::check);
    payload
}

#[test]
fn full_hashed_and_off() {
    let full = payload(Observability::Full).unwrap();
    assert_eq!(full.composed.as_deref(), Some("s@1.0.0\n\nOn tides."));
    assert_eq!(full.system_prompt.as_deref(), Some("s@1.0.0"));
    assert_eq!(full.user_prompt.as_deref(), Some("On tides."));
    assert_eq!(full.variable_bindings.clone().map(Json::from), Some(json!({ "topic": "tides" })));
    let hashed = payload(Observability::Hashed).unwrap();
    assert_eq!(hashed.variable_hashes.as_ref().unwrap()["topic"], ContentHash::of("tides").as_str());
    let without_text = cuebook_wire::payload::PromptComposed {
        composed: None,
        system_prompt: None,
        user_prompt: None,
        variable_bindings: None,
        ..full
    };
    assert_eq!(hashed, without_text);
    assert_eq!(payload(Observability::Off), None);
}

#[test]
fn the_record_holds_no_text() {
    let variables = json!([optional("topic"), optional("none")]);
    let template = template("On {{topic}}{{none}}", variables);
    let scope = inputs(json!({ "topic": untrusted("tides") }));
    let record =
        composed(&template, json!({}), &scope, BindPolicy::default()).unwrap().observed.to_record(Vec::new());
    let json = serde_json::to_value(&record).unwrap();
    insta::assert_json_snapshot!(json);
    assert!(!json.to_string().contains("tides"));
    assert_eq!(serde_json::from_value::<cuebook_prompt::CompositionRecord>(json).unwrap(), record);
}

proptest! {
    #[test]
    fn bodies_joined_by_a_blank_line_are_the_whole(texts in prop::collection::vec((0usize..4, ".{0,12}"), 1..6)) {
        let part = |(kind, text): &(usize, String)| {
            let pinned = Pinned::fixed("prompt:x".to_owned(), PromptKind::ALL[*kind], "x", text, StaticPlace::File);
            let slot = Slot::Chain(pinned.kind);
            Part { pinned: Arc::new(pinned), slot, bindings: Bindings::default() }
        };
        let composition = of(texts.iter().map(part).collect());
        let (system, user) = bodies(&composition);
        let joined = [system, user].into_iter().flatten().collect::<Vec<_>>().join("\n\n");
        prop_assert_eq!(&joined, &composition.observed.composed);
        let sent = exposed(&composition.dispatch);
        prop_assert_eq!((sent.0.as_deref(), sent.1.as_deref()), (system, user));
        for body in &composition.observed.bodies {
            prop_assert!(texts.iter().any(|(_, text)| ContentHash::of(text) == body.hash));
        }
    }
}
