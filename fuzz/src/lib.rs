//! What the fuzz targets of the pongo dialect share.
//!
//! It owns the way from one input to several files, the limits that keep a run short, and the data that templates
//! read. It refuses judgement: each target says what must hold.

use std::collections::BTreeMap;

use cuebook_template::pongo::{Context, LimitKind, Limits, Options, Profile};
use cuebook_template::{Diagnostic, Source, Trust, Value};
use serde_json::json;

/// Divides an input into files: the entry, then `a`, `b` and so on.
pub const DIVIDER: char = '\u{1}';

/// The entry, and the files that it may name.
pub fn files(input: &str) -> (Source, BTreeMap<String, String>) {
    let mut texts = input.split(DIVIDER);
    let entry = Source::new("main", texts.next().unwrap_or_default());
    let named = ('a'..='h').map(String::from).zip(texts.map(str::to_owned)).collect();
    (entry, named)
}

/// Everything allowed, little of it.
pub fn options() -> Options {
    let limits = Limits::FULL
        .with(LimitKind::OutputBytes, 1 << 16)
        .with(LimitKind::MemoryBytes, 1 << 18)
        .with(LimitKind::ProgramNodes, 5_000)
        .with(LimitKind::ProgramBytes, 1 << 18)
        .with(LimitKind::Fuel, 20_000)
        .with(LimitKind::LoopItems, 500);
    Options { limits, ..Options::of(Profile::Full) }
}

/// Values of every kind; `u` and what is in it are untrusted.
pub fn context() -> Context {
    let mut context = Context::new();
    let trusted = json!({
        "s": "a <b>c</b> é", "n": 3, "f": 2.5, "t": true, "nil": null, "e": "", "name": "a",
        "l": [1, "x", [2]], "m": {"k": "v", "l": {"n": 1}}, "d": "2031-07-09T08:05:04Z",
    });
    for (name, json) in trusted.as_object().into_iter().flatten() {
        context.insert(name.as_str(), Value::trusted(json.clone()));
    }
    context.insert("u", Value::new(json!({"k": "ξ", "l": ["ψ", 1]}), Trust::Untrusted));
    context
}

/// Every fault says where it is, within its file.
///
/// # Panics
///
/// When one does not.
pub fn check_places(faults: &[Diagnostic]) {
    for fault in faults {
        let label = fault.label.as_ref().expect("a place");
        for place in fault.included_from.iter().chain([label]) {
            assert!(place.source.slice(place.span).is_some(), "{fault}");
        }
        assert!(!fault.message.is_empty() && fault.code.starts_with("template_"));
    }
}
