//! What expressions give.

use serde_json::{Value, json};

use crate::support::{parse, scope};

#[track_caller]
fn check(source: &str, expect: Value) {
    let got = parse(source).evaluate(&scope());
    assert_eq!(got, Ok(expect), "{source}");
}

#[track_caller]
fn check_all(table: &[(&str, Value)]) {
    for (source, expect) in table {
        check(source, expect.clone());
    }
}

#[test]
fn literals_are_themselves() {
    check_all(&[
        ("null", json!(null)),
        ("true", json!(true)),
        ("false", json!(false)),
        ("0", json!(0)),
        ("18446744073709551615", json!(u64::MAX)),
        ("-9223372036854775808", json!(i64::MIN)),
        ("1.5", json!(1.5)),
        ("1.0", json!(1)),
        ("007", json!(7)),
        ("[]", json!([])),
        ("[1, [true], 'x']", json!([1, [true], "x"])),
        (" \t\r\n 1 \n", json!(1)),
    ]);
}

#[test]
fn strings_know_their_escapes() {
    check_all(&[
        ("'single'", json!("single")),
        ("\"double\"", json!("double")),
        (r"'it\'s'", json!("it's")),
        (r#"'say "hi"'"#, json!("say \"hi\"")),
        (r#""say \"hi\" it's""#, json!("say \"hi\" it's")),
        (r"'a\\b\n\t\r'", json!("a\\b\n\t\r")),
        (r"'\u00e9\u20AC'", json!("é€")),
        (r"'\ud83d\ude00'", json!("😀")),
        ("'grüße 😀'", json!("grüße 😀")),
    ]);
}

#[test]
fn paths_reach_into_values() {
    check_all(&[
        ("status", json!("done")),
        ("output.approved", json!(true)),
        ("output[\"approved\"]", json!(true)),
        ("output['by key']", json!(7)),
        ("output.in", json!("word")),
        ("items[1].name", json!("b")),
        ("items[i].name", json!("b")),
        ("items[whole - 1].name", json!("b")),
        ("items[whole - 2.0].price", json!(1)),
        ("output.list[size(output.list) - 1]", json!(3)),
        ("output[lower('APPROVED')]", json!(true)),
        ("host.phase == \"plan\"", json!(true)),
        ("[10, 20][1]", json!(20)),
        ("(ready ? output : host).note", json!("")),
        ("default(nothing, items)[0].name", json!("a")),
    ]);
}

#[test]
fn what_is_missing_is_null() {
    for source in [
        "absent",
        "absent.deeper[0].still",
        "output.absent",
        "status.length",
        "count[0]",
        "tags[9]",
        "tags.first",
        "output[0]",
        "nothing.x",
        "[1][1]",
    ] {
        check(source, json!(null));
    }
}

#[test]
fn numbers_count_by_value() {
    check_all(&[
        ("1 == 1.0", json!(true)),
        ("whole == 2", json!(true)),
        ("6 / 2", json!(3)),
        ("7 / 2", json!(3.5)),
        ("7.0 / 2.0", json!(3.5)),
        ("1.5 + 1.5", json!(3)),
        ("7 % 3", json!(1)),
        ("-7 % 3", json!(-1)),
        ("7.5 % 2", json!(1.5)),
        ("2 * 3.25", json!(6.5)),
        ("-score", json!(-0.5)),
        ("--count", json!(3)),
        ("-0.0 == 0", json!(true)),
        ("huge - 1", json!(u64::MAX - 1)),
        ("low + 1", json!(i64::MIN + 1)),
        ("huge == 18446744073709551615.0", json!(false)),
        ("huge < 18446744073709551616.0", json!(true)),
        ("9007199254740993 > 9007199254740992.0", json!(true)),
        ("low < -0.5", json!(true)),
        ("low == -9223372036854775808.0", json!(true)),
        ("0 < 0.5", json!(true)),
        ("0 > -0.5", json!(true)),
        ("-1 < -0.5", json!(true)),
    ]);
}

#[test]
fn comparisons_order_numbers_and_strings() {
    check_all(&[
        ("1 < 2", json!(true)),
        ("2 <= 2", json!(true)),
        ("2 > 2", json!(false)),
        ("2 >= 2.0", json!(true)),
        ("'a' < 'b'", json!(true)),
        ("'a' < 'aa'", json!(true)),
        ("'Z' < 'a'", json!(true)),
        ("'b' >= 'b'", json!(true)),
    ]);
}

#[test]
fn equality_is_deep_and_never_fails() {
    check_all(&[
        ("[1, [2.0]] == [1.0, [2]]", json!(true)),
        ("[1, 2] == [2, 1]", json!(false)),
        ("[1] == [1, 1]", json!(false)),
        ("items == items", json!(true)),
        ("items[0] == items[1]", json!(false)),
        ("empty.map == empty.list", json!(false)),
        ("null == absent", json!(true)),
        ("null == false", json!(false)),
        ("'1' == 1", json!(false)),
        ("'1' != 1", json!(true)),
        ("0 == false", json!(false)),
    ]);
}

#[test]
fn membership_searches_lists_maps_and_strings() {
    check_all(&[
        ("'draft' in tags", json!(true)),
        ("'final' in tags", json!(false)),
        ("'final' not in tags", json!(true)),
        ("1.0 in [1]", json!(true)),
        ("[1] in [[1], 2]", json!(true)),
        ("null in [null]", json!(true)),
        ("'approved' in output", json!(true)),
        ("'by' in output", json!(false)),
        ("'on' in status", json!(true)),
        ("'' in status", json!(true)),
    ]);
}

#[test]
fn booleans_short_circuit() {
    check_all(&[
        ("true && true", json!(true)),
        ("true and false", json!(false)),
        ("false || true", json!(true)),
        ("false or false", json!(false)),
        ("!ready", json!(false)),
        ("not ready", json!(false)),
        ("!!ready", json!(true)),
        ("false && absent < 1", json!(false)),
        ("true || absent < 1", json!(true)),
        ("true || 1 || absent", json!(true)),
        ("ready ? 'yes' : absent < 1", json!("yes")),
        ("!ready ? absent < 1 : 'no'", json!("no")),
        ("default(status, 1 / 0)", json!("done")),
    ]);
}

#[test]
fn strings_join_with_plus() {
    check_all(&[
        ("'a' + 'b' + status", json!("abdone")),
        ("'n=' + string(count)", json!("n=3")),
        ("status + ''", json!("done")),
        ("status", json!("done")),
    ]);
}

#[test]
fn functions_give_what_they_say() {
    check_all(&[
        ("size('grüße 😀')", json!(7)),
        ("size(tags)", json!(2)),
        ("size(host)", json!(1)),
        ("starts_with(status, 'do')", json!(true)),
        ("starts_with(status, 'ne')", json!(false)),
        ("ends_with(status, 'ne')", json!(true)),
        ("ends_with(status, 'do')", json!(false)),
        ("contains(tags, 'draft')", json!(true)),
        ("contains(status, 'x')", json!(false)),
        ("contains(output, 'note')", json!(true)),
        ("lower('ÄB')", json!("äb")),
        ("upper('äß')", json!("ÄSS")),
        ("trim(' \\n a b\\t')", json!("a b")),
        ("default(absent, 1)", json!(1)),
        ("default(empty.text, 1)", json!("")),
        ("default(default(absent, nothing), 2)", json!(2)),
        ("exists(output.approved)", json!(true)),
        ("exists(items[i].name)", json!(true)),
        ("exists(empty.text)", json!(true)),
        ("exists(absent.x)", json!(false)),
        ("exists(nothing)", json!(false)),
        ("string('x')", json!("x")),
        ("string(2.0)", json!("2")),
        ("string(-1.25)", json!("-1.25")),
        ("string(huge)", json!("18446744073709551615")),
        ("string(true)", json!("true")),
        ("number(count)", json!(3)),
        ("number('-1.5e1')", json!(-15)),
        ("number('0.25')", json!(0.25)),
        ("size(string(1.5)) + 1", json!(4)),
    ]);
}

#[test]
fn a_function_name_is_an_ordinary_name_without_a_call() {
    let scope = crate::support::object(json!({"size": 4, "exists": {"default": "x"}}));
    assert_eq!(parse("size + 1").evaluate(&scope), Ok(json!(5)));
    assert_eq!(parse("exists.default").evaluate(&scope), Ok(json!("x")));
}

#[test]
fn operators_bind_as_the_table_says() {
    check_all(&[
        ("1 + 2 * 3", json!(7)),
        ("(1 + 2) * 3", json!(9)),
        ("10 - 4 - 3", json!(3)),
        ("12 / 2 / 3", json!(2)),
        ("7 - 7 % 4", json!(4)),
        ("-2 * -3", json!(6)),
        ("-items[0].price", json!(-1)),
        ("1 + 1 == 2", json!(true)),
        ("1 < 2 == true", json!(true)),
        ("1 < 2 == 3 < 4", json!(true)),
        ("(1 == 1) == true", json!(true)),
        ("1 in [1] == true", json!(true)),
        ("1 + 1 in [2]", json!(true)),
        ("true || false && false", json!(true)),
        ("(true || false) && false", json!(false)),
        ("not false && false", json!(false)),
        ("not (false && false)", json!(true)),
        ("not 1 == 2", json!(true)),
        ("not 'x' in tags", json!(true)),
        ("not not ready", json!(true)),
        ("true && not 1 == 2 && true", json!(true)),
        ("!ready == false", json!(true)),
        ("ready && false ? 1 : 2", json!(2)),
        ("false ? 1 : false ? 2 : 3", json!(3)),
        ("true ? false ? 1 : 2 : 3", json!(2)),
        ("true ? 1 : 2 + 10", json!(1)),
    ]);
}
