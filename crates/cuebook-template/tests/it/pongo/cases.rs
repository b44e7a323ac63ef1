//! What the original printed, case by case.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cuebook_template::pongo::{Context, Options, Profile, Program, Settings};
use cuebook_template::{Diagnostic, Source, Trust};
use serde_json::Value as Json;

fn shared() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("CUEBOOK_SHARED").map_or_else(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

fn context(path: &Path) -> Context {
    let text = std::fs::read_to_string(path).expect("a context");
    let Json::Object(members) = serde_json::from_str(&text).expect("JSON") else { panic!("an object") };
    Context::from_json(members, Trust::Trusted)
}

fn render(
    source: &str,
    context: &Context,
    files: &BTreeMap<String, String>,
) -> Result<String, Box<Diagnostic>> {
    let options = Options::of(Profile::Full);
    let program = Program::compile(Source::new("<string>", source), files, &options)
        .map_err(|faults| Box::new(faults.into_iter().next().expect("a fault")))?;
    program
        .render(context, &Settings { loader: Some(files), ..Settings::default() })
        .map(|rendered| rendered.text)
}

/// What differs on purpose, and why a user would want it so.
const DIFFERENT: [(&str, &str); 6] = [
    ("|wordwrap:", "the original counts lines wrong and crashes; ours wraps"),
    ("{% ifchanged x %}", "the original crashes on an unchanged value without 'else'; ours shows nothing"),
    ("xs reversed sorted", "the original compares placeholders, so that nothing is sorted"),
    ("{{ s.0 }}", "the original gives the number of a byte; ours the character"),
    ("{% for c in uni %}", "the original cuts characters into bytes; ours loops over characters"),
    ("pongo2.version", "the engine is another one"),
];

fn differs_on_purpose(source: &str) -> bool {
    DIFFERENT.iter().any(|(mark, _)| source.contains(mark))
}

/// One recorded template: the same text, or an error for an error.
fn holds(case: &Json, context: &Context, files: &BTreeMap<String, String>) -> Result<(), String> {
    let source = case["source"].as_str().expect("a source");
    let got = render(source, context, files);
    match (&got, case["output"].as_str()) {
        (Ok(got), Some(want)) if got == want => Ok(()),
        (Err(fault), None) => same_place(case["error"].as_str().expect("an error"), fault),
        _ => Err(format!("{source}\n  want {case}\n  got {got:?}")),
    }
}

/// A parse error is at the line and column of the original's, but for a block that is not closed: ours is at the tag
/// that opens it, theirs at the end.
fn same_place(want: &str, fault: &Diagnostic) -> Result<(), String> {
    let Some((_, place)) = want.split_once("| Line ").filter(|_| want.contains("where: parser")) else {
        return Ok(());
    };
    let position = fault.position().expect("a parse error has a place");
    let ours = format!("{} Col {} ", position.line, position.column);
    let fine = fault.code == "template_unclosed_block" && want.contains("Unexpected EOF");
    if fine || place.starts_with(&ours) { Ok(()) } else { Err(format!("{want}\n  got {fault}")) }
}

#[track_caller]
fn check_all(record: &str, context: &Context, files: &BTreeMap<String, String>) -> usize {
    let cases: Vec<Json> = record.lines().map(|line| serde_json::from_str(line).expect("a case")).collect();
    let wrong: Vec<(String, String)> = cases
        .iter()
        .filter_map(|case| Some((case["source"].as_str()?.to_owned(), holds(case, context, files).err()?)))
        .collect();
    let unexpected: Vec<&str> =
        wrong.iter().filter(|(source, _)| !differs_on_purpose(source)).map(|(_, why)| why.as_str()).collect();
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
    assert!(wrong.len() * 200 <= cases.len(), "{} of {} differ", wrong.len(), cases.len());
    cases.len()
}

#[test]
fn the_recorded_sample() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pongo");
    let record = std::fs::read_to_string(folder.join("cases.jsonl")).expect("the sample");
    let count = check_all(&record, &context(&folder.join("context.json")), &BTreeMap::new());
    assert!(count >= 400, "{count} cases");
}

#[test]
fn everything_that_was_recorded() {
    let Some(folder) = shared().map(|folder| folder.join("pongo2")) else { return };
    let record = std::fs::read_to_string(folder.join("cases.jsonl")).expect("the cases");
    check_all(&record, &context(&folder.join("context.json")), &BTreeMap::new());
}

#[test]
fn everything_that_was_recorded_with_files() {
    let Some(folder) = shared().map(|folder| folder.join("pongo2/files")) else { return };
    let files = std::fs::read_dir(folder.join("inc")).expect("the files").map(|entry| {
        let entry = entry.expect("an entry");
        let name = format!("inc/{}", entry.file_name().to_string_lossy());
        (name, std::fs::read_to_string(entry.path()).expect("a file"))
    });
    let files = files.collect();
    let record = std::fs::read_to_string(folder.join("cases.jsonl")).expect("the cases");
    check_all(&record, &context(&folder.join("context.json")), &files);
}
