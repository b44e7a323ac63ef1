//! `cuebook project`, and runs of project files.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::json;

use crate::support::Project;

const STYLE: &str = "prompts/house-style.md";

#[test]
fn a_project_file_is_checked_explained_and_composed() {
    let project = Project::newsroom_files();
    project.check("project-check", &["project", "check"]).ended(0);
    project.check("project-explain", &["project", "explain"]).ended(0);
    project.check("project-compose", &["project", "compose", "writer"]).ended(0);
    project
        .check(
            "project-origins",
            &["project", "compose", "workflows.editorial.steps.draft.prompt", "--origins"],
        )
        .ended(0);
    let counts = project.cuebook(&["project", "check", "--json"]).succeeded().json();
    let expect =
        json!({"projects": 1, "agents": 3, "workflows": 1, "prompts": 6, "problems": [], "remarks": []});
    assert_eq!(counts, expect);
    let schema = project.cuebook(&["project", "schema"]).succeeded().json();
    assert_eq!(schema["required"], json!(["version", "project", "primary"]));
}

#[test]
fn a_field_is_called_by_its_path_its_agent_or_its_ref() {
    let project = Project::newsroom_files();
    let text = |field: &str| project.cuebook(&["project", "compose", field]).succeeded().stdout;
    let expect = "You are the critic of a small newsroom. You look for the claim that a piece is least able to show, and quote it word for word.";
    for field in [
        "critic",
        "newsroom/critic",
        "primary.subagents.critic.system_prompt",
        "newsroom/primary.subagents.critic.system_prompt",
        "prompt:project.newsroom.primary.subagents.critic.system_prompt",
    ] {
        assert_eq!(text(field), expect, "of {field}");
    }
    let reference = "prompt:project.newsroom.primary.subagents.critic.system_prompt";
    assert_eq!(project.cuebook(&["prompts", "render", reference]).succeeded().stdout, expect);
    assert_eq!(
        project.cuebook(&["prompts", "render", "--agent", "local.newsroom.critic"]).succeeded().stdout,
        expect
    );
    project.check_refused("project-no-field", &["project", "compose", "critc"]);
}

#[test]
fn a_run_gets_exactly_the_files_of_its_steps() {
    let project = Project::newsroom_files();
    let args = ["run", ".", "--untrusted-input", "topic=tides", "--journal", "run.jsonl", "--json"];
    let run = project.cuebook(&args).succeeded().json();
    let nodes = run["nodes"].as_array().unwrap();
    for (node, step) in nodes.iter().zip(["draft", "critique", "edit"]) {
        let field = format!("workflows.editorial.steps.{step}.prompt");
        let text = project.cuebook(&["project", "compose", &field]).succeeded().stdout;
        let composed = node["composition"]["composed"].as_str().unwrap();
        assert!(composed.starts_with(&format!("{text}\n\n<")), "of {step}: {composed}");
    }
    let draft = nodes[0]["composition"]["composed"].as_str().unwrap();
    let user = "<task>\n<UNTRUSTED>Write about tides.</UNTRUSTED>\n</task>\n\n<topic>\n<UNTRUSTED>tides</UNTRUSTED>\n</topic>\n\n<tone>\nplain\n</tone>";
    assert!(draft.ends_with(user), "{draft}");
    // What was recorded is what is composed again, until a file changes.
    let explain = ["explain", "run", "run.jsonl", "--text", "--project", "."];
    assert_eq!(project.cuebook(&explain).code, 0);
}

#[test]
fn the_chain_tells_what_takes_no_part() {
    let project = Project::newsroom_files();
    project
        .check(
            "project-node",
            &[
                "explain",
                "node",
                ".",
                "edit",
                "--input",
                "topic=tides",
                "--port",
                "draft=D",
                "--port",
                "critique=C",
            ],
        )
        .ended(0);
}

#[test]
fn an_override_is_set_and_told() {
    let project = Project::newsroom_files()
        .with(
            ".cuebook/project.local.yaml",
            "primary:\n  subagents:\n    writer: { system_prompt: config:/writer.md }\n",
        )
        .with(".cuebook/writer.md", "You write for us alone.\n");
    assert_eq!(
        project.cuebook(&["project", "compose", "writer"]).succeeded().stdout,
        "You write for us alone."
    );
    let explained = project.cuebook(&["project", "explain", "--json"]).succeeded().json();
    let writer = explained["projects"][0]["prompts"][1].clone();
    assert_eq!(writer["setBy"], ".cuebook/project.local.yaml:3:30");
    assert_eq!(writer["files"][0]["path"], "config:/writer.md");
}

#[test]
fn everything_wrong_is_shown_with_its_place() {
    let project = Project::newsroom_files()
        .edit(".cuebook/project.yaml", "agent: critic", "agent: critc")
        .edit(".cuebook/project.yaml", "description: Drafts.", "descripton: Drafts.")
        .edit(".cuebook/project.yaml", "prompts/steps/edit.md", "prompts/steps/edits.md")
        .edit(".cuebook/project.yaml", "{{ inputs.tone }}", "{{ inputs.tune }}");
    project.check("project-faults", &["project", "check"]).ended(1);
    project.check_refused("project-faults-run", &["run", ".", "--input", "topic=x"]);
    let empty = Project::empty();
    empty.check_refused("project-none", &["project", "check"]);
}

#[test]
fn a_check_goes_on_with_every_change() {
    let project = Project::newsroom_files();
    let mut command = project.command(&["project", "check", "--watch", "--json"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut next = || -> serde_json::Value {
        let mut text = String::new();
        loop {
            assert!(lines.read_line(&mut text).unwrap() > 0, "the check went on: {text}");
            if let Ok(json) = serde_json::from_str(&text) {
                return json;
            }
        }
    };
    assert_eq!(next()["problems"], json!([]));
    std::fs::remove_file(project.root().join(STYLE)).unwrap();
    let broken = std::iter::repeat_with(&mut next).find(|found| found["problems"] != json!([])).unwrap();
    assert_eq!(broken["problems"].as_array().unwrap().len(), 4, "{broken}");
    std::fs::write(project.root().join(STYLE), "Be plain.\n").unwrap();
    assert!(std::iter::repeat_with(&mut next).any(|found| found["problems"] == json!([])));
    child.kill().unwrap();
    child.wait().unwrap();
}
