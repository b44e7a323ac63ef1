//! `cuebook template render --batch`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::support::{Outcome, Project, shared};
use crate::template::fed;

fn lines(outcome: &Outcome) -> Vec<Json> {
    outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Checks the lines that lines on stdin give.
#[track_caller]
fn check(project: &Project, args: &[&str], input: &[u8], code: i32, expect: &[Json]) {
    let outcome = fed(project, &[&["template", "render", "--batch", "-"], args].concat(), input).ended(code);
    assert_eq!(lines(&outcome), expect, "{outcome}");
    assert_eq!(outcome.stderr, "");
}

#[test]
fn lines_are_answered_in_order() {
    let project = Project::empty().with("data.json", r#"{"a": "A", "b": "B"}"#);
    let input = [
        r#"{"source": "{{ a }}{{ b }}"}"#,
        r#"{"source": "{{ a }}{{ b }}", "context": {"b": "own"}}"#,
        r#"{"source": "{{ a }}{{ b }}", "context": null, "output": "passed over"}"#,
    ];
    let expect = [json!({"output": "AB"}), json!({"output": "Aown"}), json!({"output": "AB"})];
    check(&project, &["--context", "data.json"], input.join("\n").as_bytes(), 0, &expect);
    check(&project, &[], b"", 0, &[]);
    let flat = [json!({"output": "B"})];
    let mustache = ["--dialect", "mustache", "--context", "data.json"];
    check(&project, &mustache, br#"{"source": "{{b}}"}"#, 0, &flat);
}

#[test]
fn an_error_is_a_line_with_its_place() {
    let project = Project::empty().with("part.md", "x\n {{ 1 / 0 }}");
    let input = concat!(
        r#"{"source": "fine"}"#,
        "\n",
        r#"{"source": "a\n{{ x|uper }}"}"#,
        "\n",
        r#"{"source": "{% include \"part.md\" %}"}"#,
        "\n",
    );
    let outcome = fed(&project, &["template", "render", "--batch", "-"], input.as_bytes()).ended(1);
    let lines = lines(&outcome);
    assert_eq!(lines[0], json!({"output": "fine"}));
    let place = |line: &Json| (line["file"].clone(), line["line"].clone(), line["column"].clone());
    assert_eq!(place(&lines[1]), (Json::Null, json!(2), json!(6)), "{outcome}");
    assert_eq!(lines[1]["code"], "template_unknown_filter");
    assert!(lines[1]["error"].as_str().unwrap().contains("upper"), "{outcome}");
    assert_eq!(place(&lines[2]), (json!("part.md"), json!(2), json!(5)), "{outcome}");
    assert_eq!(lines[2]["code"], "template_division_by_zero");
}

#[test]
fn a_malformed_line_is_an_error_and_not_the_end() {
    let project = Project::empty();
    let mut input = Vec::new();
    for line in [
        &b"{\"source\": \"hunter2"[..],
        b"[\"hunter2\"]",
        b"",
        b"{\"context\": {}}",
        b"{\"source\": 1}",
        b"{\"source\": \"\", \"context\": [\"hunter2\"]}",
        b"{\"source\": \"\xff\"}",
        b"{\"source\": \"still here\"}",
    ] {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    let outcome = fed(&project, &["template", "render", "--batch", "-"], &input).ended(1);
    assert!(!outcome.stdout.contains("hunter"), "a value is shown\n{outcome}");
    let lines = lines(&outcome);
    let errors = [
        "the line is not JSON",
        "the line is a list",
        "the line is not JSON",
        "the line has no 'source'",
        "'source' is a number",
        "'context' is a list",
        "of the line, byte 12 is not UTF-8",
    ];
    for (number, expect) in errors.iter().enumerate() {
        assert!(lines[number]["error"].as_str().unwrap().starts_with(expect), "line {number}\n{outcome}");
        assert_eq!(lines[number]["line"], number + 1, "{outcome}");
        assert_eq!(lines[number]["file"], "<stdin>", "{outcome}");
    }
    assert_eq!(lines[errors.len()], json!({"output": "still here"}));
}

#[test]
fn options_hold_for_every_line() {
    let project = Project::empty()
        .with("site/p.md", "site")
        .with("base/p.md", "base")
        .with("batch.jsonl", r#"{"source": "{% include \"p.md\" %}{{ x }}"}"#);
    let batch =
        |args: &[&str]| project.cuebook(&[&["template", "render", "--batch", "batch.jsonl"], args].concat());
    let roots = ["--root", "site", "--root", "base"];
    assert_eq!(lines(&batch(&roots).succeeded()), [json!({"output": "site"})]);
    let strict = lines(&batch(&[&roots[..], &["--strict"]].concat()).ended(1));
    assert_eq!(strict[0]["code"], "template_undefined_name");
    let origins = lines(&batch(&[&roots[..], &["--origins"]].concat()).succeeded());
    assert_eq!(origins[0]["segments"][0]["layer"], "site");
}

#[test]
fn a_batch_that_is_not_there_is_refused() {
    let project = Project::empty();
    project.check_refused("template-batch-missing", &["template", "render", "--batch", "none.jsonl"]);
    let directory = project.cuebook(&["template", "render", "--batch", "."]).ended(2);
    assert!(directory.stderr.contains("it is a directory"), "{directory}");
    let both = project.cuebook(&["template", "render", "x.md", "--batch", "y.jsonl"]).ended(2);
    assert!(both.stderr.contains("cannot be used with"), "{both}");
}

/// Runs recorded cases through a batch: at least 99.5 % of the lines have the recorded text, or an error for an error.
#[track_caller]
fn check_recorded(folder: &Path) {
    let cases = folder.join("cases.jsonl");
    let args = ["template", "render", "--batch"].map(PathBuf::from);
    let context = [PathBuf::from("--context"), folder.join("context.json")];
    let args = [&args[..], std::slice::from_ref(&cases), &context].concat();
    let outcome = Project::empty().cuebook(&args);
    let record = std::fs::read_to_string(&cases).unwrap();
    let got = lines(&outcome);
    assert_eq!(got.len(), record.lines().count());
    let mut different = String::new();
    let mut count = 0;
    for (line, got) in record.lines().zip(&got) {
        let want: Json = serde_json::from_str(line).unwrap();
        if want.get("output") != got.get("output") {
            count += 1;
            writeln!(different, "{want}\n  {got}").unwrap();
        }
    }
    assert!(count * 200 <= got.len(), "{count} of {} differ:\n{different}", got.len());
}

#[test]
fn the_recorded_sample() {
    check_recorded(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../cuebook-template/tests/data/pongo"));
}

#[test]
fn everything_that_was_recorded() {
    if let Some(folder) = shared("pongo2") {
        check_recorded(&folder);
    }
    if let Some(folder) = shared("pongo2/files") {
        check_recorded(&folder);
    }
}
