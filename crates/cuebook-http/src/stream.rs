//! Event streams: a run's log as server-sent events, in the modes that the caller asks for.
//!
//! `id:` is the sequence number, `event:` the event's type, `data:` the event. A stream ends with the run's terminal
//! event, or when the server drains.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::Event;
use cuebook_host::wire::{ErrorCode, EventType, RunEvent, RunId, RunStatus, Sequence};
use cuebook_host::{Host, Projection, prompt::Principal};
use futures_util::stream::{Stream, unfold};
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::error::ApiError;
use crate::streams::OpenStream;

/// How many records are read at a time.
const PAGE: usize = 256;

/// A way of showing events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mode {
    Updates,
    Messages,
    Debug,
    Values,
}

impl Mode {
    fn parse(name: &str) -> Option<Self> {
        match name {
            "updates" => Some(Self::Updates),
            "messages" => Some(Self::Messages),
            "debug" => Some(Self::Debug),
            "values" => Some(Self::Values),
            _ => None,
        }
    }
}

/// Which events a stream shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Modes(BTreeSet<Mode>);

impl Modes {
    /// Reads a comma list of `values`, `updates`, `messages` and `debug`; `updates` when there is none.
    pub(crate) fn parse(text: Option<&str>) -> Result<Self, ApiError> {
        let names = text.unwrap_or("updates").split(',').map(str::trim);
        let modes: Option<BTreeSet<Mode>> = names.map(Mode::parse).collect();
        let modes = modes.ok_or_else(|| unsupported("there is no such stream mode"))?;
        if modes.contains(&Mode::Values) && modes.len() > 1 {
            return Err(unsupported("'values' stands alone"));
        }
        Ok(Self(modes))
    }

    fn has(&self, mode: Mode) -> bool {
        self.0.contains(&mode)
    }

    /// Whether the event is shown as it is.
    fn admits(&self, event_type: &EventType) -> bool {
        self.has(Mode::Debug) || (self.has(Mode::Updates) && is_update(event_type))
    }

    /// Whether what is shown is events as they are and nothing else, which can be sent together.
    fn are_plain(&self) -> bool {
        !self.has(Mode::Values) && !self.has(Mode::Messages)
    }
}

fn unsupported(message: &str) -> ApiError {
    ApiError::new(ErrorCode::UnsupportedStreamMode, message)
        .with("supported", json!(["updates", "messages", "debug", "values"]))
}

/// The `updates` tier (openwop-v1 §9).
pub(crate) fn is_update(event_type: &EventType) -> bool {
    let name = event_type.as_str();
    let families = ["run.", "approval.", "clarification.", "interrupt."];
    families.iter().any(|family| name.starts_with(family))
        || matches!(
            event_type,
            EventType::NodeCompleted
                | EventType::NodeFailed
                | EventType::NodeSkipped
                | EventType::NodeSuspended
                | EventType::NodeResumed
                | EventType::NodeCancelled
                | EventType::NodeDispatched
                | EventType::ArtifactCreated
        )
}

/// A run's log being followed.
struct Follower {
    host: Arc<Host>,
    principal: Principal,
    run_id: RunId,
    modes: Modes,
    buffer: Duration,
    next: Sequence,
    news: watch::Receiver<Sequence>,
    ready: VecDeque<Event>,
    ended: bool,
    /// The state that `values` shows, as far as it was shown.
    projection: Projection,
    draining: CancellationToken,
    _open: OpenStream,
}

/// What a caller asked to follow.
pub(crate) struct Follow {
    pub(crate) principal: Principal,
    pub(crate) run_id: RunId,
    pub(crate) modes: Modes,
    pub(crate) buffer: Duration,
    pub(crate) from: Sequence,
}

impl Follow {
    /// Whether the last event seen was the run's terminal event, after which nothing comes.
    async fn is_past_the_end(&self, host: &Host) -> Result<bool, ApiError> {
        let Some(last) = self.from.0.checked_sub(1) else { return Ok(false) };
        let events = host.events(&self.principal, &self.run_id, Sequence(last), 1).await?;
        Ok(events.first().is_some_and(|event| event.event_type.is_terminal()))
    }
}

/// Follows a run from `follow.from` on.
pub(crate) async fn follow(
    app: &crate::state::App,
    follow: Follow,
) -> Result<impl Stream<Item = Result<Event, std::convert::Infallible>> + use<>, ApiError> {
    let news = app.host.watch(&follow.principal, &follow.run_id).await?;
    let ended = follow.is_past_the_end(&app.host).await?;
    let open = OpenStream::new(app, &follow.principal.tenant)?;
    let resumed = follow.from.0.checked_sub(1).filter(|_| follow.modes.has(Mode::Values) && !ended);
    let mut follower = Follower {
        host: Arc::clone(&app.host),
        principal: follow.principal,
        run_id: follow.run_id,
        modes: follow.modes,
        buffer: follow.buffer,
        next: follow.from,
        news,
        ready: VecDeque::new(),
        ended,
        projection: Projection::default(),
        draining: app.draining.clone(),
        _open: open,
    };
    // Whoever comes back has no state until something happens (openwop-v1 §9).
    if let Some(seen) = resumed {
        let snapshot = follower.snapshot_at(Sequence(seen)).await;
        follower.ready.extend(snapshot);
    }
    Ok(unfold(
        follower,
        |mut follower| async move { follower.step().await.map(|event| (Ok(event), follower)) },
    ))
}

impl Follower {
    /// The next event; none when the stream is over.
    async fn step(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.ended {
                return None;
            }
            self.read().await?;
            if self.ready.is_empty() && !self.ended {
                self.wait().await?;
            }
        }
    }

    /// Reads what is there and readies what the modes show.
    async fn read(&mut self) -> Option<()> {
        let events = self.host.events(&self.principal, &self.run_id, self.next, PAGE).await.ok()?;
        let Some(last) = events.last() else { return Some(()) };
        self.next = last.sequence.next();
        self.ended = last.event_type.is_terminal();
        let gathers = !self.buffer.is_zero() && self.modes.are_plain();
        let shown = if gathers { batched(&events, &self.modes) } else { self.shown(&events).await };
        self.ready.extend(shown);
        Some(())
    }

    async fn shown(&mut self, events: &[RunEvent]) -> Vec<Event> {
        let mut shown = Vec::new();
        for event in events {
            if self.modes.admits(&event.event_type) {
                shown.push(frame(event));
            }
            if self.modes.has(Mode::Messages) && event.event_type == EventType::OutputChunk {
                shown.push(message(event));
            }
            if self.modes.has(Mode::Values) && is_update(&event.event_type) {
                shown.extend(self.snapshot_at(event.sequence).await);
            }
        }
        shown
    }

    /// The state right after an event.
    async fn snapshot_at(&mut self, sequence: Sequence) -> Option<Event> {
        let Self { host, principal, run_id, projection, .. } = self;
        let snapshot = host.snapshot_at(principal, run_id, projection, sequence).await.ok()?;
        let data = serde_json::to_string(&snapshot).ok()?;
        Some(Event::default().id(sequence.0.to_string()).event("state.snapshot").data(data))
    }

    /// Waits for news, then for the buffer's time; none when the server drains.
    async fn wait(&mut self) -> Option<()> {
        tokio::select! {
            changed = self.news.changed() => changed.ok()?,
            () = self.draining.cancelled() => return None,
        }
        let until = tokio::time::Instant::now() + self.buffer;
        while !self.buffer.is_zero() && self.is_under_way().await {
            tokio::select! {
                () = tokio::time::sleep_until(until) => break,
                changed = self.news.changed() => changed.ok()?,
                () = self.draining.cancelled() => return None,
            }
        }
        Some(())
    }

    /// Whether the run goes on by itself; if not, nothing is gained by gathering.
    async fn is_under_way(&self) -> bool {
        let entry = self.host.run_entry(&self.principal, &self.run_id).await;
        entry.is_ok_and(|entry| entry.status == RunStatus::Running)
    }
}

fn frame(event: &RunEvent) -> Event {
    let data = serde_json::to_string(event).unwrap_or_default();
    Event::default().id(event.sequence.0.to_string()).event(event.event_type.as_str()).data(data)
}

fn message(event: &RunEvent) -> Event {
    let mut data = event.payload.as_object().cloned().unwrap_or_default();
    data.insert("runId".to_owned(), json!(event.run_id));
    data.insert("nodeId".to_owned(), json!(event.node_id));
    let data = serde_json::Value::Object(data).to_string();
    Event::default().id(event.sequence.0.to_string()).event("ai.message.chunk").data(data)
}

/// One frame for all events that came together; its id is the highest sequence.
fn batched(events: &[RunEvent], modes: &Modes) -> Vec<Event> {
    let shown: Vec<&RunEvent> = events.iter().filter(|event| modes.admits(&event.event_type)).collect();
    let Some(last) = shown.last() else { return Vec::new() };
    let data = serde_json::to_string(&shown).unwrap_or_default();
    vec![Event::default().id(last.sequence.0.to_string()).event("batch").data(data)]
}
