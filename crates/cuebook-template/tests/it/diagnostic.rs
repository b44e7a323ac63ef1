//! Diagnostics, and the nearest name.

use cuebook_template::{Diagnostic, Position, Severity, Source, Span, nearest};

#[test]
fn a_diagnostic_prints_one_line() {
    let source = Source::new("prompts/a.md", "one\r\ntwo é{{x}}");
    let plain = Diagnostic::error("prompt_variable_unresolved", "variable `x` has no value");
    assert_eq!(plain.to_string(), "error[prompt_variable_unresolved]: variable `x` has no value");
    assert_eq!(plain.position(), None);

    let placed = plain.at(&source, Span::new(11, 16)).with_hint("give it a default");
    assert_eq!(
        placed.to_string(),
        "prompts/a.md:2:6: error[prompt_variable_unresolved]: variable `x` has no value"
    );
    assert_eq!(placed.position(), Some(Position { line: 2, column: 6 }));
    assert_eq!(placed.hint.as_deref(), Some("give it a default"));
}

#[test]
fn severities_have_words_and_an_order() {
    assert_eq!(Diagnostic::warning("w", "m").to_string(), "warning[w]: m");
    assert_eq!(Diagnostic::note(String::from("n"), "m").to_string(), "note[n]: m");
    assert_eq!(Diagnostic::note("n", "m").with_severity(Severity::Error).to_string(), "error[n]: m");
    assert!(Severity::Error > Severity::Warning && Severity::Warning > Severity::Note);
    let words = serde_json::to_string(&[Severity::Note, Severity::Warning, Severity::Error]);
    assert_eq!(words.expect("severities are strings"), r#"["note","warning","error"]"#);
}

#[track_caller]
fn check_nearest(name: &str, candidates: &[&str], expect: Option<&str>) {
    assert_eq!(nearest(name, candidates.iter().copied()), expect, "{name:?} among {candidates:?}");
}

#[test]
fn slips_of_the_pen_are_found() {
    check_nearest("topci", &["tone", "topic"], Some("topic"));
    check_nearest("Topic", &["topic"], Some("topic"));
    check_nearest("user_nme", &["user_id", "user_name"], Some("user_name"));
    check_nearest("audiance", &["audience"], Some("audience"));
    check_nearest("ab", &["a"], Some("a"));
    check_nearest("größe", &["groesse", "grösse"], Some("grösse"));
}

#[test]
fn the_nearest_wins_and_then_the_first() {
    check_nearest("topic", &["topics", "topic"], Some("topic"));
    check_nearest("bat", &["cat", "hat"], Some("cat"));
}

#[test]
fn far_names_are_not_suggested() {
    check_nearest("topic", &[], None);
    check_nearest("topic", &["language", "tone"], None);
    check_nearest("a", &["b"], None);
    check_nearest("", &["a"], None);
    check_nearest("", &[""], Some(""));
    let long = "x".repeat(300);
    check_nearest(&long, &[&long], None);
}
