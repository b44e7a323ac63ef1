//! Other files: by literal name, by expression, with values of their own.

use std::sync::atomic::{AtomicUsize, Ordering};

use cuebook_template::pongo::{LoadError, Loader, Settings};
use cuebook_template::{Diagnostic, Source};

use super::support::{Files, compile, context, data, fails_with, files, full, shows_with};

#[test]
fn an_include_sees_everything_and_leaks_nothing() {
    let part = "<{{ name }}{{ a }}{{ x }}{{ forloop.Counter }}>{% set a = 9 %}";
    shows_with("{% include 'part' %}", &[("part", part)], "<Ada>");
    shows_with("{% set a = 1 %}{% include 'part' %}{{ a }}", &[("part", part)], "<Ada1>1");
    shows_with(
        "{% for x in ys %}{% include 'part' %}{% endfor %}",
        &[("part", part)],
        "<Adab1><Adaa2><Adac3>",
    );
    shows_with("{% include \"part\" %}|{% include 'part' %}", &[("part", part)], "<Ada>|<Ada>");
}

#[test]
fn an_include_by_expression_sees_as_much() {
    let part = "<{{ name }}{{ a }}{{ x }}{{ forloop.Counter }}>{% set a = 9 %}";
    shows_with("{% include file %}", &[("part", part)], "<Ada>");
    shows_with("{% set a = 1 %}{% include file %}{{ a }}", &[("part", part)], "<Ada1>1");
    shows_with("{% for x in ys %}{% include file %}{% endfor %}", &[("part", part)], "<Adab1><Adaa2><Adac3>");
    shows_with("{% include file|upper %}{% include empty+'part' %}", &[("PART", "P"), ("part", "p")], "Pp");
    shows_with("{% macro m() %}M{% endmacro %}{% include file %}", &[("part", "{{ m() }}")], "M");
}

#[test]
fn with_adds_names_and_only_hides_all_others() {
    let part = "[{{ name }},{{ a }},{{ b }}]";
    for include in ["'part'", "file"] {
        let check = |rest: &str, expect: &str| {
            shows_with(
                &format!("{{% set b = 7 %}}{{% include {include} {rest} %}}"),
                &[("part", part)],
                expect,
            );
        };
        check("with a=1", "[Ada,1,7]");
        check("with a=b b=five", "[Ada,7,5]");
        check("with a=name+'!' name='x'", "[x,Ada!,7]");
        check("with a=name only", "[,Ada,]");
        check("if_exists with a=1 only", "[,1,]");
    }
    shows_with(
        "{% include 'p' with a=1 only %}",
        &[("p", "{% include 'q' %}"), ("q", "{{ a }}{{ name }}")],
        "1",
    );
    shows_with("{% include 'p' with a=1 only %}", &[("p", "{% set name='x' %}{{ name }}{{ a }}")], "x1");
    shows_with(
        "{% include 'p' with n='q' only %}",
        &[("p", "{% include n %}"), ("q", "{{ n }}{{ name }}")],
        "q",
    );
}

#[test]
fn if_exists_forgives_only_a_missing_file() {
    shows_with("a{% include 'nowhere' if_exists %}b{% include absent if_exists %}c", &[], "abc");
    shows_with("{% include 'part' if_exists %}{% include file if_exists %}", &[("part", "p")], "pp");
    fails_with("{% include 'part' if_exists %}", &[("part", "x{{ }}")], "template_syntax", "part:1:5");
    fails_with("{% include file if_exists %}", &[("part", "x{{ }}")], "template_syntax", "part:1:5");
    fails_with("{% include empty if_exists %}", &[], "template_not_found", "main:1:1");
    fails_with("{% include nope %}", &[], "template_not_found", "main:1:1");
    fails_with("{% include absent %}", &[], "template_not_found", "main:1:1");
    fails_with("{% include 'nowhere' %}", &[], "template_not_found", "main:1:12");
    fails_with("{% include 'a' + 'b' %}", &[("a", "")], "template_syntax", "main:1:16");
    fails_with("{% include 'a' only %}", &[("a", "")], "template_syntax", "main:1:16");
    fails_with("{% include %}", &[], "template_syntax", "main:1:4");
}

#[test]
fn each_include_has_its_own_turns() {
    let part = "{% cycle 'a' 'b' %}";
    shows_with("{% include 'part' %}{% include 'part' %}", &[("part", part)], "aa");
    shows_with(
        "{% cycle 'x' 'y' as c %}{% include 'p' with q=1 only %}{% cycle c %}",
        &[("p", "{% cycle c %}|")],
        "x|y",
    );
    let changed = "{% ifchanged %}same{% endifchanged %}";
    shows_with("{% include 'p' %}{% include 'p' %}", &[("p", changed)], "samesame");
}

#[test]
fn ssi_takes_a_file_as_text_or_as_a_template() {
    shows_with("{% ssi 'part' %}", &[("part", "{{ name }}")], "{{ name }}");
    shows_with("{% ssi 'part' parsed %}", &[("part", "{{ name }}")], "Ada");
    fails_with("{% ssi 'nowhere' %}", &[], "template_not_found", "main:1:8");
    fails_with("{% ssi part %}", &[], "template_syntax", "main:1:8");
}

#[test]
fn circles_are_told_with_their_path() {
    let told = |others: &[(&str, &str)]| {
        let faults = compile("{% include 'a' %}", &files(others), &full()).expect_err("a circle");
        assert_eq!((&*faults[0].code, faults.len()), ("template_cycle", 1), "{faults:?}");
        faults[0].message.rsplit_once(": ").expect("a path").1.to_owned()
    };
    assert_eq!(told(&[("a", "{% include 'a' %}")]), "a -> a");
    assert_eq!(told(&[("a", "{% include 'b' %}"), ("b", "{% include 'a' %}")]), "a -> b -> a");
    assert_eq!(told(&[("a", "{% include 'main' %}"), ("main", "")]), "main -> a -> main");
    assert_eq!(
        told(&[("a", "{% if no %}{% include 'b' %}{% endif %}"), ("b", "{% ssi 'a' parsed %}")]),
        "a -> b -> a"
    );
    let through_parents =
        [("a", "{% extends 'p' %}"), ("p", "{% include 'b' %}"), ("b", "{% include 'a' %}")];
    assert_eq!(told(&through_parents), "a -> b -> a");
    assert_eq!(told(&[("a", "{% extends 'b' %}"), ("b", "{% extends 'a' %}")]), "a -> b -> a");
    assert_eq!(told(&[("a", "{% extends 'a' %}")]), "a -> a");
}

#[test]
fn a_diamond_is_no_circle() {
    let others = [("l", "{% include 'd' %}"), ("r", "{% include 'd' %}"), ("d", "{{ name }}")];
    shows_with("{% include 'l' %}{% include 'r' %}{% include 'd' %}", &others, "AdaAdaAda");
}

#[test]
fn a_circle_of_expressions_ends_at_a_limit() {
    fails_with(
        "{% include file %}",
        &[("part", "\n{% include file %}")],
        "template_limit_exceeded",
        "part:2:1",
    );
}

/// Counts what it is asked for.
struct Counting<'f> {
    files: &'f Files,
    asked: AtomicUsize,
}

impl Loader for Counting<'_> {
    fn load(&self, name: &str) -> Result<Option<Source>, LoadError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.files.load(name)
    }
}

#[test]
fn a_render_asks_for_each_name_once() {
    let others = files(&[("part", "{{ x }}")]);
    let loader = Counting { files: &others, asked: AtomicUsize::new(0) };
    let program =
        compile("{% for x in xs %}{% include file %}{% endfor %}", &others, &full()).expect("a template");
    let settings = Settings { loader: Some(&loader), ..Settings::default() };
    assert_eq!(program.render(&context(data()), &settings).expect("a text").text, "123");
    assert_eq!(loader.asked.load(Ordering::Relaxed), 1);
}

#[test]
fn a_render_without_a_loader_names_no_files() {
    let program = compile("{% include file %}", &Files::new(), &full()).expect("a template");
    let fault: Box<Diagnostic> =
        program.render(&context(data()), &Settings::default()).expect_err("no loader");
    assert_eq!(fault.code, "template_not_found");
}
