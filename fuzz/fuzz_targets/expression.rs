//! The condition language: any text is read without a panic; what is read prints, reads back, and evaluates.

#![no_main]

use cuebook_expr::{Expression, Path};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};

/// Names that are one letter long, so that the fuzzer finds them.
fn scope() -> Map<String, Value> {
    let values = json!({"a": true, "b": "text", "c": 3, "d": -0.5, "e": [1, "x", null], "f": {"a": [0]}, "g": u64::MAX});
    values.as_object().cloned().unwrap_or_default()
}

fuzz_target!(|text: &str| {
    if let Ok(path) = Path::parse(text) {
        let _ = path.lookup(&scope());
    }
    let expression = match Expression::parse(text) {
        Ok(expression) => expression,
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in errors {
                assert!(text.get(error.span().start..error.span().end).is_some(), "{error}");
                let _ = error.caret();
            }
            return;
        }
    };
    // The printed form has spaces that the source may lack, so only it can exceed the limit on length.
    let printed = expression.to_string();
    if printed.len() <= cuebook_expr::limits::MAX_SOURCE_BYTES {
        assert_eq!(Expression::parse(&printed).as_ref(), Ok(&expression), "{printed}");
    }
    if let Err(error) = expression.evaluate(&scope()) {
        assert!(text.get(error.span().start..error.span().end).is_some(), "{error}");
        let _ = error.caret();
    }
});
