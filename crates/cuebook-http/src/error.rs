//! Errors as the wire shows them: `{error, message, details?}`, the status from the one table.

use axum::Json;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use cuebook_host::wire::{ErrorCode, ErrorEnvelope, Fault};
use cuebook_host::{Problems, Refusal};
use serde_json::{Value as Json_, json};

/// A refusal of a request: a code of the table, a sentence, facts; never internals.
#[derive(Debug)]
pub struct ApiError {
    code: ErrorCode,
    status: StatusCode,
    envelope: ErrorEnvelope,
}

impl ApiError {
    /// The error `code` with its sentence, under the status that the table gives it.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let status = code.status().and_then(|status| StatusCode::from_u16(status).ok());
        let status = status.unwrap_or(StatusCode::BAD_REQUEST);
        Self { code, status, envelope: ErrorEnvelope::new(code, message) }
    }

    /// Adds a fact to `details`.
    pub fn with(mut self, key: &str, value: impl Into<Json_>) -> Self {
        self.envelope = self.envelope.with(key, value.into());
        self
    }

    /// Something that is not there, or not for the caller.
    pub fn not_found(what: &str) -> Self {
        Self::new(ErrorCode::NotFound, format!("there is no such {what}"))
    }

    /// A malformed request.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::ValidationError, message)
    }

    /// The faults of a document: the first is the message, all are in `details.faults`.
    pub fn faults(faults: &[Fault]) -> Self {
        let message =
            faults.first().map_or_else(|| "the request is not valid".to_owned(), ToString::to_string);
        Self::invalid(message).with("faults", json!(faults))
    }

    /// Something a host does not offer.
    pub fn not_provided(capability: &str) -> Self {
        Self::new(ErrorCode::CapabilityNotProvided, format!("this host does not provide {capability}"))
            .with("capability", capability)
    }

    /// The code, for metrics.
    pub fn code(&self) -> ErrorCode {
        self.code
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        let error = Self::new(refusal.code, refusal.message);
        refusal.details.into_iter().fold(error, |error, (key, value)| error.with(&key, value))
    }
}

impl From<Problems> for ApiError {
    fn from(problems: Problems) -> Self {
        let first = problems.iter().next().map(|problem| problem.message.clone());
        let code = problems.iter().next().and_then(|problem| code_named(&problem.code));
        Self::new(code.unwrap_or(ErrorCode::ValidationError), first.unwrap_or_default())
            .with("problems", problems.to_json())
    }
}

fn code_named(name: &str) -> Option<ErrorCode> {
    ErrorCode::ALL.iter().copied().find(|code| code.as_str() == name)
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let retry_after =
            self.envelope.details.as_ref().and_then(|details| details.get("retryAfter")?.as_u64());
        let mut response = (self.status, Json(self.envelope)).into_response();
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(self.code);
        response
    }
}
