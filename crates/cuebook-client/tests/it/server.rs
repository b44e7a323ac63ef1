//! A host for tests: one script for each connection, in order, and a record of every request.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// One step of an answer.
pub(crate) enum Step {
    /// Send these bytes.
    Send(Vec<u8>),
    /// Go on when the test says so.
    Wait(oneshot::Receiver<()>),
}

/// What one connection is answered; the connection is closed after it.
pub(crate) type Script = Vec<Step>;

/// A request as it arrived; header names in lower case.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) line: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Request {
    /// The request on a few lines: what is asked, the headers a host acts on, the body.
    pub(crate) fn shown(&self) -> String {
        const TOLD: [&str; 6] =
            ["accept", "authorization", "idempotency-key", "if-none-match", "last-event-id", "x-dedup"];
        let headers = TOLD.iter().filter_map(|name| Some(format!("{name}: {}\n", self.headers.get(*name)?)));
        format!("{}\n{}{}", self.line, headers.collect::<String>(), self.body)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// A running host.
pub(crate) struct Server {
    authority: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Answers the first connections by `scripts`; further ones are refused.
    pub(crate) async fn start(scripts: impl IntoIterator<Item = Script>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let authority = listener.local_addr().unwrap().to_string();
        let requests = Arc::default();
        tokio::spawn(serve(listener, scripts.into_iter().collect(), Arc::clone(&requests)));
        Self { authority, requests }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.authority)
    }

    /// Every request so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The request lines so far, without the protocol's version.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.requests().into_iter().map(|request| request.line).collect()
    }

    /// The value of a header in each request so far; a dash where it is missing.
    pub(crate) fn header(&self, name: &str) -> Vec<String> {
        let value = |request: Request| request.headers.get(name).map_or("-", String::as_str).to_owned();
        self.requests().into_iter().map(value).collect()
    }
}

async fn serve(listener: TcpListener, scripts: Vec<Script>, requests: Arc<Mutex<Vec<Request>>>) {
    for script in scripts {
        let (mut stream, _) = listener.accept().await.unwrap();
        let request = read_request(&mut stream).await;
        requests.lock().unwrap().push(request);
        for step in script {
            match step {
                // A client that has heard enough may have gone.
                Step::Send(bytes) => drop(stream.write_all(&bytes).await),
                Step::Wait(signal) => signal.await.unwrap(),
            }
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Request {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|run| run == b"\r\n\r\n") {
            break at + 4;
        }
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "the request is cut off");
    };
    let (line, headers) = read_head(&bytes[..end]);
    let length: usize = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    while bytes.len() < end + length {
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "the body is cut off");
    }
    Request { line, headers, body: String::from_utf8(bytes[end..].to_vec()).unwrap() }
}

fn read_head(bytes: &[u8]) -> (String, BTreeMap<String, String>) {
    let mut lines = std::str::from_utf8(bytes).unwrap().trim_end().split("\r\n");
    let line = lines.next().unwrap().trim_end_matches(" HTTP/1.1").to_owned();
    let field = |line: &str| {
        let (name, value) = line.split_once(": ").unwrap();
        (name.to_ascii_lowercase(), value.to_owned())
    };
    (line, lines.map(field).collect())
}

/// A whole answer with further headers, each ending in a line break.
pub(crate) fn answer(status: &str, headers: &str, body: &str) -> Script {
    let length = body.len();
    let text =
        format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}");
    vec![Step::Send(text.into_bytes())]
}

/// A whole JSON answer.
pub(crate) fn json(status: &str, body: &str) -> Script {
    answer(status, "content-type: application/json\r\n", body)
}

/// A refusal with an error envelope.
pub(crate) fn refusal(status: &str, code: &str) -> Script {
    json(status, &format!(r#"{{"error":"{code}","message":"no"}}"#))
}

/// Nothing but the end of the connection.
pub(crate) fn hang_up() -> Script {
    Vec::new()
}

/// The head of an event stream that goes on in chunks.
pub(crate) fn stream_head() -> Step {
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream; charset=utf-8\r\n\
                transfer-encoding: chunked\r\n\r\n";
    Step::Send(head.as_bytes().to_vec())
}

/// One chunk of the chunked coding (RFC 9112, section 7.1); an empty one ends the body.
pub(crate) fn chunk(bytes: &[u8]) -> Step {
    Step::Send([format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat())
}

/// An event stream that is closed in order after `text`.
pub(crate) fn stream(text: &str) -> Script {
    let mut script = broken_stream(text);
    script.push(chunk(b""));
    script
}

/// An event stream whose connection breaks after `text`.
pub(crate) fn broken_stream(text: &str) -> Script {
    let mut script = vec![stream_head()];
    if !text.is_empty() {
        script.push(chunk(text.as_bytes()));
    }
    script
}
