//! What is doubtful about templates, told when they are loaded.

use serde_json::json;

use crate::support::{Project, checked, template};

/// The code, line and column of each finding of a project with one more file.
#[track_caller]
fn check(path: &str, content: &str, expect: &[(&str, usize, usize)]) {
    let project = Project::new().with(path, content);
    let host = project.host().unwrap();
    let doubts = host.doubts();
    let found: Vec<(String, usize, usize)> = doubts
        .iter()
        .map(|warning| {
            let place = warning.position().unwrap();
            (warning.code.to_string(), place.line, place.column)
        })
        .collect();
    let found: Vec<(&str, usize, usize)> =
        found.iter().map(|(code, line, column)| (code.as_str(), *line, *column)).collect();
    assert_eq!(found, expect, "of {content:?}");
    assert_eq!(checked(&host).warnings.iter().count(), expect.len());
}

#[test]
fn texts_of_files_have_their_places() {
    let file = |text: &str| template("other", "1.0.0", text);
    check("prompts/other.md", &file("Nothing is wrong with {{topic}} and {this}."), &[]);
    let (undeclared, unused) = ("prompt_placeholder_undeclared", "placeholder_unused");
    check(
        "prompts/other.md",
        &file("{{topik}} {{ topik }}\n{{b}}"),
        &[(undeclared, 11, 1), (undeclared, 12, 1), (unused, 7, 1)],
    );
    let single = "placeholder_single_braces";
    check(
        "prompts/other.md",
        &file("é {topic} {{x}}"),
        &[(single, 11, 3), (undeclared, 11, 11), (unused, 7, 1)],
    );
}

#[test]
fn texts_in_json_have_the_place_of_the_whole() {
    let undeclared = "prompt_placeholder_undeclared";
    let json =
        "{\"templateId\": \"other\", \"version\": \"1.0.0\", \"kind\": \"user\",\n \"text\": \"a {{b}}\"}";
    check("prompts/other.json", json, &[(undeclared, 2, 2)]);
    let prompt = json!({ "templateId": "packed", "version": "1.0.0", "kind": "user", "text": "{{now}}" });
    let pack = json!({
        "kind": "prompt", "name": "vendor.acme.pack", "version": "1.0.0", "engines": { "openwop": ">=1" },
        "prompts": [prompt],
    });
    let pack = pack.to_string();
    let column = pack.find("\"text\"").unwrap() + 1;
    check("packs/acme/pack.json", &pack, &[(undeclared, 1, column)]);
}
