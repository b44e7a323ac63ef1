//! Idempotency layer 1 (openwop-v1 §6.2): a repeated request with the same key gives the same answer.
//!
//! Keyed by tenant, endpoint (method and path) and key. Answers are kept for a day, in memory; only final ones (2xx, and
//! 4xx that are not 400, 401, 403, 408 or 429). A key with another body is refused, and so is one whose first request is
//! under way. What was begun under a key is brought to its end though its caller goes away, so that a repetition after a
//! broken connection finds the answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use cuebook_host::wire::ErrorCode;
use sha2::{Digest, Sha256};

use crate::auth::Caller;
use crate::body::JsonBody;
use crate::error::ApiError;

/// The header of the request.
const KEY: &str = "idempotency-key";
/// The header that marks a repeated answer.
const REPLAY: HeaderName = HeaderName::from_static("openwop-idempotent-replay");
/// The longest key, in bytes.
const MAX_KEY: usize = 255;
/// How long answers are kept.
const KEEP: Duration = Duration::from_hours(24);
/// How many answers are kept; the oldest go first.
const CAPACITY: usize = 100_000;

/// Tenant, endpoint and key.
type Slot = (String, String, String);

/// The answers that were given.
#[derive(Default)]
pub(crate) struct Idempotency {
    answers: Mutex<HashMap<Slot, Entry>>,
}

struct Entry {
    body: [u8; 32],
    since: Instant,
    answer: Option<Answer>,
}

#[derive(Clone)]
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

/// What the table knows of a key.
enum Known {
    New,
    InFlight,
    Mismatch,
    Answered(Answer),
}

/// A request that may be a repetition.
pub(crate) struct Attempt<'r> {
    tenant: &'r str,
    endpoint: String,
    headers: &'r HeaderMap,
    body: &'r [u8],
}

impl<'r> Attempt<'r> {
    /// The request of `caller` at `endpoint`: method and path, parameters filled in.
    pub(crate) fn new(
        caller: &'r Caller,
        endpoint: &str,
        headers: &'r HeaderMap,
        body: &'r JsonBody,
    ) -> Self {
        Self { tenant: caller.tenant(), endpoint: endpoint.to_owned(), headers, body: &body.bytes }
    }
}

impl Idempotency {
    /// Performs `act` once for each key; without a key it performs it as it is.
    pub(crate) async fn once(
        self: &Arc<Self>,
        attempt: Attempt<'_>,
        act: impl Future<Output = Result<Response, ApiError>> + Send + 'static,
    ) -> Response {
        let key = match read_key(attempt.headers) {
            Ok(None) => return act.await.into_response(),
            Ok(Some(key)) => key,
            Err(error) => return error.into_response(),
        };
        let slot = (attempt.tenant.to_owned(), attempt.endpoint, key);
        match self.begin(&slot, Sha256::digest(attempt.body).into()) {
            Known::Answered(answer) => replayed(answer),
            Known::Mismatch => mismatch().into_response(),
            Known::InFlight => in_flight().into_response(),
            Known::New => {
                let guard = Guard { table: Arc::clone(self), slot: Some(slot) };
                let act = async move { guard.finish(act.await.into_response()).await };
                tokio::spawn(act).await.unwrap_or_else(|_| failed().into_response())
            }
        }
    }

    fn begin(&self, slot: &Slot, body: [u8; 32]) -> Known {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = answers.get(slot).filter(|entry| entry.since.elapsed() < KEEP);
        match entry {
            Some(entry) if entry.body != body => Known::Mismatch,
            Some(entry) => entry.answer.clone().map_or(Known::InFlight, Known::Answered),
            None => {
                make_room(&mut answers);
                answers.insert(slot.clone(), Entry { body, since: Instant::now(), answer: None });
                Known::New
            }
        }
    }

    fn end(&self, slot: &Slot, answer: Option<Answer>) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        match answer {
            None => drop(answers.remove(slot)),
            Some(answer) => {
                if let Some(entry) = answers.get_mut(slot) {
                    entry.answer = Some(answer);
                }
            }
        }
    }
}

/// Forgets a key whose request came to no answer.
struct Guard {
    table: Arc<Idempotency>,
    slot: Option<Slot>,
}

impl Guard {
    async fn finish(mut self, response: Response) -> Response {
        let Some(slot) = self.slot.take() else { return response };
        if !is_final(response.status()) {
            self.table.end(&slot, None);
            return response;
        }
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
        let answer = Answer { status: parts.status, headers: parts.headers.clone(), body: body.clone() };
        self.table.end(&slot, Some(answer));
        Response::from_parts(parts, Body::from(body))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(slot) = self.slot.take() {
            self.table.end(&slot, None);
        }
    }
}

fn is_final(status: StatusCode) -> bool {
    status.is_success()
        || (status.is_client_error() && !matches!(status.as_u16(), 400 | 401 | 403 | 408 | 429))
}

fn make_room(answers: &mut HashMap<Slot, Entry>) {
    if answers.len() < CAPACITY {
        return;
    }
    answers.retain(|_, entry| entry.since.elapsed() < KEEP);
    if answers.len() >= CAPACITY
        && let Some(oldest) =
            answers.iter().min_by_key(|(_, entry)| entry.since).map(|(slot, _)| slot.clone())
    {
        answers.remove(&oldest);
    }
}

fn read_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(value) = headers.get(KEY) else { return Ok(None) };
    let key = value.to_str().ok().filter(|key| (1..=MAX_KEY).contains(&key.len()));
    key.map(|key| Some(key.to_owned())).ok_or_else(|| {
        ApiError::invalid(format!("an Idempotency-Key has 1 to {MAX_KEY} visible ASCII characters"))
    })
}

fn replayed(answer: Answer) -> Response {
    let mut response = (answer.status, answer.body).into_response();
    *response.headers_mut() = answer.headers;
    response.headers_mut().insert(REPLAY, HeaderValue::from_static("true"));
    response
}

fn mismatch() -> ApiError {
    ApiError::new(ErrorCode::IdempotencyKeyMismatch, "this key came before with another body")
}

fn in_flight() -> ApiError {
    ApiError::new(ErrorCode::IdempotencyInFlight, "the first request with this key is under way")
        .with("retryAfter", 1)
}

fn failed() -> ApiError {
    ApiError::new(ErrorCode::InternalError, "the request could not be brought to its end")
}
