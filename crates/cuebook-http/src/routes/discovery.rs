//! What this host is and can: the discovery document, the OpenAPI document and the schema of project files, for everybody.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use cuebook_host::project::schema_text;

use crate::etag::{tagged, tagged_text};
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

/// The JSON Schema of project files, as `cuebook project schema` writes it.
pub(super) async fn get_project_schema(headers: HeaderMap) -> Response {
    tagged_text(schema_text(), "application/schema+json", &headers, FRESH)
}
