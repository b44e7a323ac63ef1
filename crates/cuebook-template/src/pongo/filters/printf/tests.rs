//! Format strings and what Go makes of them.

use serde_json::{Value as Json, json};

use super::super::testing::{check_error, check_text};

#[track_caller]
fn check(input: &Json, cases: &[(&str, &str)]) {
    for (format, expect) in cases {
        check_text("stringformat", input.clone(), json!(format), expect);
    }
}

#[test]
fn strings() {
    check(
        &json!("héy"),
        &[
            ("%s", "héy"),
            ("%v|", "héy|"),
            ("<%5s><", "<  héy><"),
            ("%-5s|", "héy  |"),
            ("%05s", "00héy"),
            ("%-05s|", "héy  |"),
            ("%.2s", "hé"),
            ("%5.1s", "    h"),
            ("%.s|", "|"),
            ("%q", "\"héy\""),
            ("%+q", "\"h\\u00e9y\""),
            ("%#q", "`héy`"),
            ("%#v", "\"héy\""),
            ("%x", "68c3a979"),
            ("% X", "68 C3 A9 79"),
            ("%#x", "0x68c3a979"),
            ("%# x", "0x68 0xc3 0xa9 0x79"),
            ("%.2x", "68c3"),
            ("%T", "string"),
            ("%d", "%!d(string=héy)"),
            ("%5d", "%!d(string=  héy)"),
            ("%t", "%!t(string=héy)"),
            ("%p", "%!p(string=héy)"),
            ("%!", "%!!(string=héy)"),
            ("%é", "%!é(string=héy)"),
        ],
    );
    check(
        &json!("a\t\"\\`\u{1}\u{7f}\n\u{200b}e\u{301}"),
        &[("%q", "\"a\\t\\\"\\\\`\\x01\\x7f\\n\\u200be\u{301}\"")],
    );
    check(&json!("\u{e000}\u{100000}'"), &[("%q", "\"\\ue000\\U00100000'\"")]);
}

#[test]
fn integers() {
    check(
        &json!(42),
        &[
            ("%d", "42"),
            ("%5d|%%", "   42|%"),
            ("%-5d|", "42   |"),
            ("%05d", "00042"),
            ("%+d", "+42"),
            ("% d", " 42"),
            ("%+05d", "+0042"),
            ("%.4d", "0042"),
            ("%6.4d", "  0042"),
            ("%06.4d", "  0042"),
            ("%x %[1]X", "2a 2A"),
            ("%#x", "0x2a"),
            ("%#06x", "0x00002a"),
            ("%o", "52"),
            ("%#o", "052"),
            ("%O", "0o52"),
            ("%b", "101010"),
            ("%#b", "0b101010"),
            ("%c", "*"),
            ("%q", "'*'"),
            ("%U", "U+002A"),
            ("%#U", "U+002A '*'"),
            ("%.6U", "U+00002A"),
            ("%v", "42"),
            ("%+v", "42"),
            ("%T", "int"),
            ("%s", "%!s(int=42)"),
            ("%+s", "%!s(int=+42)"),
            ("%05s", "%!s(int=00042)"),
            ("%f", "%!f(int=42)"),
            ("%.2f", "%!f(int=42)"),
        ],
    );
    check(&json!(-42), &[("%d", "-42"), ("%05d", "-0042"), ("%x", "-2a"), ("%c", "\u{fffd}")]);
    check(&json!(0), &[("%.0d|", "|"), ("%3.0d|", "   |"), ("%03d", "000"), ("%q", "'\\x00'")]);
    check(&json!(233), &[("%q", "'é'"), ("%+q", "'\\u00e9'"), ("%c", "é"), ("%#U", "U+00E9 'é'")]);
    check(&json!(i64::MIN), &[("%d", "-9223372036854775808")]);
    check(&json!(39), &[("%q", "'\\''")]);
}

#[test]
fn floats() {
    check(
        &json!(6.1415),
        &[
            ("%f", "6.141500"),
            ("%F", "6.141500"),
            ("%.2f", "6.14"),
            ("%05.2f", "06.14"),
            ("%8.2f|", "    6.14|"),
            ("%-8.2f|", "6.14    |"),
            ("%+.1f", "+6.1"),
            ("% .1f", " 6.1"),
            ("%.0f", "6"),
            ("%#.0f", "6."),
            ("%e", "6.141500e+00"),
            ("%.2E", "6.14E+00"),
            ("%g", "6.1415"),
            ("%.2g", "6.1"),
            ("%#.8g", "6.1415000"),
            ("%v", "6.1415"),
            ("%d", "%!d(float64=6.1415)"),
            ("%.2d", "%!d(float64=6.1)"),
            ("%05d", "%!d(float64=6.1415)"),
            ("%010d", "%!d(float64=00006.1415)"),
            ("%s", "%!s(float64=6.1415)"),
            ("%T", "float64"),
        ],
    );
    check(&json!(-0.5), &[("%f", "-0.500000"), ("%06.1f", "-000.5"), ("%b", "-4503599627370496p-53")]);
    check(
        &json!(1e6),
        &[("%v", "1e+06"), ("%g", "1e+06"), ("%G", "1E+06"), ("%.7g", "1000000"), ("%#v", "1e+06")],
    );
    check(&json!(123_456.0), &[("%v", "123456"), ("%.3g", "1.23e+05"), ("%.10g", "123456")]);
    check(&json!(123_456_789.0), &[("%v", "1.23456789e+08"), ("%.0g", "1e+08"), ("%.20g", "123456789")]);
    check(&json!(0.0001), &[("%v", "0.0001"), ("%e", "1.000000e-04")]);
    check(&json!(0.000_012_5), &[("%v", "1.25e-05"), ("%.1g", "1e-05"), ("%.6f", "0.000013")]);
    check(&json!(0.0), &[("%v", "0"), ("%g", "0"), ("%#g", "0.00000"), ("%b", "0p-1074"), ("%x", "0x0p+00")]);
    check(&json!(1e300), &[("%v", "1e+300"), ("%.2e", "1.00e+300")]);
    check(
        &json!(0.1),
        &[("%x", "0x1.999999999999ap-04"), ("%.2x", "0x1.9ap-04"), ("%X", "0X1.999999999999AP-04")],
    );
    check(
        &json!(1.0),
        &[("%x", "0x1p+00"), ("%.2x", "0x1.00p+00"), ("%.20x", &format!("0x1.{}p+00", "0".repeat(20)))],
    );
    check(&json!(1.999_999), &[("%.1x", "0x1.0p+01")]);
    check(&json!(5e-324), &[("%x", "0x1p-1074"), ("%v", "5e-324")]);
    check(&json!(0.5), &[("%.1500f", &format!("0.5{}", "0".repeat(1499)))]);
}

#[test]
fn other_kinds() {
    check(
        &json!(true),
        &[("%t", "true"), ("%v", "true"), ("%6t", "  true"), ("%d", "%!d(bool=true)"), ("%T", "bool")],
    );
    check(&json!(null), &[("%v", "<nil>"), ("%7v", "  <nil>"), ("%s", "%!s(<nil>)"), ("%T", "<nil>")]);
    check(&json!([3, "a"]), &[("%v", "[3,\"a\"]"), ("%9s", "  [3,\"a\"]"), ("%d", "[3,\"a\"]")]);
    check(&json!({"a": 1}), &[("%v", "{\"a\":1}"), ("%T", "map[string]interface {}")]);
}

#[test]
fn values_and_directives_that_do_not_fit() {
    check(
        &json!("x"),
        &[
            ("", "%!(EXTRA string=x)"),
            ("a%%", "a%%!(EXTRA string=x)"),
            ("%", "%!(NOVERB)%!(EXTRA string=x)"),
            ("%s%", "x%!(NOVERB)"),
            ("%s %s", "x %!s(MISSING)"),
            ("%[1]s %[1]q", "x \"x\""),
            ("%[2]s", "%!s(BADINDEX)%!(EXTRA string=x)"),
            ("%5", "%!(NOVERB)%!(EXTRA string=x)"),
        ],
    );
    check_text("stringformat", json!(null), json!(null), "%!(EXTRA <nil>)");
    check_text("stringformat", json!(7), json!(7), "7%!(EXTRA int=7)");
    let star = "template_filter_failed: 'stringformat' has one value, and '*' asks for a second";
    for format in ["%*d", "%.*f"] {
        check_error("stringformat", json!(1), json!(format), star);
    }
    for (format, seen) in [
        ("%10001d", "10001"),
        ("%.99999999f", "99999999"),
        ("%99999999999999999999999d", "18446744073709551615"),
    ] {
        let limit = format!("template_limit_exceeded: limit 'filter_argument' is 10000, got {seen}");
        check_error("stringformat", json!(1), json!(format), &limit);
    }
}
