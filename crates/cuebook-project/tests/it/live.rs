//! Edits while a host runs.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use cuebook_project::LiveProjects;
use cuebook_prompt::{Body, Principal, Source as _};
use cuebook_wire::{AgentId, PromptRef};

use crate::support::{Desk, PROJECT};

const WORKFLOW: &str = "workflows:\n  w:\n    description: W.\n    steps: [{ id: a, agent: writer, prompt: [prompts/writer.md, prompts/style.md] }]\n";
const STEP: &str = "prompt:project.newsroom.workflows.w.steps.a.prompt";

fn live(desk: &Desk) -> LiveProjects {
    LiveProjects::open(&[desk.root().to_owned()]).expect("a project").0
}

fn desk() -> Desk {
    Desk::with(&format!("{PROJECT}{WORKFLOW}"))
}

/// The text that a ref stands for now, or the message of the error.
async fn text(projects: &LiveProjects, reference: &str) -> String {
    let reference = PromptRef::parse(reference).expect("a ref");
    match projects.pin(&Principal::local(), &reference, None).await {
        Ok(pinned) => match &pinned.body {
            Body::Compound(compound) => compound.text(),
            other => panic!("{other:?}"),
        },
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn a_change_is_used_at_the_next_composition() {
    let desk = desk();
    let projects = live(&desk);
    assert_eq!(text(&projects, STEP).await, "You write.\n\nBe plain.");
    desk.write("prompts/style.md", "Be brief.");
    assert_eq!(text(&projects, STEP).await, "You write.\n\nBe brief.");
    // As an editor saves: a new file that takes the old one's name.
    desk.write("prompts/.style.md.swp", "Be kind.");
    fs::rename(desk.path("prompts/.style.md.swp"), desk.path("prompts/style.md")).expect("a move");
    assert_eq!(text(&projects, STEP).await, "You write.\n\nBe kind.");
    // A directory that is swapped for another.
    desk.write("next/style.md", "Be new.");
    desk.write("next/writer.md", "You write anew.");
    fs::rename(desk.path("prompts"), desk.path("old")).expect("a move");
    fs::rename(desk.path("next"), desk.path("prompts")).expect("a move");
    assert_eq!(text(&projects, STEP).await, "You write anew.\n\nBe new.");
}

#[tokio::test]
async fn a_recipe_is_as_live_as_its_files() {
    let desk = desk();
    let projects = live(&desk);
    let other = format!("{PROJECT}{WORKFLOW}")
        .replace("[prompts/writer.md, prompts/style.md] }]", "[prompts/style.md] }]");
    desk.write(".cuebook/project.yaml", &other);
    assert_eq!(text(&projects, STEP).await, "Be plain.");
    desk.write(".cuebook/project.local.yaml", "primary: { system_prompt: prompts/writer.md }");
    assert_eq!(text(&projects, "prompt:project.newsroom.primary.system_prompt").await, "You write.");
    fs::remove_file(desk.path(".cuebook/project.local.yaml")).expect("a file");
    assert_eq!(
        text(&projects, "prompt:project.newsroom.primary.system_prompt").await,
        "You edit.\n\nBe plain."
    );
}

#[tokio::test]
async fn what_is_broken_keeps_running_work_going_and_stops_new_work() {
    let desk = desk();
    let projects = live(&desk);
    let id = projects.workflow_ids()[0].0.clone();
    assert!(projects.workflow(&id).expect("a workflow").is_ok());
    fs::remove_file(desk.path("prompts/style.md")).expect("a file");
    assert_eq!(text(&projects, STEP).await, "You write.\n\nBe plain.");
    let problems = projects.workflow(&id).expect("a workflow").expect_err("a missing file");
    assert_eq!(
        desk.lines(&problems),
        [
            ".cuebook/project.yaml:11:65: error[project_file_unusable]: workflows.w.steps.a.prompt[1]: 'prompts/style.md' cannot be used: there is no such file"
        ]
    );
    desk.write("prompts/style.md", "Be back.");
    assert_eq!(text(&projects, STEP).await, "You write.\n\nBe back.");
    desk.write(".cuebook/project.yaml", "version: [");
    assert_eq!(text(&projects, STEP).await, "You write.\n\nBe back.");
    assert!(projects.workflow(&id).expect("a workflow").is_err());
    assert_eq!(projects.refresh().len(), 1);
    desk.write(".cuebook/project.yaml", format!("{PROJECT}{WORKFLOW}"));
    assert!(projects.refresh().is_empty());
    assert!(projects.workflow(&id).expect("a workflow").is_ok());
}

#[tokio::test]
async fn a_broken_project_is_sound_again_when_its_file_comes_back() {
    let desk = desk();
    let projects = live(&desk);
    let id = projects.workflow_ids()[0].0.clone();
    desk.write(
        ".cuebook/project.yaml",
        format!("{PROJECT}{WORKFLOW}").replace("prompts/role.md", "prompts/new.md"),
    );
    assert!(projects.workflow(&id).expect("a workflow").is_err());
    desk.write("prompts/new.md", "You are new.");
    assert!(projects.workflow(&id).expect("a workflow").is_ok());
    assert_eq!(
        text(&projects, "prompt:project.newsroom.primary.system_prompt").await,
        "You are new.\n\nBe plain."
    );
}

#[test]
fn one_edit_reads_one_file_again() {
    let desk = desk();
    let projects = live(&desk);
    let before = projects.reads();
    for text in ["Be brief.", "Be kind."] {
        desk.write("prompts/style.md", text);
        projects.touched(&desk.path("prompts/style.md"));
        assert!(projects.refresh().is_empty());
    }
    assert_eq!(projects.reads() - before, 2, "three prompts list it, and two edits were made");
    projects.touched(&desk.path("prompts/other.md"));
    assert!(projects.refresh().is_empty());
    assert_eq!(projects.reads() - before, 2, "no prompt lists it");
}

#[test]
fn a_touched_prompt_file_that_cannot_be_used_is_told_until_it_can() {
    let desk = desk();
    let projects = live(&desk);
    let style = desk.path("prompts/style.md");
    fs::remove_file(&style).expect("a file");
    projects.touched(&style);
    let told = desk.lines(&projects.refresh());
    let places = [("primary.system_prompt", "5:36"), ("workflows.w.steps.a.prompt", "11:65")];
    let expect = places.map(|(field, place)| {
        format!(".cuebook/project.yaml:{place}: error[project_file_unusable]: {field}[1]: 'prompts/style.md' cannot be used: there is no such file (looked for prompts/style.md)")
    });
    assert_eq!(told, expect);
    assert_eq!(projects.refresh().len(), 2, "as long as nothing changes");
    desk.write("prompts/style.md", "Be back.");
    projects.touched(&style);
    assert!(projects.refresh().is_empty());
}

#[tokio::test]
async fn a_name_that_is_none_is_told_with_the_nearest() {
    let desk = desk();
    let projects = live(&desk);
    let told = text(&projects, "prompt:project.newsroom.primry.system_prompt").await;
    assert!(told.contains("project.newsroom.primry.system_prompt"), "{told}");
}

#[test]
fn agents_carry_their_prompt_of_the_moment() {
    let desk = desk();
    let projects = live(&desk);
    let id = AgentId::from("local.newsroom.writer".to_owned());
    let hash = || {
        projects.agent_prompt(&id).and_then(|agent| agent.intrinsic).map(|pinned| pinned.content_hash.clone())
    };
    let before = hash();
    desk.write("prompts/writer.md", "You write otherwise.");
    assert_ne!(hash(), before);
    assert!(projects.agent(&AgentId::from("local.newsroom.nobody".to_owned())).is_none());
    assert_eq!(projects.agent_ids().len(), 2);
}

#[test]
fn two_directories_do_not_share_a_name() {
    let (one, two) = (desk(), desk());
    let roots: Vec<PathBuf> = [&one, &two].map(|desk| desk.root().to_owned()).into();
    let problems = LiveProjects::open(&roots).expect_err("the same name");
    assert!(problems[0].message.starts_with("two projects are called 'newsroom'"), "{problems:?}");
}

#[test]
fn reloads_at_once_agree() {
    let desk = desk();
    let projects = Arc::new(live(&desk));
    let threads: Vec<_> = (0..8)
        .map(|number| {
            let projects = Arc::clone(&projects);
            let path = desk.path(".cuebook/project.local.yaml");
            std::thread::spawn(move || {
                if number % 2 == 0 {
                    fs::write(path, format!("primary: {{ model: m{number} }}\n")).expect("a file");
                }
                projects.refresh().len()
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("a thread");
    }
    desk.write(".cuebook/project.local.yaml", "primary: { model: last }\n");
    assert!(projects.refresh().is_empty());
    let primary = projects.agent(&AgentId::from("local.newsroom.primary".to_owned())).expect("an agent");
    assert_eq!(primary.model, "last");
}
