//! Strict mode: a name or key without value is an error, unless the template asks whether it is there.

use cuebook_template::Diagnostic;
use cuebook_template::pongo::{Misses, Settings};

use super::support::{data, files, full, render_with};

fn strictly(source: &str) -> Result<String, Box<Diagnostic>> {
    let others =
        files(&[("part", "<{{ a }}>"), ("lib", "{% macro m(x) export %}{{ x }}{{ nome }}{% endmacro %}")]);
    let settings = Settings { strict: true, ..Settings::default() };
    let rendered = render_with(source, &others, data(), &full(), &settings);
    rendered.map(|rendered| rendered.text).map_err(|mut faults| Box::new(faults.swap_remove(0)))
}

#[track_caller]
fn shows(source: &str, expect: &str) {
    match strictly(source) {
        Ok(text) => assert_eq!(text, expect, "{source}"),
        Err(fault) => panic!("{source}\n{fault}"),
    }
}

/// Fails at a place with a message and a hint.
#[track_caller]
fn fails(source: &str, place: &str, message: &str, hint: &str) {
    let fault = strictly(source).expect_err(source);
    let label = fault.label.as_ref().map(ToString::to_string).unwrap_or_default();
    assert_eq!(fault.code, "template_undefined_name", "{fault}");
    assert_eq!(
        (label.as_str(), fault.message.as_str(), fault.hint.as_deref()),
        (place, message, Some(hint)),
        "{source}"
    );
}

const DEFAULT: &str = "give it a value, or a default: {{ name|default:\"…\" }}";

#[test]
fn a_missing_name_is_an_error_with_the_nearest() {
    fails("a {{ nome }}", "main:1:6", "'nome' has no value", "did you mean 'name'?");
    fails("{{ Name|upper }}", "main:1:4", "'Name' has no value", "did you mean 'name'?");
    fails("\n{{ qqqqqqqq }}", "main:2:4", "'qqqqqqqq' has no value", DEFAULT);
    fails("{{ 1 + usr }}", "main:1:8", "'usr' has no value", "did you mean 'user'?");
    fails("{{ usr.name }}", "main:1:4", "'usr' has no value", "did you mean 'user'?");
    fails("{{ usr.name.x.y }}", "main:1:4", "'usr' has no value", "did you mean 'user'?");
    fails("{{ usr() }}", "main:1:4", "'usr' has no value", "did you mean 'user'?");
}

#[test]
fn a_missing_key_or_item_is_an_error_with_the_nearest() {
    fails("{{ user.nme }}", "main:1:4", "there is no 'nme' in 'user'", "did you mean 'name'?");
    fails("{{ user.home.citi }}", "main:1:4", "there is no 'citi' in 'user.home'", "did you mean 'city'?");
    fails("{{ user['nme'] }}", "main:1:4", "there is no such key", DEFAULT);
    fails("{{ xs.3 }}", "main:1:4", "there is no item 3", DEFAULT);
    fails(
        "{% for x in xs %}{{ forloop.last }}{% endfor %}",
        "main:1:21",
        "there is no 'last' in 'forloop'",
        "did you mean 'Last'?",
    );
}

#[test]
fn a_missing_name_is_an_error_wherever_it_is_read() {
    let missing =
        |source: &str, place: &str| fails(source, place, "'nome' has no value", "did you mean 'name'?");
    missing("{% for x in nome %}{% endfor %}", "main:1:13");
    missing("{% set a = nome %}", "main:1:12");
    missing("{% with a=nome %}{% endwith %}", "main:1:11");
    missing("{% include 'part' with a=nome %}", "main:1:26");
    missing("{% include nome %}", "main:1:12");
    missing("{{ name|cut:nome }}", "main:1:13");
    missing("{% if xs.0 == 1 %}{{ nome }}{% endif %}", "main:1:22");
    missing("{% filter cut:nome %}{% endfilter %}", "main:1:15");
    missing("{% cycle nome %}", "main:1:10");
    missing("{% widthratio nome 1 1 %}", "main:1:15");
    missing("{% ifchanged nome %}{% endifchanged %}", "main:1:14");
    missing("{{ [nome] }}", "main:1:5");
    missing("{% macro m(x) %}{{ x }}{% endmacro %}{{ m(nome) }}", "main:1:43");
    missing("{% macro m(x=nome) %}{% endmacro %}{{ m() }}", "main:1:14");
    missing("{% import 'lib' m %}{{ m(1) }}", "lib:1:34");
    missing("{% block a %}{{ nome }}{% endblock %}", "main:1:17");
}

#[test]
fn asking_whether_a_name_is_there_is_fine() {
    shows("{{ nome|default:'d' }}{{ user.nme|default:'d' }}{{ xs.9|default:'d' }}", "ddd");
    shows("{{ nome|default_if_none:'d' }}", "d");
    shows("{{ nome|upper|default:'d' }}", "d");
    shows("{% firstof nome user.nme 'x' %}", "x");
    shows(
        "{% if nome %}a{% elif user.nme %}b{% elif not nome and nome.x.y == 1 or xs.9 %}c{% else %}d{% endif %}",
        "d",
    );
    shows("{% ifequal nome 1 %}a{% else %}b{% endifequal %}", "b");
    shows("{% include nome|default:'part' if_exists with a=1 %}", "<1>");
    shows("{% include absent if_exists %}|", "|");
    fails("{{ name|default:nome }}", "main:1:17", "'nome' has no value", "did you mean 'name'?");
    fails("{% if yes %}{{ nome }}{% endif %}", "main:1:16", "'nome' has no value", "did you mean 'name'?");
}

#[test]
fn what_has_a_value_is_there() {
    shows("{{ nil }}{{ empty }}{{ zero }}{{ no }}|", "0False|");
    shows("{{ nil.x.y }}|", "|");
    shows("{% set a = 1 %}{{ a }}{% for x in none %}{{ nome }}{% endfor %}", "1");
    shows("{% for x in xs %}{{ x }}{{ forloop.Counter }}{% endfor %}", "112233");
    shows("{% macro m(x) %}[{{ x }}]{% endmacro %}{{ m() }}", "[]");
    shows("{% with a=nil %}[{{ a }}]{% endwith %}", "[]");
    shows("{% for k, v in map %}{{ k }}{{ v }}{% endfor %}", "z1a2");
}

#[test]
fn the_names_known_are_those_of_the_place() {
    fails("{% set colour = 1 %}{{ color }}", "main:1:24", "'color' has no value", DEFAULT);
    let others = files(&[("part", "{{ colr }}")]);
    let settings = Settings { strict: true, ..Settings::default() };
    let source = "{% include file with color=1 %}";
    let faults = render_with(source, &others, data(), &full(), &settings).expect_err("a missing name");
    assert_eq!(faults[0].hint.as_deref(), Some("did you mean 'color'?"));
    let from: Vec<String> = faults[0].included_from.iter().map(ToString::to_string).collect();
    assert_eq!(
        (faults[0].label.as_ref().map(ToString::to_string).as_deref(), from),
        (Some("part:1:4"), vec!["main:1:1".to_owned()])
    );
}

#[test]
fn everything_missing_is_told_at_once_when_asked_for() {
    let misses = Misses::default();
    let settings = Settings { strict: true, misses: Some(&misses), ..Settings::default() };
    let source = "{{ nome }}|{{ usr.name }}|{% for x in xs %}{{ user.nme }}{% endfor %}{% if no %}{% endif %}|{{ xs.9 }}";
    let rendered = render_with(source, &files(&[]), data(), &full(), &settings).expect("it renders");
    assert_eq!(rendered.text, "|||");
    let told: Vec<String> = misses
        .into_all()
        .iter()
        .map(|miss| format!("{} {}", miss.name.as_deref().unwrap_or("key"), miss.problem.message))
        .collect();
    assert_eq!(
        told,
        [
            "nome 'nome' has no value",
            "usr 'usr' has no value",
            "key there is no 'nme' in 'user'",
            "key there is no item 9"
        ]
    );
}
