//! Requests to a host that may die before it has answered, or while it does.
//!
//! An answer counts only when it is whole. A host that lives and does not answer in time fails the test.

use std::io::{BufRead as _, BufReader, Error, ErrorKind, Read as _, Result, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value as Json;

use crate::serve::KEY;

/// How long a host may be silent.
const PATIENCE: Duration = Duration::from_mins(1);

/// A whole answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// Its header lines, in lower case.
    pub(super) head: String,
    pub(super) body: Json,
}

impl Answer {
    /// Whether the host says that it has given this answer before.
    pub(super) fn is_replay(&self) -> bool {
        self.head.contains("openwop-idempotent-replay: true")
    }
}

/// A request; without a key it changes nothing, or may be lost.
pub(super) struct Request<'r> {
    pub(super) method: &'r str,
    pub(super) path: &'r str,
    pub(super) key: Option<&'r str>,
    pub(super) body: Option<&'r Json>,
}

impl<'r> Request<'r> {
    pub(super) fn get(path: &'r str) -> Self {
        Self { method: "GET", path, key: None, body: None }
    }

    /// Sends the request and reads the whole answer.
    pub(super) fn send(&self, address: &str) -> Result<Answer> {
        let mut socket = self.open(address, "Accept: application/json\r\n")?;
        let mut bytes = Vec::new();
        socket.read_to_end(&mut bytes).map_err(|error| self.in_time(error))?;
        whole(&bytes).ok_or_else(|| ErrorKind::UnexpectedEof.into())
    }

    /// Sends the request and gives the events of the stream that answers, as they come.
    pub(super) fn follow(
        &self,
        address: &str,
        after: Option<u64>,
    ) -> Result<impl Iterator<Item = Result<Json>>> {
        let after = after.map(|id| format!("Last-Event-ID: {id}\r\n")).unwrap_or_default();
        let socket = self.open(address, &after)?;
        Ok(events(BufReader::new(socket)))
    }

    fn open(&self, address: &str, more: &str) -> Result<TcpStream> {
        let body = self.body.map(Json::to_string).unwrap_or_default();
        let key = self.key.map(|key| format!("Idempotency-Key: {key}\r\n")).unwrap_or_default();
        let mut socket = TcpStream::connect(address)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let (method, path, length) = (self.method, self.path, body.len());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {KEY}\r\nConnection: close\r\n\
             {more}{key}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        socket.write_all(request.as_bytes())?;
        Ok(socket)
    }

    /// The same error, unless it is that no answer came.
    fn in_time(&self, error: Error) -> Error {
        let is_late = matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        assert!(!is_late, "no answer to {} {} in {PATIENCE:?}", self.method, self.path);
        error
    }
}

/// The answer in `bytes`, if nothing of it is missing.
fn whole(bytes: &[u8]) -> Option<Answer> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let head = head.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
    let is_whole = length.parse() == Ok(body.len());
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let body = serde_json::from_str(body).ok().filter(|_| is_whole)?;
    Some(Answer { status, head, body })
}

/// The events of a stream: each data line that came as a whole.
fn events(mut stream: BufReader<TcpStream>) -> impl Iterator<Item = Result<Json>> {
    std::iter::from_fn(move || {
        loop {
            let mut line = String::new();
            match stream.read_line(&mut line) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
            let data = line.strip_suffix('\n').and_then(|line| line.strip_prefix("data: "));
            if let Some(event) = data.map(|data| serde_json::from_str(data).unwrap()) {
                return Some(Ok(event));
            }
        }
    })
}
