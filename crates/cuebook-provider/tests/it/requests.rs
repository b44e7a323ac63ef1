//! What an endpoint is sent.

use cuebook_prompt::Dispatch;
use cuebook_provider::{ModelSettings, OpenAi, OpenAiOptions, ResponseFormat};

use crate::server::{Request, Server, json};
use crate::support::{call, dispatch, options, options_with_key, settings};

const ANSWER: &str = r#"{"choices": [{"message": {"content": "hi"}}]}"#;

async fn sent(
    options: impl FnOnce(String) -> OpenAiOptions,
    dispatch: &Dispatch,
    settings: &ModelSettings,
) -> Request {
    let server = Server::start(json("200 OK", ANSWER)).await;
    let model = OpenAi::new(options(server.base_url())).expect("good options");
    call(&model, dispatch, settings).await.1.expect("an answer");
    server.request().await
}

macro_rules! assert_request {
    ($request:expr) => {
        insta::assert_json_snapshot!($request, {
            ".headers.host" => "[host]",
            ".headers[\"user-agent\"]" => insta::dynamic_redaction(|value, _| {
                assert_eq!(value.as_str(), Some(concat!("cuebook/", env!("CARGO_PKG_VERSION"))));
                "[cuebook]"
            }),
        })
    };
}

#[tokio::test]
async fn a_plain_request() {
    assert_request!(sent(options, &dispatch(), &settings("small")).await);
}

#[tokio::test]
async fn a_request_with_everything() {
    let settings = ModelSettings {
        model: "large".to_owned(),
        temperature: Some(0.2),
        max_tokens: Some(300),
        response_format: ResponseFormat::Json,
    };
    assert_request!(sent(|url| options_with_key(url, "sk-canary-1"), &dispatch(), &settings).await);
}

#[tokio::test]
async fn only_the_bodies_that_are_there_become_messages() {
    let user = Dispatch::new(None, Some("Only \"user\"\u{1f3ad}".to_owned()));
    insta::assert_json_snapshot!(sent(options, &user, &settings("m")).await.body["messages"], @r#"
    [
      {
        "role": "user",
        "content": "Only \"user\"🎭"
      }
    ]
    "#);
    let system = Dispatch::new(Some("Only system".to_owned()), None);
    insta::assert_json_snapshot!(sent(options, &system, &settings("m")).await.body["messages"], @r#"
    [
      {
        "role": "system",
        "content": "Only system"
      }
    ]
    "#);
}

#[tokio::test]
async fn credentials_of_the_address_are_sent_unless_there_is_a_key() {
    let with_user = |url: String| url.replace("http://", "http://ann:pass@");
    let plain = sent(|url| options(with_user(url)), &dispatch(), &settings("m")).await;
    assert_eq!(plain.headers["authorization"], "Basic YW5uOnBhc3M=");
    let keyed =
        sent(|url| options_with_key(with_user(url), "sk-canary-1"), &dispatch(), &settings("m")).await;
    assert_eq!(keyed.headers["authorization"], "Bearer sk-canary-1");
}

#[tokio::test]
async fn a_query_of_the_address_is_kept() {
    let request = sent(|url| options(format!("{url}?api-version=2")), &dispatch(), &settings("m")).await;
    assert_eq!(request.line, "POST /v1/chat/completions?api-version=2 HTTP/1.1");
}
