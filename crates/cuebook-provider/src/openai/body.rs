//! Reading a response: a stream of events, one document, or a refusal.
//!
//! It owns the choice between them and the limits on their length. It refuses to go by what was asked for: a
//! server may ignore `stream`, so the content type decides.

use std::time::Duration;

use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};

use super::assembly::Assembly;
use super::fault::{Fault, Reported};
use super::sse::Decoder;
use crate::port::ChunkSink;

/// The most bytes of an answer that are read: some 200 000 tokens as events.
const ANSWER_BYTES: usize = 64 << 20;

/// The most bytes of a refusal that are read.
const REFUSAL_BYTES: usize = 64 << 10;

/// Reads what came of the answer until it is complete or the response ends.
pub(super) async fn answer(response: Response, chunks: &mut dyn ChunkSink) -> Result<Assembly, Fault> {
    if !response.status().is_success() {
        return Err(refusal(response).await);
    }
    let content_type = content_type(&response);
    let reader = Reader { response, left: ANSWER_BYTES };
    match content_type.as_str() {
        "application/json" => document(reader, chunks).await,
        // Some small servers leave the type of their streams at a default.
        "text/event-stream" | "text/plain" | "application/octet-stream" | "" => events(reader, chunks).await,
        _ => Err(Fault::ContentType(content_type)),
    }
}

/// The media type in lower case, without parameters; empty when there is none.
fn content_type(response: &Response) -> String {
    let value =
        response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

async fn events(mut reader: Reader, chunks: &mut dyn ChunkSink) -> Result<Assembly, Fault> {
    let mut decoder = Decoder::default();
    let mut assembly = Assembly::default();
    while !assembly.has_ended() {
        let bytes = match reader.next().await {
            Ok(Some(bytes)) => bytes,
            Ok(None) => break,
            // Only the token count can still be missing, and an answer is worth more than that.
            Err(_) if assembly.is_complete() => break,
            Err(fault) => return Err(fault),
        };
        for data in decoder.push(&bytes) {
            assembly.event(&data, chunks)?;
        }
    }
    Ok(assembly)
}

async fn document(mut reader: Reader, chunks: &mut dyn ChunkSink) -> Result<Assembly, Fault> {
    let mut document = Vec::new();
    while let Some(bytes) = reader.next().await? {
        document.extend(bytes);
    }
    Assembly::whole(&String::from_utf8_lossy(&document), chunks)
}

/// Reads a refusal as far as it can be had; whatever is wrong with its body, the status is what counts.
async fn refusal(response: Response) -> Fault {
    let status = response.status();
    let retry_after = retry_after(&response);
    let mut reader = Reader { response, left: REFUSAL_BYTES };
    let mut document = Vec::new();
    while let Ok(Some(bytes)) = reader.next().await {
        document.extend(bytes);
    }
    let reported =
        serde_json::from_slice(&document).ok().and_then(|document| Reported::in_refusal(&document));
    Fault::Status { status, retry_after, reported }
}

/// Reads `Retry-After` (RFC 9110, section 10.2.3) in its form as seconds; a date would need a clock.
fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// A response body with an end.
struct Reader {
    response: Response,
    left: usize,
}

impl Reader {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        let Some(bytes) = self.response.chunk().await.map_err(Fault::Transport)? else { return Ok(None) };
        self.left = self.left.checked_sub(bytes.len()).ok_or(Fault::TooLong(ANSWER_BYTES))?;
        Ok(Some(bytes.into()))
    }
}
