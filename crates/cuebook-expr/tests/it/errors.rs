//! Why a text is not an expression, and what the errors say about it.

use cuebook_expr::Expression;

use crate::support::report;

/// Reads each source and gives all errors in one text.
#[track_caller]
fn errors(sources: &[&str]) -> String {
    sources
        .iter()
        .map(|source| match Expression::parse(source) {
            Ok(expression) => panic!("{source} is read as {expression}"),
            Err(errors) => report(&errors) + "\n",
        })
        .collect()
}

#[test]
fn a_value_is_missing() {
    insta::assert_snapshot!(errors(&[
        "",
        "  ",
        "a &&",
        "&& a",
        "a && || b",
        "a in",
        "in a",
        "a not in",
        "!",
        "a ? : b",
        "f.",
        ".5",
        "()",
        "a[]",
        "[1,]",
        "[,1]",
    ]));
}

#[test]
fn an_operator_is_missing() {
    insta::assert_snapshot!(errors(&[
        "a b",
        "the status is done",
        "a AND b",
        "a is null",
        "size (x) size",
        "1 'x'",
        "a !b",
    ]));
}

#[test]
fn operators_of_other_languages_are_named() {
    insta::assert_snapshot!(errors(&[
        "a = b",
        "a === b",
        "a !== b",
        "a <> b",
        "a & b",
        "a | upper",
        "a && b = c | d"
    ]));
}

#[test]
fn comparisons_do_not_chain() {
    insta::assert_snapshot!(errors(&["1 < x < 3", "a == b == c", "a == b != c == d", "a in b in c"]));
}

#[test]
fn the_word_not_binds_loosely() {
    insta::assert_snapshot!(errors(&["a == not b", "1 + not a", "-not a"]));
}

#[test]
fn brackets_are_paired() {
    insta::assert_snapshot!(errors(&[
        "(a",
        "a)",
        "(a]",
        "[1, 2",
        "a[0",
        "size(a",
        "a\n && (b\n && c",
        "((a)",
        "a, b",
        "a : b",
        "[a : b]",
        "a ? b",
        "(a ? b)",
    ]));
}

#[test]
fn numbers_are_well_formed() {
    insta::assert_snapshot!(errors(&[
        "1e5",
        "12px",
        "1.",
        "1.5.2",
        "a.0",
        "18446744073709551616",
        "0x1F + 1_000",
    ]));
}

#[test]
fn strings_are_well_formed() {
    insta::assert_snapshot!(errors(&[
        "'open",
        "\"open",
        "'two\nlines'",
        r"'\q'",
        r"'\u12'",
        r"'\ud83d'",
        r"'\ud83d\u0041'",
        r"'\udc00'",
        r"'\",
        r"'\x' + '\y'",
    ]));
}

#[test]
fn strange_characters_are_named() {
    insta::assert_snapshot!(errors(&[
        "{{ status }}",
        "${status}",
        "a @ b",
        "status == “done”",
        "größe > 1",
        "a; b # c",
        "\u{7}",
        "a\u{a0}b",
    ]));
}

#[test]
fn functions_are_a_fixed_set() {
    insta::assert_snapshot!(errors(&[
        "sizee(a)",
        "startsWith(a, 'x')",
        "len(a)",
        "matches(a, 'x')",
        "frobnicate(a)",
        "size()",
        "size(a, b)",
        "starts_with(a)",
        "exists('a')",
        "exists(size(a))",
        "exists([a][0])",
        "a.size()",
        "a.push(1)",
        "a.b(c).d",
    ]));
}

#[test]
fn all_errors_are_reported_at_once() {
    insta::assert_snapshot!(errors(&[
        "sizee(a) > 1 && lenght(b) = 2 && (c",
        "frob(1) + a b && upper(1, 2) || 'x\\q'",
    ]));
}

#[test]
fn a_place_in_a_long_line_is_cut_out() {
    let long = "some_name && ".repeat(20);
    insta::assert_snapshot!(errors(&[
        &format!("{long}sizee(a) && {long}ready"),
        &format!("1 ++ 2 && {long}ready"),
        &format!("{long}ready &&"),
        &format!("sizee(1)\n&& \t{long}\n sizee(2)\n"),
    ]));
}

#[test]
fn no_more_than_twenty_errors_are_reported() {
    let errors = Expression::parse(&"@ ".repeat(2000)).expect_err("the text is not in the language");
    assert_eq!(errors.len(), cuebook_expr::limits::MAX_ERRORS);
}

#[test]
fn an_error_has_its_parts() {
    let errors = Expression::parse("true && sizee(x)").expect_err("there is no such function");
    let error = &errors[0];
    assert_eq!((error.span().start, error.span().end), (8, 13));
    assert_eq!(error.message(), "unknown function `sizee`");
    assert_eq!(error.hint(), Some("did you mean `size`?"));
    assert_eq!(error.to_string(), "column 9: unknown function `sizee`; did you mean `size`?");
    assert_eq!(error.caret(), "true && sizee(x)\n        ^^^^^");
}
