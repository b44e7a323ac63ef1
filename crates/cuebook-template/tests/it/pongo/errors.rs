//! What an author is told: code, place, message, hint, and the includes that led there.

use std::fmt::Write;

use cuebook_template::Diagnostic;
use cuebook_template::pongo::{Options, Profile, Settings};
use serde_json::json;

use super::support::{Files, data, files, full, render_with};

/// A fault on as many lines as it has parts.
fn show(fault: &Diagnostic) -> String {
    let mut shown = fault.to_string();
    for place in &fault.included_from {
        write!(shown, "\n    included from {place}").expect("a string takes all");
    }
    if let Some(hint) = &fault.hint {
        write!(shown, "\n    hint: {hint}").expect("a string takes all");
    }
    shown
}

fn others() -> Files {
    files(&[
        ("part", "one\n{{ user.name.first }}"),
        ("outer", "{% if yes %}\n  {% include 'part' %}{% endif %}"),
        ("broken", "{{ a b }}\n{% nope %}"),
        ("around", "{% include 'broken' %}"),
        ("a", "{% include 'b' %}"),
        ("b", "\n{% include 'a' %}"),
        ("lib", "{% macro greet(who) export %}{{ who.x.y }}{% endmacro %}{% macro hidden() %}{% endmacro %}"),
        ("base", "{% block body %}{% endblock %}"),
    ])
}

/// All faults of a template, or of rendering it strictly.
fn told(source: &str) -> String {
    let settings = Settings { strict: true, ..Settings::default() };
    let faults = render_with(source, &others(), data(), &full(), &settings).expect_err(source);
    let shown: Vec<String> = faults.iter().map(show).collect();
    format!("{source}\n{}", shown.join("\n"))
}

const FAULTY: [&str; 62] = [
    "Dear {{ name",
    "{{ name }",
    "{{ 'name }}",
    "{{ \"a\\tb\" }}",
    "{{ a ? b }}",
    "{ {{ {name} }}",
    "{{ }}",
    "{% %}",
    "{% if\nname %}{% endif %}",
    "{# a\nb #}",
    "{# a",
    "{% comment %} a",
    "{% verbatim %} a",
    "{%verbatim%}{%endverbatim%}",
    "{% if name %}\n\n{% for x in xs %}\n{% endfor %}",
    "{% for x in xs %}{% if x %}{% endfor %}",
    "{% endif %}",
    "{% if a %}{% else %}{% else %}{% endif %}",
    "{% fi name %}{% endfi %}",
    "{% end if %}",
    "{% for x of xs %}{% endfor %}",
    "{% for x in xs %}{% else %}{% endfor %}",
    "{% set x 1 %}",
    "{% set %}",
    "{% with a %}{% endwith %}",
    "{% include %}",
    "{% include 'prat' %}",
    "{% include 'nothing/like/it' %}",
    "{% extends 'bsae' %}",
    "{% if yes %}{% extends 'base' %}{% endif %}",
    "{% block a %}{% endblock b %}",
    "{% block a %}{% endblock %}{% block a %}{% endblock %}",
    "{% import 'lib' gret %}",
    "{% import 'lib' hidden %}",
    "{% macro m(a %}{% endmacro %}",
    "{% cycle %}",
    "{% templatetag openblok %}",
    "{% autoescape maybe %}{% endautoescape %}",
    "{% now 'Jan 2' %}",
    "{% widthratio 1 0 100 %}",
    "{{ name|uppper }}",
    "{{ name|qqqqqqqq }}",
    "{{ name| }}",
    "{{ (1 + 2 }}",
    "{{ 1 + }}",
    "{{ [1, 2 }}",
    "{{ 99999999999999999999 }}",
    "{{ nmae }}",
    "{{ user.nmae }}",
    "{{ five.x }}",
    "{{ user.0 }}",
    "{{ xs.7 }}",
    "{{ name(1) }}",
    "{{ five / zero }}",
    "{{ xs == ys }}",
    "{{ -name }}",
    "{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}",
    "{% include 'outer' %}",
    "{% include 'around' %}",
    "{% include 'a' %}",
    "{% import 'lib' greet %}\n{{ greet(user) }}",
    "{% set p = 'part' %}\n{% include p %}",
];

#[test]
fn faulty_templates() {
    let all: Vec<String> = FAULTY.iter().map(|source| told(source)).collect();
    insta::assert_snapshot!(all.join("\n\n"));
}

#[test]
fn every_fault_has_a_code_a_place_and_a_hint() {
    let settings = Settings { strict: true, ..Settings::default() };
    for source in FAULTY {
        for fault in render_with(source, &others(), data(), &full(), &settings).expect_err(source) {
            let label = fault.label.as_ref().expect("a place");
            assert!(label.source.slice(label.span).is_some(), "{fault}");
            assert!(fault.code.starts_with("template_") && fault.hint.is_some(), "{fault}");
            assert!(
                fault.message.starts_with(|c: char| !c.is_uppercase()) && !fault.message.ends_with('.'),
                "{fault}"
            );
        }
    }
}

#[test]
fn all_faults_of_all_files_are_told_at_once() {
    let source = "{{ a b }}\n{% for x xs %}{{ y|nope }}{% endfor %}{% if %}{% endif %}\n{% include 'broken' %}{% fro %}";
    insta::assert_snapshot!(told(source));
    let linked = "{% include 'broken' %}{% include 'prat' %}{% import 'lib' gret %}{% include 'a' %}";
    insta::assert_snapshot!(told(linked));
}

#[test]
fn nobody_is_told_more_than_64_faults() {
    let faults =
        super::support::compile(&"{{ a b }}".repeat(1_000), &Files::new(), &full()).expect_err("faults");
    assert_eq!(faults.len(), 64);
}

/// A value that no message may hold.
const CANARY: &str = "k8Canary";

#[test]
fn no_error_tells_a_value() {
    let values = json!({
        "c": CANARY, "l": [CANARY], "m": {"k": CANARY}, "n": 8, "zero": 0, "deep": {"m": {"k": CANARY}},
    });
    let others = files(&[("part", "{{ c.x }}")]);
    for source in [
        "{{ c.x }}",
        "{{ c() }}",
        "{{ -c }}",
        "{{ l == l }}",
        "{{ m[c] }}",
        "{{ m.x }}",
        "{{ l[n] }}",
        "{{ c / zero }}",
        "{% include c %}",
        "{% include c + '/x' %}",
        "{% include 'part' %}",
        "{{ c|center:999999 }}",
        "{{ n|center:c }}{{ c.x }}",
        "{{ c|date:'2006' }}",
        "{{ c|pluralize }}",
        "{{ n|pluralize:c }}{{ 1|pluralize:'a,b,c' }}",
        "{{ c|stringformat:c }}{{ c.x }}",
        "{% for k in c %}{{ k.x }}{% endfor %}",
        "{% set x = c %}{{ x.y }}",
        "{% with x=c %}{{ x.y }}{% endwith %}",
        "{% macro f(x) %}{{ x.y }}{% endmacro %}{{ f(c) }}",
        "{{ deep.m.z }}",
        "{% widthratio c zero c %}",
        "{{ c|random }}",
        "{% filter center:n %}{{ c }}{% endfilter %}{{ nope }}",
        "{% for x in l %}{% include x %}{% endfor %}",
        "{{ c|nope }}",
    ] {
        let settings = Settings { strict: true, ..Settings::default() };
        let faults = render_with(source, &others, values.clone(), &full(), &settings).expect_err(source);
        for fault in faults {
            assert!(!show(&fault).contains(CANARY) && !fault.message.contains(CANARY), "{source}\n{fault}");
        }
    }
}

#[test]
fn a_profile_is_named_where_it_refuses() {
    let options = Options::of(Profile::Composed);
    let source = "{% macro a() %}{% endmacro %}{{ name|center:9 }}{% include file %}";
    let faults = render_with(source, &others(), data(), &options, &Settings::default()).expect_err("refused");
    let shown: Vec<String> = faults.iter().map(show).collect();
    insta::assert_snapshot!(shown.join("\n"));
}
