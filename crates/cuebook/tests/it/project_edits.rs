//! Edits of project files while `cuebook serve` has runs under way: the real binary, asked over HTTP.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::serve::{KEY, Serving, answer_of, follow, start_run};
use crate::server::{Reply, Server};
use crate::support::Project;

const FILE: &str = "\
version: 1
project: press
primary: { model: default, system_prompt: prompts/role.md }
workflows:
  piece:
    description: Two steps that read the same file.
    steps:
      - { id: one, agent: primary, prompt: prompts/step.md }
      - { id: two, agent: primary, prompt: prompts/step.md, needs: [one] }
";
const WORKFLOW: &str = "press_piece";

/// A project whose models answer one after the other, each once its edit is made.
struct Desk {
    project: Project,
    server: Server,
}

impl Desk {
    /// `edits` are made while the calls of the model are under way, in their order.
    fn new(edits: Vec<fn(&Path)>) -> Self {
        let project = Project::empty()
            .with(".cuebook/project.yaml", FILE)
            .with("prompts/role.md", "You edit.\n")
            .with("prompts/step.md", "Old.\n")
            .env("CUEBOOK_API_KEY", KEY)
            .env("MODEL_KEY", "sk-canary-0123456789");
        let reply = |edit: fn(&Path)| {
            let step = project.root().join("prompts/step.md");
            Reply::After(Box::new(move || edit(&step)), Box::new(Reply::Pieces(vec!["Done.".to_owned()])))
        };
        let server = Server::start(edits.into_iter().map(reply).collect());
        let config = format!("{}\nobservability = \"full\"\n", server.config());
        Self { project: project.with("cuebook.toml", config), server }
    }

    /// What the models were sent so far.
    fn sent(&self) -> Vec<String> {
        let text = |body: &Json| body["messages"][0]["content"].as_str().unwrap().to_owned();
        self.server.requests().iter().map(|request| text(&request.body)).collect()
    }

    fn step(&self) -> PathBuf {
        self.project.root().join("prompts/step.md")
    }
}

fn keep(_: &Path) {}

fn replace(step: &Path) {
    fs::write(step, "New.\n").unwrap();
}

fn remove(step: &Path) {
    fs::remove_file(step).unwrap();
}

/// What the compositions of a run that ended say.
fn composed(serving: &Serving, run: &str) -> Vec<String> {
    assert!(follow(serving, run).contains("run.completed"));
    let (status, answer) = serving.call("GET", &format!("/v1/runs/{run}/events/poll"), KEY, None);
    assert_eq!(status, 200, "{answer}");
    let events = answer["events"].as_array().unwrap().iter();
    let composed = events.filter(|event| event["type"] == "prompt.composed");
    composed.map(|event| event["payload"]["composed"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_edit_under_a_call_is_used_at_the_next_composition() {
    let desk = Desk::new(vec![replace, keep]);
    let serving = Serving::start(&desk.project, &[]);
    let run = start_run(&serving, WORKFLOW);
    assert_eq!(composed(&serving, &run), ["Old.", "New."]);
    assert_eq!(desk.sent(), ["Old.", "New."]);
}

#[test]
fn a_broken_edit_leaves_the_run_its_last_text_and_refuses_another_until_it_is_mended() {
    let desk = Desk::new(vec![remove, keep, keep, keep]);
    let mut serving = Serving::start(&desk.project, &[]);
    let run = start_run(&serving, WORKFLOW);
    assert_eq!(composed(&serving, &run), ["Old.", "Old."]);
    serving.until_told("'prompts/step.md' cannot be used: there is no such file");
    let (status, refused) = serving.call("POST", "/v1/runs", KEY, Some(&json!({ "workflowId": WORKFLOW })));
    assert_eq!((status, &refused["error"]), (400, &json!("project_file_unusable")), "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("'prompts/step.md' cannot be used"), "{refused}");
    fs::write(desk.step(), "Mended.\n").unwrap();
    serving.until_told("the project files are sound again");
    let run = start_run(&serving, WORKFLOW);
    assert_eq!(composed(&serving, &run), ["Mended.", "Mended."]);
    assert_eq!(desk.sent(), ["Old.", "Old.", "Mended.", "Mended."]);
}

#[test]
fn a_broken_project_file_is_told_with_its_place_and_mended() {
    let desk = Desk::new(vec![keep, keep]);
    let mut serving = Serving::start(&desk.project, &[]);
    let file = desk.project.root().join(".cuebook/project.yaml");
    fs::write(&file, FILE.replace("agent: primary", "agent: primry")).unwrap();
    let told = serving.until_told("primry");
    assert!(told.contains("project_invalid"), "{told}");
    let (status, refused) = serving.call("POST", "/v1/runs", KEY, Some(&json!({ "workflowId": WORKFLOW })));
    assert_eq!((status, &refused["error"]), (400, &json!("project_invalid")), "{refused}");
    fs::write(&file, FILE).unwrap();
    serving.until_told("the project files are sound again");
    let run = start_run(&serving, WORKFLOW);
    assert_eq!(composed(&serving, &run), ["Old.", "Old."]);
}

#[test]
fn the_schema_is_served_byte_for_byte_as_it_is_printed() {
    let desk = Desk::new(Vec::new());
    let printed = desk.project.cuebook(&["project", "schema"]).succeeded().stdout;
    let serving = Serving::start(&desk.project, &[]);
    let socket = serving.ask_with("", "GET", "/v1/host/cuebook/schemas/project", "no-key", None);
    assert_eq!(answer_of(socket).1, printed);
}
