//! `cuebook init`.

use crate::support::Project;

const FILES: [&str; 5] = [
    "agents/assistant.json",
    "cuebook.toml",
    "prompts/assistant-system@1.0.0.md",
    "prompts/question@1.0.0.md",
    "workflows/hello.json",
];

#[test]
fn a_new_project_runs_as_it_is() {
    let project = Project::empty();
    project.check("init", &["init", "."]).ended(0);
    assert_eq!(project.files(), FILES);
    project.check("init-check", &["config", "check"]).ended(0);
    project.check("init-run", &["run", ".", "--input", "question=Why is the sky blue?"]).ended(0);
}

#[test]
fn the_directory_is_made() {
    let project = Project::empty();
    let made = project.cuebook(&["init", "deep/inside", "--json"]).succeeded().json();
    assert_eq!(made["files"].as_array().unwrap().len(), FILES.len());
    assert!(project.files().contains(&"deep/inside/cuebook.toml".to_owned()));
}

#[test]
fn nothing_is_overwritten_and_then_nothing_is_written() {
    let project = Project::empty().with("cuebook.toml", "# mine\n").with("workflows/hello.json", "{}");
    project.check_refused("init-refused", &["init", "."]);
    assert_eq!(project.files(), ["cuebook.toml", "workflows/hello.json"]);
    assert_eq!(project.read("cuebook.toml"), "# mine\n");
}

#[test]
fn a_place_that_is_no_directory() {
    let project = Project::empty().with("file", "x");
    project.check_refused("init-in-a-file", &["init", "file"]);
}
