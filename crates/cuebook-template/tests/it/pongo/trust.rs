//! Taint goes along with values, through everything that a template can do with them.

use cuebook_template::pongo::{Context, Segment, Settings};
use cuebook_template::{Trust, Value};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::support::{Files, compile, files, full, origins};

/// A context whose `u` is the only untrusted value and holds `word`, as a text, in a list and in a map.
fn context(word: &str) -> Context {
    let mut context = super::support::context(json!({
        "t": "plain", "n": 3, "f": 1.5, "yes": true, "no": false, "none": [], "xs": [1, 2], "m": {"k": "v"}, "file": "part",
    }));
    context.insert("u", Value::new(json!(word), Trust::Untrusted));
    context.insert("ul", Value::new(json!([word, [word]]), Trust::Untrusted));
    context.insert("um", Value::new(json!({ "k": word, "l": [word] }), Trust::Untrusted));
    context
}

/// Rendered with an untrusted value, all of the text is untrusted or none of what comes from the value is in it.
#[track_caller]
fn tainted(source: &str) {
    let others = files(&[("part", "{{ u }}"), ("given", "{{ a }}"), ("named", "{{ m(u) }}")]);
    let (rendered, segments) = origins(source, &others, &context("ugh"));
    assert!(rendered.text.to_lowercase().contains("ugh"), "{source} shows {:?}", rendered.text);
    assert_eq!(rendered.trust, Trust::Untrusted, "{source}");
    for segment in segments {
        let shown = rendered.text[segment.range.clone()].to_lowercase();
        assert!(!shown.contains("ugh") || segment.trust == Trust::Untrusted, "{source}: {shown:?}");
    }
}

/// Everything that a template can do with a value, short of counting it.
const WAYS: [&str; 62] = [
    "{{ u }}",
    "{{ ul.0 }}",
    "{{ ul[1][0] }}",
    "{{ um.k }}",
    "{{ um['k'] }}",
    "{{ ul }}",
    "{{ um }}",
    "{{ [u] }}",
    "{{ [[u]] }}",
    "{{ u + t }}",
    "{{ t + u }}",
    "{{ 1 + u }}",
    "{{ u|upper }}",
    "{{ t|add:u }}",
    "{{ xs|join:u }}",
    "{{ none|default:u }}",
    "{{ [t, u]|last }}",
    "{{ [t, [u]]|last|first }}",
    "{{ 'a,b'|split:','|join:u }}",
    "{{ u|make_list|join:'' }}",
    "{{ u|split:'x'|first }}",
    "{{ [u]|random }}",
    "{{ u|slice:':9' }}",
    "{{ 2|pluralize:u }}",
    "{{ t|cut:'plain'|default:u }}",
    "{% set a = u %}{{ a }}",
    "{% set a = [t, u] %}{{ a.1 }}",
    "{% set a = u|upper %}{% set b = a + t %}{{ b }}",
    "{% with a=u %}{{ a }}{% endwith %}",
    "{% for a in ul %}{{ a }}{% endfor %}",
    "{% for a in [t, u] %}{{ a }}{% endfor %}",
    "{% for k, v in um %}{{ v }}{% endfor %}",
    "{% for a in ul reversed %}{{ a }}{% endfor %}",
    "{% for a in [u, t] sorted %}{{ a }}{% endfor %}",
    "{% set a = '' %}{% for c in u %}{% set a = a + c %}{% if forloop.Last %}{{ a }}{% endif %}{% endfor %}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(u) }}",
    "{% macro m(a=u) %}{{ a }}{% endmacro %}{{ m() }}",
    "{% macro m() %}{{ u }}{% endmacro %}{{ m() }}",
    "{% macro m() %}{{ u }}{% endmacro %}{{ m()|upper }}",
    "{% macro m() %}{{ u }}{% endmacro %}{% set a = m() %}{{ a }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{% include 'named' %}",
    "{% include 'part' %}",
    "{% include file %}",
    "{% include 'given' with a=u %}",
    "{% include 'given' with a=[u] only %}",
    "{% set file = 'given' %}{% include file with a=u %}",
    "{% set file = 'given' %}{% include file with a=um.k only %}",
    "{% filter upper %}{{ u }}{% endfilter %}",
    "{% filter add:u %}x{% endfilter %}",
    "{% filter upper|lower %}{% if yes %}{{ u }}{% endif %}{% endfilter %}",
    "{% spaceless %}<a> {{ u }}</a>{% endspaceless %}",
    "{% ifchanged %}{{ u }}{% endifchanged %}",
    "{% ifchanged u %}{{ u }}{% endifchanged %}",
    "{% cycle u t %}",
    "{% cycle u as c silent %}{{ c }}",
    "{% firstof no u %}",
    "{% autoescape on %}{{ u }}{% endautoescape %}",
    "{% block a %}{{ u }}{% endblock %}",
    "{{ u|safe }}",
    "{{ u|linebreaks }}",
    "{{ u|stringformat:'%q' }}",
    "{{ t|stringformat:u }}",
];

#[test]
fn nothing_loses_taint() {
    WAYS.into_iter().for_each(tainted);
}

#[test]
fn what_was_counted_from_untrusted_values_is_untrusted() {
    for source in [
        "{{ u|length }}",
        "{{ u == 'x' }}",
        "{{ 'g' in u }}",
        "{{ not u }}",
        "{{ u and t }}",
        "{{ no or u }}",
        "{{ -ul|length }}",
        "{{ n + um|length }}",
        "{{ n * u }}",
        "{{ n|divisibleby:u }}",
        "{{ m[u] }}{{ u|wordcount }}",
        "{% widthratio n 1 ul|length %}",
        "{% widthratio u|length 1 1 as w %}{{ w }}",
    ] {
        let (rendered, segments) = origins(source, &Files::new(), &context("3"));
        assert!(!segments.is_empty() && segments.iter().all(|one| one.trust == Trust::Untrusted), "{source}");
        assert_eq!(rendered.trust, Trust::Untrusted, "{source}");
    }
}

#[test]
fn what_never_met_an_untrusted_value_stays_trusted() {
    for source in [
        "{{ t }}{{ xs }}{{ m.k|upper }}x",
        "{% for a in xs %}{{ a }}{{ forloop.Counter }}{% endfor %}",
        "{% if u %}{{ t }}{% endif %}",
        "{% set a = u %}{% set a = t %}{{ a }}",
        "{% for a in ul %}{{ forloop.Counter }}{{ t }}{% endfor %}",
        "{% firstof u|cut:u t %}",
        "{% with a=u %}{{ t }}{% endwith %}",
        "{% filter upper %}{{ t }}{% endfilter %}",
        "{{ yes or u }}",
        "{% cycle t u %}",
    ] {
        let (rendered, segments) = origins(source, &Files::new(), &context("ugh"));
        assert!(
            !rendered.text.is_empty() && segments.iter().all(|one| one.trust == Trust::Trusted),
            "{source}"
        );
        assert_eq!(rendered.trust, Trust::Trusted, "{source}");
    }
}

/// Filters, and arguments for those that take one.
const FILTERS: [&str; 30] = [
    "upper",
    "lower",
    "title",
    "capfirst",
    "add:'x'",
    "add:u",
    "cut:'a'",
    "default:'d'",
    "first",
    "last",
    "length",
    "join:','",
    "slice:'1:'",
    "make_list",
    "split:'a'",
    "center:9",
    "ljust:7",
    "truncatechars:4",
    "truncatewords:1",
    "wordwrap:2",
    "urlencode",
    "escape",
    "escapejs",
    "linebreaks",
    "striptags",
    "stringformat:'%v'",
    "addslashes",
    "wordcount",
    "iriencode",
    "safe",
];

/// An expression over trusted and untrusted names.
fn expression() -> impl Strategy<Value = String> {
    let atom = select(vec![
        "u", "ul", "um", "um.k", "ul.0", "ul[1]", "t", "n", "xs", "m.k", "a", "b", "'s'", "[u, t]", "x", "2",
    ]);
    let filters = prop::collection::vec(select(FILTERS.to_vec()), 0..3);
    let one = (atom, filters).prop_map(|(atom, filters)| {
        filters.iter().fold(atom.to_owned(), |chain, filter| format!("{chain}|{filter}"))
    });
    prop_oneof![3 => one.clone(), 1 => (one.clone(), one).prop_map(|(left, right)| format!("{left} + {right}"))]
}

/// A template in which nothing that is decided depends on an untrusted value.
fn template() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => expression().prop_map(|it| format!("{{{{ {it} }}}}")),
        1 => expression().prop_map(|it| format!("{{% set a = {it} %}}")),
        1 => expression().prop_map(|it| format!("{{% set b = {it} %}}")),
        1 => (expression(), expression()).prop_map(|(x, y)| format!("{{% cycle ({x}) ({y}) as a silent %}}{{{{ a }}}}")),
        1 => expression().prop_map(|it| format!("{{% include 'given' with a={it} %}}")),
        1 => expression().prop_map(|it| format!("{{% include file with a={it} %}}")),
        1 => expression().prop_map(|it| format!("{{{{ call({it}) }}}}")),
        1 => Just(" text\n".to_owned()),
    ];
    let piece = leaf.prop_recursive(3, 12, 3, |inner| {
        let body = prop::collection::vec(inner, 1..3).prop_map(|parts| parts.concat());
        let block = |open: &'static str, close: &'static str| (open, close);
        prop_oneof![
            (
                select(vec![
                    block("{% for x in xs %}", "{% endfor %}"),
                    block("{% for x in u %}", "{% endfor %}"),
                    block("{% for x in ul reversed %}", "{% endfor %}"),
                    block("{% for x, y in um %}", "{% endfor %}"),
                    block("{% if yes %}", "{% else %}no{% endif %}"),
                    block("{% filter upper %}", "{% endfilter %}"),
                    block("{% filter add:u %}", "{% endfilter %}"),
                    block("{% spaceless %}<i> <b>", "{% endspaceless %}"),
                    block("{% autoescape on %}", "{% endautoescape %}"),
                ]),
                body.clone()
            )
                .prop_map(|((open, close), body)| format!("{open}{body}{close}")),
            (expression(), body)
                .prop_map(|(it, body)| format!("{{% with a={it} b=u %}}{body}{{% endwith %}}")),
        ]
    });
    prop::collection::vec(piece, 1..5).prop_map(|pieces| {
        format!("{{% macro call(p, q=u) %}}({{{{ p }}}}{{{{ q }}}}){{% endmacro %}}{}", pieces.concat())
    })
}

/// The text, with what is untrusted in it taken out.
fn trusted_part(source: &str, word: &str) -> Option<(String, Vec<Segment>, String)> {
    let others = files(&[("given", "[{{ a }}{{ u }}]"), ("part", "<{{ a|upper }}{{ t }}>")]);
    let program = compile(source, &others, &full()).expect("a template");
    let settings = Settings { loader: Some(&others), seed: Some(1), ..Settings::default() };
    let (rendered, segments) = program.render_with_origins(&context(word), &settings).ok()?;
    let trusted = segments.iter().filter(|one| one.trust == Trust::Trusted);
    let part = trusted.map(|one| &rendered.text[one.range.clone()]).collect();
    Some((rendered.text, segments, part))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Two renders that differ only in an untrusted value differ only in what is marked as untrusted.
    ///
    /// Nothing of these templates is decided by the value: what it says can only be shown. Were any of it shown as
    /// trusted, by whatever filter or tag, the trusted parts would differ.
    #[test]
    fn trusted_text_does_not_depend_on_untrusted_values(source in template(), words in ("[a-cξ<&' ]{4}", "[a-cψ>\"/ ]{4}")) {
        let (Some(one), Some(other)) = (trusted_part(&source, &words.0), trusted_part(&source, &words.1)) else { return Ok(()) };
        prop_assert_eq!(one.2, other.2, "{}", source);
    }

    /// A letter that only the untrusted value has stands in untrusted segments alone, as it is or in capitals.
    #[test]
    fn letters_of_an_untrusted_value_are_never_trusted(source in template()) {
        let Some((text, segments, trusted)) = trusted_part(&source, "aξbψ") else { return Ok(()) };
        prop_assert!(!trusted.contains(['ξ', 'ψ', 'Ξ', 'Ψ']), "{}", source);
        let ends: Vec<usize> = segments.iter().map(|one| one.range.end).collect();
        prop_assert_eq!(ends.last().copied().unwrap_or(0), text.len());
    }
}
