//! Errors as the wire shows them: `{error, message, details?}`, the status from the one table.

use axum::Json;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use cuebook_host::Refusal;
use cuebook_host::wire::{ErrorCode, ErrorEnvelope, Fault};
use serde_json::{Value, json};

/// A refusal of a request: a code of the table, a sentence, facts; never internals.
#[derive(Clone, Debug)]
pub struct ApiError {
    status: StatusCode,
    envelope: Box<ErrorEnvelope>,
}

impl ApiError {
    /// The error `code` with its sentence, under the status that the table gives it; 500 when it gives none.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let status = code.status().and_then(|status| StatusCode::from_u16(status).ok());
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self { status, envelope: Box::new(ErrorEnvelope::new(code, message)) }
    }

    /// Adds a fact to `details`.
    pub fn with(self, key: &str, value: impl Into<Value>) -> Self {
        Self { envelope: Box::new(self.envelope.with(key, value.into())), ..self }
    }

    /// Something that is not there, or not for the caller.
    pub fn not_found(what: &str) -> Self {
        Self::new(ErrorCode::NotFound, format!("there is no such {what}"))
    }

    /// A malformed request.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::ValidationError, message)
    }

    /// The faults of a document under `code`: the first is the message, all are in `details.faults`.
    pub fn faults(code: ErrorCode, faults: &[Fault]) -> Self {
        let message =
            faults.first().map_or_else(|| "the request is not valid".to_owned(), ToString::to_string);
        Self::new(code, message).with("faults", json!(faults))
    }

    /// Something a host does not offer.
    pub fn not_provided(capability: &str) -> Self {
        Self::new(ErrorCode::CapabilityNotProvided, format!("this host does not provide {capability}"))
            .with("capability", capability)
    }

    /// The same error with the id of its request, when the host and not the caller is at fault (openwop-v1 §4).
    pub(crate) fn correlated(self, request_id: &str) -> Self {
        if self.status.is_server_error() { self.with("correlationId", request_id) } else { self }
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        let error = Self::new(refusal.code, refusal.message);
        refusal.details.into_iter().fold(error, |error, (key, value)| error.with(&key, value))
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let retry_after =
            self.envelope.details.as_ref().and_then(|details| details.get("retryAfter")?.as_u64());
        let mut response = (self.status, Json(&self.envelope)).into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if self.status.is_server_error() {
            response.extensions_mut().insert(self);
        }
        response
    }
}
