//! That no promise is written down and then not tested.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The names of the public async functions over a fixture in `source`.
fn promises(source: &str) -> impl Iterator<Item = &str> {
    let promise = |line: &'_ str| line.ends_with("(fixture: &impl Fixture) {");
    let lines = source.lines().filter(move |line| promise(line));
    lines.filter_map(|line| line.strip_prefix("pub async fn ")?.split('(').next())
}

#[test]
fn every_promise_is_in_the_macro() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let listed = fs::read_to_string(source.join("suite.rs")).expect("the suite has a list");
    let listed: BTreeSet<&str> = listed.lines().map(str::trim).collect();
    let mut written = 0;
    for file in fs::read_dir(source.join("suite")).expect("the suite has a folder") {
        let path = file.expect("a folder can be listed").path();
        let text = fs::read_to_string(&path).expect("a source can be read");
        for promise in promises(&text) {
            assert!(listed.contains(promise), "{promise} of {} is not in store_suite!", path.display());
            written += 1;
        }
    }
    let in_macro = listed.iter().filter(|line| line.contains('_') && line.chars().all(is_of_a_name));
    assert_eq!(written, in_macro.count(), "the sources and the macro have the same promises");
}

fn is_of_a_name(char: char) -> bool {
    char.is_ascii_lowercase() || char == '_'
}
