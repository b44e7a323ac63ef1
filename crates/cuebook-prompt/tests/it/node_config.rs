//! Reading the prompt keys of a node's config (RFC 0027 §C).

use cuebook_prompt::{CONFIG_KEYS, NodePrompts};
use cuebook_wire::PromptKind;
use serde_json::{Value as Json, json};

use crate::support::{node, reference};

#[test]
fn every_key_is_read() {
    let read = node(&json!({
        "systemPromptRef": "prompt:s@1.0.0",
        "userPromptRef": { "libraryId": "l", "templateId": "u" },
        "schemaHintPromptRef": "prompt:h",
        "fewShotPromptRefs": ["prompt:f", "prompt:g"],
        "additionalPromptRefs": ["prompt:a"],
        "systemPrompt": "S",
        "userPrompt": "",
        "model": { "not": "ours" },
    }));
    assert_eq!(read.candidate(PromptKind::System, 0), Some(&reference("prompt:s@1.0.0")));
    assert_eq!(read.candidate(PromptKind::User, 0).unwrap().library_id.as_ref().unwrap().as_str(), "l");
    assert_eq!(read.candidate(PromptKind::SchemaHint, 0), Some(&reference("prompt:h")));
    assert_eq!(read.candidate(PromptKind::FewShot, 1), Some(&reference("prompt:g")));
    assert_eq!(read.candidate(PromptKind::FewShot, 2), None);
    assert_eq!(read.additional, [reference("prompt:a")]);
    assert_eq!((read.inline(PromptKind::System), read.inline(PromptKind::User)), (Some("S"), Some("")));
    assert_eq!(read.superseded_inline().collect::<Vec<_>>(), [PromptKind::System, PromptKind::User]);
}

#[test]
fn null_is_absence_and_other_keys_are_not_ours() {
    let config: Json = CONFIG_KEYS.iter().map(|key| ((*key).to_owned(), Json::Null)).collect();
    assert_eq!(node(&config), NodePrompts::default());
    assert_eq!(node(&json!({ "model": "m", "systemprompt": 1 })), NodePrompts::default());
}

/// The paths at which a config is faulty.
#[track_caller]
fn check(config: &Json, expect: &[&str]) {
    let faults = NodePrompts::read(config.as_object().unwrap()).unwrap_err();
    let paths: Vec<&str> = faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, expect);
    assert!(faults.iter().all(|fault| !fault.message.is_empty()));
}

#[test]
fn every_fault_has_its_path() {
    check(&json!({ "systemPromptRef": "prompt:Bad Id" }), &["/systemPromptRef"]);
    check(&json!({ "userPromptRef": "prompt:a@1" }), &["/userPromptRef"]);
    check(&json!({ "schemaHintPromptRef": "prompt:" }), &["/schemaHintPromptRef"]);
    check(&json!({ "fewShotPromptRefs": "prompt:a" }), &["/fewShotPromptRefs"]);
    check(&json!({ "systemPrompt": 1, "userPrompt": ["a"] }), &["/systemPrompt", "/userPrompt"]);
    check(
        &json!({
            "systemPromptRef": 7,
            "fewShotPromptRefs": ["prompt:a", "b", { "templateId": "c", "versoin": "1.0.0" }],
            "additionalPromptRefs": [null],
        }),
        &[
            "/systemPromptRef",
            "/fewShotPromptRefs/1",
            "/fewShotPromptRefs/2/versoin",
            "/additionalPromptRefs/0",
        ],
    );
}

#[test]
fn faults_help_along() {
    let config = json!({ "systemPromptRef": "writer@1.0", "userPromptRef": { "templateID": "u" } });
    let faults = NodePrompts::read(config.as_object().unwrap()).unwrap_err();
    let text: Vec<String> = faults.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(text.join("\n"));
}
