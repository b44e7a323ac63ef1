//! A corpus of templates with their texts: `corpus/cases.jsonl` names a template, its values and the text to expect.

use std::collections::BTreeMap;
use std::fs;

use cuebook_layers::{FileTree, Layer, RefKind, Snapshot, Tier};
use serde_json::Value as Json;

use crate::support::{alone, copy, corpus, layer, reference, render};

/// A template, its values, and the file with its text.
struct Case {
    name: String,
    values: Json,
    expect: String,
}

fn cases() -> Vec<Case> {
    let text = fs::read_to_string(corpus().join("cases.jsonl")).expect("the cases");
    let member = |case: &Json, key: &str| case[key].as_str().expect("a text").to_owned();
    let case = |line: &str| {
        let case: Json = serde_json::from_str(line).expect("JSON");
        Case { name: member(&case, "ref"), values: case["vars"].clone(), expect: member(&case, "expect") }
    };
    text.lines().map(case).collect()
}

fn tree() -> FileTree {
    FileTree::read(&corpus().join("templates"), None).expect("it is read").expect("it is there")
}

fn bundled() -> Layer {
    Layer::overlay(Tier::Bundled, "bundled test/corpus", &tree())
}

fn expected(case: &Case) -> String {
    fs::read_to_string(corpus().join("expected").join(format!("{}.txt", case.expect))).expect("a text")
}

fn text(snapshot: &Snapshot, case: &Case) -> String {
    match render(snapshot, &case.name, case.values.clone()) {
        Ok(text) => text,
        Err(problems) => panic!("{} ({}): {}", case.expect, case.name, problems[0]),
    }
}

#[test]
fn every_case_gives_its_text_byte_for_byte() {
    let snapshot = alone(bundled());
    let wrong: Vec<String> = cases()
        .iter()
        .map(|case| (case, text(&snapshot, case), expected(case)))
        .filter(|(_, found, expect)| found != expect)
        .map(|(case, found, expect)| format!("{}:\n  {found:?}\nis not\n  {expect:?}", case.expect))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_template_and_every_text_has_its_use() {
    let snapshot = alone(bundled());
    let entries: Vec<String> = cases().iter().map(|case| reference(&case.name).to_string()).collect();
    let mut used: Vec<String> = Vec::new();
    for entry in &entries {
        let program = snapshot.program(entry).unwrap_or_else(|problems| panic!("{entry}: {}", problems[0]));
        used.extend(program.files().iter().map(|file| file.name().to_string()));
    }
    assert!(tree().len() >= 44, "the corpus has {} templates", tree().len());
    for name in snapshot.references() {
        assert!(used.iter().any(|it| it == name.as_str()), "no case renders {name}");
    }
    let texts = fs::read_dir(corpus().join("expected")).expect("texts").count();
    assert_eq!(texts, entries.len(), "each case has a text of its own");
}

#[test]
fn an_override_with_the_same_bytes_changes_the_tier_alone() {
    let plain = alone(bundled());
    for name in plain.references() {
        let same: BTreeMap<_, _> = bundled()
            .files()
            .filter(|(reference, _)| *reference == name)
            .map(|(reference, file)| (reference.clone(), file.clone()))
            .collect();
        let over = copy(&Layer::of(Tier::Bundled, "", same), Tier::Project, "project");
        let covered = Snapshot::new(vec![over], plain.catalog().clone(), Vec::new());
        assert_eq!(covered.find(name).expect("a file").tier, Tier::Project);
        let of_it = |case: &&Case| covered.program(&case.name).is_ok_and(|program| includes(&program, name));
        for case in cases().iter().filter(of_it) {
            assert_eq!(text(&covered, case), expected(case), "{} over {name}", case.expect);
        }
    }
}

fn includes(program: &cuebook_template::pongo::Program, name: &cuebook_layers::TemplateRef) -> bool {
    program.files().iter().any(|file| &**file.name() == name.as_str())
}

#[test]
fn replacing_a_part_changes_all_that_include_it() {
    let over = layer(Tier::Project, "project", &[("partials/close.md", "Go home.\n")]);
    let covered = Snapshot::new(vec![over], alone(bundled()).catalog().clone(), Vec::new());
    let changed: Vec<String> = cases()
        .iter()
        .filter(|case| text(&covered, case) != expected(case))
        .map(|case| case.expect.clone())
        .collect();
    assert_eq!(changed, ["archivist", "archivist-bare", "porter-undefined-note", "only-includes"]);
}

/// The tags, outputs and texts of all templates, in a row.
fn sources() -> Vec<String> {
    let snapshot = alone(bundled());
    let found = snapshot.references().into_iter().filter(|name| name.kind() != RefKind::Other);
    found
        .map(|name| snapshot.find(name).expect("a file").source().expect("a text").text().to_string())
        .collect()
}

/// What templates of this kind are made of: what it is called, and a text that only it has.
const CONSTRUCTS: [(&str, &str); 44] = [
    ("an output", "{{ role_title }}"),
    ("if", "{% if "),
    ("elif", "{% elif "),
    ("else", "{% else %}"),
    ("for", "{% for "),
    ("include", "{% include \"partials/"),
    ("include without extension", "_refusal\" %}"),
    ("set", "{% set "),
    ("set before include", "\" %}{% include"),
    ("set in a branch", " %}{% set label"),
    ("set from a filter", "{% set count = people|length %}"),
    ("autoescape", "{% autoescape off %}"),
    ("comment", "{# "),
    ("tags without spaces", "{%if a%}"),
    ("join", "|join:\", \""),
    ("join by backquotes", "|join:\"` / `\""),
    ("length", "|length > 1"),
    ("default by text", "|default:\"##\""),
    ("default by variable", "|default:usual_limit"),
    ("forloop.Last", "{% if not forloop.Last %}"),
    ("forloop.Counter", "{{ forloop.Counter }}"),
    ("equal to a text", " == \"clear\""),
    ("equal to a number", " == 0"),
    ("not equal", " != \"investigate\""),
    ("greater", " > 0"),
    ("at least", " >= 1"),
    ("at most", " <= 10"),
    ("less", " < 25"),
    ("variable to variable", "phase == last_phase"),
    ("not", "{% if not "),
    ("and", " and "),
    ("or", " or "),
    ("parentheses two deep", "(has_ticket and (row"),
    ("a path three deep", "{{ run.plan.title }}"),
    ("a numeric index", "{{ after.0.path }}"),
    ("a text put out with braces in it", "{{ \"{{token:name}}\" }}"),
    ("a brace before a tag", "{ {% for field"),
    ("braces in prose", "{local_listen: {}}"),
    ("JSON in prose", "{\"kind\":\"note\"}"),
    ("an HTML comment", "<!-- pantry:v1 -->"),
    ("an empty first branch", "{% if held == 0 %}{% else %}"),
    ("an omitted count", "_omitted_count > 0 %}"),
    ("CRLF", "\r\n"),
    ("a byte order mark", "\u{feff}"),
];

/// What templates of this kind never have.
const FOREIGN: [&str; 11] = [
    "{%-",
    "-%}",
    "{% with",
    "{% macro",
    "{% block",
    "{% extends",
    "{% comment",
    "{% verbatim",
    "{% firstof",
    "{% empty",
    "&&",
];

#[test]
fn the_corpus_has_every_construct_of_real_templates() {
    let sources = sources();
    let count = |part: &str| sources.iter().map(|text| text.matches(part).count()).sum::<usize>();
    for (construct, part) in CONSTRUCTS {
        assert!(count(part) > 0, "no template has {construct}");
    }
    for part in FOREIGN {
        assert_eq!(count(part), 0, "templates of this kind have no {part}");
    }
}

/// How deep `open` stands within itself in a text.
fn nesting(text: &str, open: &str, close: &str) -> usize {
    let step = |(depth, most): (usize, usize), at: usize| match &text[at..] {
        rest if rest.starts_with(open) => (depth + 1, most.max(depth + 1)),
        rest if rest.starts_with(close) => (depth.saturating_sub(1), most),
        _ => (depth, most),
    };
    text.match_indices("{%").map(|(at, _)| at).fold((0, 0), step).1
}

/// The files from `name` to the deepest that it includes.
fn depth(snapshot: &Snapshot, name: &str) -> usize {
    let found = snapshot.resolve(name).expect("a name").expect("a file");
    let text = found.source().expect("a text").text().to_string();
    let includes = text.split("{% include \"").skip(1).filter_map(|rest| rest.split('"').next());
    1 + includes.map(|include| depth(snapshot, include)).max().unwrap_or(0)
}

#[test]
fn loops_and_includes_nest_as_in_real_templates() {
    let loops = sources().iter().map(|text| nesting(text, "{% for ", "{% endfor")).max();
    assert_eq!(loops, Some(2));
    assert_eq!(depth(&alone(bundled()), "agents/archivist.md"), 5);
}
