//! The prompt in each engine's language, its data, and the text that all must give.

use serde_json::Value as Json;

/// The names of the files that the prompt includes.
pub(crate) const PARTIALS: [&str; 3] = ["header", "rules", "handoff"];

fn read(name: &str) -> String {
    let path = format!("{}/benches/engines/workload/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the workload is complete")
}

/// The prompt in one language.
pub(crate) fn prompt(language: &str) -> String {
    read(&format!("{language}/main.md"))
}

/// A file that the prompt includes.
pub(crate) fn partial(language: &str, name: &str) -> String {
    read(&format!("{language}/partials/{name}.md"))
}

/// The data of the prompt.
pub(crate) fn data() -> Json {
    serde_json::from_str(&read("ctx.json")).expect("the data is JSON")
}

/// The flat prompt and its data.
pub(crate) fn flat() -> (String, Json) {
    (read("flat.mustache"), serde_json::from_str(&read("flat.json")).expect("the data is JSON"))
}

/// Panics unless `text` is what the prompt must become.
pub(crate) fn check(text: &str) {
    assert!(text == read("expected.txt"), "a contestant renders another text");
}

/// Panics unless `text` is what the prompt must become, white space aside: some languages take lines away.
pub(crate) fn check_words(text: &str) {
    assert!(text.split_whitespace().eq(read("expected.txt").split_whitespace()), "other words are rendered");
}

/// Panics unless `text` is what the flat prompt must become.
pub(crate) fn check_flat(text: &str) {
    assert!(text == read("flat.expected.txt"), "a contestant renders another text");
}
