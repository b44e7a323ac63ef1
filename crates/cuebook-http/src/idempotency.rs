//! Idempotency layer 1 (openwop-v1 §6.2): a repeated request with the same key gives the same answer.
//!
//! Keyed by tenant, endpoint (method and path) and key, in the store: an answer is kept before it is given, so that a
//! repetition finds it, also after a restart. Only final answers are kept (2xx, and 4xx that are not 400, 401, 403, 408 or
//! 429 and do not say when to try again). A key with another body is refused, and so is one whose first request is under way. What was begun under a key is
//! brought to its end though its caller goes away; what ended half way is done again under the same ticket.

use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use cuebook_host::Host;
use cuebook_host::log::{Claimed, Ending, Reply, RequestKey};
use cuebook_host::prompt::Principal;
use cuebook_host::wire::ErrorCode;

use crate::body::JsonBody;
use crate::error::ApiError;

/// The header of the request.
const KEY: &str = "idempotency-key";
/// The header that marks a repeated answer.
const REPLAY: HeaderName = HeaderName::from_static("openwop-idempotent-replay");
/// The longest key, in bytes.
const MAX_KEY: usize = 255;

/// A request that may be a repetition.
pub(crate) struct Attempt<'r> {
    principal: Principal,
    endpoint: String,
    headers: &'r HeaderMap,
    body: &'r JsonBody,
}

impl<'r> Attempt<'r> {
    /// The request of `principal` at `endpoint`: method and path, parameters filled in.
    pub(crate) fn new(
        principal: &Principal,
        endpoint: &str,
        headers: &'r HeaderMap,
        body: &'r JsonBody,
    ) -> Self {
        Self { principal: principal.clone(), endpoint: endpoint.to_owned(), headers, body }
    }
}

/// Performs `act` once for each key; without a key it performs it as it is.
///
/// With a key, `act` gets the ticket of the request, under which an earlier attempt may have made what it is to make.
pub(crate) async fn once<F>(
    host: &Arc<Host>,
    attempt: Attempt<'_>,
    act: impl FnOnce(Option<String>) -> F + Send + 'static,
) -> Response
where
    F: Future<Output = Result<Response, ApiError>> + Send + 'static,
{
    let key = match read_key(attempt.headers) {
        Ok(None) => return act(None).await.into_response(),
        Ok(Some(key)) => key,
        Err(error) => return error.into_response(),
    };
    let request = RequestKey { endpoint: attempt.endpoint, key };
    let (host, body) = (Arc::clone(host), attempt.body.bytes.clone());
    // In a task of its own from the claim on, so that nothing is left half way when the caller goes.
    let task = tokio::spawn(claimed(host, attempt.principal, request, body, act));
    task.await.unwrap_or_else(|_| failed().into_response())
}

async fn claimed<F>(
    host: Arc<Host>,
    principal: Principal,
    request: RequestKey,
    body: Bytes,
    act: impl FnOnce(Option<String>) -> F,
) -> Response
where
    F: Future<Output = Result<Response, ApiError>>,
{
    match host.claim_request(&principal, request.clone(), &String::from_utf8_lossy(&body)).await {
        Ok(Claimed::Answered(reply)) => replayed(&reply),
        Ok(Claimed::Mismatch) => mismatch().into_response(),
        Ok(Claimed::InFlight) => in_flight().into_response(),
        Ok(Claimed::Yours(ticket)) => {
            let guard = Guard { host, principal, request: Some(request) };
            guard.finish(act(Some(ticket)).await.into_response()).await
        }
        Err(refusal) => ApiError::from(refusal).into_response(),
    }
}

/// Lets go of a request whose attempt came to no answer.
struct Guard {
    host: Arc<Host>,
    principal: Principal,
    request: Option<RequestKey>,
}

impl Guard {
    /// Keeps a final answer, and gives it when it is kept.
    async fn finish(mut self, response: Response) -> Response {
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
        let may_change = parts.headers.contains_key(RETRY_AFTER);
        let ending = if is_final(parts.status) && !may_change {
            let body = String::from_utf8_lossy(&body).into();
            Ending::Answered(Reply { status: parts.status.as_u16(), headers: kept(&parts.headers), body })
        } else if parts.status.is_server_error() {
            Ending::Abandoned
        } else {
            Ending::Forgotten
        };
        if let Some(request) = &self.request
            && let Err(refusal) = self.host.settle_request(&self.principal, request, ending).await
        {
            return ApiError::from(refusal).into_response();
        }
        self.request = None;
        Response::from_parts(parts, Body::from(body))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let Some(request) = self.request.take() else { return };
        let (host, principal) = (Arc::clone(&self.host), self.principal.clone());
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { host.let_go(&principal, &request).await });
        }
    }
}

fn is_final(status: StatusCode) -> bool {
    status.is_success()
        || (status.is_client_error() && !matches!(status.as_u16(), 400 | 401 | 403 | 408 | 429))
}

/// The headers of an answer as they are kept.
fn kept(headers: &HeaderMap) -> Vec<(String, String)> {
    let pairs = headers.iter().filter_map(|(name, value)| Some((name, value.to_str().ok()?)));
    pairs.map(|(name, value)| (name.as_str().to_owned(), value.to_owned())).collect()
}

fn read_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(value) = headers.get(KEY) else { return Ok(None) };
    let key = value.to_str().ok().filter(|key| (1..=MAX_KEY).contains(&key.len()));
    key.map(|key| Some(key.to_owned())).ok_or_else(|| {
        ApiError::invalid(format!("an Idempotency-Key has 1 to {MAX_KEY} visible ASCII characters"))
    })
}

fn replayed(reply: &Reply) -> Response {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, reply.body.to_string()).into_response();
    let headers = reply.headers.iter().filter_map(|(name, value)| {
        Some((HeaderName::try_from(name).ok()?, HeaderValue::try_from(value).ok()?))
    });
    *response.headers_mut() = headers.collect();
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
