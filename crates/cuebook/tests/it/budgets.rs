//! `cuebook budgets`: caps of packs that shrink, and those that stay.

use std::fs::{Permissions, metadata, set_permissions};
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::support::Project;

const FILE: &str = "packs/notes/host/prompt-budgets.yaml";
const HEADINGS: &str = "## Focus\n\n## Process\n\n## Tools\n\n## Finish\n\n## Non-goals\n\n";
const BUDGETS: &str = "# Ours.\nversion: 1\nsizes:\n  grandfathered:\n    worker_personas:\n      scribe: 9000   # since spring\n      \
    broken: 7000\n    kicks:\n      leg: 2000\n      ask: 3000\n      none: 1300\n";

/// A project with a pack whose caps are larger than they need to be.
fn desk() -> Project {
    let manifest = "manifest_version: 1\nid: acme/notes\nname: Notes\nversion: 1.0.0\ncompatibility: { extension_api: ^1 }\n";
    Project::empty()
        .with("packs/notes/extension.yaml", manifest)
        .with("packs/notes/agents/scribe.yaml", "id: scribe\ndescription: Writes notes.\n")
        .with("packs/notes/agents/prompts/scribe.md", format!("{HEADINGS}{}\n", "note ".repeat(1300)))
        .with("packs/notes/agents/broken.yaml", "id: broken\ndescription: Cannot be had.\n")
        .with("packs/notes/agents/prompts/broken.md", "{% include \"partials/nowhere.md\" %}\n")
        .with("packs/notes/guidance/leg.md", "Go on to the next leg.\n")
        .with("packs/notes/guidance/ask.md", "Somebody asks: {{ question }}\n")
        .with(FILE, BUDGETS)
}

/// The bytes of the prompt of `agent`.
fn bytes(project: &Project, agent: &str) -> usize {
    let report = project.cuebook(&["prompts", "render", "--agent", agent, "--json"]).succeeded().json();
    report["output"].as_str().unwrap().len()
}

#[test]
fn caps_become_as_small_as_what_is_rendered() {
    let project = desk();
    let path = project.root().join(FILE);
    set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    let length = bytes(&project, "scribe");
    let changes = format!(
        "{FILE}\n  worker_personas scribe: 9000 -> {length}\n  kicks leg: 2000, covered by the limit\n"
    );
    let check = project.cuebook(&["budgets", "tighten", "--check"]).ended(1);
    assert_eq!(check.stdout, changes);
    assert_eq!(project.read(FILE), BUDGETS, "a check writes nothing");
    let files = project.files();
    let done = project.cuebook(&["budgets", "tighten"]).succeeded();
    assert_eq!(done.stdout, changes);
    let expect = BUDGETS.replace("9000", &length.to_string()).replace("      leg: 2000\n", "");
    assert_eq!(project.read(FILE), expect);
    assert_eq!((project.files(), metadata(&path).unwrap().permissions().mode() & 0o777), (files, 0o640));
    for args in [&["budgets", "tighten"][..], &["budgets", "tighten", "--check"]] {
        assert_eq!(project.cuebook(args).succeeded().stdout, "no cap can be smaller\n");
    }
    assert_eq!(project.read(FILE), expect);
}

#[test]
fn what_cannot_be_had_whole_keeps_its_cap_and_is_told() {
    let outcome = desk().cuebook(&["budgets", "tighten", "--check"]).ended(1);
    for part in [
        "warning[template_not_found]: worker_personas broken keeps its cap: ",
        "warning[template_undefined_name]: kicks ask keeps its cap: 'question' has its value from a run alone",
        "warning[budget_invalid]: kicks none keeps its cap: no agent and no template of that name",
    ] {
        assert!(outcome.stderr.contains(part), "{part}: {outcome}");
    }
}

#[test]
fn programs_get_the_changes_as_json() {
    let report = desk().cuebook(&["budgets", "tighten", "--json"]).succeeded().json();
    let file = &report["files"][0];
    assert_eq!((&file["file"], &report["isWritten"]), (&json!(FILE), &json!(true)));
    let covered = json!({ "category": "kicks", "id": "leg", "before": 2000, "after": null });
    assert_eq!(file["changes"][1], covered);
    let codes: Vec<_> =
        report["findings"].as_array().unwrap().iter().map(|it| it["severity"].clone()).collect();
    assert_eq!(codes, ["warning"; 3]);
}

#[test]
fn the_programs_own_pack_is_never_touched() {
    let project = Project::empty();
    let outcome = project.cuebook(&["budgets", "tighten"]).succeeded();
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("no cap can be smaller\n", ""));
    assert!(project.files().is_empty());
}

#[test]
fn a_file_whose_numbers_cannot_be_changed_alone_is_refused() {
    let alias = BUDGETS.replace("leg: 2000", "leg: &cap 2000").replace("none: 1300", "none: *cap");
    let project = desk().with(FILE, &alias);
    let outcome = project.cuebook(&["budgets", "tighten"]).ended(2);
    assert!(outcome.stderr.contains("cannot be changed without changing more"), "{outcome}");
    assert_eq!(project.read(FILE), alias);
}
