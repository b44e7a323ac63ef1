//! What this host is and can: the discovery document and the OpenAPI document, for everybody.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use crate::etag::tagged;
use crate::state::App;

/// How long the documents may be kept.
const FRESH: &str = "public, max-age=300";

/// The discovery document: every family at the root, and again under `capabilities`, where older readers look.
pub(super) async fn get_capabilities(State(app): State<App>, headers: HeaderMap) -> Response {
    let document = app.host.capabilities(app.options.test_seams);
    tagged(document, &headers, FRESH)
}

/// The OpenAPI 3.1 document.
pub(super) async fn get_openapi(headers: HeaderMap) -> Response {
    tagged(crate::openapi::document(), &headers, FRESH)
}
