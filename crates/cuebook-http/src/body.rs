//! Request bodies: JSON, read strictly, with the path of every fault.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use cuebook_host::wire::{Document, ErrorCode, strict};
use serde_json::Value as Json;

use crate::error::ApiError;

/// A JSON body, and its bytes for comparing repetitions.
#[derive(Debug)]
pub(crate) struct JsonBody {
    pub(crate) value: Json,
    pub(crate) bytes: Bytes,
}

impl JsonBody {
    /// Reads the value strictly.
    pub(crate) fn read<T: Document>(&self) -> Result<T, ApiError> {
        strict::read(&self.value).map_err(|faults| ApiError::faults(&faults))
    }
}

impl<S: Send + Sync> FromRequest<S> for JsonBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let is_json = request.headers().get(CONTENT_TYPE).is_some_and(|value| is_json(value.as_bytes()));
        let bytes = read_bytes(request, state).await?;
        if bytes.is_empty() {
            return Ok(Self { value: Json::Object(serde_json::Map::new()), bytes });
        }
        if !is_json {
            let message = "a body is application/json";
            return Err(ApiError::new(ErrorCode::UnsupportedMediaType, message));
        }
        let value = serde_json::from_slice(&bytes).map_err(|error| {
            let message = format!("the body is not JSON: line {}, column {}", error.line(), error.column());
            ApiError::invalid(message).with("line", error.line()).with("column", error.column())
        })?;
        Ok(Self { value, bytes })
    }
}

async fn read_bytes<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, ApiError> {
    Bytes::from_request(request, state).await.map_err(|rejection| {
        let code = match rejection.into_response_status() {
            413 => ErrorCode::PayloadTooLarge,
            _ => ErrorCode::ValidationError,
        };
        ApiError::new(code, "the body cannot be read")
    })
}

/// The status of a rejection, which axum hides behind a response.
trait RejectionStatus {
    fn into_response_status(self) -> u16;
}

impl<T: axum::response::IntoResponse> RejectionStatus for T {
    fn into_response_status(self) -> u16 {
        self.into_response().status().as_u16()
    }
}

fn is_json(value: &[u8]) -> bool {
    let kind = value.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    kind.eq_ignore_ascii_case(b"application/json") || kind.to_ascii_lowercase().ends_with(b"+json")
}
