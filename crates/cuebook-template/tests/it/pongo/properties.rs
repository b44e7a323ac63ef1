//! What holds of every template: generated ones, damaged ones, and any text at all.

use cuebook_template::pongo::{
    Civil, Context, LimitKind, Limits, Misses, Options, Profile, Program, Rendered, Segment, Settings,
};
use cuebook_template::{Diagnostic, Source, Trust, Value};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use serde_json::json;

use super::support::{Files, files};

/// Bytes that a text may have here.
const MOST: usize = 2_000;

fn options() -> Options {
    let limits = Limits::FULL
        .with(LimitKind::OutputBytes, MOST)
        .with(LimitKind::MemoryBytes, 20_000)
        .with(LimitKind::ProgramNodes, 2_000)
        .with(LimitKind::Fuel, 5_000);
    Options { limits, ..Options::of(Profile::Full) }
}

fn context() -> Context {
    let mut context = super::support::context(json!({
        "s": "a <b>c</b> é", "n": 3, "f": 2.5, "yes": true, "nil": null, "name": "part", "xs": [1, "x", [2]], "m": {"k": "v", "n": {"k": 1}},
    }));
    context.insert("u", Value::new(json!({"k": "ψ", "l": ["ξ", 1]}), Trust::Untrusted));
    context
}

fn others() -> Files {
    files(&[
        ("part", "({{ s }}{{ a }}{% set a = n %})"),
        ("base", "<{% block x %}{{ n }}{% endblock %}{% block y %}y{% endblock %}>"),
        ("lib", "{% macro m(p, q=n) export %}[{{ p }}{{ q }}]{% endmacro %}"),
    ])
}

/// What an expression begins with.
const ATOMS: [&str; 36] = [
    "s",
    "n",
    "f",
    "yes",
    "nil",
    "nope",
    "xs",
    "m",
    "m.k",
    "m.n.k",
    "u",
    "u.k",
    "u.l.0",
    "xs.0",
    "xs[n]",
    "xs[2][0]",
    "a",
    "b",
    "i",
    "k",
    "'t'",
    "\"\"",
    "0",
    "1.5",
    "7",
    "true",
    "[1, s]",
    "forloop.Counter",
    "forloop.Last",
    "forloop",
    "block.Super",
    "mac(n)",
    "mac",
    "m(1)",
    "s.x",
    "n.0",
];

/// Filters, with arguments where they take one.
const FILTERS: [&str; 29] = [
    "|upper",
    "|length",
    "|default:'d'",
    "|default_if_none:s",
    "|join:', '",
    "|first",
    "|last",
    "|slice:'1:2'",
    "|add:n",
    "|cut:' '",
    "|split:' '",
    "|make_list",
    "|center:8",
    "|floatformat:2",
    "|stringformat:'%05d'",
    "|truncatechars:3",
    "|urlize",
    "|striptags",
    "|yesno",
    "|pluralize",
    "|date:'2006'",
    "|random",
    "|safe",
    "|escape",
    "|wordwrap:1",
    "|get_digit:1",
    "|divisibleby:n",
    "|integer",
    "|float",
];

fn expression() -> impl Strategy<Value = String> {
    let atom = select(ATOMS.to_vec());
    let filter = select(FILTERS.to_vec());
    let one = (atom, prop::collection::vec(filter, 0..3))
        .prop_map(|(atom, filters)| format!("{atom}{}", filters.concat()));
    let operator = select(vec![
        " + ", " - ", " * ", " / ", " % ", " ^ ", " == ", " != ", " < ", " >= ", " in ", " and ", " or ",
    ]);
    one.prop_recursive(3, 8, 2, move |inner| {
        prop_oneof![
            (inner.clone(), operator.clone(), inner.clone())
                .prop_map(|(left, operator, right)| format!("{left}{operator}{right}")),
            inner.clone().prop_map(|it| format!("({it})")),
            inner.clone().prop_map(|it| format!("not {it}")),
            inner.prop_map(|it| format!("-{it}")),
        ]
    })
}

/// A tag without a body, with an expression in it.
fn single() -> impl Strategy<Value = String> {
    let around = select(vec![
        ("{{ ", " }}"),
        ("{{- ", " -}}"),
        ("{% set a = ", " %}"),
        ("{% set b = ", " %}"),
        ("{% firstof nope ", " %}"),
        ("{% cycle 'c' ", " as c silent %}{{ c }}"),
        ("{% include 'part' with a=", " %}"),
        ("{% include name with a=", " only %}"),
        ("{% include ", " if_exists %}"),
        ("{% widthratio n 2 ", " as w %}{{ w }}"),
    ]);
    let plain = select(vec![
        "text\n",
        " ",
        "{# note #}",
        "{% templatetag openblock %}",
        "{% lorem 2 w random %}",
        "{% now '2006' %}",
        "{% verbatim %}{{ v }}{% endverbatim %}",
        "{% comment %}{{{% endcomment %}",
        "{% import 'lib' m as mac %}",
        "{% ssi 'part' %}",
        "{% cycle c %}",
        "{% include 'base' %}",
        "{% include 'nowhere' if_exists %}",
    ]);
    prop_oneof![3 => (around, expression()).prop_map(|((open, close), it)| format!("{open}{it}{close}")), 2 => plain.prop_map(str::to_owned)]
}

fn template() -> impl Strategy<Value = String> {
    let pieces = single().prop_recursive(4, 16, 3, |inner| {
        let body = prop::collection::vec(inner, 0..4).prop_map(|parts| parts.concat());
        let block = select(vec![
            ("{% if ", " %}", "{% else %}e{% endif %}"),
            ("{% if no %}{% elif ", " %}", "{% endif %}"),
            ("{% for i in ", " %}", "{% empty %}e{% endfor %}"),
            ("{% for i, k in ", " reversed %}", "{% endfor %}"),
            ("{% for i in ", " sorted %}", "{% endfor %}"),
            ("{% with a=", " b=n %}", "{% endwith %}"),
            ("{% ifchanged ", " %}", "{% else %}s{% endifchanged %}"),
            ("{% ifequal n ", " %}", "{% endifequal %}"),
            ("{% filter cut:' '|default:s %}{# ", " #}", "{% endfilter %}"),
            ("{% macro mac(a, b=", ") %}", "{% endmacro %}"),
            ("{% autoescape on %}{# ", " #}", "{% endautoescape %}"),
            ("{% spaceless %}<i> {# ", " #}", "</i>{% endspaceless %}"),
            ("{% ifchanged %}{# ", " #}", "{% endifchanged %}"),
        ]);
        (block, expression(), body)
            .prop_map(|((open, middle, close), it, body)| format!("{open}{it}{middle}{body}{close}"))
    });
    let body = prop::collection::vec(pieces, 0..5).prop_map(|pieces| pieces.concat());
    prop_oneof![4 => body.clone(), 1 => body.prop_map(|body| format!("{{% extends 'base' %}}{{% block x %}}{body}{{% endblock %}}"))]
}

/// A template that lost or gained something.
fn damaged() -> impl Strategy<Value = String> {
    let scrap = select(vec![
        "{{",
        "}}",
        "{%",
        "%}",
        "{#",
        "'",
        "\"",
        "\\",
        "\n",
        "|",
        ":",
        "(",
        ")",
        "[",
        "-",
        "é",
        "{% endif %}",
        "{% else %}",
        "\u{0}",
        "",
    ]);
    (template(), any::<prop::sample::Index>(), 0..6_usize, scrap).prop_map(|(text, at, len, scrap)| {
        let mut characters: Vec<char> = text.chars().collect();
        let at = if characters.is_empty() { 0 } else { at.index(characters.len()) };
        let end = (at + len).min(characters.len());
        characters.splice(at..end, scrap.chars());
        characters.into_iter().collect()
    })
}

fn check_places(faults: &[Diagnostic], source: &str) -> Result<(), TestCaseError> {
    prop_assert!(!faults.is_empty());
    for fault in faults {
        let label = fault.label.as_ref();
        prop_assert!(
            label.is_some_and(|label| label.source.slice(label.span).is_some()),
            "{source}: {fault}"
        );
    }
    Ok(())
}

fn check_segments(text: &str, segments: &[Segment]) -> Result<(), TestCaseError> {
    let mut end = 0;
    for segment in segments {
        prop_assert!(segment.range.start == end && segment.range.end > end);
        prop_assert!(segment.location.source.slice(segment.location.span).is_some());
        end = segment.range.end;
    }
    prop_assert_eq!(end, text.len());
    Ok(())
}

/// All that holds of a template, whatever it is.
fn check(source: &str) -> Result<(), TestCaseError> {
    let (others, context) = (others(), context());
    let compile = || Program::compile(Source::new("main", source), &others, &options());
    let program = match compile() {
        Ok(program) => program,
        Err(faults) => {
            check_places(&faults, source)?;
            prop_assert_eq!(compile().map(|_| ()), Err(faults));
            return Ok(());
        }
    };
    let lenient = Settings {
        now: Civil::parse("2031-07-09T08:05:04Z"),
        seed: Some(3),
        loader: Some(&others),
        ..Settings::default()
    };
    let rendered = program.render(&context, &lenient);
    prop_assert_eq!(&rendered, &program.render(&context, &lenient), "{}", source);
    let traced = program.render_with_origins(&context, &lenient);
    prop_assert_eq!(rendered.as_ref().err(), traced.as_ref().err());
    if let Err(fault) = &rendered {
        check_places(std::slice::from_ref(fault), source)?;
    }
    if let (Ok(rendered), Ok((with_origins, segments))) = (&rendered, &traced) {
        prop_assert!(rendered.text.len() <= MOST);
        prop_assert_eq!(rendered, with_origins);
        check_segments(&rendered.text, segments)?;
        let trust = segments.iter().fold(Trust::Trusted, |trust, segment| trust.join(segment.trust));
        prop_assert!(trust <= rendered.trust, "{}", source);
    }
    if let Ok(strict) = program.render(&context, &Settings { strict: true, ..lenient }) {
        prop_assert_eq!(rendered.as_ref(), Ok(&strict), "{}", source);
    }
    check_misses(&program, &context, lenient, rendered.as_ref().map_err(|it| &**it))
}

/// A render that tells what is missing gives what a lenient one does, and tells of something when a strict one ends.
fn check_misses(
    program: &Program,
    context: &Context,
    lenient: Settings<'_>,
    rendered: Result<&Rendered, &Diagnostic>,
) -> Result<(), TestCaseError> {
    let misses = Misses::default();
    let told = program.render(context, &Settings { strict: true, misses: Some(&misses), ..lenient });
    prop_assert_eq!(rendered, told.as_ref().map_err(|it| &**it));
    if told.is_ok() {
        let strict = program.render(context, &Settings { strict: true, ..lenient });
        let first = misses.into_all().into_iter().next().map(|miss| miss.problem);
        prop_assert_eq!(first.as_ref(), strict.as_ref().err().map(|it| &**it));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn of_generated_templates(source in template()) {
        check(&source)?;
    }

    #[test]
    fn of_damaged_templates(source in damaged()) {
        check(&source)?;
    }

    #[test]
    fn of_any_text(source in any::<String>(), braces in "[{}%#|:.a-c'\" \n-]{0,40}") {
        check(&source)?;
        check(&braces)?;
    }

    #[test]
    fn a_text_without_braces_is_itself(source in "[^{]*") {
        prop_assume!(!source.starts_with('\u{feff}'));
        let program = Program::compile(Source::new("main", source.as_str()), &(), &Options::of(Profile::Composed)).expect("a template");
        prop_assert_eq!(program.render(&Context::new(), &Settings::default()).map(|rendered| rendered.text), Ok(source));
    }
}

#[test]
fn most_generated_templates_render() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (others, context) = (others(), context());
    let settings = Settings {
        now: Civil::parse("2031-07-09T08:05:04Z"),
        seed: Some(3),
        loader: Some(&others),
        ..Settings::default()
    };
    let (mut compiled, mut rendered) = (0, 0);
    for _ in 0..300 {
        let source = template().new_tree(&mut runner).expect("a template").current();
        if let Ok(program) = Program::compile(Source::new("main", source), &others, &options()) {
            compiled += 1;
            rendered += usize::from(program.render(&context, &settings).is_ok());
        }
    }
    assert!(compiled > 150 && rendered > 75, "{compiled} compiled, {rendered} rendered");
}
