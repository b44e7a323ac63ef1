//! Canonical JSON: RFC 8785, but for exact integers.

use cuebook_template::canonical_json;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

#[track_caller]
fn check(text: &str, expect: &str) {
    let value: Value = serde_json::from_str(text).expect("the case is JSON");
    assert_eq!(canonical_json(&value), expect, "{text}");
}

#[test]
fn scalars_and_structures() {
    check(" null ", "null");
    check("true", "true");
    check("false", "false");
    check("[ 1 , [ ] , { } , \"\" ]", "[1,[],{},\"\"]");
    check(
        r#"{ "b" : [ true , null ] , "a" : { "d" : 1 , "c" : 2 } }"#,
        r#"{"a":{"c":2,"d":1},"b":[true,null]}"#,
    );
}

#[test]
fn numbers() {
    for (text, expect) in [
        ("0", "0"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("1.0", "1"),
        ("-1.50", "-1.5"),
        ("12000.0", "12000"),
        ("1e3", "1000"),
        ("1e20", "100000000000000000000"),
        ("1e21", "1e+21"),
        ("1E-6", "0.000001"),
        ("1e-7", "1e-7"),
        ("4.50", "4.5"),
        ("2e-3", "0.002"),
        ("0.1", "0.1"),
        ("333333333.33333329", "333333333.3333333"),
        ("1e-27", "1e-27"),
        ("-3.650766117708389e-246", "-3.650766117708389e-246"),
    ] {
        check(text, expect);
    }
}

#[test]
fn integers_stay_exact() {
    for text in [
        "9007199254740992",
        "9007199254740993",
        "-9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
    ] {
        check(text, text);
    }
    check("18446744073709551616", "18446744073709552000");
}

/// The samples of RFC 8785, appendix B: IEEE 754 bits and their text.
#[test]
fn doubles_of_the_rfc() {
    for (bits, expect) in [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ] {
        assert_eq!(canonical_json(&json!(f64::from_bits(bits))), expect, "{bits:#x}");
    }
}

#[test]
fn strings_escape_only_what_must_be() {
    check(r#""\u0000\u0008\t\n\u000b\f\r\u001f""#, r#""\u0000\b\t\n\u000b\f\r\u001f""#);
    check(r#""\"\\\/'<>&""#, r#""\"\\/'<>&""#);
    check(r#""\u007f\u0080\u2028\u2029\ufeff\ud83d\ude00é""#, "\"\u{7f}\u{80}\u{2028}\u{2029}\u{feff}😀é\"");
}

/// The sample of RFC 8785 §3.2.3: a surrogate pair sorts before U+FB33, which its scalar value would not.
#[test]
fn keys_sort_by_utf_16_code_units() {
    check(
        r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#,
        "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}",
    );
    check(r#"{"aa":1,"a":2,"B":3,"":4,"10":5,"9":6}"#, r#"{"":4,"10":5,"9":6,"B":3,"a":2,"aa":1}"#);
}

/// Any JSON of a few levels.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The same value with the keys of every object in the opposite order.
fn reverse_keys(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(reverse_keys).collect(),
        Value::Object(members) => {
            let reversed: Map<_, _> =
                members.into_iter().rev().map(|(key, member)| (key, reverse_keys(member))).collect();
            Value::Object(reversed)
        }
        scalar => scalar,
    }
}

proptest! {
    #[test]
    fn canonical_text_reads_back_to_itself(value in any_json()) {
        let text = canonical_json(&value);
        let again: Value = serde_json::from_str(&text).expect("canonical text is JSON");
        prop_assert_eq!(canonical_json(&again), text);
    }

    #[test]
    fn key_order_does_not_matter(value in any_json()) {
        let text = canonical_json(&value);
        prop_assert_eq!(canonical_json(&reverse_keys(value)), text);
    }

    #[test]
    fn integers_are_written_as_given(small in any::<i64>(), large in any::<u64>()) {
        prop_assert_eq!(canonical_json(&json!([small, large])), format!("[{small},{large}]"));
    }
}
