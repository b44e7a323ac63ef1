//! A server for one request that says exactly the bytes a test gives it.

use std::collections::BTreeMap;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// One step of a reply.
pub(crate) enum Step {
    /// Send these bytes.
    Send(Vec<u8>),
    /// Go on when the test says so.
    Wait(oneshot::Receiver<()>),
    /// Keep the connection until the client closes it.
    Hang,
}

/// A request as it arrived; header names in lower case.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Request {
    pub(crate) line: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Value,
}

/// A running server.
pub(crate) struct Server {
    pub(crate) authority: String,
    pub(crate) received: oneshot::Receiver<()>,
    task: JoinHandle<Request>,
}

impl Server {
    pub(crate) async fn start(steps: Vec<Step>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a loopback port");
        let authority = listener.local_addr().expect("an address").to_string();
        let (tell, received) = oneshot::channel();
        Self { authority, received, task: tokio::spawn(serve(listener, steps, tell)) }
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}/v1", self.authority)
    }

    /// The request, once the reply is sent or the client is gone.
    pub(crate) async fn request(self) -> Request {
        self.task.await.expect("the server ends by itself")
    }
}

async fn serve(listener: TcpListener, steps: Vec<Step>, tell: oneshot::Sender<()>) -> Request {
    let (mut stream, _) = listener.accept().await.expect("a connection");
    let request = read_request(&mut stream).await;
    // Most tests do not look at this signal.
    let _ = tell.send(());
    for step in steps {
        match step {
            // A client that has heard enough may have gone.
            Step::Send(bytes) => drop(stream.write_all(&bytes).await),
            Step::Wait(signal) => signal.await.expect("the test gives the signal"),
            Step::Hang => drop(stream.read(&mut [0; 64]).await),
        }
    }
    request
}

async fn read_request(stream: &mut TcpStream) -> Request {
    let mut bytes = Vec::new();
    let mut head = None;
    loop {
        let end = bytes.windows(4).position(|run| run == b"\r\n\r\n").map(|at| at + 4);
        if head.is_none() {
            head = end.map(|end| (read_head(&bytes[..end]), end));
        }
        if let Some(((line, headers), end)) = &head
            && bytes.len() - end >= headers["content-length"].parse().expect("a length")
        {
            let body = serde_json::from_slice(&bytes[*end..]).expect("a JSON body");
            return Request { line: line.clone(), headers: headers.clone(), body };
        }
        assert!(stream.read_buf(&mut bytes).await.expect("a request") > 0, "the request is cut off");
    }
}

fn read_head(bytes: &[u8]) -> (String, BTreeMap<String, String>) {
    let text = std::str::from_utf8(bytes).expect("an ASCII head");
    let mut lines = text.trim_end().split("\r\n");
    let line = lines.next().expect("a request line").to_owned();
    let field = |line: &str| {
        let (name, value) = line.split_once(": ").expect("a header field");
        (name.to_ascii_lowercase(), value.to_owned())
    };
    (line, lines.map(field).collect())
}

/// A whole response with a length.
pub(crate) fn response(status: &str, headers: &str, body: &str) -> Vec<Step> {
    let length = body.len();
    vec![Step::Send(
        format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n{body}").into_bytes(),
    )]
}

/// A whole JSON response.
pub(crate) fn json(status: &str, body: &str) -> Vec<Step> {
    response(status, "content-type: application/json; charset=utf-8\r\n", body)
}

/// The head of an event stream that goes on in chunks.
pub(crate) fn stream_head() -> Step {
    Step::Send(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n".to_vec(),
    )
}

/// One chunk of the chunked coding (RFC 9112, section 7.1); an empty one ends the body.
pub(crate) fn chunk(bytes: &[u8]) -> Step {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend(bytes);
    chunk.extend(b"\r\n");
    Step::Send(chunk)
}

/// An event stream whose bytes come in the given pieces.
pub(crate) fn stream<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Step> {
    let mut steps = vec![stream_head()];
    steps.extend(pieces.into_iter().map(chunk));
    steps.push(chunk(b""));
    steps
}
