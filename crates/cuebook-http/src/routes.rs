//! Every route in one list, from which the router, the OpenAPI document and the tests over all routes are made.

mod absent;
mod agents;
mod authoring;
mod discovery;
mod events;
mod health;
mod interrupts;
mod library;
mod prompts;
mod runs;
mod seams;
mod workflows;

use std::time::Instant;

use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{delete, get, post};
use axum::{Router, http::Method};

use crate::body::MAX_LARGE_BODY;
use crate::error::ApiError;
use crate::request_id;
use crate::state::App;
use cuebook_host::wire::ErrorCode;

/// A route of the API.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// The method.
    pub method: &'static str,
    /// The path, with `{parameters}`.
    pub path: &'static str,
    /// Whether it answers without a key.
    pub public: bool,
}

const fn route(method: &'static str, path: &'static str) -> Route {
    Route { method, path, public: false }
}

const fn public(method: &'static str, path: &'static str) -> Route {
    Route { method, path, public: true }
}

/// Every route, in the order of the reference.
pub const ROUTES: [Route; 43] = [
    public("GET", "/.well-known/openwop"),
    public("GET", "/v1/openapi.json"),
    public("GET", "/v1/host/cuebook/schemas/project"),
    public("GET", "/healthz"),
    public("GET", "/readyz"),
    public("GET", "/metrics"),
    route("GET", "/v1/workflows/{workflowId}"),
    route("POST", "/v1/host/sample/workflows"),
    route("POST", "/v1/runs"),
    route("GET", "/v1/host/cuebook/runs"),
    route("POST", "/v1/runs:bulk-cancel"),
    route("GET", "/v1/runs/{runId}"),
    route("GET", "/v1/runs/{runId}/events"),
    route("GET", "/v1/runs/{runId}/events/poll"),
    route("POST", "/v1/runs/{runId}/cancel"),
    route("POST", "/v1/runs/{runId}:fork"),
    route("POST", "/v1/runs/{runId}:pause"),
    route("POST", "/v1/runs/{runId}:resume"),
    route("GET", "/v1/runs/{runId}/ancestry"),
    route("GET", "/v1/runs/{runId}/artifacts/{artifactId}"),
    route("GET", "/v1/runs/{runId}/debug-bundle"),
    route("POST", "/v1/runs/{runId}/interrupts/{nodeId}"),
    public("GET", "/v1/interrupts/{token}"),
    public("POST", "/v1/interrupts/{token}"),
    route("GET", "/v1/host/cuebook/runs/{runId}/compositions/{sequence}"),
    route("POST", "/v1/webhooks"),
    route("DELETE", "/v1/webhooks/{webhookId}"),
    route("GET", "/v1/agents"),
    route("GET", "/v1/agents/{agentId}"),
    route("GET", "/v1/prompts"),
    route("POST", "/v1/prompts"),
    route("GET", "/v1/prompts/{templateId}"),
    route("PUT", "/v1/prompts/{templateId}"),
    route("DELETE", "/v1/prompts/{templateId}"),
    route("POST", "/v1/prompts:render"),
    route("GET", "/v1/host/cuebook/prompts/{templateId}/lint"),
    route("GET", "/v1/host/cuebook/prompts/{templateId}/versions"),
    route("POST", "/v1/host/cuebook/prompts:import"),
    route("POST", "/v1/host/cuebook/preview"),
    route("POST", "/v1/host/sample/prompt/resolve"),
    route("POST", "/v1/host/sample/prompt/compose"),
    route("GET", "/v1/host/sample/test/runs/{runId}/events"),
    route("GET", "/v1/tools"),
];

/// The router over all routes.
pub fn router(app: App) -> Router {
    router_with(app, Router::new())
}

/// The router over all routes and `more` of an embedder, whose requests are limited, named, counted and logged like all others.
pub fn router_with(app: App, more: Router<App>) -> Router {
    let limit = app.options.max_body_bytes;
    routes()
        .merge(more)
        .fallback(unknown_route)
        .method_not_allowed_fallback(unknown_method)
        .layer(DefaultBodyLimit::max(limit))
        .layer(from_fn_with_state(app.clone(), observe))
        .layer(from_fn(request_id::assign))
        .with_state(app)
}

fn routes() -> Router<App> {
    Router::new()
        .route("/.well-known/openwop", get(discovery::get_capabilities))
        .route("/v1/openapi.json", get(discovery::get_openapi))
        .route("/v1/host/cuebook/schemas/project", get(discovery::get_project_schema))
        .route("/healthz", get(health::get_health))
        .route("/readyz", get(health::get_readiness))
        .route("/metrics", get(health::get_metrics))
        .merge(run_routes())
        .merge(prompt_routes())
        .route("/v1/agents", get(agents::list_agents))
        .route("/v1/agents/{agent_id}", get(agents::get_agent))
        .route("/v1/tools", get(absent::tools))
        .route("/v1/webhooks", post(absent::webhooks))
        .route("/v1/webhooks/{webhook_id}", delete(absent::webhooks))
}

fn run_routes() -> Router<App> {
    Router::new()
        .route("/v1/workflows/{workflow_id}", get(workflows::get_workflow))
        .route("/v1/host/sample/workflows", post(workflows::register_workflow))
        .route("/v1/runs", post(runs::create_run))
        .route("/v1/host/cuebook/runs", get(runs::list_runs))
        .route("/v1/runs:bulk-cancel", post(runs::bulk_cancel_runs))
        // `{run_id}:fork` and its like are one path segment, told apart by their handler.
        .route("/v1/runs/{run_id}", get(runs::get_run).post(runs::act_on_run))
        .route("/v1/runs/{run_id}/events", get(events::stream_events))
        .route("/v1/runs/{run_id}/events/poll", get(events::poll_events))
        .route("/v1/runs/{run_id}/cancel", post(runs::cancel_run))
        .route("/v1/runs/{run_id}/ancestry", get(absent::run_part))
        .route("/v1/runs/{run_id}/artifacts/{artifact_id}", get(absent::artifact))
        .route("/v1/runs/{run_id}/debug-bundle", get(absent::run_part))
        .route("/v1/runs/{run_id}/interrupts/{node_id}", post(interrupts::resolve_by_node))
        .route("/v1/interrupts/{token}", get(interrupts::by_token).post(interrupts::by_token))
        .route("/v1/host/cuebook/runs/{run_id}/compositions/{sequence}", get(runs::get_composition))
        .route("/v1/host/sample/test/runs/{run_id}/events", get(seams::list_test_events))
}

fn prompt_routes() -> Router<App> {
    Router::new()
        .route("/v1/prompts", get(prompts::list_prompts).post(library::create_prompt))
        .route(
            "/v1/prompts/{template_id}",
            get(prompts::get_prompt).put(library::update_prompt).delete(library::delete_prompt),
        )
        .route("/v1/prompts:render", post(prompts::render_prompt))
        .route("/v1/host/cuebook/prompts/{template_id}/lint", get(authoring::lint_prompt))
        .route("/v1/host/cuebook/prompts/{template_id}/versions", get(authoring::list_versions))
        .route(
            "/v1/host/cuebook/prompts:import",
            post(authoring::import_prompts).layer(DefaultBodyLimit::max(MAX_LARGE_BODY)),
        )
        .route("/v1/host/cuebook/preview", post(authoring::preview_prompt))
        .route("/v1/host/sample/prompt/resolve", post(seams::resolve_prompt))
        .route("/v1/host/sample/prompt/compose", post(seams::compose_prompt))
}

async fn unknown_route() -> ApiError {
    ApiError::not_found("route")
}

async fn unknown_method(method: Method) -> ApiError {
    ApiError::new(ErrorCode::MethodNotAllowed, format!("this route does not answer {method}"))
}

/// Counts and logs answers by the route's pattern, never by the path itself, which may tell what is no matter of operators.
async fn observe(State(app): State<App>, request: Request, next: Next) -> Response {
    let path = request.extensions().get::<MatchedPath>().cloned();
    let route = path.as_ref().map_or("(none)", MatchedPath::as_str);
    let method = request.method().clone();
    let began = Instant::now();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    app.metrics.answered(route, status);
    let micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
    tracing::info!(%method, route, status, micros, "answered");
    response
}
