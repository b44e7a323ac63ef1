//! A name for every request: the caller's, if it is a decent one, else ours; in the answer, in the details of an error that
//! is the host's own, and in every line of the log that the request causes.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::{Instrument as _, error_span};

use crate::error::ApiError;

/// The header that carries it both ways.
const HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// The longest id that is taken over, in bytes.
const MAX_LENGTH: usize = 128;

/// Gives the answer the request's id.
pub(crate) async fn assign(request: Request, next: Next) -> Response {
    let given = request.headers().get(&HEADER).and_then(|value| value.to_str().ok());
    let id = given.filter(|id| is_decent(id)).map_or_else(fresh, str::to_owned);
    let mut response = next.run(request).instrument(error_span!("request", id)).await;
    if let Some(error) = response.extensions_mut().remove::<ApiError>() {
        response = error.correlated(&id).into_response();
    }
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(HEADER, id);
    }
    response
}

fn is_decent(id: &str) -> bool {
    (1..=MAX_LENGTH).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

fn fresh() -> String {
    format!("req_{}", uuid::Uuid::now_v7().simple())
}
