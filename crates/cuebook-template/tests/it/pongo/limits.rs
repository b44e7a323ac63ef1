//! Each limit, exactly reached and passed by one.

use cuebook_template::Diagnostic;
use cuebook_template::pongo::{LimitKind, Options, Settings};
use serde_json::{Value as Json, json};

use super::support::{Files, files, full, render_with};

fn under(
    kind: LimitKind,
    limit: usize,
    source: &str,
    others: &Files,
    values: &Json,
) -> Result<String, Box<Diagnostic>> {
    let options = Options { limits: full().limits.with(kind, limit), ..full() };
    let rendered = render_with(source, others, values.clone(), &options, &Settings::default());
    rendered.map(|rendered| rendered.text).map_err(|mut faults| Box::new(faults.swap_remove(0)))
}

/// A template needs exactly `need` of `kind`; with one less it fails, and says that it saw `seen`.
#[track_caller]
fn needs(kind: LimitKind, need: usize, seen: &str, source: &str, others: &[(&str, &str)], values: &Json) {
    let others = files(others);
    if let Err(fault) = under(kind, need, source, &others, values) {
        panic!("{source}\n{fault}");
    }
    let limit = need - 1;
    let fault = under(kind, limit, source, &others, values).expect_err(source);
    assert_eq!(fault.code, "template_limit_exceeded", "{fault}");
    assert_eq!(fault.message, format!("limit '{kind}' is {limit}, got {seen}"), "{source}");
    assert!(fault.hint.is_some_and(|hint| !hint.is_empty()));
}

#[test]
fn limits_of_files() {
    let none = json!({});
    needs(LimitKind::SourceBytes, 5, "5", "héll", &[], &none);
    needs(LimitKind::SourceBytes, 17, "17", "{% include 'a' %}", &[("a", "")], &none);
    needs(LimitKind::SourceBytes, 20, "20", "{% ssi 'a' %}", &[("a", "01234567890123456789")], &none);
    needs(LimitKind::Tags, 3, "3", "{% set a=1 %}{{ a }}{% if a %}{% endif %}", &[], &none);
    needs(
        LimitKind::Tags,
        3,
        "3",
        "{% include 'a' %}",
        &[("a", "{% set a=1 %}{% set a=1 %}{% set a=1 %}")],
        &none,
    );
    needs(
        LimitKind::Files,
        3,
        "3",
        "{% include 'a' %}{% ssi 'b' %}{% include 'a' %}",
        &[("a", ""), ("b", "")],
        &none,
    );
    needs(LimitKind::Files, 3, "3", "{% extends 'a' %}", &[("a", "{% extends 'b' %}"), ("b", "")], &none);
    let named = json!({"names": ["a", "b", "a", "b"]});
    needs(
        LimitKind::Files,
        2,
        "2",
        "{% for n in names %}{% include n %}{% endfor %}",
        &[("a", ""), ("b", "")],
        &named,
    );
}

#[test]
fn limits_of_programs() {
    let (none, twice) = (json!({}), [("a", "xx{{ y }}")]);
    needs(LimitKind::ProgramNodes, 5, "more", "x{{ 1 + 2 }}{% if no %}x{% endif %}", &[], &none);
    needs(LimitKind::ProgramNodes, 6, "more", "{% include 'a' %}{% include 'a' %}", &twice, &none);
    needs(LimitKind::ProgramNodes, 3, "more", "{{ a|upper|lower }}", &[], &none);
    needs(LimitKind::ProgramBytes, 4, "at least 4", "x{##}xxx", &[], &none);
    needs(
        LimitKind::ProgramBytes,
        54,
        "at least 54",
        "{% include 'a' %}{% include 'a' %}",
        &[("a", "0123456789")],
        &none,
    );
}

#[test]
fn limits_of_depth() {
    let none = json!({});
    needs(LimitKind::Nesting, 3, "3", "{% if 1 %}{% if 1 %}x{% endif %}{% endif %}", &[], &none);
    needs(LimitKind::Nesting, 3, "3", "{% if 1 %}{% include 'a' %}{% endif %}", &[("a", "x")], &none);
    needs(LimitKind::Nesting, 3, "3", "{{ ((1)) }}", &[], &none);
    needs(
        LimitKind::Nesting,
        5,
        "5",
        "{% macro m() %}{{ [1] }}{% endmacro %}{% if 1 %}{{ [m] }}{% endif %}",
        &[],
        &none,
    );
    needs(LimitKind::Nesting, 2, "2", "{% set a = [] %}{% set a = [a] %}", &[], &none);
    needs(
        LimitKind::LoopNesting,
        2,
        "2",
        "{% for a in x %}{% for b in x %}{% endfor %}{% endfor %}",
        &[],
        &none,
    );
    needs(
        LimitKind::LoopNesting,
        1,
        "1",
        "{% for a in x %}{% include 'a' %}{% endfor %}",
        &[("a", "{% for a in x %}{% endfor %}")],
        &none,
    );
    let chain = [("a", "{% include 'b' %}"), ("b", "")];
    needs(LimitKind::IncludeDepth, 3, "3", "{% include 'a' %}", &chain, &none);
    needs(LimitKind::IncludeDepth, 2, "2", "{% extends 'b' %}", &chain, &none);
    let macros = "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(3) }}";
    needs(LimitKind::IncludeDepth, 4, "4", macros, &[], &none);
    let named = [("a", "{% include y %}"), ("b", "")];
    needs(LimitKind::IncludeDepth, 2, "2", "{% include x %}", &named, &json!({"x": "a", "y": "b"}));
}

#[test]
fn limits_of_data() {
    needs(LimitKind::ContextBytes, 8, "8", "", &[], &json!({"ab": {"c": "é"}, "d": ["e", "f"]}));
    needs(LimitKind::ContextValues, 5, "5", "", &[], &json!({"a": [1, [null]], "b": {}}));
    needs(LimitKind::ContextDepth, 3, "3", "", &[], &json!({"a": [{"b": []}], "c": 1}));
    needs(LimitKind::LoopItems, 3, "3", "", &[], &json!({"a": [1, 2, 3]}));
    needs(LimitKind::LoopItems, 3, "3", "", &[], &json!({"a": {"x": 1, "y": 1, "z": 1}}));
    needs(LimitKind::LoopItems, 4, "4", "{% for c in s %}{% endfor %}", &[], &json!({"s": "größ"}));
    needs(LimitKind::LoopItems, 2, "2", "{{ [1, 2] }}", &[], &json!({}));
    needs(LimitKind::LoopItems, 3, "3", "{{ 'a,b,c'|split:',' }}", &[], &json!({}));
}

#[test]
fn limits_of_renders() {
    let none = json!({});
    needs(LimitKind::OutputBytes, 6, "at least 6", "ab{{ x }}", &[], &json!({"x": "é12"}));
    needs(LimitKind::OutputBytes, 3, "at least 3", "{{ 'abc'|upper }}", &[], &none);
    needs(
        LimitKind::OutputBytes,
        4,
        "at least 4",
        "{% autoescape on %}{{ '<' }}{% endautoescape %}",
        &[],
        &none,
    );
    needs(LimitKind::OutputBytes, 3, "at least 3", "{% filter upper %}abc{% endfilter %}", &[], &none);
    needs(LimitKind::MemoryBytes, 3, "at least 3", "{% set a = 'a' + 'bc' %}", &[], &none);
    needs(LimitKind::MemoryBytes, 7, "7", "{% set a = 'a' + 'bc' %}{% set a = a + 'd' %}", &[], &none);
    needs(LimitKind::FilterArgument, 12, "12", "{{ 'x'|center:12 }}", &[], &none);
    needs(LimitKind::FilterArgument, 12, "12", "{{ 1|floatformat:12 }}", &[], &none);
}

#[test]
fn fuel_is_one_for_each_block_and_node() {
    let none = json!({});
    let more = "more steps";
    needs(LimitKind::Fuel, 2, more, "x", &[], &none);
    needs(LimitKind::Fuel, 3, more, "x{{ y }}", &[], &none);
    needs(LimitKind::Fuel, 2 + 3 * 2, more, "{% for x in xs %}x{% endfor %}", &[], &json!({"xs": [1, 2, 3]}));
    needs(LimitKind::Fuel, 2 + 100, more, "{{ s|upper }}", &[], &json!({"s": "x".repeat(6_400)}));
}

#[test]
fn every_limit_has_a_name_of_its_own() {
    let names: std::collections::BTreeSet<&str> = LimitKind::ALL.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(names.len(), LimitKind::ALL.len());
    for kind in LimitKind::ALL {
        assert_eq!(full().limits.with(kind, 7).get(kind), 7);
    }
}
