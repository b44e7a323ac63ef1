//! Whether the server lives, is ready, and what it counts.

use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use serde_json::{Value, json};

use crate::error::ApiError;
use crate::state::App;
use cuebook_host::wire::ErrorCode;

/// The process answers.
pub(super) async fn get_health() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

/// The store answers, and the server is not draining.
pub(super) async fn get_readiness(State(app): State<App>) -> Result<Json<Value>, ApiError> {
    if app.draining.is_cancelled() {
        return Err(
            ApiError::new(ErrorCode::ServiceUnavailable, "the server is draining").with("retryAfter", 1)
        );
    }
    app.host.check_store().await?;
    Ok(Json(json!({ "status": "ready" })))
}

/// Metrics in the Prometheus text format.
pub(super) async fn get_metrics(State(app): State<App>) -> impl IntoResponse {
    (
        [(CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")],
        app.metrics.text(&app.host),
    )
}
