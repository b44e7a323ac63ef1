//! What the tests call hosts with.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cuebook_client::{Client, ClientError, EventsOptions, Timer};
use cuebook_wire::{RunEvent, RunId};
use futures_util::StreamExt;
use futures_util::future::{self, BoxFuture};
use serde_json::{Value, json};

use crate::server::Server;

/// A timer that does not wait but remembers how long it was asked to.
#[derive(Default)]
pub(crate) struct Pauses(Mutex<Vec<Duration>>);

impl Pauses {
    pub(crate) fn millis(&self) -> Vec<u128> {
        self.0.lock().unwrap().iter().map(Duration::as_millis).collect()
    }
}

impl Timer for Pauses {
    fn wait(&self, pause: Duration) -> BoxFuture<'_, ()> {
        self.0.lock().unwrap().push(pause);
        Box::pin(future::ready(()))
    }
}

/// A client of `server`, and the pauses it makes.
pub(crate) fn client(server: &Server) -> (Client, Arc<Pauses>) {
    let pauses = Arc::<Pauses>::default();
    let timer: Arc<dyn Timer> = Arc::<Pauses>::clone(&pauses);
    let client = Client::builder(&server.url()).key("test-key").timer(timer).build().unwrap();
    (client, pauses)
}

pub(crate) fn run() -> RunId {
    RunId::new("run_1")
}

/// An event document; the last event of a run has the type `run.completed`.
pub(crate) fn event(sequence: u64, event_type: &str) -> Value {
    json!({
        "eventId": format!("e{sequence}"), "runId": "run_1", "type": event_type, "payload": {},
        "timestamp": "2026-01-31T12:00:00.000Z", "sequence": sequence,
    })
}

/// A frame of the stream with the event `sequence`; the one of the last event when `is_last`.
pub(crate) fn frame(sequence: u64, is_last: bool) -> String {
    let event_type = if is_last { "run.completed" } else { "node.completed" };
    format!("id: {sequence}\nevent: {event_type}\ndata: {}\n\n", event(sequence, event_type))
}

/// Frames of the events in `sequences`, none of them the last.
pub(crate) fn frames(sequences: impl IntoIterator<Item = u64>) -> String {
    sequences.into_iter().map(|sequence| frame(sequence, false)).collect()
}

/// A snapshot document.
pub(crate) fn snapshot(status: &str) -> String {
    json!({ "runId": "run_1", "workflowId": "w", "status": status }).to_string()
}

/// Follows the run to the end of its stream: the sequences that came, and the error that ended it.
pub(crate) async fn follow(client: &Client, options: EventsOptions) -> (Vec<u64>, Option<ClientError>) {
    let items: Vec<Result<RunEvent, ClientError>> = client.runs().events(&run(), options).collect().await;
    let mut sequences = Vec::new();
    let mut error = None;
    for item in items {
        assert!(error.is_none(), "the stream goes on after its error");
        match item {
            Ok(event) => sequences.push(event.sequence.0),
            Err(found) => error = Some(found),
        }
    }
    (sequences, error)
}

/// The folder `path` of the shared material, if it is there.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("CUEBOOK_SHARED").map_or(beside, PathBuf::from);
    Some(shared.join(path)).filter(|folder| folder.is_dir())
}
