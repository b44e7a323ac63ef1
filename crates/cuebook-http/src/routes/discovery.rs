//! What this host is and can: the discovery document and the OpenAPI document, for everybody.

use axum::Json;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use cuebook_host::prompt::ContentHash;
use serde_json::Value;

use crate::state::App;

/// The discovery document: every family at the root, and again under `capabilities`, where older readers look.
pub(super) async fn get_capabilities(State(app): State<App>, headers: HeaderMap) -> Response {
    let document = app.host.capabilities(app.options.test_seams);
    cached(document, &headers)
}

/// The OpenAPI 3.1 document.
pub(super) async fn get_openapi(headers: HeaderMap) -> Response {
    cached(crate::openapi::document(), &headers)
}

/// Answers with an ETag, and 304 when the caller has the document already.
fn cached(document: Value, headers: &HeaderMap) -> Response {
    let tag = format!("\"{}\"", ContentHash::of(&document.to_string()));
    let known = headers.get(IF_NONE_MATCH).is_some_and(|value| value.as_bytes() == tag.as_bytes());
    let mut response =
        if known { StatusCode::NOT_MODIFIED.into_response() } else { Json(document).into_response() };
    let fresh = HeaderValue::from_static("public, max-age=300");
    response.headers_mut().insert(CACHE_CONTROL, fresh);
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}
