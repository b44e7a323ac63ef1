//! Projects in directories of their own, and hosts over them.

mod clock;
pub(crate) mod life;

use std::fs;
use std::path::Path;

use cuebook_host::engine::RunState;
use cuebook_host::log::Record;
use cuebook_host::prompt::Principal;
use cuebook_host::wire::{Configurable, Sequence};
use cuebook_host::{Host, Options, Problems, ProjectCheck, StartRun, WorkflowFile};
use futures_util::FutureExt as _;
use serde_json::{Map, Value as Json, json};
use tempfile::TempDir;

pub(crate) use clock::ManualClock;

/// A project directory that goes with the test.
pub(crate) struct Project(TempDir);

impl Project {
    /// One workflow of one node, which asks a question about `topic`.
    pub(crate) fn new() -> Self {
        let node = json!({
            "id": "answer", "typeId": "core.ai.callPrompt", "name": "Answer", "position": { "x": 0, "y": 0 },
            "config": { "userPromptRef": "prompt:question" },
            "inputs": { "topic": { "type": "variable", "variableName": "topic" } },
        });
        let variable = |name: &str, value_type: &str, required: bool| json!({ "name": name, "type": value_type, "required": required });
        let workflow = json!({
            "id": "ask", "name": "Ask", "version": "1.0.0", "nodes": [node], "edges": [], "triggers": [],
            "variables": [
                variable("topic", "string", true),
                variable("count", "number", false),
                variable("urgent", "boolean", false),
                variable("tags", "array", false),
                variable("more", "object", false),
            ],
            "metadata": {}, "settings": {},
        });
        Self(TempDir::new().unwrap())
            .with("workflows/ask.json", &workflow.to_string())
            .with("prompts/question.md", &template("question", "1.0.0", "What is {{topic}}?"))
    }

    /// The same project with one more file.
    pub(crate) fn with(self, path: &str, content: &str) -> Self {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn host(&self) -> Result<Host, Problems> {
        Host::open(&Options { root: self.path().to_owned(), ..Options::default() })
    }
}

/// What a check of the whole project finds, as the local principal sees it.
pub(crate) fn checked(host: &Host) -> ProjectCheck {
    host.check(&Principal::local()).now_or_never().expect("a store in memory answers at once")
}

/// A user prompt with the variable `topic`.
pub(crate) fn template(id: &str, version: &str, text: &str) -> String {
    format!(
        "+++\ntemplateId = \"{id}\"\nversion = \"{version}\"\nkind = \"user\"\n\n[[variables]]\nname = \"topic\"\n\
         type = \"string\"\nrequired = true\n+++\n{text}\n"
    )
}

/// A run of `workflow` about tea.
pub(crate) fn about_tea<'a>(
    principal: &'a Principal,
    workflow: &'a WorkflowFile,
    configurable: Option<Configurable>,
) -> StartRun<'a> {
    let inputs = Map::from_iter([("topic".to_owned(), Json::from("tea"))]);
    StartRun { principal, plan: &workflow.plan, inputs, configurable, refuse_undeclared: true }
}

/// Runs to the end.
pub(crate) async fn run(host: &Host, start: StartRun<'_>) -> (RunState, Vec<Record>) {
    let principal = start.principal.clone();
    let handle = host.start(start).await.unwrap();
    let run_id = handle.run_id().clone();
    let state = handle.wait().await.unwrap();
    let records = host.store.read(&principal, &run_id, Sequence(0), 1000).await.unwrap();
    (state, records)
}

/// The messages of problems, each with its code.
pub(crate) fn messages(problems: &Problems) -> Vec<String> {
    problems.iter().map(|problem| format!("{}: {}", problem.code, problem.message)).collect()
}
