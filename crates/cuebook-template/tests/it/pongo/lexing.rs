//! Text, braces, trim marks, comments and what is left verbatim.

use super::support::{fails, shows};

#[test]
fn text_is_put_out_as_it_is() {
    shows("", "");
    shows("one\n\n\ttwo \r\n three", "one\n\n\ttwo \r\n three");
    shows("{ } }} %} #} {a} {\"k\": {}} $ \\", "{ } }} %} #} {a} {\"k\": {}} $ \\");
    shows("größe 😀 \u{0} \u{2028}", "größe 😀 \u{0} \u{2028}");
    shows("{{ \"{{token:name}}\" }} {{ '%}' }} {% if '%}' %}y{% endif %}", "{{token:name}} %} y");
}

#[test]
fn a_byte_order_mark_is_no_text() {
    shows("\u{feff}a", "a");
    shows("\u{feff}", "");
    shows("\u{feff}{{ name }}", "Ada");
    shows("a\u{feff}b", "a\u{feff}b");
    shows("\u{feff}\u{feff}a", "\u{feff}a");
}

#[test]
fn tags_leave_their_line_ends() {
    shows("a\n{% if yes %}\nb\n{% endif %}\nc", "a\n\nb\n\nc");
    shows("a\r\n{% set q = 1 %}\r\n{{ q }}\r\n", "a\r\n\r\n1\r\n");
}

#[test]
fn trim_marks_take_white_space() {
    shows("a \t\r\n {{- name -}} \n\n b", "aAdab");
    shows("a \n {%- if yes -%} \n b \n {%- endif -%} \n c", "abc");
    shows("a {{- name }} b", "aAda b");
    shows("a {{ name -}} b", "a Adab");
    shows("{{ name -}}\n{{- name }}", "AdaAda");
    // Only the text next to the mark, and only these four characters.
    shows("a\u{a0}{{- name -}}\u{b}b", "a\u{a0}Ada\u{b}b");
    shows("{{ 3 -}} x", "3x");
    shows("{{- -3 -}}", "-3");
    shows("{{ 5 - 3 }}", "2");
}

#[test]
fn comments_on_a_line_are_left_out() {
    shows("a{# b {{ name }} {% if %} #}c", "ac");
    shows("{##}{# #}", "");
    shows("a {# x #} b", "a  b");
    fails("a{# b\n #}c", "template_syntax", "1:2");
    fails("a{# b", "template_unclosed_block", "1:2");
    fails("é{{ name }}{# x", "template_unclosed_block", "1:12");
}

#[test]
fn comment_blocks_are_not_read() {
    shows("a{% comment %}{{ ? }} {% nope %} \n {# {% endcomment %}b", "ab");
    shows("a {%- comment -%} x {%- endcomment -%} b", "ab");
    shows("{% comment %}{% comment %}{% endcomment %}", "");
    shows("{% comment %}{% endcomments %}{% endcomment %}x", "x");
    fails("\n{% comment %} x", "template_unclosed_block", "2:1");
    fails("{% comment x %}y{% endcomment %}", "template_syntax", "1:12");
}

#[test]
fn verbatim_is_copied() {
    shows("{% verbatim %}{{ a }}{% if %}{# {% endverbatim %}", "{{ a }}{% if %}{# ");
    shows("a {% verbatim %} b\n {% endverbatim %} c", "a  b\n  c");
    shows("{% verbatim %}{%endverbatim%}{% endverbatim %}", "{%endverbatim%}");
    fails("x{% verbatim %}", "template_unclosed_block", "1:2");
    fails("{%verbatim%}x{%endverbatim%}", "template_syntax", "1:1");
}

#[test]
fn tags_and_outputs_end_on_their_line() {
    fails("a\n{{ name\n}}", "template_syntax", "2:1");
    fails("{% if\nyes %}{% endif %}", "template_syntax", "1:1");
    fails("{{ 'a\n' }}", "template_syntax", "1:4");
    fails("{{ name", "template_unclosed_block", "1:1");
    fails("a{%", "template_unclosed_block", "1:2");
    shows("{{\r name\t}}", "Ada");
}

#[test]
fn what_is_no_token_is_an_error() {
    fails("{{ a ? b }}", "template_syntax", "1:6");
    fails("{{ {a} }}", "template_syntax", "1:4");
    fails("{{{ a }}}", "template_syntax", "1:3");
    fails("{{ ä }}", "template_syntax", "1:4");
    fails("{{ a\u{0} }}", "template_syntax", "1:5");
    fails("{{ a # b }}", "template_syntax", "1:6");
    fails("{% if a & b %}{% endif %}", "template_syntax", "1:9");
    fails("{%%}", "template_syntax", "1:1");
    fails("{{}}", "template_syntax", "1:3");
}

#[test]
fn strings_know_three_escapes() {
    shows(r#"{{ "a\"b\\c\'d" }}"#, r#"a"b\c'd"#);
    shows(r#"{{ 'a"b' }}{{ "a'b" }}"#, r#"a"ba'b"#);
    shows("{{ \"\" }}{{ '' }}", "");
    fails(r#"{{ "a\nb" }}"#, "template_syntax", "1:6");
    fails(r#"{{ "a\" }}"#, "template_syntax", "1:4");
    fails("{{ 'a\" }}", "template_syntax", "1:4");
}

#[test]
fn names_may_begin_with_digits() {
    shows("{{ 2fa }}{{ _x }}", "");
    shows("{{ 12 }}{{ 007 }}", "127");
    fails("{{ 9223372036854775808 }}", "template_syntax", "1:4");
    shows("{{ 9223372036854775807 }}", "9223372036854775807");
}
