//! Each tag that puts something out or decides what is.

use cuebook_template::pongo::{Civil, Settings};

use super::support::{Files, data, fails, full, render_with, shows};

#[test]
fn if_takes_the_first_branch_that_holds() {
    shows("{% if no %}a{% elif yes %}b{% elif yes %}c{% else %}d{% endif %}", "b");
    shows("{% if no %}a{% elif no %}b{% else %}d{% endif %}", "d");
    shows("{% if no %}a{% endif %}|", "|");
    shows("{% if zero == 0 %}{% else %}x{% endif %}|", "|");
    shows("{% if yes and (no or five > 4) %}y{% endif %}", "y");
    fails("{% if %}{% endif %}", "template_syntax", "1:4");
    fails("{% if yes %}{% else %}{% elif no %}{% endif %}", "template_syntax", "1:26");
    fails("{% if yes %}{% else x %}{% endif %}", "template_syntax", "1:21");
    fails("{% if yes no %}{% endif %}", "template_syntax", "1:11");
    fails("{% else %}", "template_unclosed_block", "1:4");
}

#[test]
fn ifequal_compares_two_values() {
    shows("{% ifequal one 1 %}y{% else %}n{% endifequal %}", "y");
    shows("{% ifnotequal one 1 %}y{% else %}n{% endifnotequal %}", "n");
    shows("{% ifequal name 'ada' %}y{% endifequal %}|", "|");
    shows("{% ifequal name|lower 'ada' %}y{% endifequal %}", "y");
    fails("{% ifequal one %}{% endifequal %}", "template_syntax", "1:12");
    fails("{% ifequal xs ys %}{% endifequal %}", "template_type_mismatch", "1:1");
}

#[test]
fn for_goes_over_lists_maps_and_texts() {
    shows("{% for x in xs %}<{{ x }}>{% endfor %}", "<1><2><3>");
    shows("{% for k, v in map %}{{ k }}={{ v }};{% endfor %}", "z=1;a=2;");
    shows("{% for k in map %}{{ k }}{% endfor %}", "za");
    shows("{% for c in word %}{{ c }}.{% endfor %}", "g.r.ö.ß.e.");
    shows("{% for x in [1, name] %}{{ x }} {% endfor %}", "1 Ada ");
    shows("{% for x in none %}a{% empty %}b{% endfor %}", "b");
    shows("{% for x in nope %}a{% empty %}b{% endfor %}{% for x in five %}c{% endfor %}", "b");
    shows("{% for a in rows %}{% for b in a %}{{ b }}{% endfor %}/{% endfor %}", "12/3/");
    // Only a map gives the second name a value.
    shows("{% for x, name in xs %}{{ x }}{{ name }} {% endfor %}", "1Ada 2Ada 3Ada ");
}

#[test]
fn for_may_sort_and_turn() {
    shows("{% for x in xs reversed %}{{ x }}{% endfor %}", "321");
    shows("{% for x in ys sorted %}{{ x }}{% endfor %}", "abc");
    shows("{% for x in ys reversed sorted %}{{ x }}{% endfor %}", "cba");
    shows("{% for k, v in map sorted %}{{ k }}{{ v }}{% endfor %}", "a2z1");
    shows("{% for x in [3, 10, 2] sorted %}{{ x }} {% endfor %}", "2 3 10 ");
    shows(
        "{% for c in word sorted %}{{ c }}{% endfor %}",
        "egröß".replace("rö", "r").replace('ß', "ßö").as_str(),
    );
    fails("{% for x in xs sorted reversed %}{% endfor %}", "template_syntax", "1:23");
    fails("{% for x in xs %}{% else %}{% endfor %}", "template_syntax", "1:21");
}

#[test]
fn forloop_has_seven_members() {
    shows("{% for x in ys %}{{ forloop.Counter }}{{ forloop.Counter0 }}{% endfor %}", "102132");
    shows("{% for x in ys %}{{ forloop.Revcounter }}{{ forloop.Revcounter0 }}{% endfor %}", "322110");
    shows("{% for x in ys %}{{ x }}{% if not forloop.Last %}, {% endif %}{% endfor %}", "b, a, c");
    shows("{% for x in ys %}{% if forloop.First %}:{% endif %}{{ x }}{% endfor %}", ":bac");
    shows(
        "{% for a in rows %}{% for b in a %}{{ forloop.Parentloop.Counter }}{{ forloop.Counter }} {% endfor %}{% endfor %}",
        "11 12 21 ",
    );
    shows("{% for x in xs %}{{ forloop.last }}{{ forloop['Counter'] }}{% endfor %}", "123");
    shows("{{ forloop.Counter }}{% for x in xs %}{% endfor %}{{ forloop.Counter }}|", "|");
    shows("{% for x in xs reversed %}{{ forloop.Counter }}{{ x }} {% endfor %}", "13 22 31 ");
}

#[test]
fn for_is_strict_about_its_head() {
    fails("{% for %}{% endfor %}", "template_syntax", "1:4");
    fails("{% for x %}{% endfor %}", "template_syntax", "1:8");
    fails("{% for x in %}{% endfor %}", "template_syntax", "1:10");
    fails("{% for x, in xs %}{% endfor %}", "template_syntax", "1:11");
    fails("{% for 1 in xs %}{% endfor %}", "template_syntax", "1:8");
    fails("{% for x in xs y %}{% endfor %}", "template_syntax", "1:16");
    fails("{% for x in xs %}{% empty %}{% empty %}{% endfor %}", "template_syntax", "1:32");
}

#[test]
fn firstof_shows_the_first_that_is_true() {
    shows("{% firstof nope zero empty name five %}", "Ada");
    shows("{% firstof nope 'x' %}", "x");
    shows("{% firstof nope %}{% firstof %}|", "|");
    shows("{% firstof name|lower %}", "ada");
}

#[test]
fn cycle_takes_turns() {
    shows("{% for x in xs %}{% cycle 'a' 'b' %}{% endfor %}", "aba");
    shows("{% for x in xs %}{% cycle name five as c %}{{ c }} {% endfor %}", "AdaAda 55 AdaAda ");
    shows("{% for x in xs %}{% cycle 'a' 'b' as c silent %}{{ c }}{% endfor %}", "aba");
    shows("{% cycle 'a' 'b' as c %}{% cycle c %}{% cycle c %}", "aba");
    shows("{% for x in xs %}{% cycle 'a' 'b' %}{% cycle 'a' 'b' %} {% endfor %}", "aa bb aa ");
    fails("{% cycle %}", "template_syntax", "1:4");
    fails("{% cycle 'a' as %}", "template_syntax", "1:14");
}

#[test]
fn a_named_cycle_means_nothing_to_a_macro() {
    let inside = "{% macro m() %}{% set a = 1 %}{% set b = 2 %}[{% cycle c %}{{ a }}{{ b }}]{% endmacro %}";
    shows(&format!("{{% cycle 'x' 'y' as c %}}{inside}{{{{ m() }}}}{{{{ m() }}}}"), "x[x12][x12]");
    let from_macro = "{% macro m() %}{% cycle 'x' 'y' as c %}{% endmacro %}{{ m() }}{% cycle c %}|";
    shows(from_macro, "x|");
}

#[test]
fn ifchanged_watches_values_or_content() {
    let doubled = "{% for x in [1, 1, 2, 2, 1] %}";
    shows(&format!("{doubled}{{% ifchanged x %}}{{{{ x }}}}{{% endifchanged %}}{{% endfor %}}"), "121");
    shows(&format!("{doubled}{{% ifchanged %}}{{{{ x }}}}{{% endifchanged %}}{{% endfor %}}"), "121");
    shows(&format!("{doubled}{{% ifchanged x %}}n{{% else %}}o{{% endifchanged %}}{{% endfor %}}"), "nonon");
    shows(&format!("{doubled}{{% ifchanged x name %}}n{{% endifchanged %}}{{% endfor %}}"), "nnn");
    shows("{% ifchanged nope %}n{% endifchanged %}", "n");
    fails(
        "{% for x in rows %}{% ifchanged x %}{% endifchanged %}{% endfor %}",
        "template_type_mismatch",
        "1:20",
    );
}

#[test]
fn filter_blocks_filter_their_content() {
    shows("{% filter upper %}a {{ name }}{% endfilter %}", "A ADA");
    shows("{% filter cut:' '|upper %}a {{ name }}{% endfilter %}", "AADA");
    shows("{% filter length %}{{ name }}{% endfilter %}", "3");
    shows("{% filter upper %}{% filter lower %}Aa{% endfilter %}b{% endfilter %}", "AAB");
    fails("{% filter %}{% endfilter %}", "template_syntax", "1:4");
    fails("{% filter nope %}{% endfilter %}", "template_unknown_filter", "1:11");
}

#[test]
fn spaceless_takes_space_between_tags() {
    shows("{% spaceless %}<p> <b>a b</b>\n\t</p> {% endspaceless %}", "<p><b>a b</b></p> ");
    shows("{% spaceless %} a > b < c {% endspaceless %}", " a > b < c ");
    shows("{% spaceless %}<a> <b{% endspaceless %}", "<a> <b");
}

#[test]
fn widthratio_rounds_up_from_the_half() {
    shows("{% widthratio five 10 100 %}", "51");
    shows("{% widthratio 1 4 10 as w %}[{{ w }}]", "[3]");
    fails("{% widthratio 1 zero 1 %}", "template_division_by_zero", "1:1");
    fails("{% widthratio 1 2 %}", "template_syntax", "1:17");
}

#[test]
fn templatetag_shows_braces() {
    shows("{% templatetag openblock %}{% templatetag closeblock %}", "{%%}");
    shows("{% templatetag openvariable %}{% templatetag closevariable %}", "{{}}");
    shows("{% templatetag openbrace %}{% templatetag closebrace %}", "{}");
    shows("{% templatetag opencomment %}{% templatetag closecomment %}", "{##}");
    fails("{% templatetag openblok %}", "template_syntax", "1:16");
    fails("{% templatetag %}", "template_syntax", "1:4");
}

#[test]
fn lorem_repeats_itself() {
    shows("{% lorem 3 w %}", "Lorem ipsum dolor");
    shows("{% lorem 0 w %}|", "|");
    fails("{% lorem 2 w random %}", "template_nondeterministic", "1:1");
    fails("{% lorem x %}", "template_syntax", "1:10");
    fails("{% lorem 99999999999999999999 w %}", "template_limit_exceeded", "1:1");
}

/// The text of a template that is lent a clock and a seed.
fn lent(source: &str, seed: u64) -> String {
    let now = Civil::parse("2031-07-09T08:05:04Z");
    let settings = Settings { now, seed: Some(seed), ..Settings::default() };
    render_with(source, &Files::new(), data(), &full(), &settings).expect("a text").text
}

#[test]
fn clock_and_chance_come_from_the_host() {
    assert_eq!(lent("{% now '2006-01-02 15:04:05' %}", 0), "2031-07-09 08:05:04");
    shows("{% now 'Jan 2 2006' fake %}", "Feb 5 2014");
    fails("{% now 'Jan 2 2006' %}", "template_nondeterministic", "1:1");
    fails("{% now %}", "template_syntax", "1:4");
    fails("{{ xs|random }}", "template_nondeterministic", "1:7");
    let draw = "{% for c in 'abcdefghijklmnop' %}{{ xs|random }}{% endfor %}";
    assert_eq!(lent(draw, 7), lent(draw, 7));
    assert_ne!(lent(draw, 7), lent(draw, 8));
    assert_eq!(lent("{% lorem 2 w random %}", 7).split(' ').count(), 2);
}

#[test]
fn autoescape_is_off_until_a_tag_says_so() {
    shows("{{ text }}", "a <b> & \"c\"");
    shows("{% autoescape on %}{{ text }}{% endautoescape %}", "a &lt;b&gt; &amp; &quot;c&quot;");
    shows("{% autoescape on %}{{ text|safe }}{{ five }}{% endautoescape %}", "a <b> & \"c\"5");
    shows(
        "{% autoescape on %}{% autoescape off %}{{ '<' }}{% endautoescape %}{{ '<' }}{% endautoescape %}{{ '<' }}",
        "<&lt;<",
    );
    shows("{% autoescape on %}{{ '<'|upper }}{{ '<' + '>' }}<{% endautoescape %}", "&lt;&lt;&gt;<");
    shows("{% autoescape on %}{% firstof '<' %}{% firstof '<'|safe %}{% endautoescape %}", "&lt;<");
    fails("{% autoescape %}{% endautoescape %}", "template_syntax", "1:4");
    fails("{% autoescape maybe %}{% endautoescape %}", "template_syntax", "1:15");
}

#[test]
fn autoescape_as_an_option_reaches_every_file() {
    let others = super::support::files(&[("part", "{{ text }}")]);
    let mut options = full();
    options.autoescape = true;
    let source = "{% autoescape off %}{{ '<' }}{% include 'part' %}{% endautoescape %}{{ '<' }}";
    let text = render_with(source, &others, data(), &options, &Settings::default()).expect("a text").text;
    assert_eq!(text, "<a &lt;b&gt; &amp; &quot;c&quot;&lt;");
}

#[test]
fn unknown_and_stray_tags_are_errors() {
    fails("{% nope %}", "template_unknown_tag", "1:4");
    fails("{% endif %}", "template_unclosed_block", "1:4");
    fails("{% if yes %}{% endfor %}{% endif %}", "template_unclosed_block", "1:16");
    fails("{% if yes %}{% for x in xs %}{% endif %}", "template_unclosed_block", "1:13");
    fails("a\n {% with q=1 %}", "template_unclosed_block", "2:2");
}
