//! How deep JSON is nested.
//!
//! It owns what a level is: an array or an object around something. It refuses to look deeper than it is asked to.

use serde_json::Value;

/// Whether `json` has at most `levels` levels.
///
/// # Example
///
/// ```
/// use cuebook_wire::depth::is_within;
/// use serde_json::json;
///
/// assert!(is_within(&json!({ "a": [1] }), 2));
/// assert!(!is_within(&json!({ "a": [1] }), 1));
/// ```
pub fn is_within(json: &Value, levels: usize) -> bool {
    let inner = |json| levels.checked_sub(1).is_some_and(|levels| is_within(json, levels));
    match json {
        Value::Array(items) => levels > 0 && items.iter().all(inner),
        Value::Object(members) => levels > 0 && members.values().all(inner),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(json: &Value, levels: usize) {
        assert!(is_within(json, levels), "{json} has {levels} levels");
        assert!(levels == 0 || !is_within(json, levels - 1), "{json} has not fewer than {levels} levels");
    }

    #[test]
    fn arrays_and_objects_are_levels() {
        check(&json!(1), 0);
        check(&json!([]), 1);
        check(&json!({ "a": 1, "b": "text" }), 1);
        check(&json!([1, [2], { "a": [] }]), 3);
    }
}
