//! What a server keeps and tells of prompts under each `observability`: the database, the log and every answer are searched.

use std::fs;

use serde_json::{Value as Json, json};

use crate::openai::desk_on;
use crate::serve::{KEY, Serving, follow};
use crate::server::{Reply, Server};
use crate::support::Project;

/// Stands in the text of the prompt alone.
const TEXT: &str = "canary-of-the-text";
/// A value that is bound and stands in no event of its own.
const BOUND: &str = "canary-of-a-default";
/// A secret with all that could break a log line, a JSON string or a template.
const SECRET: &str = "c4nary \"quoted\" \\ back\nline {{topic}} {brace}";
/// The secret as it is, within a JSON string, and in part.
const SECRET_FORMS: [&str; 3] =
    [SECRET, "c4nary \\\"quoted\\\" \\\\ back\\nline {{topic}} {brace}", "c4nary"];

const QUESTION: &str = r#"+++
templateId = "question"
version = "1.0.0"
kind = "user"

[[variables]]
name = "topic"
type = "string"
required = true

[[variables]]
name = "style"
type = "string"
required = false
defaultValue = "canary-of-a-default"

[[variables]]
name = "pin"
type = "string"
required = true
source = "secret"
+++
This is canary-of-the-text about {{topic}} as {{style}}: {{pin}}."#;

/// A desk whose prompt holds everything that may be seen too often.
fn desk(server: &Server, observability: &str) -> Project {
    desk_on(server)
        .with("prompts/question@1.0.0.md", QUESTION)
        .edit(
            "workflows/desk.json",
            "\"prompt:question@1.0.0\"",
            r#"{ "templateId": "question", "version": "1.0.0", "variableOverrides": { "pin": "vault-pin" } }"#,
        )
        .edit("cuebook.toml", "[prompts]", "[secrets.vault-pin]\nfrom = \"env:VAULT_PIN\"\n\n[prompts]")
        .edit("cuebook.toml", "\"full\"", &format!("\"{observability}\""))
        .env("VAULT_PIN", SECRET)
        .env("CUEBOOK_API_KEY", KEY)
}

/// Everything that a server kept and told of one run.
struct Told {
    events: Vec<Json>,
    /// The events and all other answers.
    answers: String,
    /// The log, all files of the data directory.
    kept: String,
}

impl Told {
    /// Serves one run whose model says the whole prompt back, and asks for everything there is to ask about it.
    fn of(observability: &str, model: Reply) -> Self {
        let server = Server::start(vec![model]);
        let project = desk(&server, observability);
        let args = ["--data", "data", "--log-level", "debug", "--format", "json"];
        let serving = Serving::start(&project, &args);
        let body = json!({ "workflowId": "desk", "inputs": { "topic": "tea" } });
        let (status, created) = serving.call("POST", "/v1/runs", KEY, Some(&body));
        assert_eq!(status, 201, "{created}");
        let run = created["runId"].as_str().unwrap().to_owned();
        let mut answers = vec![follow(&serving, &run)];
        let (_, poll) = serving.call("GET", &format!("/v1/runs/{run}/events/poll"), KEY, None);
        let events = poll["events"].as_array().unwrap().clone();
        answers.push(poll.to_string());
        answers.push(serving.call("GET", &format!("/v1/runs/{run}"), KEY, None).1.to_string());
        for event in &events {
            let path = format!("/v1/host/cuebook/runs/{run}/compositions/{}", event["sequence"]);
            answers.push(serving.call("GET", &path, KEY, None).1.to_string());
        }
        // While the process lives, what was committed last is in the write-ahead log.
        let mut kept = files_of(&project);
        kept.push_str(&serving.terminate().ended(0).to_string());
        kept.push_str(&files_of(&project));
        assert!(server.requests()[0].body.to_string().contains(SECRET_FORMS[1]), "the model got the secret");
        Self { events, answers: answers.concat(), kept }
    }

    fn payloads(&self, event_type: &str) -> Vec<&Json> {
        self.events
            .iter()
            .filter(|event| event["type"] == event_type)
            .map(|event| &event["payload"])
            .collect()
    }

    /// Checks whether `text` was kept and told.
    #[track_caller]
    fn check(&self, text: &str, is_kept: bool, is_told: bool) {
        assert_eq!(self.kept.contains(text), is_kept, "{text:?} is kept");
        assert_eq!(self.answers.contains(text), is_told, "{text:?} is told");
    }

    /// What holds in every mode.
    #[track_caller]
    fn check_always(&self) {
        for form in SECRET_FORMS {
            self.check(form, false, false);
        }
        let resolved = self.payloads("agent.promptResolved");
        let kinds: Vec<&str> = resolved.iter().map(|payload| payload["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["system", "user"]);
        assert_eq!(self.payloads("run.completed").len(), 1);
        self.check("prompt:question@1.0.0", true, true);
    }
}

/// The bytes of every file of the data directory, as text.
fn files_of(project: &Project) -> String {
    let files = project.files().into_iter().filter(|path| path.starts_with("data/"));
    let texts: Vec<String> = files
        .map(|path| String::from_utf8_lossy(&fs::read(project.root().join(path)).unwrap()).into_owned())
        .collect();
    assert!(!texts.is_empty(), "the data directory is empty");
    texts.concat()
}

fn short_answer() -> Reply {
    Reply::Pieces(vec!["Tea is ".to_owned(), "warm.".to_owned()])
}

#[test]
fn off_keeps_the_chain_and_nothing_of_the_prompt() {
    let told = Told::of("off", short_answer());
    told.check_always();
    assert_eq!(told.payloads("prompt.composed"), [&Json::Null; 0]);
    told.check(TEXT, false, false);
    told.check(BOUND, false, false);
    told.check("variableBindings", false, false);
}

#[test]
fn hashed_keeps_hashes_and_nothing_of_the_prompt() {
    let told = Told::of("hashed", short_answer());
    told.check_always();
    let composed = told.payloads("prompt.composed");
    let [payload] = &composed[..] else { panic!("one composition: {composed:?}") };
    for absent in ["composed", "systemPrompt", "userPrompt", "variableBindings"] {
        assert!(payload.get(absent).is_none(), "{absent}");
    }
    assert!(payload["hash"].as_str().unwrap().starts_with("sha256:"));
    let hashes: Vec<&String> = payload["variableHashes"].as_object().unwrap().keys().collect();
    assert_eq!(hashes, ["pin", "style", "topic"]);
    told.check(TEXT, false, false);
    told.check(BOUND, false, false);
}

#[test]
fn full_keeps_the_text_with_markers_for_secrets() {
    let told = Told::of("full", short_answer());
    told.check_always();
    let text = "This is canary-of-the-text about tea as canary-of-a-default: [REDACTED:vault-pin].";
    assert_eq!(told.payloads("prompt.composed")[0]["userPrompt"], text);
    told.check(TEXT, true, true);
    told.check(BOUND, true, true);
}

#[test]
fn a_model_that_says_the_prompt_back_gives_no_secret_away() {
    for observability in ["off", "hashed", "full"] {
        let told = Told::of(observability, Reply::Echo(7));
        told.check_always();
        told.check("[REDACTED:vault-pin]", true, true);
    }
}
