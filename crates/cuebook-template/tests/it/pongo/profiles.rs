//! What the sandboxed profiles refuse, and that they take what prompts are made of.

use cuebook_template::pongo::{LimitKind, Options, Profile, Settings};
use serde_json::json;

use super::support::{data, fault_under, files, render_with};

const SANDBOXED: [Profile; 2] = [Profile::Composed, Profile::Isolated];

#[track_caller]
fn refused(profile: Profile, source: &str, message: &str) {
    let fault = fault_under(
        &Options::of(profile),
        source,
        &[("part", ""), ("lib", "{% macro m() export %}{% endmacro %}")],
    );
    let expect = format!("{message} is not allowed in the {} profile", profile.as_str());
    assert_eq!((&*fault.code, fault.message), ("template_not_allowed", expect), "{source}");
    assert_eq!(fault.hint.as_deref(), Some("the full profile allows it"));
}

#[test]
fn each_banned_tag_is_refused() {
    for (tag, source) in [
        ("block", "{% block a %}{% endblock %}"),
        ("cycle", "{% cycle 1 2 %}"),
        ("extends", "{% extends 'part' %}"),
        ("filter", "{% filter upper %}{% endfilter %}"),
        ("ifchanged", "{% ifchanged %}{% endifchanged %}"),
        ("import", "{% import 'lib' m %}"),
        ("lorem", "{% lorem %}"),
        ("macro", "{% macro a() %}{% endmacro %}"),
        ("now", "{% now '2006' %}"),
        ("spaceless", "{% spaceless %}{% endspaceless %}"),
        ("ssi", "{% ssi 'part' %}"),
    ] {
        for profile in SANDBOXED {
            refused(profile, source, &format!("tag '{tag}'"));
        }
        let settings = Settings {
            now: cuebook_template::pongo::Civil::parse("2031-07-09T08:05:04Z"),
            ..Settings::default()
        };
        let others = files(&[("part", ""), ("lib", "{% macro m() export %}{% endmacro %}")]);
        let full = render_with(source, &others, data(), &Options::of(Profile::Full), &settings);
        assert!(full.is_ok(), "{source}");
    }
    refused(Profile::Isolated, "{% include 'part' %}", "tag 'include'");
}

#[test]
fn each_banned_filter_is_refused() {
    for filter in ["center:9", "ljust:9", "make_list", "random", "rjust:9", "split:','", "stringformat:'%d'"]
    {
        let name = filter.split(':').next().expect("a name");
        for profile in SANDBOXED {
            refused(profile, &format!("{{{{ name|{filter} }}}}"), &format!("filter '{name}'"));
        }
    }
}

#[test]
fn composed_includes_take_a_name_and_nothing_else() {
    let options = Options::of(Profile::Composed);
    for include in ["file", "'part' if_exists", "'part' with a=1", "'part' with a=1 only"] {
        let fault = fault_under(&options, &format!("{{% include {include} %}}"), &[("part", "")]);
        assert_eq!(fault.code, "template_not_allowed");
        assert_eq!(
            fault.message,
            "an include by expression or with options is not allowed in the composed profile"
        );
        assert_eq!(fault.hint.as_deref(), Some("name the file in quotes, and nothing else"));
    }
}

#[test]
fn a_banned_name_is_no_suggestion() {
    let options = Options::of(Profile::Composed);
    let hint = |source: &str| fault_under(&options, source, &[]).hint.expect("a hint");
    assert_eq!(hint("{{ name|centre:9 }}"), "the filters are those of pongo2 6.0.0");
    assert_eq!(hint("{{ name|uper }}"), "did you mean 'upper'?");
    assert_eq!(hint("{% blok a %}"), "braces that are text go into {% verbatim %}");
    assert_eq!(hint("{% fro x in xs %}"), "did you mean 'for'?");
}

#[test]
fn composed_limits_are_those_of_the_original() {
    let limits = Profile::Composed.limits();
    let expect = [
        (LimitKind::SourceBytes, 256 << 10),
        (LimitKind::OutputBytes, 1 << 20),
        (LimitKind::ContextBytes, 2 << 20),
        (LimitKind::ContextValues, 16_384),
        (LimitKind::LoopItems, 256),
        (LimitKind::ContextDepth, 32),
        (LimitKind::Tags, 4_096),
        (LimitKind::LoopNesting, 2),
        (LimitKind::Files, 256),
        (LimitKind::IncludeDepth, 12),
    ];
    assert!(expect.iter().all(|(kind, value)| limits.get(*kind) == *value));
    assert_eq!(Profile::Isolated.limits(), limits);
    assert_eq!(Options::default(), Options::of(Profile::Composed));
}

#[test]
fn profiles_have_words() {
    for profile in Profile::ALL {
        assert_eq!(Profile::parse(profile.as_str()), Some(profile));
    }
    assert_eq!(Profile::parse("Full"), None);
}

const ENTRY: &str = r###"# {{ agent.name }}
{# kept in step with the shell #}
{% if unknown_count > 0 %}{% else %}{% if mode != "solo" and (roots|length > 1 or forced) %}{% set label = "many" %}{% elif not forced %}{% set label = "one" %}{% endif %}{% endif %}{% set note = "Say **done**." %}{% include "partials/finish.md" %}
Roots: {% for root in roots %}`{{ root.path }}`{% if not forloop.Last %}, {% endif %}{% endfor %}
{% for root in roots %}{{ forloop.Counter }}. {{ root.path }}{% for tool in root.tools %} {{ tool }}{% endfor %}
{% endfor %}First: {{ roots.0.path }}; tools: {{ tools|join:"` / `" }}; heading {{ heading|default:"##" }} {{ limit|default:fallback }}.
<!-- shell:v1 --> { {% for root in roots %}"{{ root.path }}": {}{% if not forloop.Last %}, {% endif %}{% endfor %} }
{{ "{{token:name}}" }} {% autoescape off %}{{ markup }}{% endautoescape %}{% comment %} {{ never }} {% endcomment %}{% if count >= 2 and count <= 3 %}{{ missing.deep.er }}ok{% endif %}
"###;

const FINISH: &str =
    "{{ note }} ({{ label }}){% if tools %}{% include \"partials/tools.md\" %}{% endif %}{% set note = 1 %}";

const SHOWN: &str = r#"# Ada

Say **done**. (many) [a b]
Roots: `x`, `y`
1. x t1 t2
2. y
First: x; tools: a` / `b; heading ## 7.
<!-- shell:v1 --> { "x": {}, "y": {} }
{{token:name}} <b>&ok
"#;

#[test]
fn prompts_use_what_composed_allows() {
    let values = json!({
        "agent": {"name": "Ada"}, "mode": "team", "tools": ["a", "b"], "fallback": 7, "markup": "<b>&", "count": 2,
        "roots": [{"path": "x", "tools": ["t1", "t2"]}, {"path": "y", "tools": []}],
    });
    let others = files(&[("partials/finish.md", FINISH), ("partials/tools.md", " [{{ tools|join:\" \" }}]")]);
    let shown = render_with(ENTRY, &others, values, &Options::of(Profile::Composed), &Settings::default());
    assert_eq!(shown.expect("a prompt").text, SHOWN);
}
