//! Which replies are answers, and how their text arrives.

use cuebook_prompt::Dispatch;
use cuebook_provider::{ChunkSink, FinishReason, ModelAnswer, ModelCall, ModelPort, OpenAi, Usage};
use tokio::sync::oneshot;

use crate::server::{Server, Step, chunk, json, response, stream, stream_head};
use crate::support::{Pieces, dispatch, exchange, options, settings};

const FINISH: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
const DONE: &str = "data: [DONE]\n\n";

fn piece(text: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{text:?}}}}}]}}\n\n")
}

/// Sends `steps` and checks the pieces and how the answer ended.
async fn check(steps: Vec<Step>, pieces: &[&str], finish: FinishReason) -> ModelAnswer {
    let exchange = exchange(steps).await;
    let answer = exchange.answer.expect("an answer");
    assert_eq!(exchange.pieces, pieces);
    assert_eq!(answer.text, pieces.concat());
    assert_eq!(answer.finish, finish);
    answer
}

async fn check_stream(text: &str, pieces: &[&str], finish: FinishReason) -> ModelAnswer {
    check(stream([text.as_bytes()]), pieces, finish).await
}

#[tokio::test]
async fn a_stream_as_hosted_endpoints_send_it() {
    let text = [
        r#"data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"small-2025-01-01","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null}"#,
        r#"data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"small-2025-01-01","choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}],"usage":null}"#,
        r#"data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"small-2025-01-01","choices":[{"index":0,"delta":{"content":" there"},"finish_reason":null}],"usage":null}"#,
        r#"data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"small-2025-01-01","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}"#,
        r#"data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"small-2025-01-01","choices":[],"usage":{"prompt_tokens":19,"completion_tokens":2,"total_tokens":21}}"#,
        "data: [DONE]",
        "",
    ]
    .join("\n\n");
    let answer = check_stream(&text, &["Hello", " there"], FinishReason::Stop).await;
    assert_eq!(answer.model, "small-2025-01-01");
    assert_eq!(answer.usage, Some(Usage { input_tokens: 19, output_tokens: 2 }));
}

#[tokio::test]
async fn a_stream_as_local_servers_send_it() {
    let text = format!(
        ": ping\r\n\r\n{}data: {{\"choices\":[{{\"finish_reason\":\"length\",\"index\":0,\"delta\":{{\"content\":null}}}}],\
         \"usage\":{{\"completion_tokens\":1,\"prompt_tokens\":3}},\"timings\":{{\"x\":1.5}}}}\r\n\r\n{DONE}",
        piece("Hi").replace('\n', "\r\n")
    );
    let answer = check_stream(&text, &["Hi"], FinishReason::Length).await;
    assert_eq!(answer.model, "small");
    assert_eq!(answer.usage, Some(Usage { input_tokens: 3, output_tokens: 1 }));
}

#[tokio::test]
async fn line_ends_comments_and_marks_do_not_matter() {
    let text = piece("a") + FINISH + DONE;
    check_stream(&text.replace('\n', "\r"), &["a"], FinishReason::Stop).await;
    check_stream(&text.replace('\n', "\r\n"), &["a"], FinishReason::Stop).await;
    check_stream(&format!("\u{feff}: waiting\nretry: 9\n\n{text}"), &["a"], FinishReason::Stop).await;
    check_stream(&text.replace("data: ", "event: message\nid: 7\ndata:"), &["a"], FinishReason::Stop).await;
    check_stream(&format!("data:\n\n{text}"), &["a"], FinishReason::Stop).await;
}

#[tokio::test]
async fn a_stream_cut_at_every_byte_reads_the_same() {
    let text = format!("\u{feff}{}{FINISH}{DONE}", piece("né 🎭")).replace('\n', "\r\n");
    check(stream(text.as_bytes().chunks(1)), &["né 🎭"], FinishReason::Stop).await;
}

#[tokio::test]
async fn an_answer_is_complete_by_its_finish_reason_or_the_end_mark() {
    check_stream(&(piece("a") + FINISH), &["a"], FinishReason::Stop).await;
    check_stream(&(piece("a") + DONE), &["a"], FinishReason::Stop).await;
    check_stream(&(piece("a") + FINISH + "data: [DONE]"), &["a"], FinishReason::Stop).await;
    check_stream(FINISH, &[], FinishReason::Stop).await;
    let broken = vec![stream_head(), chunk((piece("a") + FINISH).as_bytes())];
    check(broken, &["a"], FinishReason::Stop).await;
}

#[tokio::test]
async fn finish_reasons() {
    for (name, finish) in [
        ("stop", FinishReason::Stop),
        ("length", FinishReason::Length),
        ("model_length", FinishReason::Length),
        ("tool_calls", FinishReason::ToolCalls),
        ("function_call", FinishReason::ToolCalls),
        ("content_filter", FinishReason::ContentFilter),
        ("eos", FinishReason::Stop),
    ] {
        check_stream(&FINISH.replace("stop", name), &[], finish).await;
    }
}

#[tokio::test]
async fn only_the_first_choice_counts() {
    let other = piece("no").replace("\"index\":0", "\"index\":1");
    check_stream(&(piece("a") + &other + FINISH), &["a"], FinishReason::Stop).await;
}

#[tokio::test]
async fn content_in_parts() {
    let parts = r#"{"type":"thinking","thinking":[]},{"type":"text","text":"a"},{"type":"text","text":"b"}"#;
    let text = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":[{parts}]}}}}]}}\n\n{DONE}");
    check_stream(&text, &["ab"], FinishReason::Stop).await;
}

#[tokio::test]
async fn a_server_that_ignores_stream() {
    let body = r#"{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#;
    let answer = check(json("200 OK", body), &["Hello"], FinishReason::Length).await;
    assert_eq!((answer.model.as_str(), answer.usage.map(|usage| usage.output_tokens)), ("m", Some(2)));
    let empty = r#"{"choices":[{"message":{"content":null},"finish_reason":"tool_calls"}]}"#;
    check(json("200 OK", empty), &[], FinishReason::ToolCalls).await;
    let bare = r#"{"choices":[{"message":{"content":"x"}}]}"#;
    check(json("200 OK", bare), &["x"], FinishReason::Stop).await;
}

#[tokio::test]
async fn a_stream_without_its_content_type() {
    let text = piece("a") + FINISH;
    check(response("200 OK", "", &text), &["a"], FinishReason::Stop).await;
    check(response("200 OK", "Content-Type: Text/Plain; charset=x\r\n", &text), &["a"], FinishReason::Stop)
        .await;
}

struct Signal(Option<oneshot::Sender<()>>, Pieces);

impl ChunkSink for Signal {
    fn chunk(&mut self, text: &str) {
        self.1.chunk(text);
        if let Some(signal) = self.0.take() {
            signal.send(()).expect("the server waits");
        }
    }
}

#[tokio::test]
async fn a_piece_arrives_before_the_next_is_sent() {
    let (signal, wait) = oneshot::channel();
    let rest = piece("second") + FINISH;
    let steps = vec![
        stream_head(),
        chunk(piece("first").as_bytes()),
        Step::Wait(wait),
        chunk(rest.as_bytes()),
        chunk(b""),
    ];
    let server = Server::start(steps).await;
    let model = OpenAi::new(options(server.base_url())).expect("good options");
    let mut sink = Signal(Some(signal), Pieces::default());
    let (dispatch, settings) = (dispatch(), settings("m"));
    let call = ModelCall { dispatch: &dispatch, settings: &settings, invocation: "inv_1" };
    model.call(call, &mut sink).await.expect("an answer");
    assert_eq!(sink.1.0, ["first", "second"]);
}

#[tokio::test]
async fn dropping_the_call_closes_the_connection() {
    let mut server = Server::start(vec![Step::Hang]).await;
    let model = OpenAi::new(options(server.base_url())).expect("good options");
    let dispatch = Dispatch::new(None, Some("x".to_owned()));
    let settings = settings("m");
    let mut pieces = Pieces::default();
    let call = ModelCall { dispatch: &dispatch, settings: &settings, invocation: "inv_1" };
    tokio::select! {
        answer = model.call(call, &mut pieces) => panic!("nothing was answered: {answer:?}"),
        received = &mut server.received => received.expect("the server lives"),
    }
    assert_eq!(server.request().await.body["model"], "m");
}
