//! The generated documents in the repository are what the types say now.

use std::fs;
use std::path::Path;

use cuebook_wire::{error, schema};

/// Holds `docs/<path>` against its generator.
#[track_caller]
fn check(path: &str, expected: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(path);
    let present = fs::read_to_string(&file).unwrap_or_default();
    assert!(present == expected, "docs/{path} is out of date; run `cargo xtask generate`");
}

#[test]
fn error_codes() {
    check("errors.md", &error::errors_markdown());
}

#[test]
fn schemas() {
    for (name, schema) in schema::published() {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        assert!(!text.contains("\"x-"), "{name} has an annotation of ours");
        check(&format!("schemas/{name}.json"), &text);
    }
}
