//! Runs: create, read, list, cancel, and what they were told.

use axum::Json;
use axum::extract::State;
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use cuebook_host::wire::{CreateRun, ErrorCode, RunId, RunSnapshot, RunStatus, Sequence};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::auth::{Caller, Scope};
use crate::body::JsonBody;
use crate::error::ApiError;
use crate::params::{Path, Query};
use crate::state::App;

/// The most runs that one bulk request may name.
const MAX_BULK: usize = 100;
/// The longest reason for a cancellation, in characters.
const MAX_REASON: usize = 512;
/// How many runs a list shows when the caller does not say, and at the most.
const LIST: (usize, usize) = (50, 200);

/// Starts a run, once for each Idempotency-Key.
pub(super) async fn create_run(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, ApiError> {
    let principal = caller.principal(Scope::RunsCreate)?;
    let act = || async {
        let request = body.read::<CreateRun>()?;
        let created = app.host.create_run(&principal, request).await?;
        app.metrics.runs_created.inc();
        let events = format!("/v1/runs/{}/events", created.run_id);
        let status = format!("/v1/runs/{}", created.run_id);
        let answer = json!({"runId": created.run_id, "status": created.status, "eventsUrl": events, "statusUrl": status});
        Ok((StatusCode::CREATED, [(LOCATION, status)], Json(answer)).into_response())
    };
    Ok(app.idempotency.once(caller.tenant(), "POST /v1/runs", &headers, &body.bytes, act).await)
}

/// A run's snapshot.
pub(super) async fn get_run(
    State(app): State<App>,
    caller: Caller,
    Path(run_id): Path<String>,
) -> Result<Json<RunSnapshot>, ApiError> {
    let principal = caller.principal(Scope::RunsRead)?;
    Ok(Json(app.host.run_snapshot(&principal, &RunId::new(run_id)).await?))
}

#[derive(Deserialize)]
pub(super) struct ListQuery {
    limit: Option<usize>,
}

/// The tenant's runs, newest first; for our own pages.
pub(super) async fn list_runs(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<ListQuery>,
) -> Result<Json<Value>, ApiError> {
    let principal = caller.principal(Scope::RunsRead)?;
    let limit = query.limit.unwrap_or(LIST.0);
    if !(1..=LIST.1).contains(&limit) {
        return Err(ApiError::invalid(format!("'limit' is 1 to {}", LIST.1)));
    }
    let runs = app.host.list_runs(&principal, limit).await?;
    Ok(Json(json!({ "runs": runs })))
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CancelBody {
    reason: Option<String>,
}

/// Ends a run; of one that has ended it tells how.
pub(super) async fn cancel_run(
    State(app): State<App>,
    caller: Caller,
    Path(run_id): Path<String>,
    body: JsonBody,
) -> Result<Json<Value>, ApiError> {
    let principal = caller.principal(Scope::RunsCancel)?;
    let run_id = RunId::new(run_id);
    let reason = reason_of(&body.value)?;
    let status = app.host.cancel_run(&principal, &run_id, reason, caller.name()).await?;
    Ok(Json(json!({ "runId": run_id, "status": status })))
}

fn reason_of(body: &Value) -> Result<Option<String>, ApiError> {
    let read = CancelBody::deserialize(body).map_err(|_| ApiError::invalid("'reason' is a string"))?;
    match read.reason {
        Some(reason) if reason.chars().count() > MAX_REASON => {
            Err(ApiError::invalid(format!("'reason' has at most {MAX_REASON} characters")))
        }
        reason => Ok(reason),
    }
}

/// Ends several runs; each has its own result, in the order of the request.
pub(super) async fn bulk_cancel_runs(
    State(app): State<App>,
    caller: Caller,
    body: JsonBody,
) -> Result<Json<Value>, ApiError> {
    let principal = caller.principal(Scope::RunsCancel)?;
    let reason = reason_of(&body.value)?;
    let ids = run_ids(&body.value)?;
    let mut results = Vec::with_capacity(ids.len());
    for id in ids {
        let run_id = RunId::new(id);
        let cancelled = app.host.cancel_run(&principal, &run_id, reason.clone(), caller.name()).await;
        results.push(match cancelled {
            Ok(status @ (RunStatus::Completed | RunStatus::Failed)) => {
                let error = json!({"error": "run_terminal", "message": format!("the run is {status}")});
                json!({"runId": run_id, "ok": false, "status": status, "error": error})
            }
            Ok(status) => json!({"runId": run_id, "ok": true, "status": status}),
            Err(refusal) => {
                let error = json!({"error": refusal.code.as_str(), "message": refusal.message});
                json!({"runId": run_id, "ok": false, "error": error})
            }
        });
    }
    Ok(Json(json!({ "results": results })))
}

fn run_ids(body: &Value) -> Result<Vec<String>, ApiError> {
    let wrong =
        || ApiError::invalid(format!("'runIds' holds 1 to {MAX_BULK} run ids")).with("maxRunIds", MAX_BULK);
    let ids = body.get("runIds").and_then(Value::as_array).ok_or_else(wrong)?;
    let ids: Option<Vec<String>> = ids.iter().map(|id| id.as_str().map(str::to_owned)).collect();
    ids.filter(|ids| (1..=MAX_BULK).contains(&ids.len())).ok_or_else(wrong)
}

/// `{runId}:fork`, `:pause` and `:resume`, which this host does not provide yet.
pub(super) async fn act_on_run(
    State(app): State<App>,
    caller: Caller,
    Path(target): Path<String>,
) -> Result<(), ApiError> {
    let Some((run_id, action)) = target.rsplit_once(':') else {
        return Err(ApiError::new(ErrorCode::MethodNotAllowed, "this route does not answer POST"));
    };
    let (scope, capability) = match action {
        "fork" => (Scope::RunsCreate, "replay"),
        "pause" | "resume" => (Scope::RunsCancel, "runs.pauseResume"),
        _ => return Err(ApiError::not_found("action on a run")),
    };
    let principal = caller.principal(scope)?;
    app.host.run_entry(&principal, &RunId::new(run_id)).await?;
    Err(ApiError::not_provided(capability))
}

/// What a node was told: the composition whose record stands at a sequence of the run's log.
pub(super) async fn get_composition(
    State(app): State<App>,
    caller: Caller,
    Path((run_id, sequence)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    let principal = caller.principal(Scope::RunsRead)?;
    let sequence: u64 = sequence.parse().map_err(|_| ApiError::not_found("composition"))?;
    Ok(Json(app.host.composition(&principal, &RunId::new(run_id), Sequence(sequence)).await?))
}
