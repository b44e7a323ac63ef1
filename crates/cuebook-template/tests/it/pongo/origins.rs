//! Where each range of a text came from.

use cuebook_template::pongo::{Context, Segment};
use cuebook_template::{Trust, Value};
use serde_json::json;

use super::support::{context, data, files, origins};

/// The text of each segment with its place, its name and a mark for what is untrusted.
fn told(text: &str, segments: &[Segment]) -> String {
    let mut end = 0;
    let mut shown = Vec::new();
    for segment in segments {
        assert!(segment.range.start == end && segment.range.end > end, "{segment:?}");
        end = segment.range.end;
        let mark = if segment.trust == Trust::Untrusted { "!" } else { "" };
        let name = segment.name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
        let (start, stop) = (segment.location.span.start, segment.location.span.end);
        let file = segment.location.source.name();
        shown.push(format!("{:?}{mark} {file}[{start}..{stop}]{name}", &text[segment.range.clone()]));
    }
    assert_eq!(end, text.len());
    shown.join("; ").replace("main[", "[")
}

fn values() -> Context {
    let mut context = context(data());
    context.insert("u", Value::new(json!({"k": "ugh", "l": ["x", "y"]}), Trust::Untrusted));
    context
}

#[track_caller]
fn come_from(source: &str, others: &[(&str, &str)], expect: &str) {
    let (rendered, segments) = origins(source, &files(others), &values());
    assert_eq!(told(&rendered.text, &segments), expect, "{source}");
}

#[test]
fn texts_and_values_have_their_spans_and_names() {
    come_from("", &[], "");
    come_from("ab{{ name }}c", &[], r#""ab" [0..2]; "Ada" [5..9] name; "c" [12..13]"#);
    come_from(
        "{{ user.home.city }}{{ user.name|upper }}",
        &[],
        r#""Ulm" [3..17] user.home.city; "BO" [23..38] user.name"#,
    );
    come_from(
        "{{ 'x' }}{{ 1 + five }}{{ true }}{{ not no }}",
        &[],
        r#""x" [3..6]; "6" [12..20]; "True" [26..30]; "True" [36..42]"#,
    );
    come_from("{{ empty }}{{ nope }}{{ nil }}", &[], "");
    come_from("a {{- name -}} b", &[], r#""a" [0..1]; "Ada" [6..10] name; "b" [15..16]"#);
    come_from("{{ xs[0] }}{{ xs.1 }}", &[], r#""1" [3..8] xs; "2" [14..18] xs.1"#);
}

#[test]
fn texts_next_to_each_other_keep_their_parts() {
    come_from("a{# x #}b{% templatetag openbrace %}", &[], r#""a" [0..1]; "b" [8..9]; "{" [9..36]"#);
    come_from(
        "a{% include 'part' %}b",
        &[("part", "xy{{ name }}")],
        r#""a" [0..1]; "xy" part[0..2]; "Ada" part[5..9] name; "b" [21..22]"#,
    );
    come_from(
        "{% include 'part' %}{% include 'part' %}",
        &[("part", "x")],
        r#""x" part[0..1]; "x" part[0..1]"#,
    );
    come_from("{% ssi 'part' %}", &[("part", "{{ x }}")], r#""{{ x }}" [0..16]"#);
    let base = ("base", "<{% block a %}x{% endblock %}>");
    come_from(
        "{% extends 'base' %}{% block a %}y{{ block.Super }}{% endblock %}",
        &[base],
        r#""<" base[0..1]; "y" [33..34]; "x" base[14..15]; ">" base[29..30]"#,
    );
}

#[test]
fn loops_and_files_of_the_render_repeat_their_places() {
    come_from(
        "{% for x in xs %}{{ x }}.{% endfor %}",
        &[],
        &["1", "2", "3"].map(|x| format!(r#""{x}" [20..21] x; "." [24..25]"#)).join("; "),
    );
    come_from("{% include file %}", &[("part", "x{{ name }}")], r#""x" part[0..1]; "Ada" part[4..8] name"#);
}

#[test]
fn what_a_block_puts_together_is_one_segment() {
    come_from("{% filter upper %}a{{ name }}{% endfilter %}b", &[], r#""AADA" [0..18]; "b" [44..45]"#);
    come_from("{% filter upper %}a{{ u.k }}{% endfilter %}", &[], r#""AUGH"! [0..18]"#);
    come_from("{% spaceless %}<a> <b>{{ u.k }}{% endspaceless %}", &[], r#""<a><b>ugh"! [0..15]"#);
    come_from(
        "{% macro m(a) %}[{{ a }}]{% endmacro %}{{ m(name) }}{{ m(u.k) }}",
        &[],
        r#""[Ada]" [42..49] m; "[ugh]"! [55..61] m"#,
    );
    come_from("{% firstof nope u.k %}{% cycle u.k name %}", &[], r#""ugh"! [0..22]; "ugh"! [22..42]"#);
    come_from("{% ifchanged %}{{ u.k }}{% endifchanged %}", &[], r#""ugh"! [0..15]"#);
    come_from(
        "{% now '2006' fake %}{% lorem 1 w %}{% widthratio 1 2 3 %}",
        &[],
        r#""2014" [0..21]; "Lorem" [21..36]; "2" [36..58]"#,
    );
}

#[test]
fn autoescape_and_filters_stay_with_the_value() {
    come_from(
        "{% autoescape on %}{{ '<' }}{{ u.k|upper }}{% endautoescape %}",
        &[],
        r#""&lt;" [22..25]; "UGH"! [31..40] u.k"#,
    );
    come_from(
        "{{ u.l|join:', ' }}{{ xs|join:u.k }}",
        &[],
        r#""x, y"! [3..16] u.l; "1ugh2ugh3"! [22..33] xs"#,
    );
}
