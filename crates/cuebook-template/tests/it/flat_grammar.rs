//! Which text is a placeholder.

use cuebook_template::flat::is_name;

use crate::sinks::{calls, parse};

/// Checks the pieces of a template: literals in quotes, slots as their names in brackets.
#[track_caller]
fn check(text: &str, expect: &str) {
    let program = parse(text);
    let pieces: String = calls(&program)
        .into_iter()
        .map(|(piece, _)| match piece.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(slot) => format!("[{}]", program.names()[slot.parse::<usize>().expect("a slot number")]),
            None => piece,
        })
        .collect();
    assert_eq!(pieces, expect, "template {text:?}");
}

/// Checks that a template is one literal.
#[track_caller]
fn check_literal(text: &str) {
    check(text, &format!("'{text}'"));
}

#[test]
fn names_stand_between_two_braces() {
    check("", "");
    check("plain", "'plain'");
    check("{{a}}", "[a]");
    check("Hello {{name}}!", "'Hello '[name]'!'");
    check("{{a}}{{b}}{{a}}", "[a][b][a]");
    check("{{_}} {{_9}} {{A1_b2}}", "[_]' '[_9]' '[A1_b2]");
}

#[test]
fn white_space_around_the_name_is_dropped() {
    check("{{ a }}", "[a]");
    check("{{a }}{{ a}}", "[a][a]");
    check("{{\t\r\n a \n\t\r}}", "[a]");
    check_literal("{{\u{A0}a}}");
    check_literal("{{\u{B}a}}");
    check_literal("{{a\u{2028}}}");
    check_literal("{{\u{FEFF}a}}");
    check_literal("{ {a}}");
    check_literal("{{a} }");
}

#[test]
fn a_name_has_at_most_64_characters() {
    let longest = "x".repeat(64);
    check(&format!("{{{{{longest}}}}}"), &format!("[{longest}]"));
    check_literal(&format!("{{{{x{longest}}}}}"));
    check_literal(&format!("{{{{ x{longest} }}}}"));
}

#[test]
fn other_names_are_literal() {
    for text in
        ["{{2x}}", "{{7}}", "{{a-b}}", "{{a.b}}", "{{a b}}", "{{a[0]}}", "{{naïve}}", "{{名}}", "{{$a}}"]
    {
        check_literal(text);
    }
}

#[test]
fn logic_of_bigger_languages_is_literal() {
    for text in [
        "{{#if a}}",
        "{{/if}}",
        "{{^a}}",
        "{{> a}}",
        "{{! a}}",
        "{{&a}}",
        "{{=<% %>=}}",
        "{{a|upper}}",
        "{{ a | upper }}",
        "{{- a -}}",
        "{{~a~}}",
        "{% if a %}",
        "{# a #}",
        "${a}",
        "{a}",
        "<%= a %>",
    ] {
        check_literal(text);
    }
}

#[test]
fn only_a_run_of_exactly_two_opens() {
    check_literal("{{{a}}}");
    check_literal("{{{a}}");
    check_literal("{{{{a}}}}");
    check_literal("{{{{{a}}");
    check("{{{a}}} {{a}}", "'{{{a}}} '[a]");
}

#[test]
fn the_first_two_braces_close() {
    check("{{a}}}", "[a]'}'");
    check("{{a}}}}", "[a]'}}'");
    check("{\"n\": {{n}}}", "'{\"n\": '[n]'}'");
    check("{\"n\":{\"m\":{{m}}}}", "'{\"n\":{\"m\":'[m]'}}'");
}

#[test]
fn unfinished_placeholders_are_literal() {
    for text in ["{", "{{", "{{a", "{{a}", "{{ ", "{{a ", "}}", "}", "a}}", "{{}}", "{{ }}", "{{\n}}"] {
        check_literal(text);
    }
}

#[test]
fn the_search_goes_on_behind_a_failed_opening() {
    check("{{a{{b}}", "'{{a'[b]");
    check("{{ {{b}}", "'{{ '[b]");
    check("{{a}{{b}}", "'{{a}'[b]");
    check("{{#if a}}{{a}}{{/if}}", "'{{#if a}}'[a]'{{/if}}'");
    check("{{{{b}} {{b}}", "'{{{{b}} '[b]");
    check("{{{#x}}}{{b}}", "'{{{#x}}}'[b]");
}

#[test]
fn json_samples_are_literal() {
    check_literal(r#"{"a": {"b": [1, {"c": {}}]}}"#);
    check_literal("{{ \"a\": 1 }}");
    check_literal("{\n  \"a\": {{\n    \"b\": 1\n  }}\n}");
}

#[test]
fn nothing_escapes_a_placeholder() {
    check(r"\{{a}}", r"'\'[a]");
    check(r"\\{{a}}", r"'\\'[a]");
    check("${{a}}", "'$'[a]");
    check("%{{a}}%", "'%'[a]'%'");
}

#[test]
fn every_other_byte_is_kept() {
    check_literal("\u{FEFF}a\r\nb\rc\n\u{2028}\u{85}\0\u{7F}\t ");
    check("\u{FEFF}{{a}}\r\n😀{{b}}\u{2028}", "'\u{FEFF}'[a]'\r\n😀'[b]'\u{2028}'");
}

#[test]
fn slots_are_numbered_by_first_occurrence() {
    let program = parse("{{b}} {{a}} {{b}} {{ c }}");
    let names: Vec<&str> = program.names().iter().map(AsRef::as_ref).collect();
    assert_eq!(names, ["b", "a", "c"]);
    assert_eq!(program.slot("b"), Some(0));
    assert_eq!(program.slot("c"), Some(2));
    assert_eq!(program.slot("B"), None);
    let seen: Vec<_> =
        program.placeholders().map(|one| (one.name.as_ref(), one.slot, one.span.start)).collect();
    assert_eq!(seen, [("b", 0, 0), ("a", 1, 6), ("b", 0, 12), ("c", 2, 18)]);
}

#[test]
fn names_follow_the_published_pattern() {
    for name in ["a", "_", "A", "z9", "_0", &"y".repeat(64)] {
        assert!(is_name(name), "{name:?} is a name");
    }
    for name in ["", "0", "9a", "a-b", "a b", " a", "a\n", "é", "a.b", &"y".repeat(65)] {
        assert!(!is_name(name), "{name:?} is no name");
    }
}
