//! What the lint says about templates, and what it leaves alone.

use cuebook_prompt::lint::{Finding, MAX_TEMPLATE_BYTES, Size, changes, slot, template};
use cuebook_wire::{PromptKind, PromptTemplate, Version};
use serde_json::{Value as Json, json};

use crate::support::versioned;

/// The findings as `severity code path` and the text that they point at.
fn shown(findings: &[Finding]) -> Vec<String> {
    let one = |finding: &Finding| {
        let Finding { path, diagnostic } = finding;
        let label = diagnostic.label.as_ref();
        let text = label.map(|label| label.source.slice(label.span).unwrap()).unwrap_or_default();
        format!("{} {} {path} {text}", diagnostic.severity.as_str(), diagnostic.code).trim_end().to_owned()
    };
    findings.iter().map(one).collect()
}

#[track_caller]
fn check(kind: &str, text: &str, variables: Json, expect: &[&str]) {
    let found = template(&versioned("tone", "1.0.0", kind, text, variables));
    assert_eq!(shown(&found), expect, "of {text:?}");
}

fn variable(more: Json) -> Json {
    let mut variable = json!({ "name": "topic", "type": "string", "required": false });
    variable.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!([variable])
}

#[test]
fn a_sound_template_has_no_findings() {
    check("user", "On {{topic}}: {\"a\": 1} < 2 <b>.", variable(json!({ "defaultValue": "tea" })), &[]);
    check("system", "", json!([]), &[]);
}

#[test]
fn names_are_held_against_the_declarations() {
    check(
        "user",
        "On {{topik}} and {{count}}.",
        variable(json!({})),
        &[
            "warning prompt_placeholder_undeclared /text {{topik}}",
            "warning prompt_placeholder_undeclared /text {{count}}",
            "warning placeholder_unused /variables/0/name",
        ],
    );
    let found = template(&versioned("tone", "1.0.0", "user", "{{topik}}", variable(json!({}))));
    assert_eq!(found[0].diagnostic.nearest.as_deref(), Some("topic"));
    assert_eq!(found[1].diagnostic.nearest.as_deref(), Some("topik"));
}

#[test]
fn what_stays_literal_is_told() {
    check(
        "user",
        "{{ topic | upper }} {% if topic %} {{x-y}} {{{topic}}} {topic} {{topic}}",
        variable(json!({})),
        &[
            "warning placeholder_filter /text {{ topic | upper }}",
            "warning placeholder_tag /text {% if topic %}",
            "warning placeholder_name_invalid /text {{x-y}}",
            "warning placeholder_extra_braces /text {{{topic}}}",
            "warning placeholder_single_braces /text {topic}",
        ],
    );
}

#[test]
fn defaults_can_be_used_or_are_told() {
    let told = |more: Json, expect: &[&str]| check("user", "{{topic}}", variable(more), expect);
    told(json!({ "defaultValue": 3 }), &["error prompt_default_mismatch /variables/0/defaultValue"]);
    told(
        json!({ "type": "number", "defaultValue": "3" }),
        &["error prompt_default_mismatch /variables/0/defaultValue"],
    );
    told(json!({ "type": "array", "defaultValue": [] }), &[]);
    told(json!({ "defaultValue": null }), &[]);
    told(
        json!({ "required": true, "defaultValue": "x" }),
        &["warning prompt_default_unused /variables/0/defaultValue"],
    );
    told(json!({ "required": true, "defaultValue": null }), &[]);
}

#[test]
fn a_secret_belongs_into_no_turn_of_the_user() {
    let secret = || variable(json!({ "source": "secret" }));
    let told = &["warning prompt_secret_visible /text {{topic}}"];
    check("user", "a {{topic}} b {{topic}}", secret(), told);
    check("few-shot", "{{topic}}", secret(), told);
    check("system", "{{topic}}", secret(), &[]);
    check("schema-hint", "{{topic}}", secret(), &[]);
    check("user", "none", secret(), &["warning placeholder_unused /variables/0/name"]);
}

#[test]
fn facts_of_the_context_have_names() {
    let fact =
        |name: &str| json!([{ "name": name, "type": "string", "required": false, "source": "context" }]);
    check("user", "{{runId}}", fact("runId"), &[]);
    check("user", "{{runid}}", fact("runid"), &["warning prompt_context_unknown /variables/0/name"]);
    let found = template(&versioned("tone", "1.0.0", "user", "{{runid}}", fact("runid")));
    assert_eq!(found[0].diagnostic.nearest.as_deref(), Some("runId"));
}

#[test]
fn markers_written_by_hand_are_seen_through_their_disguises() {
    let marker = |text: &str| format!("warning prompt_marker_by_hand /text {text}");
    let told = |text: &str, expect: &[&str]| {
        let expect: Vec<String> = expect.iter().map(|text| marker(text)).collect();
        let found = template(&versioned("tone", "1.0.0", "system", text, json!([])));
        assert_eq!(shown(&found), expect, "of {text:?}");
    };
    told("a <UNTRUSTED>x</UNTRUSTED>", &["<UNTRUSTED>", "</UNTRUSTED>"]);
    told("</untrusted tool=\"a\"> b", &["</untrusted tool=\"a\">"]);
    told("＜／ＵＮＴＲＵＳＴＥＤ＞", &["＜／ＵＮＴＲＵＳＴＥＤ＞"]);
    told("<\u{200B}UNTRUSTED", &["<"]);
    told("untrusted <b>text</b>", &[]);
}

#[track_caller]
fn check_hints(hints: Json, expect: &[&str]) {
    let hints = serde_json::from_value(hints).unwrap();
    let hinted =
        PromptTemplate { model_hints: Some(hints), ..versioned("tone", "1.0.0", "user", "x", json!([])) };
    assert_eq!(shown(&template(&hinted)), expect);
}

#[test]
fn model_hints_are_looked_at() {
    check_hints(json!({ "modelClass": "reasoning", "temperature": 0.7, "maxTokens": 100 }), &[]);
    check_hints(
        json!({ "modelClass": "resoning" }),
        &["warning prompt_hint_doubtful /modelHints/modelClass"],
    );
    check_hints(json!({ "modelClass": "in-house" }), &["note prompt_hint_doubtful /modelHints/modelClass"]);
    check_hints(json!({ "temperature": 2 }), &[]);
    check_hints(
        json!({ "temperature": 2.1, "maxTokens": 0 }),
        &[
            "warning prompt_hint_doubtful /modelHints/temperature",
            "warning prompt_hint_doubtful /modelHints/maxTokens",
        ],
    );
}

#[test]
fn long_texts_are_told_before_they_are_refused() {
    let told =
        |bytes: usize| shown(&template(&versioned("tone", "1.0.0", "user", &"x".repeat(bytes), json!([]))));
    let none: [&str; 0] = [];
    assert_eq!(told(58_000), none);
    assert_eq!(told(60_000), ["warning prompt_near_limit /text"]);
    assert_eq!(told(MAX_TEMPLATE_BYTES), ["warning prompt_near_limit /text"]);
    assert_eq!(told(MAX_TEMPLATE_BYTES + 1), ["error prompt_too_large /text"]);
}

#[test]
fn tokens_are_counted_as_the_published_encoding_does() {
    for (text, tokens) in [("", 0), ("hello world", 2), ("Hello, world!", 4), ("{{topic}}", 3)] {
        let size = Size::of(text);
        assert_eq!((size.bytes, size.estimated_tokens), (text.len(), tokens), "of {text:?}");
    }
}

#[track_caller]
fn check_changes(old: (&str, Json), new: (&str, Json), expect: &[&str]) {
    let of = |(version, variables): (&str, Json)| versioned("tone", version, "user", "x", variables);
    let found = changes(&of(old), &of(new));
    let found: Vec<String> = found
        .iter()
        .map(|it| format!("{} {}: {}", it.diagnostic.code, it.path, it.diagnostic.message))
        .collect();
    assert_eq!(found, expect);
}

#[test]
fn a_change_that_breaks_needs_a_major_version() {
    let of = |name: &str, kind: &str| json!([{ "name": name, "type": kind, "required": false }]);
    let both = "but 1.0.0 and 1.1.0 have one major version";
    let told = |old: Json, new: Json, expect: &str| {
        let expect = format!("prompt_breaking_change {expect}, {both}");
        check_changes(("1.0.0", old.clone()), ("1.1.0", new.clone()), &[&expect]);
        check_changes(("1.0.0", old), ("2.0.0", new), &[]);
    };
    told(of("topic", "string"), json!([]), "/version: variable 'topic' is gone");
    told(
        of("topic", "string"),
        of("subject", "string"),
        "/variables/0/name: variable 'topic' is called 'subject'",
    );
    told(
        of("topic", "string"),
        of("topic", "number"),
        "/variables/0/name: variable 'topic' has another type",
    );
    told(of("topic", "string"), of("count", "number"), "/version: variable 'topic' is gone");
    let required = json!([{ "name": "topic", "type": "string", "required": true }]);
    told(json!([]), required, "/variables/0/name: variable 'topic' is new and required");
    check_changes(("1.0.0", json!([])), ("1.0.1", of("topic", "string")), &[]);
}

#[test]
fn a_renamed_variable_is_told_once_though_it_is_required() {
    let of = |name: &str| json!([{ "name": name, "type": "string", "required": true }]);
    let expect = "prompt_breaking_change /variables/0/name: variable 'topic' is called 'topics', \
                  but 1.0.0 and 1.0.1 have one major version";
    check_changes(("1.0.0", of("topic")), ("1.0.1", of("topics")), &[expect]);
}

#[test]
fn another_kind_breaks_too() {
    let old = versioned("tone", "1.0.0", "user", "x", json!([]));
    let new = versioned("tone", "1.0.1", "system", "x", json!([]));
    let found = changes(&old, &new);
    assert_eq!(shown(&found), ["warning prompt_breaking_change /kind"]);
}

#[test]
fn the_version_before_is_the_highest_below() {
    let versions = ["1.0.0", "1.2.0", "2.0.0-rc.1", "2.0.0"].map(|it| Version::parse(it).unwrap());
    for (version, expect) in [
        ("1.0.0", None),
        ("1.1.0", Some("1.0.0")),
        ("2.0.0", Some("2.0.0-rc.1")),
        ("1.2.0+build", Some("1.0.0")),
        ("3.0.0", Some("2.0.0")),
    ] {
        let found = cuebook_prompt::lint::predecessor(&Version::parse(version).unwrap(), &versions);
        assert_eq!(found.map(ToString::to_string).as_deref(), expect, "of {version}");
    }
}

#[test]
fn a_slot_is_for_one_kind() {
    assert_eq!(slot("prompt:a", PromptKind::User, PromptKind::User), None);
    let told = slot("prompt:a", PromptKind::User, PromptKind::System).unwrap();
    assert_eq!(
        told.to_string(),
        "warning[prompt_kind_mismatch]: 'prompt:a' is a user template in a place for system"
    );
}
