//! A run on an OpenAI-compatible model: what it is sent, what becomes of its answer, and how failures read.

use serde_json::{Value as Json, json};

use crate::server::{Reply, Server};
use crate::support::{Outcome, Project};

const KEY: &str = "sk-canary-0123456789";
const RUN: [&str; 4] = ["run", ".", "--input", "topic=tea"];

/// The desk with `server` as its model.
pub(crate) fn desk_on(server: &Server) -> Project {
    Project::desk().edit("cuebook.toml", "[prompts]", &server.config()).env("MODEL_KEY", KEY)
}

fn pieces(texts: &[&str]) -> Reply {
    Reply::Pieces(texts.iter().map(|text| (*text).to_owned()).collect())
}

fn refusal(status: &'static str) -> Reply {
    Reply::Refusal(status, "content-type: application/json\r\n", r#"{"error":{"message":"Not today."}}"#)
}

fn events<'a>(run: &'a Json, event_type: &str) -> Vec<&'a Json> {
    let events = run["events"].as_array().unwrap();
    events.iter().filter(|event| event["type"] == event_type).map(|event| &event["payload"]).collect()
}

#[test]
fn the_request_is_the_composed_prompt() {
    let server = Server::start(vec![pieces(&["Tea is warm."])]);
    desk_on(&server).cuebook(&RUN).succeeded();
    let [request] = &server.requests()[..] else { panic!("one request") };
    assert_eq!(request.line, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(request.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(request.body["model"], "small");
    assert_eq!(request.body["temperature"], 0.5);
    assert_eq!(request.body["stream"], true);
    let messages = json!([
        { "role": "system", "content": "You are a desk clerk.\n\nAnswer in one sentence." },
        { "role": "user", "content": "Tell me 3 things about tea." },
    ]);
    assert_eq!(request.body["messages"], messages);
}

#[test]
fn a_streamed_answer_becomes_the_output() {
    let server = Server::start(vec![pieces(&["Tea ", "is ", "warm."])]);
    let run = desk_on(&server).cuebook(&[&RUN[..], &["--json"]].concat()).succeeded().json();
    assert_eq!(run["outputs"], json!({ "text": "Tea is warm." }));
    let chunks = events(&run, "output.chunk");
    let text: String = chunks.iter().map(|chunk| chunk["chunk"].as_str().unwrap()).collect();
    assert_eq!((text.as_str(), &chunks.last().unwrap()["isLast"]), ("Tea is warm.", &json!(true)));
    let usage = json!({
        "provider": "local", "model": "small", "inputTokens": 21, "outputTokens": 4, "totalTokens": 25,
        "nodeId": "answer",
    });
    assert_eq!(events(&run, "provider.usage"), [&usage]);
}

#[test]
fn a_model_of_the_agents_class_goes_before_the_default() {
    let server = Server::start(vec![pieces(&["Yes."])]);
    let general = "[models]\ngeneral = { provider = \"local\", model = \"large\", max_tokens = 9 }";
    desk_on(&server).edit("cuebook.toml", "[models]", general).cuebook(&RUN).succeeded();
    let request = &server.requests()[0];
    assert_eq!((&request.body["model"], request.body.get("temperature")), (&json!("large"), None));
}

#[test]
fn json_is_asked_for_and_parsed() {
    let server = Server::start(vec![pieces(&["{\"warm\"", ": true}"])]);
    let project = desk_on(&server).edit(
        "workflows/desk.json",
        "\"agentId\": \"local.desk.clerk\"",
        "\"responseFormat\": \"json\", \"agentId\": \"local.desk.clerk\"",
    );
    let run = project.cuebook(&[&RUN[..], &["--json"]].concat()).succeeded().json();
    assert_eq!(run["outputs"]["json"], json!({ "warm": true }));
    assert_eq!(server.requests()[0].body["response_format"]["type"], "json_object");
}

/// Runs the desk on a server that gives these replies and checks how the failure reads.
#[track_caller]
fn check_failure(name: &str, replies: Vec<Reply>) -> Outcome {
    let server = Server::start(replies);
    let outcome = desk_on(&server).check(&format!("openai-{name}"), &[&RUN[..], &["--quiet"]].concat());
    assert!(!outcome.to_string().contains("canary"), "{outcome}");
    outcome.ended(1)
}

#[test]
fn failures_say_what_to_do() {
    check_failure("401", vec![refusal("401 Unauthorized")]);
    check_failure("404", vec![refusal("404 Not Found")]);
    check_failure("429", vec![refusal("429 Too Many Requests")]);
    check_failure("500", vec![refusal("500 Internal Server Error")]);
    check_failure("no-json", vec![Reply::Refusal("200 OK", "content-type: text/html\r\n", "<html>")]);
}

#[test]
fn an_answer_that_never_comes_times_out() {
    let server = Server::start(vec![Reply::Silence]);
    let project = desk_on(&server).edit("cuebook.toml", "api_key =", "timeout_ms = 50\napi_key =");
    project.check("openai-timeout", &[&RUN[..], &["--quiet"]].concat()).ended(1);
}

#[test]
fn a_server_that_is_not_there() {
    let config = "[models]\ndefault = { provider = \"local\", model = \"small\" }\n\n[providers.local]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1\"\n\n[prompts]";
    let project = Project::desk().edit("cuebook.toml", "[prompts]", config);
    let outcome = project.cuebook(&[&RUN[..], &["--quiet"]].concat()).ended(1);
    assert!(outcome.stderr.contains("cannot be reached"), "{outcome}");
    assert!(outcome.stderr.contains("check base_url and that the server runs"), "{outcome}");
}

#[test]
fn what_is_worth_another_attempt_gets_it() {
    let server = Server::start(vec![refusal("429 Too Many Requests"), pieces(&["Tea is warm."])]);
    let project =
        desk_on(&server).edit("workflows/desk.json", "\"settings\": {}", "\"settings\": {\"maxRetries\": 1}");
    let run = project.cuebook(&[&RUN[..], &["--json"]].concat()).succeeded().json();
    assert_eq!(run["outputs"]["text"], "Tea is warm.");
    assert_eq!(events(&run, "node.retried").len(), 1);
    assert_eq!(events(&run, "prompt.composed").len(), 1, "the same composition is recorded once");
    let [first, second] = &server.requests()[..] else { panic!("two requests") };
    assert_eq!(first.body, second.body);
}

#[test]
fn a_key_that_cannot_be_had_is_told_before_anything_is_sent() {
    let server = Server::start(vec![pieces(&["never"])]);
    for key in ["", "short"] {
        let project = desk_on(&server).env("MODEL_KEY", key);
        let outcome = project.check("openai-no-key", &[&RUN[..], &["--quiet"]].concat()).ended(1);
        assert!(key.is_empty() || !outcome.to_string().contains("'short'"), "{outcome}");
    }
    assert_eq!(server.requests().len(), 0);
}
