//! Runs: create, read, list, cancel, and what they were told.

use axum::Json;
use axum::extract::State;
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use cuebook_host::wire::{CreateRun, ErrorCode, RunId, RunSnapshot, RunStatus, Sequence};
use cuebook_host::{CreateOptions, Refusal, listed_run, run_id_of};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::auth::{Caller, Scope};
use crate::body::JsonBody;
use crate::error::ApiError;
use crate::idempotency::{Attempt, once};
use crate::params::{Path, Query};
use crate::shapes::{BulkCancel, CancelRun, MAX_BULK};
use crate::state::App;

/// The code of a result for a run that has ended otherwise (openwop-v1 §3.8); no answer as a whole carries it.
const RUN_TERMINAL: &str = "run_terminal";
/// The header that asks for at most one run in a scope.
const DEDUP: &str = "x-dedup";
/// The header that asks for an engine.
const FORCED_ENGINE: &str = "x-force-engine-version";
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
    let attempt = Attempt::new(&principal, "POST /v1/runs", &headers, &body);
    refuse_forced_engine(&headers)?;
    let alone_in_scope = read_dedup(&headers)?;
    let (worker, request) = (app.clone(), read_request(&app, &body, alone_in_scope));
    let act = move |ticket: Option<String>| async move {
        let options = CreateOptions { run_id: ticket.as_deref().map(run_id_of), alone_in_scope };
        let created = worker.host.create_run(&principal, request?, options).await?;
        worker.metrics.runs_created.inc();
        let status = format!("/v1/runs/{}", created.run_id);
        let answer = json!({
            "runId": created.run_id,
            "status": created.status,
            "eventsUrl": format!("{status}/events"),
            "statusUrl": status,
        });
        Ok((StatusCode::CREATED, [(LOCATION, status)], Json(answer)).into_response())
    };
    Ok(once(&app.host, attempt, act).await)
}

/// `X-Force-Engine-Version` is for test keys, and this host has none (openwop-v1 §3.3).
fn refuse_forced_engine(headers: &HeaderMap) -> Result<(), ApiError> {
    if headers.contains_key(FORCED_ENGINE) {
        let message = "X-Force-Engine-Version is for test keys, and this host has none";
        return Err(ApiError::new(ErrorCode::ForceEngineVersionForbidden, message));
    }
    Ok(())
}

/// Whether `X-Dedup` asks that no other run of the scope be under way (openwop-v1 §3.3).
fn read_dedup(headers: &HeaderMap) -> Result<bool, ApiError> {
    match headers.get(DEDUP).map(HeaderValue::as_bytes) {
        None => Ok(false),
        Some(value) if value.eq_ignore_ascii_case(b"enforce") => Ok(true),
        Some(_) => Err(ApiError::invalid("X-Dedup is 'enforce' or not there")),
    }
}

/// Reads what is to be run. The `tenantId` of a body moves nothing: the tenant is that of the key.
fn read_request(app: &App, body: &JsonBody, alone_in_scope: bool) -> Result<CreateRun, ApiError> {
    let request = body.read::<CreateRun>()?;
    if alone_in_scope && request.scope_id.is_none() {
        return Err(ApiError::invalid("X-Dedup: enforce needs a 'scopeId' in the body"));
    }
    let mocks = request.configurable.as_ref().is_some_and(|overlay| overlay.mock_provider.is_some());
    if mocks && !app.options.test_seams {
        let message = "configurable.mockProvider is honoured only by a host with --test-seams";
        return Err(ApiError::new(ErrorCode::MockProviderForbidden, message));
    }
    Ok(request)
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
    status: Option<String>,
}

/// The tenant's runs, newest first, of the statuses asked for; for our own pages.
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
    let statuses = read_statuses(query.status.as_deref())?;
    let runs = app.host.list_runs(&principal, &statuses, limit).await?;
    Ok(Json(json!({ "runs": runs.iter().map(listed_run).collect::<Vec<_>>() })))
}

/// Reads a comma list of statuses.
fn read_statuses(list: Option<&str>) -> Result<Vec<RunStatus>, ApiError> {
    let names = list.into_iter().flat_map(|list| list.split(',')).map(str::trim);
    names
        .map(|name| name.parse::<RunStatus>().map_err(|error| ApiError::invalid(error.to_string())))
        .collect()
}

/// Ends a run; of one that has ended it tells how.
pub(super) async fn cancel_run(
    State(app): State<App>,
    caller: Caller,
    Path(run_id): Path<String>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, ApiError> {
    let principal = caller.principal(Scope::RunsCancel)?;
    let attempt = Attempt::new(&principal, &format!("POST /v1/runs/{run_id}/cancel"), &headers, &body);
    let (worker, request, by) = (app.clone(), body.read::<CancelRun>(), caller.name().to_owned());
    let act = move |_| async move {
        let run_id = RunId::new(run_id);
        let status = worker.host.cancel_run(&principal, &run_id, request?.reason, &by).await?;
        Ok(Json(json!({ "runId": run_id, "status": status })).into_response())
    };
    Ok(once(&app.host, attempt, act).await)
}

/// Ends several runs; each has its own result, in the order of the request.
pub(super) async fn bulk_cancel_runs(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, ApiError> {
    let principal = caller.principal(Scope::RunsCancel)?;
    let attempt = Attempt::new(&principal, "POST /v1/runs:bulk-cancel", &headers, &body);
    let (worker, request, by) = (app.clone(), body.read::<BulkCancel>(), caller.name().to_owned());
    let act = move |_| async move {
        let request = request.map_err(|error| error.with("maxRunIds", MAX_BULK))?;
        let mut results = Vec::with_capacity(request.run_ids.len());
        for run_id in request.run_ids.into_iter().map(RunId::new) {
            let status = worker.host.cancel_run(&principal, &run_id, request.reason.clone(), &by).await;
            results.push(bulk_result(&run_id, status));
        }
        Ok(Json(json!({ "results": results })).into_response())
    };
    Ok(once(&app.host, attempt, act).await)
}

fn bulk_result(run_id: &RunId, cancelled: Result<RunStatus, Refusal>) -> Value {
    match cancelled {
        Ok(status @ (RunStatus::Completed | RunStatus::Failed)) => {
            let error = json!({"error": RUN_TERMINAL, "message": format!("the run is {status}")});
            json!({"runId": run_id, "ok": false, "status": status, "error": error})
        }
        Ok(status) => json!({"runId": run_id, "ok": true, "status": status}),
        Err(refusal) => {
            let error = json!({"error": refusal.code, "message": refusal.message});
            json!({"runId": run_id, "ok": false, "error": error})
        }
    }
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
