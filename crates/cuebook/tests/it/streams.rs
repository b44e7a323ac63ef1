//! Standard streams: a reader that goes away, and colour.

use std::process::Stdio;

use crate::support::{Outcome, Project};

/// Runs the binary with its stdout closed before it writes anything.
fn unread(project: &Project, args: &[&str]) -> Outcome {
    let mut child = project.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.wait_with_output().unwrap().into()
}

#[test]
fn a_reader_that_goes_away_ends_the_output_and_not_the_program() {
    let project = Project::newsroom();
    let topic = ["run", ".", "--input", "topic=tea"];
    for args in [
        &topic[..],
        &["run", ".", "--input", "topic=tea", "--json"],
        &["prompts", "list"],
        &["prompts", "get", "prompt:writer-user"],
        &["config", "schema"],
        &["config", "check"],
        &["completions", "bash"],
        &["run", "--help"],
    ] {
        let outcome = unread(&project, args);
        assert!(!outcome.stderr.contains("panicked"), "{args:?}\n{outcome}");
        assert_eq!(outcome.code, 0, "{args:?}\n{outcome}");
    }
}

#[test]
fn colour_is_asked_for_or_seen_by_a_terminal() {
    let broken = || Project::desk().edit("cuebook.toml", "full", "all");
    let is_coloured = |project: Project, args: &[&str]| {
        let outcome = project.cuebook(&[&["config", "check"], args].concat()).ended(2);
        outcome.stderr.contains('\u{1b}')
    };
    assert!(!is_coloured(broken(), &[]), "stderr is no terminal here");
    assert!(!is_coloured(broken(), &["--color", "never"]));
    assert!(is_coloured(broken(), &["--color", "always"]));
    assert!(
        is_coloured(broken().env("NO_COLOR", "1"), &["--color", "always"]),
        "a flag goes before the environment"
    );
}

#[test]
fn data_is_on_stdout_and_everything_else_on_stderr() {
    let project = Project::desk().edit("workflows/desk.json", "local.desk.clerk", "local.desk.clark");
    let outcome = project.cuebook(&["run", ".", "--input", "topic=tea", "--quiet"]).succeeded();
    assert_eq!(outcome.stdout, "The request: Tell me 3 things about tea.\n");
    assert!(outcome.stderr.contains("no agent is called"), "{outcome}");
    let json = project.cuebook(&["run", ".", "--input", "topic=tea", "--json"]).succeeded();
    assert_eq!(json.json()["status"], "completed");
}

#[test]
fn problems_are_data_where_json_is_asked_for() {
    let project =
        Project::desk().edit("cuebook.toml", "full", "all").edit("agents/clerk.json", "general", "genral");
    let outcome = project.check("problems-as-json", &["run", ".", "--input", "topic=tea", "--json"]);
    assert_eq!((outcome.code, outcome.json()["problems"].as_array().unwrap().len()), (2, 1));
}
