//! Canonical JSON: one text per value (RFC 8785), with exact integers.
//!
//! It owns the bytes that enter prompts and hashes. It departs from RFC 8785 in one point: the RFC passes every number
//! through an IEEE 754 double, which turns 9007199254740993 into 9007199254740992; here an integer in the range of
//! `i64` or `u64` is written as it was given. Every other number has the RFC's form (ECMAScript's shortest), so `1.0`
//! is `1` and `-0.0` is `0`.

use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

/// The canonical text of `value`: no white space, keys sorted by UTF-16 code units (RFC 8785 §3.2.3).
pub fn canonical_json(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value);
    out
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => write_array(out, items),
        Value::Object(members) => write_object(out, members),
    }
}

fn write_array(out: &mut String, items: &[Value]) {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        separate(out, index);
        write_value(out, item);
    }
    out.push(']');
}

fn write_object(out: &mut String, members: &Map<String, Value>) {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_unstable_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    out.push('{');
    for (index, (key, value)) in sorted.into_iter().enumerate() {
        separate(out, index);
        write_string(out, key);
        out.push(':');
        write_value(out, value);
    }
    out.push('}');
}

fn separate(out: &mut String, index: usize) {
    if index > 0 {
        out.push(',');
    }
}

fn write_number(out: &mut String, number: &Number) {
    match number.as_f64() {
        Some(double) if number.is_f64() => out.push_str(ryu_js::Buffer::new().format(double)),
        _ => out.push_str(&number.to_string()),
    }
}

/// Writes a string with the escapes of RFC 8785 §3.2.2.2; all that needs none is copied in runs.
pub(crate) fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut copied = 0;
    for (index, byte) in text.bytes().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(&text[copied..index]);
        write_escape(out, byte);
        copied = index + 1;
    }
    out.push_str(&text[copied..]);
    out.push('"');
}

fn write_escape(out: &mut String, byte: u8) {
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        0x08 => out.push_str("\\b"),
        b'\t' => out.push_str("\\t"),
        b'\n' => out.push_str("\\n"),
        0x0C => out.push_str("\\f"),
        b'\r' => out.push_str("\\r"),
        _ => {
            // Writing to a `String` cannot fail.
            let _ = write!(out, "\\u{byte:04x}");
        }
    }
}
