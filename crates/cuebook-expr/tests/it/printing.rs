//! The canonical form.

use crate::support::parse;

#[track_caller]
fn check(source: &str, expect: &str) {
    let expression = parse(source);
    assert_eq!(expression.to_string(), expect);
    assert_eq!(parse(expect), expression, "{expect}");
}

#[test]
fn the_canonical_form_has_one_spelling() {
    check("a and b or not c", "a && b || !c");
    check("'it\\'s \"x\"'", r#""it's \"x\"""#);
    check(r"'\u0001\n\t\r\\'", r#""\u0001\n\t\r\\""#);
    check("a['b']['c d'][0][ i ]", "a.b[\"c d\"][0][i]");
    check("a[\"\"]", "a[\"\"]");
    check("[ 1,2.50 , null,[] ]", "[1, 2.5, null, []]");
    check("2.0", "2");
    check("100000000000000000000.0", "100000000000000000000.0");
    check("0.00000000000000000000001", "0.00000000000000000000001");
    check("a?b:c", "a ? b : c");
    check("starts_with( a,'b' )", "starts_with(a, \"b\")");
    check("a not  in b", "a not in b");
    check("1.a", "1.a");
}

#[test]
fn parentheses_stay_only_where_they_count() {
    check("((a))", "a");
    check("(a + b) + c", "a + b + c");
    check("a + (b + c)", "a + (b + c)");
    check("a - (b - c)", "a - (b - c)");
    check("(a * b) + c", "a * b + c");
    check("a * (b + c)", "a * (b + c)");
    check("(a && b) || c", "a && b || c");
    check("a && (b || c)", "a && (b || c)");
    check("(a && b) && c", "a && b && c");
    check("not a == b", "not a == b");
    check("!(a == b)", "not a == b");
    check("!!(a == b)", "not not a == b");
    check("!(a && b)", "!(a && b)");
    check("not (a ? b : c)", "!(a ? b : c)");
    check("a && !(b in c) || d", "a && not b in c || d");
    check("a == !(b == c)", "a == !(b == c)");
    check("!(a == b) == c", "!(a == b) == c");
    check("-!(a == b)", "-!(a == b)");
    check("(!(a == b)).c", "(not a == b).c");
    check("!-a", "!-a");
    check("!(a.b)", "!a.b");
    check("-(-a)", "--a");
    check("-(a + b)", "-(a + b)");
    check("(-a).b", "(-a).b");
    check("(a == b) == c", "(a == b) == c");
    check("a == (b == c)", "a == (b == c)");
    check("(a < b) == (c < d)", "a < b == c < d");
    check("(a < b) < c", "(a < b) < c");
    check("(a ? b : c) ? d : e", "(a ? b : c) ? d : e");
    check("a ? (b ? c : d) : (e ? f : g)", "a ? b ? c : d : e ? f : g");
    check("(a ? b : c) + 1", "(a ? b : c) + 1");
    check("[(a), (b ? c : d)]", "[a, b ? c : d]");
    check("x[(a + b)]", "x[a + b]");
    check("([1])[0]", "[1][0]");
    check("(a || b).c", "(a || b).c");
    check("(a.b).c", "a.b.c");
}

#[test]
fn equality_ignores_layout_but_not_meaning() {
    assert_eq!(parse("a+b"), parse(" a  + (b) "));
    assert_eq!(parse("a.b"), parse("a['b']"));
    assert_ne!(parse("a + (b + c)"), parse("a + b + c"));
    assert_ne!(parse("a"), parse("b"));
    assert_ne!(parse("1"), parse("'1'"));
}
