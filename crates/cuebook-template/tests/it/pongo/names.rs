//! Which names a program reads from its context, and where.

use cuebook_template::pongo::undefined_names;

use super::support::{compile, files, full};

/// The names that a program reads, each with its places.
#[track_caller]
fn reads(source: &str, others: &[(&str, &str)], expect: &str) {
    let program = compile(source, &files(others), &full()).expect("a template");
    let told: Vec<String> = undefined_names(&program)
        .into_iter()
        .map(|root| {
            let places: Vec<String> = root.places.iter().map(ToString::to_string).collect();
            format!("{} {}", root.name, places.join(" "))
        })
        .collect();
    assert_eq!(told.join("; ").replace("main:", ""), expect, "{source}");
}

#[test]
fn every_reading_of_a_root_name_has_its_place() {
    reads("", &[], "");
    reads("{{ a }} {{ b.c.a }}\n{{ a|default:d }}", &[], "a 1:4 2:4; b 1:12; d 2:14");
    reads("{% if a and not b %}{% elif c == d %}{% endif %}", &[], "a 1:7; b 1:17; c 1:29; d 1:34");
    reads(
        "{% for x in a %}{{ x }}{{ forloop.Counter }}{{ b }}{% endfor %}{{ x }}",
        &[],
        "a 1:13; b 1:48; x 1:67",
    );
    reads(
        "{% firstof a b %}{% cycle c %}{% widthratio d 1 e %}",
        &[],
        "a 1:12; b 1:14; c 1:27; d 1:45; e 1:49",
    );
    reads("{{ [a, b[c]] }}{{ d(e) }}", &[], "a 1:5; b 1:8; c 1:10; d 1:19; e 1:21");
    reads("{{ true }}{{ 'a' }}{{ 1 }}{# a #}{% comment %}{{ b }}{% endcomment %}", &[], "");
}

#[test]
fn a_name_counts_until_the_program_gives_it_a_value() {
    reads("{% set a = 1 %}{{ a }}", &[], "");
    reads("{{ a }}{% set a = 1 %}{{ a }}", &[], "a 1:4");
    reads("{% set a = a + 1 %}{{ a }}", &[], "a 1:12");
    reads("{% if b %}{% set a = 1 %}{% endif %}{{ a }}", &[], "b 1:7");
    reads("{% for x in xs %}{{ a }}{% set a = x %}{{ a }}{% endfor %}{{ a }}", &[], "xs 1:13; a 1:21 1:62");
    reads("{% with a=b %}{{ a }}{{ c }}{% endwith %}{{ a }}", &[], "b 1:11; c 1:25; a 1:45");
    reads("{% macro m(a) %}{{ a }}{{ b }}{% endmacro %}{{ m(c) }}{{ a }}", &[], "b 1:27; c 1:50; a 1:58");
    reads("{% cycle 1 2 as a %}{{ a }}{% widthratio 1 2 3 as b %}{{ b }}", &[], "");
}

#[test]
fn included_files_count_where_they_stand() {
    let part = [("part", "{{ a }}{{ b }}{% set c = 1 %}{{ c }}")];
    reads("{% include 'part' %}{{ c }}", &part, "a part:1:4; b part:1:11; c 1:24");
    reads("{% include 'part' with a=d %}", &part, "d 1:26; b part:1:11");
    reads("{% include 'part' with a=d only %}", &part, "d 1:26");
    reads("{% set a = 1 %}{% include 'part' %}", &part, "b part:1:11");
    reads("{% include 'part' %}{% include 'part' %}", &part, "a part:1:4 part:1:4; b part:1:11 part:1:11");
    reads("{% include file with x=y %}", &part, "file 1:12; y 1:24");
    reads("{% include 'nowhere' if_exists %}", &part, "");
}

#[test]
fn parents_and_macros_of_other_files_count() {
    let others = [
        ("base", "{{ a }}{% block x %}{{ b }}{% endblock %}"),
        ("lib", "{% macro m(p) export %}{{ p }}{{ q }}{% endmacro %}{{ r }}"),
    ];
    reads(
        "{% extends 'base' %}{{ never }}{% block x %}{{ c }}{{ block.Super }}{% endblock %}",
        &others,
        "a base:1:4; c 1:48; b base:1:24",
    );
    reads("{% extends 'base' %}{% block x %}{% endblock %}", &others, "a base:1:4");
    reads("{% import 'lib' m %}{{ m(1) }}", &others, "q lib:1:34");
}
