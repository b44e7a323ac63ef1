//! Values: text, trust and envelopes.

#![expect(
    clippy::needless_pass_by_value,
    reason = "the checks read best when they are handed `json!` values"
)]

use cuebook_template::Trust::{Trusted, Untrusted};
use cuebook_template::{Trust, Value};
use serde_json::{Value as Json, json};

#[track_caller]
fn check_text(json: Json, expect: &str) {
    assert_eq!(Value::trusted(json.clone()).text(), expect, "{json}");
    assert_eq!(Value::untrusted(json.clone()).text(), expect, "{json}");
}

#[test]
fn strings_are_their_own_text() {
    for text in
        ["", " ", "a", "{{other}}", "{{7*7}}", "$1", r"\1", "&", "\"", "\u{2028}", "\r\n", "\u{FEFF}😀"]
    {
        check_text(json!(text), text);
    }
}

#[test]
fn all_else_is_canonical_json() {
    check_text(json!(0), "0");
    check_text(json!(false), "false");
    check_text(json!(true), "true");
    check_text(json!([]), "[]");
    check_text(json!({}), "{}");
    check_text(json!(12000.0), "12000");
    check_text(json!(9_007_199_254_740_993_u64), "9007199254740993");
    check_text(json!(["a", "\""]), r#"["a","\""]"#);
    check_text(json!({"b": 1, "a": [null]}), r#"{"a":[null],"b":1}"#);
    check_text(json!({"a": [null], "b": 1}), r#"{"a":[null],"b":1}"#);
    check_text(Json::Null, "null");
}

#[test]
fn only_null_is_null() {
    assert!(Value::trusted(Json::Null).is_null());
    for json in [json!(0), json!(false), json!(""), json!([]), json!({}), json!([null]), json!("null")] {
        assert!(!Value::trusted(json.clone()).is_null(), "{json}");
    }
}

#[test]
fn untrusted_wins_a_join() {
    assert_eq!(Trusted.join(Trusted), Trusted);
    assert_eq!(Trusted.join(Untrusted), Untrusted);
    assert_eq!(Untrusted.join(Trusted), Untrusted);
    assert_eq!(Untrusted.join(Untrusted), Untrusted);
    assert_eq!(Trust::default(), Trusted);
    assert!(Untrusted.is_untrusted() && !Trusted.is_untrusted());
}

#[test]
fn trust_has_two_words() {
    assert_eq!((Trusted.as_str(), Untrusted.as_str()), ("trusted", "untrusted"));
    for trust in [Trusted, Untrusted] {
        assert_eq!(Trust::from_wire(trust.as_str()), Some(trust));
        assert_eq!(serde_json::to_value(trust).expect("trust is a string"), json!(trust.as_str()));
    }
    for word in ["", "Trusted", "UNTRUSTED", "untrusted ", "unknown"] {
        assert_eq!(Trust::from_wire(word), None, "{word:?}");
    }
}

#[test]
fn trust_stays_when_the_json_changes() {
    let value = Value::untrusted(json!({"a": [1, 2]})).map_json(|json| json["a"][1].clone());
    assert_eq!(value, Value::untrusted(json!(2)));
    assert_eq!(Value::trusted(json!(1)).map_json(|_| json!(2)), Value::trusted(json!(2)));
    assert_eq!(Value::trusted(json!(1)).join_trust(Untrusted), Value::untrusted(json!(1)));
    assert_eq!(Value::untrusted(json!(1)).join_trust(Trusted), Value::untrusted(json!(1)));
    assert_eq!(Value::untrusted(json!(1)).into_json(), json!(1));
}

#[test]
fn values_are_stored_with_their_trust() {
    let value = Value::untrusted(json!({"b": 9_007_199_254_740_993_u64}));
    let stored = serde_json::to_string(&value).expect("a value is JSON");
    assert_eq!(stored, r#"{"value":{"b":9007199254740993},"trust":"untrusted"}"#);
    assert_eq!(serde_json::from_str::<Value>(&stored).expect("it reads back"), value);
    for bad in [r#"{"value":1}"#, r#"{"trust":"trusted"}"#, r#"{"value":1,"trust":"maybe"}"#, "1"] {
        assert!(serde_json::from_str::<Value>(bad).is_err(), "{bad}");
    }
}

/// The envelope around `value`.
fn tagged(value: Json, trust: &str) -> Json {
    json!({"value": value, "meta": {"contentTrust": trust}})
}

/// Checks what JSON from outside becomes, when it would be trusted and when it would not.
#[track_caller]
fn check_tagged(json: Json, expect: Json, by_default: [Trust; 2]) {
    for (default, trust) in [Trusted, Untrusted].into_iter().zip(by_default) {
        let got = Value::from_tagged(json.clone(), default);
        assert_eq!(got, Value::new(expect.clone(), trust), "{json} by default {default:?}");
    }
}

const AS_DEFAULT: [Trust; 2] = [Trusted, Untrusted];
const ALWAYS_TRUSTED: [Trust; 2] = [Trusted, Trusted];
const ALWAYS_UNTRUSTED: [Trust; 2] = [Untrusted, Untrusted];

#[test]
fn untagged_json_has_the_default_trust() {
    for json in [Json::Null, json!("a"), json!(1), json!([1, {"a": 2}]), json!({"value": 1})] {
        check_tagged(json.clone(), json, AS_DEFAULT);
    }
}

#[test]
fn an_envelope_speaks_for_the_whole_value() {
    check_tagged(tagged(json!("a"), "untrusted"), json!("a"), ALWAYS_UNTRUSTED);
    check_tagged(tagged(json!("a"), "trusted"), json!("a"), ALWAYS_TRUSTED);
    check_tagged(tagged(Json::Null, "untrusted"), Json::Null, ALWAYS_UNTRUSTED);
    let more = json!({"meta": {"contentTrust": "untrusted", "origin": "mcp"}, "value": [1]});
    check_tagged(more, json!([1]), ALWAYS_UNTRUSTED);
}

#[test]
fn envelopes_are_opened_at_any_depth() {
    check_tagged(json!([1, tagged(json!(2), "untrusted")]), json!([1, 2]), ALWAYS_UNTRUSTED);
    let deep = json!({"a": {"b": [tagged(json!({"c": tagged(json!("x"), "untrusted")}), "trusted")]}});
    check_tagged(deep, json!({"a": {"b": [{"c": "x"}]}}), ALWAYS_UNTRUSTED);
    check_tagged(tagged(tagged(json!(1), "trusted"), "untrusted"), json!(1), ALWAYS_UNTRUSTED);
    check_tagged(tagged(tagged(json!(1), "untrusted"), "trusted"), json!(1), ALWAYS_UNTRUSTED);
    check_tagged(tagged(json!([tagged(json!(1), "untrusted")]), "trusted"), json!([1]), ALWAYS_UNTRUSTED);
    check_tagged(tagged(tagged(json!(1), "trusted"), "trusted"), json!(1), ALWAYS_TRUSTED);
}

#[test]
fn a_trusted_part_vouches_for_nothing_else() {
    check_tagged(json!([tagged(json!(1), "trusted")]), json!([1]), AS_DEFAULT);
    check_tagged(json!({"a": tagged(json!(1), "trusted"), "b": 2}), json!({"a": 1, "b": 2}), AS_DEFAULT);
}

#[test]
fn objects_of_another_shape_are_no_envelopes() {
    for json in [
        json!({"value": 1, "meta": {}}),
        json!({"value": 1, "meta": "untrusted"}),
        json!({"value": 1, "meta": {"contentTrust": "trusted"}, "more": 2}),
        json!({"meta": {"contentTrust": "trusted"}}),
    ] {
        check_tagged(json.clone(), json, AS_DEFAULT);
    }
}

#[test]
fn a_mark_outside_an_envelope_still_counts() {
    for json in [
        json!({"value": 1, "meta": {"contentTrust": "untrusted"}, "more": 2}),
        json!({"meta": {"contentTrust": "untrusted"}}),
        json!([{"text": "x", "meta": {"contentTrust": "untrusted"}}]),
    ] {
        check_tagged(json.clone(), json, ALWAYS_UNTRUSTED);
    }
}

#[test]
fn what_is_not_the_word_for_trusted_is_not_trusted() {
    for said in [json!("UNTRUSTED"), json!("Trusted"), json!(true), json!(null)] {
        check_tagged(json!({"value": 1, "meta": {"contentTrust": said}}), json!(1), ALWAYS_UNTRUSTED);
    }
}

#[test]
fn key_order_survives_the_opening() {
    let value = Value::from_tagged(json!({"z": tagged(json!(1), "trusted"), "a": 2}), Trusted);
    assert_eq!(value.into_json().to_string(), r#"{"z":1,"a":2}"#);
}
