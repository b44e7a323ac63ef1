//! A server on loopback that speaks the OpenAI wire format.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value as Json, json};

/// What the server says to one request.
pub(crate) enum Reply {
    /// A stream with the answer in these pieces.
    Pieces(Vec<String>),
    /// A stream that says the last message back, cut into pieces of this many characters.
    Echo(usize),
    /// A status line, more header lines, and a body.
    Refusal(&'static str, &'static str, &'static str),
    /// Nothing, until the client goes.
    Silence,
    /// Another reply, once this has been done: what happens while the model thinks.
    After(Box<dyn FnOnce() + Send>, Box<Self>),
}

/// A request as it arrived; header names in lower case.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) line: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Json,
}

/// A running server; each request gets the next reply.
pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub(crate) fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let received = Arc::clone(&requests);
        thread::spawn(move || {
            for reply in replies {
                let (stream, _) = listener.accept().unwrap();
                serve(stream, reply, &received);
            }
        });
        Self { address, requests }
    }

    /// The configuration that has this server answer everything, with a key from `[secrets.model-key]`.
    pub(crate) fn config(&self) -> String {
        format!(
            r#"
[models]
default = {{ provider = "local", model = "small", temperature = 0.5 }}

[providers.local]
kind = "openai"
base_url = "http://{}/v1"
api_key = "model-key"

[secrets.model-key]
from = "env:MODEL_KEY"

[prompts]"#,
            self.address
        )
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, reply: Reply, received: &Mutex<Vec<Request>>) {
    let request = read(&mut stream);
    received.lock().unwrap().push(request.clone());
    answer(&mut stream, reply, &request);
}

fn answer(stream: &mut TcpStream, reply: Reply, request: &Request) {
    // A client that has heard enough may have gone.
    let _ = match reply {
        Reply::After(act, reply) => {
            act();
            return answer(stream, *reply, request);
        }
        Reply::Pieces(pieces) => stream.write_all(streamed(&pieces).as_bytes()),
        Reply::Echo(size) => stream.write_all(streamed(&echo(request, size)).as_bytes()),
        Reply::Refusal(status, headers, body) => {
            let length = body.len();
            write!(
                stream,
                "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
            )
        }
        Reply::Silence => stream.read(&mut [0; 64]).map(drop),
    };
}

fn read(stream: &mut TcpStream) -> Request {
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    };
    let first = line();
    let fields = std::iter::from_fn(|| Some(line()).filter(|line| !line.is_empty()));
    let headers: BTreeMap<String, String> = fields
        .map(|line| {
            line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned())).unwrap()
        })
        .collect();
    let mut body = vec![0; headers["content-length"].parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    Request { line: first, headers, body: serde_json::from_slice(&body).unwrap() }
}

/// The last message in pieces of `size` characters.
fn echo(request: &Request, size: usize) -> Vec<String> {
    let messages = request.body["messages"].as_array().unwrap();
    let text: Vec<char> = messages.last().unwrap()["content"].as_str().unwrap().chars().collect();
    text.chunks(size).map(|piece| piece.iter().collect()).collect()
}

/// A whole event stream: the pieces, why they end, the usage.
fn streamed(pieces: &[String]) -> String {
    let delta = |piece: &String| json!({ "choices": [{ "index": 0, "delta": { "content": piece } }] });
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 21, "completion_tokens": 4 } });
    let events = pieces.iter().map(delta).chain([end, usage]);
    let data: Vec<String> = events.map(|event| format!("data: {event}\n\n")).collect();
    let data = data.concat();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{data}data: [DONE]\n\n"
    )
}
