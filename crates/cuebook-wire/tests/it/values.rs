//! Ids, versions, instants, references and the closed sets of names.

use std::cmp::Ordering;
use std::time::Duration;

use cuebook_wire::manifest::ModelClass;
use cuebook_wire::{
    AgentModelClass, PromptKind, PromptRef, PromptRefs, TemplateId, Timestamp, VariableType, Version,
};
use serde_json::{Value, json};

#[track_caller]
fn check_id(given: &str, expected: Result<(), &str>) {
    let read = TemplateId::parse(given).map(drop).map_err(|error| error.to_string());
    assert_eq!(read, expected.map_err(str::to_owned), "{given:?}");
}

#[test]
fn template_ids() {
    check_id("writer", Ok(()));
    check_id("0.a_b-c", Ok(()));
    check_id(&"a".repeat(128), Ok(()));
    check_id("", Err("the id is empty, expected 1 to 128 of a-z 0-9 . _ -"));
    check_id(&"a".repeat(129), Err("the id has 129 characters, at most 128 are allowed"));
    check_id("-a", Err("character '-' at position 1 is not allowed, expected a lower-case letter or digit"));
    check_id("aB", Err("character 'B' at position 2 is not allowed, expected one of a-z 0-9 . _ -"));
    check_id("äb", Err("character 'ä' at position 1 is not allowed, expected a lower-case letter or digit"));
}

#[track_caller]
fn check_ref(given: &str, expected: Result<&str, (&str, Option<&str>)>) {
    match (PromptRef::parse(given), expected) {
        (Ok(read), Ok(written)) => assert_eq!(read.to_string(), written),
        (Err(error), Err((message, suggestion))) => {
            assert_eq!((error.to_string().as_str(), error.suggestion()), (message, suggestion), "{given:?}");
        }
        (read, expected) => panic!("{given:?}: {read:?}, expected {expected:?}"),
    }
}

#[test]
fn stringy_references() {
    check_ref("prompt:writer", Ok("prompt:writer"));
    check_ref("prompt:vendor.acme.writer.v2", Ok("prompt:vendor.acme.writer.v2"));
    check_ref("prompt:a@1.2.3-rc.1+b5", Ok("prompt:a@1.2.3-rc.1+b5"));
}

#[test]
fn broken_references_say_what_is_wrong() {
    let empty = "template id: the id is empty, expected 1 to 128 of a-z 0-9 . _ -";
    check_ref("prompt:", Err((empty, None)));
    check_ref("prompt:@1.0.0", Err((empty, None)));
    let capital =
        "template id: character 'B' at position 1 is not allowed, expected a lower-case letter or digit";
    check_ref("prompt:Bad Id", Err((capital, Some("prompt:bad-id"))));
    check_ref("prompt:Bad Id@1.0.0", Err((capital, Some("prompt:bad-id@1.0.0"))));
    check_ref("prompt:Bad Id@1", Err((capital, Some("prompt:bad-id@1.0.0"))));
    check_ref("prompt:Bad Id@", Err((capital, None)));
    let short = "version: `1` is not a version: a version has three numbers, major.minor.patch";
    check_ref("prompt:a@1", Err((short, Some("prompt:a@1.0.0"))));
    let tagged = "version: `v1.2` is not a version: a version has three numbers, major.minor.patch";
    check_ref("prompt:a@v1.2", Err((tagged, Some("prompt:a@1.2.0"))));
    let range = "version: `^1.0.0` is not one version: ranges and names are not allowed";
    check_ref("prompt:a@^1.0.0", Err((range, None)));
    let scheme = "a prompt reference starts with `prompt:`";
    check_ref("writer@1.0.0", Err((scheme, Some("prompt:writer@1.0.0"))));
    check_ref("Writer@1", Err((scheme, Some("prompt:writer@1.0.0"))));
    check_ref("mcp:Writer", Err((scheme, Some("prompt:mcp-writer"))));
    check_ref("", Err((scheme, None)));
}

#[track_caller]
fn check_form(document: &Value, written: &Value) {
    let reference: PromptRef = serde_json::from_value(document.clone()).unwrap();
    assert_eq!(&serde_json::to_value(&reference).unwrap(), written);
}

#[test]
fn references_are_written_in_the_shortest_form() {
    check_form(&json!({ "templateId": "a" }), &json!("prompt:a"));
    check_form(
        &json!({ "templateId": "a", "version": "1.0.0", "variableOverrides": {} }),
        &json!("prompt:a@1.0.0"),
    );
    let with_library = json!({ "libraryId": "l", "templateId": "a" });
    check_form(&with_library, &with_library);
    let with_override = json!({ "templateId": "a", "version": "1.0.0", "variableOverrides": { "x": null } });
    check_form(&with_override, &with_override);
}

#[test]
fn references_by_kind() {
    let mut refs = PromptRefs::default();
    assert!(refs.is_empty());
    for kind in PromptKind::ALL {
        *refs.get_mut(kind) = Some(PromptRef::parse(&format!("prompt:{kind}")).unwrap());
        assert_eq!(refs.get(kind).unwrap().to_string(), format!("prompt:{kind}"));
    }
    let written = json!({
        "system": "prompt:system", "user": "prompt:user",
        "few-shot": "prompt:few-shot", "schema-hint": "prompt:schema-hint",
    });
    assert_eq!(serde_json::to_value(&refs).unwrap(), written);
}

#[track_caller]
fn check_order(lower: &str, higher: &str) {
    let (lower, higher) = (Version::parse(lower).unwrap(), Version::parse(higher).unwrap());
    assert_eq!(lower.precedence(&higher), Ordering::Less, "{lower} and {higher}");
    assert!(lower < higher);
}

#[test]
fn versions_are_ordered_by_precedence() {
    check_order("1.9.0", "1.10.0");
    check_order("1.0.0-rc.1", "1.0.0");
    check_order("1.0.0-alpha.2", "1.0.0-alpha.10");
    check_order("1.0.0-alpha", "1.0.0-beta");
    check_order("1.0.0", "2.0.0-alpha");
}

#[test]
fn build_metadata_counts_for_equality_alone() {
    let (left, right) = (Version::parse("1.0.0+a").unwrap(), Version::parse("1.0.0+b").unwrap());
    assert_eq!(left.precedence(&right), Ordering::Equal);
    assert_ne!(left, right);
    assert!(!left.is_prerelease() && Version::parse("1.0.0-a+b").unwrap().is_prerelease());
}

#[track_caller]
fn check_version(given: &str, message: &str, suggestion: Option<&str>) {
    let error = Version::parse(given).unwrap_err();
    assert_eq!((error.to_string().as_str(), error.suggestion()), (message, suggestion));
}

#[test]
fn broken_versions_say_what_is_wrong() {
    check_version(
        "1.2",
        "`1.2` is not a version: a version has three numbers, major.minor.patch",
        Some("1.2.0"),
    );
    check_version("latest", "`latest` is not one version: ranges and names are not allowed", None);
    check_version("1.x", "`1.x` is not one version: ranges and names are not allowed", None);
    check_version(
        "1.2.3.4",
        "`1.2.3.4` is not a version: unexpected character '.' after patch version number",
        None,
    );
    check_version(
        "01.2.3",
        "`01.2.3` is not a version: invalid leading zero in major version number",
        Some("1.2.3"),
    );
    check_version(
        "v1.2.3",
        "`v1.2.3` is not a version: unexpected character 'v' while parsing major version number",
        Some("1.2.3"),
    );
}

#[track_caller]
fn check_time(given: &str, written: &str) {
    assert_eq!(given.parse::<Timestamp>().unwrap().to_string(), written);
}

#[test]
fn instants_are_written_in_utc_with_three_digits() {
    check_time("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z");
    check_time("2026-01-31T12:00:00.1234567Z", "2026-01-31T12:00:00.123Z");
    check_time("2026-01-31T12:00:00+02:00", "2026-01-31T10:00:00.000Z");
    assert_eq!(Timestamp::from_millis(0).to_string(), "1970-01-01T00:00:00.000Z");
    assert_eq!(Timestamp::from_millis(-1).to_string(), "1969-12-31T23:59:59.999Z");
}

#[test]
fn instants_stay_within_their_range() {
    let start = Timestamp::from_millis(1_000);
    assert_eq!(start.plus(Duration::from_millis(1_500)).millis_since(start), 1_500);
    assert_eq!(start.millis_since(start.plus(Duration::from_secs(1))), 0);
    let end = Timestamp::from_millis(i64::MAX);
    assert_eq!(end.plus(Duration::MAX), end.plus(Duration::from_secs(1)));
    assert!("31 January".parse::<Timestamp>().unwrap_err().to_string().contains("RFC 3339"));
}

#[test]
fn names_outside_a_closed_set_name_the_nearest() {
    let error = "sytem".parse::<PromptKind>().unwrap_err();
    let expected = "unknown PromptKind `sytem`, expected one of system, user, few-shot, schema-hint \
        (did you mean `system`?)";
    assert_eq!(error.to_string(), expected);
    assert_eq!("assistant".parse::<PromptKind>().unwrap_err().nearest, None);
    let long = "x".repeat(200).parse::<PromptKind>().unwrap_err();
    assert_eq!(long.given.chars().count(), 80);
}

#[test]
fn variable_types_and_values() {
    let values = [json!("a"), json!(0), json!(false), json!([]), json!({})];
    for (kind, value) in VariableType::ALL.into_iter().zip(&values) {
        assert!(kind.accepts(value), "{kind} {value}");
        assert_eq!(values.iter().filter(|value| kind.accepts(value)).count(), 1);
        assert!(!kind.accepts(&Value::Null));
    }
}

#[test]
fn two_model_classes_have_the_same_name_on_both_sides() {
    let mapped: Vec<_> = ModelClass::ALL.into_iter().filter_map(AgentModelClass::from_manifest).collect();
    assert_eq!(mapped, [AgentModelClass::Reasoning, AgentModelClass::Classification]);
}
