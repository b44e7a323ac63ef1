//! Where a name gets its value, and where it loses it.

use super::support::{fails, shows, shows_with};

#[test]
fn set_reaches_out_of_conditions_and_filters() {
    shows("{% set a = 1 %}{{ a }}{% set a = a + 1 %}{{ a }}", "12");
    shows("{% if yes %}{% set a = 1 %}{% endif %}{{ a }}", "1");
    shows("{% if no %}{% else %}{% set a = 1 %}{% endif %}{{ a }}", "1");
    shows("{% filter upper %}{% set a = 'x' %}{% endfilter %}{{ a }}", "x");
    shows("{% spaceless %}{% set a = 1 %}{% endspaceless %}{{ a }}", "1");
    shows("{% autoescape on %}{% set a = 1 %}{% endautoescape %}{{ a }}", "1");
    shows("{% ifchanged name %}{% set a = 1 %}{% endifchanged %}{{ a }}", "1");
    shows("{% ifequal 1 1 %}{% set a = 1 %}{% endifequal %}{{ a }}", "1");
    shows("{% block b %}{% set a = 1 %}{% endblock %}{{ a }}", "1");
    shows("{% set name = 'Eve' %}{{ name }}", "Eve");
    fails("{% set a %}", "template_syntax", "1:8");
    fails("{% set a = %}", "template_syntax", "1:10");
    fails("{% set a.b = 1 %}", "template_syntax", "1:9");
    fails("{% set a = 1 2 %}", "template_syntax", "1:14");
}

#[test]
fn set_stays_within_a_loop_and_over_its_turns() {
    shows("{% for x in xs %}{% set s = s + x %}{{ s }} {% endfor %}[{{ s }}]", "1 3 6 []");
    shows("{% set s = 10 %}{% for x in xs %}{% set s = s + x %}{% endfor %}{{ s }}", "10");
    shows("{% set s = 10 %}{% for x in xs %}{% set s = s + x %}{{ s }} {% endfor %}", "11 13 16 ");
    shows("{% for x in xs %}{% endfor %}{{ x }}|", "|");
    shows("{% set x = 'o' %}{% for x in xs %}{{ x }}{% endfor %}{{ x }}", "123o");
    shows("{% for x in xs %}{% if forloop.First %}{% set f = x %}{% endif %}{{ f }}{% endfor %}", "111");
    shows("{% for x in none %}{% empty %}{% set a = 1 %}{{ a }}{% endfor %}{{ a }}|", "1|");
    // A loop that is entered again begins anew.
    shows("{% for a in rows %}{% for b in a %}{% set s = s + b %}{% endfor %}{{ s }}|{% endfor %}", "||");
    shows("{% for a in rows %}{% for b in a %}{% set s = s + b %}{{ s }} {% endfor %}{% endfor %}", "1 3 3 ");
}

#[test]
fn with_is_parallel_and_closed() {
    shows("{% with a=1 b=2 %}{{ a }}{{ b }}{% endwith %}{{ a }}|", "12|");
    shows("{% with name=five five=name %}{{ name }}{{ five }}{% endwith %}{{ name }}", "5AdaAda");
    shows("{% with a=name %}{% set a = 'x' %}{% set c = 1 %}{{ a }}{% endwith %}{{ a }}{{ c }}|", "x|");
    shows("{% with name as a five as b %}{{ a }}{{ b }}{% endwith %}", "Ada5");
    shows("{% with a=1 %}{% with a=a+1 %}{{ a }}{% endwith %}{{ a }}{% endwith %}", "21");
    shows("{% with a=1 a=2 %}{{ a }}{% endwith %}", "2");
    fails("{% with %}{% endwith %}", "template_syntax", "1:4");
    fails("{% with a %}{% endwith %}", "template_syntax", "1:9");
    fails("{% with a= %}{% endwith %}", "template_syntax", "1:10");
}

#[test]
fn macros_see_the_context_of_their_definition() {
    shows("{% macro m() %}{{ name }}{% endmacro %}{{ m() }}", "Ada");
    shows("{% macro m() %}[{{ x }}]{% endmacro %}{% for x in xs %}{{ m() }}{% endfor %}", "[][][]");
    shows("{% for x in xs %}{% macro m() %}[{{ x }}]{% endmacro %}{{ m() }}{% endfor %}", "[1][2][3]");
    shows("{% macro m() %}{{ a }}{% endmacro %}{% set a = 1 %}{{ m() }}{% set a = 2 %}{{ m() }}", "12");
    shows("{% macro m() %}{% set a = 1 %}{{ a }}{% endmacro %}{{ m() }}{{ a }}|", "1|");
    shows("{% with a=1 %}{% macro m() %}{{ a }}{% endmacro %}{{ m() }}{% endwith %}{{ m }}|", "1|");
    shows("{% macro m(name) %}{{ name }}{% endmacro %}{{ m('x') }}{{ name }}", "xAda");
}

#[test]
fn macros_take_arguments_and_defaults() {
    shows(
        "{% macro m(a, b='d', c=name) %}{{ a }}{{ b }}{{ c }};{% endmacro %}{{ m(1) }}{{ m(1,2,3) }}",
        "1dAda;123;",
    );
    shows("{% macro m(a) %}[{{ a }}]{% endmacro %}{{ m() }}{{ m }}", "[][]");
    shows("{% macro m(a) %}<{{ a }}>{% endmacro %}{% autoescape on %}{{ m('&') }}{% endautoescape %}", "<&>");
    shows(
        "{% autoescape on %}{% macro m(a) %}<{{ a }}>{% endmacro %}{{ m('&') }}{% endautoescape %}",
        "<&amp;>",
    );
    shows("{% macro m(a) %}{{ a }}{% endmacro %}{{ m('x')|upper }}{{ m('a') + m('b') }}", "Xab");
    shows("{% macro m(n) %}{{ n }}{% if n > 1 %}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(3) }}", "321");
    fails("{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}", "template_macro", "1:34");
    fails("{% macro m %}{% endmacro %}", "template_syntax", "1:10");
    fails("{% macro m(a b) %}{% endmacro %}", "template_syntax", "1:14");
    fails("{% macro m(1) %}{% endmacro %}", "template_syntax", "1:12");
}

#[test]
fn macros_within_macros_reach_both_contexts() {
    let source =
        "{% macro o(a) %}{% macro i(b) %}{{ a }}{{ b }}{{ name }}{% endmacro %}{{ i(2) }}{% endmacro %}";
    shows(&format!("{source}{{{{ o(1) }}}}"), "12Ada");
    shows("{% macro a() %}A{% endmacro %}{% macro b() %}{{ a() }}B{% endmacro %}{{ b() }}", "AB");
    // A macro that is defined later is seen when it is called later.
    shows("{% macro b() %}{{ a() }}B{% endmacro %}{% macro a() %}A{% endmacro %}{{ b() }}", "AB");
}

#[test]
fn a_macro_stays_itself_in_a_file_that_only_the_render_names() {
    let macros = "{% macro m(a) %}[{{ a.x }}{{ name }}]{% endmacro %}";
    shows_with(
        &format!("{macros}{{% include file %}}"),
        &[("part", "0123456789 {{ m(user) }}")],
        "0123456789 [Ada]",
    );
    super::support::fails_with(
        &format!("{macros}{{% include file %}}"),
        &[("part", "0123456789\n\n {{ m(five) }}")],
        "template_type_mismatch",
        "main:1:21",
    );
}

#[test]
fn imports_bring_exported_macros() {
    let lib = "{% macro a(x) export %}<{{ x }}{{ name }}>{% endmacro %}{% macro b() export %}B{% endmacro %}\
               {% macro hidden() %}{% endmacro %}text";
    shows_with("{% import 'lib' a %}{{ a(1) }}", &[("lib", lib)], "<1Ada>");
    shows_with("{% import 'lib' a as z, b %}{{ z(1) }}{{ b() }}{{ a }}|", &[("lib", lib)], "<1Ada>B|");
    shows_with("{% if yes %}{% import 'lib' b %}{% endif %}{{ b() }}", &[("lib", lib)], "B");
    shows_with("{% with q=1 %}{% import 'lib' b %}{% endwith %}{{ b }}|", &[("lib", lib)], "|");
    let wrong = |source: &str, code: &str, place: &str| {
        super::support::fails_with(source, &[("lib", lib)], code, place);
    };
    wrong("{% import 'lib' hidden %}", "template_macro", "main:1:17");
    wrong("{% import 'lib' %}", "template_syntax", "main:1:11");
    wrong("{% import 'lib' a b %}", "template_syntax", "main:1:19");
    wrong("{% import lib a %}", "template_syntax", "main:1:11");
    wrong("{% import 'bil' a %}", "template_not_found", "main:1:11");
}
