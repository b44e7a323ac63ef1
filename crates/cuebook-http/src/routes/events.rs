//! A run's events: as a stream, as JSON, and by polling.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use axum::response::sse::{KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use cuebook_host::prompt::Principal;
use cuebook_host::wire::{RunEvent, RunId, Sequence};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::auth::{Caller, Scope};
use crate::error::ApiError;
use crate::params::{Path, Query};
use crate::state::App;
use crate::stream::{Follow, Modes, follow};

/// The longest that frames may be held back to be sent together.
const MAX_BUFFER_MS: u64 = 5_000;
/// How often an idle stream shows that it lives.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How long a poll waits when the caller does not say, in seconds, if the host lets it.
const POLL: u64 = 30;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StreamQuery {
    stream_mode: Option<String>,
    buffer_ms: Option<u64>,
}

/// The events as server-sent events, or all of them as JSON when that is what the caller accepts.
pub(super) async fn stream_events(
    State(app): State<App>,
    caller: Caller,
    Path(run_id): Path<String>,
    Query(query): Query<StreamQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let principal = caller.principal(Scope::RunsRead)?;
    let run_id = RunId::new(run_id);
    let modes = Modes::parse(query.stream_mode.as_deref())?;
    let after = last_event(&app, &principal, &run_id, &headers).await?;
    let from = after.map_or(Sequence(0), Sequence::next);
    if wants_json(&headers) {
        let events = all_events(&app, &principal, &run_id, from).await?;
        return Ok(Json(json!({ "events": events })).into_response());
    }
    let buffer = Duration::from_millis(query.buffer_ms.unwrap_or(0).min(MAX_BUFFER_MS));
    let stream = follow(&app, Follow { principal, run_id, modes, buffer, from }).await?;
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response())
}

fn wants_json(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let accepts = |kind: &str| accept.split(',').any(|range| is_accepted(range, kind));
    accepts("application/json") && !accepts("text/event-stream")
}

/// Whether a media range names `kind` without refusing it (RFC 9110 §12.5.1).
fn is_accepted(range: &str, kind: &str) -> bool {
    let mut parts = range.split(';').map(str::trim);
    let is_named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(kind));
    let is_refused = |part: &str| {
        let weight = part.strip_prefix("q=").or_else(|| part.strip_prefix("Q="));
        weight.and_then(|weight| weight.parse::<f32>().ok()).is_some_and(|weight| weight <= 0.0)
    };
    is_named && !parts.any(is_refused)
}

/// The sequence that `Last-Event-ID` names, as a number or as an event's id; only of this run.
async fn last_event(
    app: &App,
    principal: &Principal,
    run_id: &RunId,
    headers: &HeaderMap,
) -> Result<Option<Sequence>, ApiError> {
    let entry = app.host.next_sequence(principal, run_id).await?;
    let Some(value) = headers.get("last-event-id").filter(|value| !value.is_empty()) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default();
    let sequence = text.parse::<u64>().ok().map(Sequence).or_else(|| cuebook_host::sequence_of(run_id, text));
    sequence
        .filter(|sequence| *sequence < entry)
        .map(Some)
        .ok_or_else(|| ApiError::invalid("Last-Event-ID names no event of this run"))
}

async fn all_events(
    app: &App,
    principal: &Principal,
    run_id: &RunId,
    from: Sequence,
) -> Result<Vec<RunEvent>, ApiError> {
    Ok(app.host.events(principal, run_id, from, usize::MAX).await?)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PollQuery {
    last_sequence: Option<u64>,
    timeout: Option<u64>,
}

/// The events after `lastSequence`, at once if there are any or the run has ended, else when there are or time is up.
pub(super) async fn poll_events(
    State(app): State<App>,
    caller: Caller,
    Path(run_id): Path<String>,
    Query(query): Query<PollQuery>,
) -> Result<Json<Value>, ApiError> {
    let principal = caller.principal(Scope::RunsRead)?;
    let longest = app.options.max_poll_seconds;
    let usual = POLL.min(longest);
    let timeout = query.timeout.unwrap_or(usual);
    if !(1..=longest).contains(&timeout) {
        return Err(ApiError::invalid(format!("'timeout' is 1 to {longest} seconds")));
    }
    let run_id = RunId::new(run_id);
    let from = Sequence(query.last_sequence.map_or(0, |last| last.saturating_add(1)));
    let wait = news_after(&app, &principal, &run_id, from);
    let (events, is_complete) = tokio::select! {
        found = wait => found?,
        () = tokio::time::sleep(Duration::from_secs(timeout)) => (Vec::new(), false),
        () = app.draining.cancelled() => (Vec::new(), false),
    };
    Ok(Json(json!({ "events": events, "isComplete": is_complete })))
}

/// The events from `from` on, once there are any or the run has ended; and whether it has.
async fn news_after(
    app: &App,
    principal: &Principal,
    run_id: &RunId,
    from: Sequence,
) -> Result<(Vec<RunEvent>, bool), ApiError> {
    let mut news = app.host.watch(principal, run_id).await?;
    loop {
        news.mark_unchanged();
        // The status first: a run that has ended by then has all its events in what is read after it.
        let is_complete = app.host.run_entry(principal, run_id).await?.status.is_terminal();
        let events = all_events(app, principal, run_id, from).await?;
        if !events.is_empty() || is_complete || news.changed().await.is_err() {
            return Ok((events, is_complete));
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[track_caller]
    fn check(accept: &'static str, is_json: bool) {
        let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
        assert_eq!(wants_json(&headers), is_json, "{accept}");
    }

    #[test]
    fn events_are_json_when_that_alone_is_accepted() {
        check("application/json", true);
        check("APPLICATION/JSON;charset=utf-8", true);
        check("text/event-stream;q=0, application/json", true);
        check("text/event-stream, application/json", false);
        check("application/json;q=0", false);
        check("application/jsonlines", false);
        check("text/html", false);
        check("*/*", false);
    }
}
