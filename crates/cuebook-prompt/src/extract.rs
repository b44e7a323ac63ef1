//! `extractPath`: a part of a value by JSONPath (RFC 9535).
//!
//! No match leaves the variable unbound, one match is the value itself, several are an array of them.

use cuebook_template::Value;
use serde_json_path::JsonPath;

/// A path that is not JSONPath.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{path}' is not a JSONPath: {reason}")]
pub struct BadPath {
    /// The path as written.
    pub path: String,
    /// What the grammar wanted, with the offset.
    pub reason: String,
}

/// Takes what `path` finds in `value`, with the value's trust; `None` when it finds nothing.
///
/// # Errors
///
/// When `path` is not a query of RFC 9535.
pub fn extract(path: &str, value: &Value) -> Result<Option<Value>, BadPath> {
    let query = parse(path)?;
    let found = query.query(value.json()).all();
    let json = match found.as_slice() {
        [] => return Ok(None),
        [one] => (*one).clone(),
        several => serde_json::Value::Array(several.iter().map(|part| (*part).clone()).collect()),
    };
    Ok(Some(Value::new(json, value.trust())))
}

/// Reads a path without applying it.
///
/// # Errors
///
/// When `path` is not a query of RFC 9535.
pub fn check(path: &str) -> Result<(), BadPath> {
    parse(path).map(drop)
}

fn parse(path: &str) -> Result<JsonPath, BadPath> {
    JsonPath::parse(path).map_err(|error| BadPath { path: path.to_owned(), reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value as Json, json};

    #[track_caller]
    fn check(path: &str, expect: &[Json]) {
        let document = json!({"a": {"b": [1, 2, 3]}, "ok": true, "none": null});
        let found = extract(path, &Value::untrusted(document)).expect("a JSONPath");
        assert!(found.as_ref().is_none_or(|value| value.trust() == cuebook_template::Trust::Untrusted));
        assert_eq!(found.map(Value::into_json).as_slice(), expect);
    }

    #[test]
    fn none_one_and_several() {
        check("$.a.b[0]", &[json!(1)]);
        check("$.a.b[*]", &[json!([1, 2, 3])]);
        check("$.ok", &[json!(true)]);
        check("$.none", &[Json::Null]);
        check("$.missing", &[]);
        check("$.a.b[?@ > 1]", &[json!([2, 3])]);
        check("$", &[json!({"a": {"b": [1, 2, 3]}, "ok": true, "none": null})]);
    }

    #[test]
    fn bad_paths_say_why() {
        for path in ["", "a.b", "$.", "$[", "$..", "$.a[?]"] {
            let error = extract(path, &Value::trusted(json!({}))).expect_err("not a JSONPath");
            assert_eq!(error.path, path);
            assert!(!error.reason.is_empty());
        }
    }
}
