//! What is told of the difference between two versions.

use cuebook_prompt::diff::{Side, TemplateDiff};
use cuebook_wire::PromptTemplate;
use serde_json::{Value as Json, json};

use crate::support::versioned;

fn of(version: &str, text: &str, variables: Json) -> PromptTemplate {
    versioned("tone", version, "user", text, variables)
}

fn variable(name: &str, kind: &str, required: bool) -> Json {
    json!({ "name": name, "type": kind, "required": required })
}

/// The lines as a person reads them; words that changed stand in brackets.
fn shown(diff: &TemplateDiff) -> String {
    let mut out = String::new();
    for line in &diff.lines {
        out.push(match line.side {
            Side::Both => ' ',
            Side::Old => '-',
            Side::New => '+',
        });
        for words in &line.words {
            let (open, close) = if words.is_changed { ("[", "]") } else { ("", "") };
            out.extend([open, &words.text, close]);
        }
        out.push('\n');
    }
    out
}

#[track_caller]
fn check(old: &str, new: &str, expect: &str) {
    let diff = TemplateDiff::of(&of("1.0.0", old, json!([])), &of("1.1.0", new, json!([])));
    assert_eq!(shown(&diff), expect, "from {old:?} to {new:?}");
}

#[test]
fn lines_and_the_words_within_them() {
    check("a\nb", "a\nb", "");
    check("a\nb\n", "a\nc\nb\n", " a\n+c\n b\n");
    check(
        "Write a long text.\nEnd.",
        "Write a short text.\nEnd.",
        "-Write a [long] text.\n+Write a [short] text.\n End.\n",
    );
    check("", "new", "+new\n");
    check("gone", "", "-gone\n");
}

#[test]
fn equal_content_is_no_difference_whatever_its_version() {
    let variables = json!([variable("a", "string", true)]);
    let diff = TemplateDiff::of(&of("1.0.0", "x", variables.clone()), &of("2.0.0", "x", variables));
    assert!(diff.is_empty(), "{diff:?}");
}

#[test]
fn fields_are_told_with_both_values() {
    let old = of("1.0.0", "x", json!([]));
    let new = PromptTemplate { name: Some("Tone".to_owned()), tags: vec!["t".to_owned()], ..old.clone() };
    let diff = TemplateDiff::of(&old, &new);
    assert_eq!(
        json!(diff.fields),
        json!([
            { "field": "name", "old": null, "new": "Tone" },
            { "field": "tags", "old": null, "new": ["t"] },
        ])
    );
}

#[test]
fn what_breaks_is_to_be_announced_by_a_major_version() {
    let old = json!([
        variable("gone", "string", false),
        variable("typed", "string", true),
        variable("opt", "string", false)
    ]);
    let new = json!([
        variable("new", "string", true),
        variable("typed", "number", true),
        variable("opt", "string", true),
        variable("fine", "string", false)
    ]);
    let (old, new) = (of("1.0.0", "x", old), of("1.1.0", "x", new));
    let diff = TemplateDiff::of(&old, &new);
    let told: Vec<String> = diff
        .unannounced(&old.version, &new.version)
        .map(|change| format!("{} {}", change.name, change.breaks().expect("it breaks")))
        .collect();
    assert_eq!(
        told,
        ["gone is gone", "new is new and required", "opt is required now", "typed has another type"]
    );
    let major = cuebook_wire::Version::new(2, 0, 0);
    assert_eq!(diff.unannounced(&old.version, &major).count(), 0);
    assert_eq!(diff.variables.len(), 5);
}
