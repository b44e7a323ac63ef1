//! The key gets into no error and no debug output, whatever a host quotes.

use std::error::Error;

use cuebook_client::{Client, ClientError, EventsOptions, PromptQuery};
use cuebook_wire::{CreateRun, WorkflowId};
use futures_util::StreamExt;
use serde_json::json;

use crate::server::{Script, Server, Step, answer, json as json_answer, stream};
use crate::support::run;

const KEY: &str = "canary/key\"4711";

/// Every text an error shows, its sources included.
fn shown(error: &ClientError) -> String {
    let sources = std::iter::successors(error.source(), |cause| (*cause).source());
    let sources: Vec<String> = sources.map(|source| format!(" {source} {source:?}")).collect();
    format!("{error} {error:?} {error:#?}{}", sources.concat())
}

#[track_caller]
fn check_error(error: &ClientError) {
    let shown = shown(error);
    assert!(!shown.contains("canary") && !shown.contains("4711"), "{shown}");
}

/// Lets a host answer two calls with `script` and looks for the key in what comes of it.
async fn check(script: impl Fn() -> Script) {
    let server = Server::start([script(), script(), script()]).await;
    let client = Client::builder(&server.url()).key(KEY).retry(no_retries()).build().unwrap();
    assert!(!format!("{client:?} {:?}", client.runs()).contains("canary"));
    let create = client.runs().create(&CreateRun::new(WorkflowId::new("w")));
    assert!(!format!("{create:?}").contains("canary"));
    check_error(&create.await.unwrap_err());
    check_error(&client.prompts().list(&PromptQuery::default()).await.unwrap_err());
    let options = EventsOptions { reconnects: 0, ..EventsOptions::default() };
    for event in client.runs().events(&run(), options).collect::<Vec<_>>().await {
        check_error(&event.unwrap_err());
    }
    assert_eq!(server.header("authorization"), vec![format!("Bearer {KEY}"); 3], "the key was sent");
}

fn no_retries() -> cuebook_client::RetryPolicy {
    cuebook_client::RetryPolicy { retries: 0, ..cuebook_client::RetryPolicy::default() }
}

/// Quotations in every shape: alone, in a sentence, escaped, at the edge of what is quoted.
fn quotations() -> Vec<String> {
    let edges = (185..205).map(|before| format!("{}{KEY}", "x".repeat(before)));
    let near = (60..82).map(|before| format!("{}{KEY}", "x".repeat(before)));
    let plain = [KEY.to_owned(), format!("Bearer {KEY} is unknown, {KEY}!"), format!("<p>{KEY}</p>")];
    plain.into_iter().chain(edges).chain(near).collect()
}

#[tokio::test]
async fn quotations_in_refusals() {
    for text in quotations() {
        let envelope = json!({ "error": text, "message": text, "details": { &text: [text] } }).to_string();
        check(|| answer("401 Unauthorized", "x-request-id: canary/key\"4711\r\n", &envelope)).await;
        check(|| answer("403 Forbidden", "", &envelope.replace('/', "\\/").replace('<', "\\u003c"))).await;
        check(|| answer("500 Oops", "content-type: text/html\r\n", &text)).await;
        check(|| json_answer("400 Bad Request", &json!({ "detail": text }).to_string())).await;
        check(|| json_answer("400 Bad Request", &json!({ "detail": text }).to_string().replace('/', "\\/")))
            .await;
    }
}

#[tokio::test]
async fn quotations_in_place_of_an_answer() {
    for text in quotations() {
        let wrong = json!({ "runId": [text], "items": [{ "templateId": text, "kind": text }] }).to_string();
        check(|| json_answer("200 OK", &wrong)).await;
        check(|| answer("200 OK", "", &text)).await;
        check(|| answer("302 Found", &format!("location: http://h/{text}\r\n"), &text)).await;
        check(|| stream(&format!("id: 1\ndata: {}\n\n", json!({ "sequence": text })))).await;
        check(|| stream(&format!("id: 1\ndata: {text}\n\n"))).await;
        check(|| vec![Step::Send(format!("{text}\r\n\r\n").into_bytes())]).await;
    }
}

#[test]
fn settings_that_are_refused_are_not_repeated() {
    let builder = Client::builder("http://ann:canary@h?key=canary#canary").key("canary\n4711");
    assert!(!format!("{builder:?}").contains("canary"));
    check_error(&builder.build().unwrap_err());
}

#[tokio::test]
async fn tokens_of_interrupts_stay_out_of_errors() {
    let server = Server::start([Vec::new()]).await;
    let client = Client::builder(&server.url()).retry(no_retries()).build().unwrap();
    let error = client.interrupts().inspect("canary4711").await.unwrap_err();
    assert_eq!(error.endpoint(), Some("GET /v1/interrupts/{token}"));
    check_error(&error);
}
