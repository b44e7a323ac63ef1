//! A name for every request: the caller's, if it is a decent one, else ours; in the answer and in the log.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

/// The header that carries it both ways.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// Gives the request its id and the answer the same.
pub(crate) async fn assign(mut request: Request, next: Next) -> Response {
    let given = request.headers().get(&HEADER).filter(|value| is_decent(value.as_bytes())).cloned();
    let id = given.unwrap_or_else(fresh);
    request.headers_mut().insert(HEADER, id.clone());
    let mut response = next.run(request).await;
    response.headers_mut().insert(HEADER, id);
    response
}

fn is_decent(value: &[u8]) -> bool {
    (1..=128).contains(&value.len())
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

fn fresh() -> HeaderValue {
    let id = format!("req_{}", uuid::Uuid::now_v7().simple());
    HeaderValue::from_str(&id).unwrap_or_else(|_| HeaderValue::from_static("req"))
}
