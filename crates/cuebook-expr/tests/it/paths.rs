//! Which paths an expression reads, and plain references.

use cuebook_expr::{Expression, Path, Segment};
use serde_json::json;

use crate::support::{parse, report, scope};

#[track_caller]
fn check(source: &str, expect: &[&str]) {
    let expression = parse(source);
    let got: Vec<String> = expression.paths().iter().map(Path::to_string).collect();
    assert_eq!(got, expect, "{source}");
}

#[test]
fn every_path_is_listed_as_far_as_it_is_fixed() {
    check("1 + size('a')", &[]);
    check("a", &["a"]);
    check("a.b[0]['c d'].e", &["a.b[0][\"c d\"].e"]);
    check("a.b[i].c", &["a.b", "i"]);
    check("a[b[c.d]].e", &["a", "b", "c.d"]);
    check("a[-1]", &["a"]);
    check("a == b && a.c in [d, e] ? f : -g", &["a", "b", "a.c", "d", "e", "f", "g"]);
    check("exists(a.b) || default(c.d, e)", &["a.b", "c.d", "e"]);
    check("(a ? b : c).d[e]", &["a", "b", "c", "e"]);
    check("[a, b][0].c", &["a", "b"]);
    check("a.true.in.not", &["a.true.in.not"]);
}

#[test]
fn a_path_knows_its_place() {
    let source = "1 + a . b [ 0 ] [i] . c";
    let expression = parse(source);
    let spans: Vec<&str> = expression.paths().iter().map(|path| path.span().of(source)).collect();
    assert_eq!(spans, ["a . b [ 0 ]", "i"]);
    let path = &expression.paths()[0];
    assert_eq!(path.root(), "a");
    assert_eq!(path.segments(), [Segment::Key("b".to_owned()), Segment::Index(0)]);
}

#[test]
fn unknown_roots_are_reported_once_with_the_nearest() {
    let known = ["status", "output", "steps", "inputs"];
    let check = |source: &str| report(&parse(source).check_roots(&known)) + "\n";
    assert_eq!(check("status == 'x' && exists(output.y)"), "\n");
    insta::assert_snapshot!(
        [
            check("statsu == 'x' && outptu.approved && statsu != 'y'"),
            check("xyzzy"),
            check("status == None || status == True"),
            check("steps.house-style.output"),
            check("steps[input.i]"),
            report(&parse("a").check_roots(&[])),
        ]
        .concat()
    );
}

#[track_caller]
fn check_reference(source: &str, root: &str, segments: &[Segment]) {
    let path = Path::parse(source).unwrap_or_else(|errors| panic!("{}", report(&errors)));
    assert_eq!((path.root(), path.segments()), (root, segments), "{source}");
}

#[test]
fn references_may_hold_hyphens() {
    let key = |key: &str| Segment::Key(key.to_owned());
    check_reference("status", "status", &[]);
    check_reference(" output.approved ", "output", &[key("approved")]);
    check_reference("steps.house-style.output", "steps", &[key("house-style"), key("output")]);
    check_reference("my-node.2nd-port", "my-node", &[key("2nd-port")]);
    check_reference("items[0][\"a b\"].c", "items", &[Segment::Index(0), key("a b"), key("c")]);
    check_reference("in.not", "in", &[key("not")]);
}

#[test]
fn references_are_not_expressions() {
    let errors: String = [
        "", "a.", "a b", "a + 1", "a == b", "size(a)", "a.0", "0", "a[b]", "a[0", "a[]", ".a", "-a",
        "{{ a }}", "a['x", "'a'",
    ]
    .iter()
    .map(|source| report(&Path::parse(source).expect_err(source)) + "\n")
    .collect();
    insta::assert_snapshot!(errors);
}

#[test]
fn references_look_up_what_is_there() {
    let scope = scope();
    let lookup = |source: &str| Path::parse(source).expect(source).lookup(&scope).cloned();
    assert_eq!(lookup("items[1].name"), Some(json!("b")));
    assert_eq!(lookup("nothing"), Some(json!(null)));
    assert_eq!(lookup("nothing.x"), None);
    assert_eq!(lookup("absent"), None);
    assert_eq!(lookup("items[7]"), None);
}

#[test]
fn a_reference_is_checked_like_an_expression() {
    let path = Path::parse("statsu.x").expect("well formed");
    let errors = path.check_root("statsu.x", &["status"]);
    assert_eq!(errors[0].to_string(), "column 1: unknown name `statsu`; did you mean `status`?");
    assert!(path.check_root("statsu.x", &["statsu"]).is_empty());
}

#[test]
fn the_source_is_kept_as_written() {
    let source = " a  and b ";
    assert_eq!(Expression::parse(source).expect("well formed").source(), source);
}
