//! Placeholders against the names that are declared.

use cuebook_template::Source;
use cuebook_template::flat::Program;

/// Checks what is undeclared, as the text pointed at and the hint.
#[track_caller]
fn check_undeclared(text: &str, declared: &[&str], expect: &[(&str, &str)]) {
    let source = Source::new("t", text);
    let found = Program::parse(source.clone()).undeclared(declared);
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|finding| {
            let place = finding.label.as_ref().expect("a place");
            (source.slice(place.span).expect("a text"), finding.hint.as_deref().expect("a hint"))
        })
        .collect();
    assert_eq!(found, expect, "of {text:?} with {declared:?}");
}

#[track_caller]
fn check_unused(text: &str, name: &str, expect: Option<&str>) {
    let found = Program::parse(Source::new("t", text)).unused(name).and_then(|finding| finding.hint);
    assert_eq!(found.as_deref(), expect, "of {text:?} with {name:?}");
}

#[test]
fn every_name_that_nobody_declares_is_told_once() {
    check_undeclared("{{a}} {{b}} {{a}}", &["a", "b"], &[]);
    check_undeclared("{{b}} {{a}} {{b}}", &["a"], &[("{{b}}", "declare it, or correct the name")]);
    check_undeclared("{{ topik }}", &["topic", "count"], &[("{{ topik }}", "did you mean `topic`?")]);
    check_undeclared("{{#if x}} text", &[], &[]);
}

#[test]
fn a_declaration_that_no_placeholder_takes() {
    check_unused("{{a}}", "a", None);
    check_unused("{{topik}}", "topic", Some("is it meant where `{{topik}}` stands?"));
    check_unused("plain", "topic", Some("remove it, or write `{{topic}}` where the value belongs"));
}
