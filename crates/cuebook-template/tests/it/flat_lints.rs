//! Text that looks like a placeholder and is none.

use std::fmt::Write as _;

use cuebook_template::Source;
use cuebook_template::flat::Program;

/// Checks the findings of a template, each as `severity code` and the text it points at.
#[track_caller]
fn check(text: &str, expect: &[(&str, &str)]) {
    check_knowing(text, &[], expect);
}

#[track_caller]
fn check_knowing(text: &str, declared: &[&str], expect: &[(&str, &str)]) {
    let source = Source::new("t", text);
    let lints = Program::parse(source.clone()).lints_knowing(|name| declared.contains(&name));
    let got: Vec<(&str, &str)> = lints
        .iter()
        .map(|lint| {
            let place = lint.label.as_ref().expect("a lint has a place");
            (lint.code.as_ref(), source.slice(place.span).expect("a span on characters"))
        })
        .collect();
    assert_eq!(got, expect, "template {text:?}");
    assert!(lints.iter().all(|lint| lint.hint.is_some()), "template {text:?}: every lint has a hint");
}

#[test]
fn ordinary_text_has_no_findings() {
    for text in [
        "",
        "plain",
        "{{a}} {{ b }}",
        "{\"n\": {{n}}}",
        "{\"a\": {\"b\": {}}}",
        "fn main() { x }",
        "echo ${HOME} {x} 100% {%} {#} # {",
        "## Heading {#anchor}",
        "}} }",
        "{{ 😀",
        "{{",
    ] {
        check(text, &[]);
    }
}

#[test]
fn logic() {
    for text in [
        "{{#if}}",
        "{{#each items}}",
        "{{/if}}",
        "{{^a}}",
        "{{> part}}",
        "{{! note }}",
        "{{&a}}",
        "{{=<% %>=}}",
        "{{ if .Ready }}",
        "{{range $x}}",
        "{{else if a}}",
        "{{#if {a} }}",
    ] {
        check(text, &[("placeholder_logic", text)]);
    }
    check("{{#each {{a}}}}", &[("placeholder_logic", "{{#each")]);
    check("{{ #if", &[("placeholder_logic", "{{ #if")]);
    check("{{ # {{ /", &[]);
}

#[test]
fn paths() {
    for text in ["{{ user.name }}", "{{items[0]}}", "{{.Name}}", "{{@index}}", "{{$x}}", "{{ a.b | upper }}"]
    {
        check(text, &[("placeholder_path", text)]);
    }
}

#[test]
fn filters() {
    check("{{ a | upper }}", &[("placeholder_filter", "{{ a | upper }}")]);
    check("{{a|default:\"x\"}}", &[("placeholder_filter", "{{a|default:\"x\"}}")]);
}

#[test]
fn names_outside_the_rule() {
    for text in ["{{ 2x }}", "{{user-name}}", "{{naïve}}", "{{include:part}}", "{{-a-}}"] {
        check(text, &[("placeholder_name_invalid", text)]);
    }
    let long = format!("{{{{{}}}}}", "x".repeat(65));
    check(&long, &[("placeholder_name_invalid", &long)]);
}

#[test]
fn too_many_braces() {
    check("{{{a}}}", &[("placeholder_extra_braces", "{{{a}}}")]);
    check("{{{{ a }}}}", &[("placeholder_extra_braces", "{{{{ a }}}}")]);
    check("{{{a}} b", &[("placeholder_extra_braces", "{{{a}}")]);
}

#[test]
fn unclosed_placeholders() {
    check("{{name", &[("placeholder_unclosed", "{{name")]);
    check("{{ name and more", &[("placeholder_unclosed", "{{ name")]);
    check("{{name} and {{b}}", &[("placeholder_unclosed", "{{name}")]);
    check("{{ name }, {{b}}", &[("placeholder_unclosed", "{{ name }")]);
    check("{{name\n{{b}}", &[("placeholder_unclosed", "{{name")]);
}

#[test]
fn empty_and_literal_braces() {
    check("{{}} {{ }}", &[("placeholder_empty", "{{}}"), ("placeholder_empty", "{{ }}")]);
    check("{{ \"a\": 1 }}", &[("placeholder_literal_braces", "{{ \"a\": 1 }}")]);
    check("{{7*7}}", &[("placeholder_literal_braces", "{{7*7}}")]);
    check("{{\n  \"a\": 1\n}}", &[("placeholder_literal_braces", "{{\n  \"a\": 1\n}}")]);
    check("{{\n  a: 1,\n  b: 2\n}}", &[("placeholder_literal_braces", "{{")]);
}

#[test]
fn tags_and_comments() {
    check("{% if a %}", &[("placeholder_tag", "{% if a %}")]);
    check("{%- endfor -%}", &[("placeholder_tag", "{%- endfor -%}")]);
    check("{% set x\n", &[("placeholder_tag", "{% set")]);
    check("{% if {{a}} %}", &[("placeholder_tag", "{% if")]);
    check("{# note #}", &[("placeholder_comment", "{# note #}")]);
    check("{# no\nnote #}", &[]);
}

#[test]
fn single_braces_around_a_variable() {
    check(
        "{{a}} ${a} {a} {b}",
        &[("placeholder_single_braces", "${a}"), ("placeholder_single_braces", "{a}")],
    );
    check_knowing(
        "${a} { b } ${HOME}",
        &["a", "b"],
        &[("placeholder_single_braces", "${a}"), ("placeholder_single_braces", "{ b }")],
    );
    check_knowing("{{{a}}}", &["a"], &[("placeholder_extra_braces", "{{{a}}}")]);
    check_knowing("{{a}}{a}", &[], &[("placeholder_single_braces", "{a}")]);
}

#[test]
fn findings_come_in_order_of_place() {
    check(
        "{{#a}}{{x}}{{/a}} {% b %} {{{c}}}",
        &[
            ("placeholder_logic", "{{#a}}"),
            ("placeholder_logic", "{{/a}}"),
            ("placeholder_tag", "{% b %}"),
            ("placeholder_extra_braces", "{{{c}}}"),
        ],
    );
}

const DOCUMENT: &str = "\u{FEFF}Hello {{ name }}, {{#if formal}}dear{{/if}} {{ user.first-name }}.\r
{% for x in items %}- {{ x | upper }}{% endfor %}\r
é{{ 2nd_item }} {{{raw}}} {{& raw}} {{naïve}}\r
Answer as {{ \"score\": 1 }}, never {{}}. ${name} and {name}. {# todo #}\r
{{an_identifier_that_goes_on_for_rather_longer_than_sixty_four_characters_in_all}} {{name} {{open";

#[test]
fn a_document_with_every_mistake() {
    let program = Program::parse(Source::new("prompts/hello.md", DOCUMENT));
    let mut listing = String::new();
    for lint in program.lints() {
        let hint = lint.hint.as_deref().expect("every lint has a hint");
        writeln!(listing, "{lint}\n  hint: {hint}").expect("a String takes all text");
    }
    insta::assert_snapshot!(listing);
}
