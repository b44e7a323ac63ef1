//! Neither the key nor a secret of the prompt gets into an error, whatever a provider quotes.

use cuebook_prompt::Dispatch;
use cuebook_provider::OpenAi;
use serde_json::json;

use crate::server::{Server, Step, json as json_response, response, stream};
use crate::support::{call, options_with_key, settings};

const KEY: &str = "sk-canary-key-4711";
const SECRET: &str = "canary$prompt!0815";

/// Lets an endpoint reply with `steps` and looks for the canaries in the error.
async fn check(steps: Vec<Step>) {
    let server = Server::start(steps).await;
    let url = server.base_url().replace("http://", "http://ann:canary-password@");
    let model = OpenAi::new(options_with_key(url, KEY)).expect("good options");
    let dispatch =
        Dispatch::new(Some(format!("Use {SECRET}, always.")), Some(format!("My password is \"{SECRET}\".")));
    let error = call(&model, &dispatch, &settings("m")).await.1.expect_err("no answer");
    let shown = format!("{error} {error:?} {error:#?}");
    for canary in [KEY, SECRET, "canary", "password"] {
        assert!(!shown.contains(canary), "{shown}");
    }
    assert!(server.request().await.body.to_string().contains(SECRET), "the secret was sent");
}

/// Quotations in every shape: alone, in a sentence, cut, in pieces, at the edge of what is kept.
fn quotations() -> Vec<String> {
    vec![
        KEY.to_owned(),
        format!("Incorrect key provided: {KEY}. Got: Use {SECRET}, always."),
        format!("Bearer {KEY}"),
        format!("'{}***'", &KEY[..10]),
        format!("input=\"My password is \\\"{SECRET}\\\".\""),
        format!("{}{SECRET}{}", "x".repeat(190), "y".repeat(90)),
        format!("{}{KEY}", "z".repeat(4090)),
        format!("<{SECRET}|{KEY}|{SECRET}>"),
    ]
}

#[tokio::test]
async fn quotations_in_refusals() {
    for message in quotations() {
        for status in ["400 Bad Request", "401 Unauthorized", "429 Too Many Requests", "500 Oops"] {
            check(json_response(
                status,
                &json!({ "error": { "message": message, "code": message } }).to_string(),
            ))
            .await;
        }
        check(json_response("400 Bad Request", &json!({ "detail": message }).to_string())).await;
        check(json_response("400 Bad Request", &message)).await;
    }
}

#[tokio::test]
async fn quotations_in_place_of_an_answer() {
    for message in quotations() {
        let event = format!("data: {}\n\n", json!({ "error": { "message": message } }));
        check(stream([event.as_bytes()])).await;
        check(stream([format!("data: {message}\n\n").as_bytes()])).await;
        check(json_response("200 OK", &json!({ "choices": message }).to_string())).await;
        check(json_response("200 OK", &json!({ "choices": [{ "finish_reason": [message] }] }).to_string()))
            .await;
        check(response("200 OK", &format!("content-type: {message}\r\n"), "")).await;
        check(response("302 Found", &format!("location: http://h/{message}\r\n"), "")).await;
    }
}

#[tokio::test]
async fn quotations_on_a_broken_connection() {
    for message in quotations() {
        check(vec![Step::Send(format!("{message}\r\n\r\n").into_bytes())]).await;
    }
}
