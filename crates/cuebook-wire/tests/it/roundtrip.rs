//! Whatever is written is read back as it was.

use cuebook_wire::{EventType, LibraryId, PromptRef, RunEvent, TemplateId, Timestamp, Version, strict};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn id() -> impl Strategy<Value = String> {
    "[a-z0-9][a-z0-9._-]{0,127}"
}

fn version() -> impl Strategy<Value = String> {
    let numbers = (0..1_000_u64, 0..1_000_u64, any::<u64>());
    let pre = prop::option::of("[a-z][a-z0-9]{0,5}(\\.[1-9][0-9]{0,4}){0,2}");
    let build = prop::option::of("[0-9a-zA-Z]{1,6}(\\.[0-9a-zA-Z-]{1,6}){0,2}");
    (numbers, pre, build).prop_map(|((major, minor, patch), pre, build)| {
        let pre = pre.map(|pre| format!("-{pre}")).unwrap_or_default();
        let build = build.map(|build| format!("+{build}")).unwrap_or_default();
        format!("{major}.{minor}.{patch}{pre}{build}")
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e9..1e9_f64).prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            object(inner).prop_map(Value::Object),
        ]
    })
}

fn object(values: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::btree_map("\\PC{0,8}", values, 0..4).prop_map(|members| members.into_iter().collect())
}

fn event_type() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(EventType::NAMES.to_vec()).prop_map(str::to_owned),
        "[a-z]{1,8}\\.[a-zA-Z-]{1,8}"
    ]
}

proptest! {
    #[test]
    fn versions(text in version()) {
        prop_assert_eq!(Version::parse(&text).unwrap().to_string(), text);
    }

    #[test]
    fn stringy_references(id in id(), version in prop::option::of(version())) {
        let at = version.map(|version| format!("@{version}")).unwrap_or_default();
        let text = format!("prompt:{id}{at}");
        let reference = PromptRef::parse(&text).unwrap();
        prop_assert_eq!(reference.to_string(), text.as_str());
        prop_assert_eq!(serde_json::to_value(&reference).unwrap(), json!(text));
    }

    #[test]
    fn what_is_a_reference_as_text_is_one_by_its_schema(text in "prompt:[a-z0-9][a-zA-Z0-9._ -]{0,8}(@[0-9]{1,2}(\\.[0-9+-]{1,2}){1,3}([+-][a-z0-9.-]{0,4}){0,2})?") {
        if let Ok(reference) = PromptRef::parse(&text) {
            prop_assert_eq!(strict::read::<PromptRef>(&json!(text)), Ok(reference));
        }
    }

    #[test]
    fn whole_references(
        id in id(), library in prop::option::of(id()), version in prop::option::of(version()), overrides in object(value()),
    ) {
        let reference = PromptRef {
            library_id: library.map(|library| LibraryId::parse(&library).unwrap()),
            version: version.map(|version| Version::parse(&version).unwrap()),
            variable_overrides: overrides,
            ..PromptRef::new(TemplateId::parse(&id).unwrap())
        };
        let written = serde_json::to_value(&reference).unwrap();
        prop_assert_eq!(serde_json::from_value::<PromptRef>(written).unwrap(), reference);
    }

    #[test]
    fn no_text_breaks_the_reader_of_references(text in "(prompt:)?\\PC{0,140}") {
        if let Err(error) = PromptRef::parse(&text) {
            prop_assert!(error.to_string().chars().count() < 250);
            prop_assert!(error.suggestion().is_none_or(|nearest| PromptRef::parse(nearest).is_ok()), "{:?}", error);
        }
    }

    #[test]
    fn instants(millis in -60_000_000_000_000_i64..250_000_000_000_000) {
        let instant = Timestamp::from_millis(millis);
        let text = instant.to_string();
        prop_assert!(text.ends_with('Z') && text.as_bytes()[text.len() - 5] == b'.', "{}", text);
        prop_assert_eq!(text.parse::<Timestamp>().unwrap(), instant);
    }

    #[test]
    fn events_of_any_type(kind in event_type(), payload in value(), sequence in any::<u64>(), node in prop::option::of("\\PC{1,9}")) {
        let mut document = json!({
            "eventId": "e", "runId": "r", "type": kind, "payload": payload,
            "timestamp": "2026-01-31T12:00:00.123Z", "sequence": sequence,
        });
        if let Some(node) = node {
            document["nodeId"] = json!(node);
        }
        let event: RunEvent = serde_json::from_value(document.clone()).unwrap();
        prop_assert_eq!(serde_json::to_value(&event).unwrap(), document);
    }
}
