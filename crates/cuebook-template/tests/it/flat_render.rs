//! What a sink receives, and that values are never read again.

use cuebook_template::Span;

use crate::sinks::{calls, fill, identity, parse};

#[test]
fn values_pass_byte_for_byte() {
    for value in [
        "{{other}}",
        "{{value}}",
        "{{7*7}}",
        "{{{value}}}",
        "{% if x %}",
        "$1",
        "$&",
        "${0}",
        r"\1",
        r"\",
        "&",
        "\"",
        "'",
        "<b>",
        "&amp;",
        "",
        " ",
        "}}",
        "{{",
        "\0",
        "\r\n",
        "\u{FEFF}",
        "\u{2028}",
        "😀",
    ] {
        let result = fill("a {{value}} b {{other}}", |name| if name == "value" { value } else { "o" });
        assert_eq!(result, format!("a {value} b o"));
    }
}

#[test]
fn values_that_join_to_a_placeholder_stay_text() {
    let value = |name: &str| match name {
        "open" => "{{",
        "close" => "}}",
        _ => "never",
    };
    assert_eq!(fill("{{open}}name{{close}}", value), "{{name}}");
    assert_eq!(fill("{ {{open}}name}}", value), "{ {{name}}");
}

#[test]
fn spans_touch_and_cover_the_source() {
    let program = parse("é{{a}}\r\n{{ b }}{{a}}");
    let expect = [
        ("'é'", Span::new(0, 2)),
        ("[0]", Span::new(2, 7)),
        ("'\r\n'", Span::new(7, 9)),
        ("[1]", Span::new(9, 16)),
        ("[0]", Span::new(16, 21)),
    ];
    let got = calls(&program);
    let got: Vec<(&str, Span)> = got.iter().map(|(piece, span)| (piece.as_str(), *span)).collect();
    assert_eq!(got, expect);
}

#[test]
fn neighbouring_literals_are_one() {
    let got = calls(&parse("{{{a}}} {{2}} {% x %} }}"));
    assert_eq!(got, [("'{{{a}}} {{2}} {% x %} }}'".to_owned(), Span::new(0, 24))]);
}

#[test]
fn an_empty_template_has_no_pieces() {
    assert!(calls(&parse("")).is_empty());
}

#[test]
fn a_program_renders_the_same_again() {
    let program = parse("{{a}} and {{b}}");
    assert_eq!(calls(&program), calls(&program));
    assert_eq!(calls(&program), calls(&program.clone()));
}

/// A search that went back over what it has read would not come to an end here.
#[test]
fn repeated_openings_are_read_once() {
    for piece in
        ["{", "{{ ", "{{a", "{{a ", "{{a}", "{ ", "{%", "{#", "{%a", "{{#a", "${", "{{a\n", "}", "{{}}"]
    {
        let text = piece.repeat(400_000 / piece.len());
        let program = parse(&text);
        assert_eq!(program.names().len(), 0, "{piece:?}");
        assert!(identity(&program) == text, "{piece:?}");
        let lints = program.lints_knowing(|_| true);
        assert!(lints.iter().all(|lint| lint.label.is_some()), "{piece:?}");
    }
}

#[test]
fn many_slots_are_found_once_each() {
    let text = (0..20_000)
        .fold(String::new(), |text, number| text + &format!("{{{{v{number}}}}} {{{{v{number}}}}}"));
    let program = parse(&text);
    assert_eq!(program.names().len(), 20_000);
    assert_eq!(program.placeholders().len(), 40_000);
    assert_eq!(program.slot("v19999"), Some(19_999));
}
