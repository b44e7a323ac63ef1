//! What the language knows about JSON values: their types, equality, membership and weight.
//!
//! Owns the walks over values. They keep their own stack, because a scope may hold a value of any depth.

use serde_json::Value;

use crate::number::Number;

/// What stands for a missing name or step.
pub(crate) static NULL: Value = Value::Null;

/// The type of a value with its article, as messages name it.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

/// Deep equality, with numbers by value and maps without order.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    let mut pending = vec![(left, right)];
    while let Some(pair) = pending.pop() {
        let same = match pair {
            (Value::Number(a), Value::Number(b)) => {
                Number::from_json(a).compare(Number::from_json(b)).is_eq()
            }
            (Value::Array(a), Value::Array(b)) => {
                pending.extend(a.iter().zip(b));
                a.len() == b.len()
            }
            (Value::Object(a), Value::Object(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .all(|(key, value)| b.get(key).map(|other| pending.push((value, other))).is_some())
            }
            (a, b) => a == b,
        };
        if !same {
            return false;
        }
    }
    true
}

/// Whether a container has an item: a list by equality, a map by key, a string by substring.
///
/// None when the container is none of the three, or when a map or a string is asked for something other than a string.
pub(crate) fn contains(container: &Value, item: &Value) -> Option<bool> {
    match (container, item) {
        (Value::Array(items), _) => Some(items.iter().any(|candidate| equal(candidate, item))),
        (Value::Object(entries), Value::String(key)) => Some(entries.contains_key(key)),
        (Value::String(text), Value::String(part)) => Some(text.contains(part.as_str())),
        _ => None,
    }
}

/// What a copy of the value costs: eight for each value in it, and the bytes of its text.
pub(crate) fn weight(value: &Value) -> usize {
    let mut pending = vec![value];
    let mut total = 0;
    while let Some(value) = pending.pop() {
        total += 8;
        match value {
            Value::String(text) => total += text.len(),
            Value::Array(items) => pending.extend(items),
            Value::Object(entries) => {
                total += entries.keys().map(String::len).sum::<usize>();
                pending.extend(entries.values());
            }
            _ => {}
        }
    }
    total
}
