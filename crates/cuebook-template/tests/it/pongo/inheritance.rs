//! `extends`, `block` and `block.Super`.

use super::support::{fails, fails_with, shows, shows_with};

const BASE: (&str, &str) =
    ("base", "<{% block a %}base a{% endblock %}|{% block b %}base b{% endblock b %}>");
const MIDDLE: (&str, &str) =
    ("middle", "{% extends 'base' %}{% block a %}middle {{ block.Super }}{% endblock %}");

#[test]
fn a_block_shows_the_body_furthest_down() {
    shows_with("{% include 'base' %}", &[BASE], "<base a|base b>");
    shows_with("{% extends 'base' %}", &[BASE], "<base a|base b>");
    shows_with("{% extends 'base' %}{% block b %}mine{% endblock %}", &[BASE], "<base a|mine>");
    shows_with("{% extends 'base' %}{% block nope %}mine{% endblock %}", &[BASE], "<base a|base b>");
    shows_with("{% extends 'base' %}{% block a %}{{ name }}{% endblock %}", &[BASE], "<Ada|base b>");
    shows("a{% block x %}{{ name }}{% endblock x %}b", "aAdab");
}

#[test]
fn super_goes_up_one_body_at_a_time() {
    let source = "{% extends 'middle' %}{% block a %}mine {{ block.Super }}{% endblock %}";
    shows_with(source, &[BASE, MIDDLE], "<mine middle base a|base b>");
    let twice = "{% extends 'middle' %}{% block a %}{{ block.Super }}/{{ block.Super() }}{% endblock %}";
    shows_with(twice, &[BASE, MIDDLE], "<middle base a/middle base a|base b>");
    // The middle file says nothing of b.
    let past = "{% extends 'middle' %}{% block b %}mine {{ block.Super }}{% endblock %}";
    shows_with(past, &[BASE, MIDDLE], "<middle base a|mine base b>");
    let filtered = "{% extends 'base' %}{% block a %}{{ block.Super|upper }}{% endblock %}";
    shows_with(filtered, &[BASE], "<BASE A|base b>");
    shows("{% block a %}x{{ block.Super }}{% endblock %}", "x");
    shows("{{ block.Super }}|", "|");
}

#[test]
fn blocks_may_stand_in_blocks_loops_and_conditions() {
    let base = (
        "base",
        "{% for x in xs %}{% if x != 2 %}{% block row %}{{ x }}{% endblock %};{% endif %}{% endfor %}",
    );
    shows_with("{% extends 'base' %}", &[base], "1;3;");
    shows_with(
        "{% extends 'base' %}{% block row %}[{{ x }}{{ block.Super }}]{% endblock %}",
        &[base],
        "[11];[33];",
    );
    let nested = ("base", "{% block o %}({% block i %}in{% endblock %}){% endblock %}");
    shows_with("{% extends 'base' %}{% block i %}mine{% endblock %}", &[nested], "(mine)");
    shows_with("{% extends 'base' %}{% block o %}mine{% endblock %}", &[nested], "mine");
    let both =
        "{% extends 'base' %}{% block o %}[{{ block.Super }}]{% endblock %}{% block i %}mine{% endblock %}";
    shows_with(both, &[nested], "[(mine)]");
}

#[test]
fn what_a_child_says_outside_its_blocks_never_runs() {
    let child =
        "x{% set name = 'Eve' %}{{ one / zero }}{% extends 'base' %}y{% block a %}{{ name }}{% endblock %}z";
    shows_with(child, &[BASE], "<Ada|base b>");
}

#[test]
fn a_set_in_a_block_reaches_on_and_one_in_super_does_not() {
    let base = ("base", "{% block a %}{% set q = 1 %}{% endblock %}{{ q }}");
    shows_with("{% extends 'base' %}", &[base], "1");
    shows_with("{% extends 'base' %}{% block a %}{% set q = 2 %}{% endblock %}", &[base], "2");
    shows_with("{% extends 'base' %}{% block a %}{{ block.Super }}{{ q }}|{% endblock %}", &[base], "|");
}

#[test]
fn an_included_file_may_extend() {
    let others = [BASE, ("child", "{% extends 'base' %}{% block a %}{{ q }}{% endblock %}")];
    shows_with("{% block a %}mine{% endblock %}{% include 'child' with q=1 %}", &others, "mine<1|base b>");
}

#[test]
fn wrong_inheritance_is_an_error() {
    fails_with("{% extends 'nowhere' %}", &[], "template_not_found", "main:1:12");
    fails_with("{% if yes %}{% extends 'base' %}{% endif %}", &[BASE], "template_syntax", "main:1:13");
    fails_with("{% extends 'base' %}{% extends 'base' %}", &[BASE], "template_syntax", "main:1:21");
    fails_with("{% extends file %}", &[BASE], "template_syntax", "main:1:12");
    fails("{% block a %}{% endblock %}{% block a %}{% endblock %}", "template_macro", "1:37");
    fails("{% block a %}{% endblock b %}", "template_unclosed_block", "1:26");
    fails("{% block %}{% endblock %}", "template_syntax", "1:4");
    fails("{% block 'a' %}{% endblock %}", "template_syntax", "1:10");
    fails("{% block a %}", "template_unclosed_block", "1:1");
}

#[test]
fn blocks_that_call_each_other_up_and_down_end_at_a_limit() {
    let base = ("base", "{% block a %}{% block c %}{% endblock %}{% endblock %}");
    let child = "{% extends 'base' %}{% block c %}{% block a %}{{ block.Super }}{% endblock %}{% endblock %}";
    fails_with(child, &[base], "template_limit_exceeded", "base:1:14");
}
