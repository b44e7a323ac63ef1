//! `cuebook run WORKFLOW --host URL`: the same run on another host, followed over the wire.

use std::fmt::Write as _;
use std::path::Path;

use cuebook_client::{Client, ClientError, ClientErrorKind, EventsOptions, StreamMode};
use cuebook_host::wire::payload::{AgentPromptResolved, PromptComposed, RunFailed};
use cuebook_host::wire::{CreateRun, ErrorCode, EventType, NodeId, RunEvent, RunStatus, WorkflowId};
use cuebook_host::{Diagnostic, Problems, TypedInput, disclose_resolution, read_texts, read_typed};
use futures_util::StreamExt as _;
use serde_json::{Value as Json, json};

use crate::args::KEY_VARIABLE;
use crate::exit::Exit;
use crate::output::{self, Output};
use crate::progress::Progress;

/// A run on another host.
pub(super) struct RemoteRun<'a> {
    pub(super) host: &'a str,
    pub(super) key_file: Option<&'a Path>,
    pub(super) workflow: &'a str,
    pub(super) inputs: &'a [TypedInput],
    pub(super) quiet: bool,
}

pub(super) async fn run(remote: RemoteRun<'_>, output: Output) -> Result<Exit, Problems> {
    let client = Client::new(remote.host, &read_key(remote.key_file)?).map_err(|error| problem(&error))?;
    let id = WorkflowId::new(remote.workflow);
    let inputs = match client.workflows().get(&id).await {
        Ok(definition) => read_typed(&definition, remote.inputs)?,
        Err(error) if hides_workflows(&error) => {
            output::note(&format!("inputs are sent as texts, as the workflow cannot be read: {error}"));
            read_texts(remote.inputs)?
        }
        Err(error) => return Err(problem(&error)),
    };
    let request = CreateRun { inputs, ..CreateRun::new(id) };
    let created = client.runs().create(&request).await.map_err(|error| problem(&error))?;
    let options = EventsOptions { mode: StreamMode::Debug, ..EventsOptions::default() };
    let mut stream = client.runs().events(&created.run_id, options);
    let mut progress = Progress::new(output);
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        let event = event.map_err(|error| problem(&error))?;
        progress.show(&event);
        events.push(event);
    }
    progress.finish();
    show(&events, remote.quiet, output);
    let snapshot = client.runs().get(&created.run_id).await.map_err(|error| problem(&error))?;
    Ok(match snapshot.status {
        RunStatus::Completed => Exit::Fine,
        RunStatus::Cancelled => Exit::Interrupted,
        _ => Exit::Findings,
    })
}

pub(super) fn read_key(file: Option<&Path>) -> Result<String, Problems> {
    let key = match file {
        Some(path) => Some(std::fs::read_to_string(path).map_err(|error| unread_key(path, &error))?),
        None => std::env::var(KEY_VARIABLE).ok(),
    };
    key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty()).ok_or_else(|| {
        Diagnostic::error(ErrorCode::Unauthenticated.as_str(), "the other host needs a key")
            .with_hint(format!("set {KEY_VARIABLE}, or name a file with --key-file"))
            .into()
    })
}

fn unread_key(path: &Path, error: &std::io::Error) -> Problems {
    let message = format!("the key in {} cannot be read: {error}", path.display());
    Diagnostic::error(ErrorCode::Unauthenticated.as_str(), message).into()
}

/// Whether the host may run a workflow all the same: it is not for this key or for nobody to see, or has a form that is newer
/// than this program.
fn hides_workflows(error: &ClientError) -> bool {
    match error.kind() {
        ClientErrorKind::Api(api) => matches!(api.status, 403 | 501),
        ClientErrorKind::Decode(_) => true,
        _ => false,
    }
}

/// What the host says of a refusal: every problem that it lists, else its message.
pub(super) fn problem(error: &ClientError) -> Problems {
    let details = error.as_api().and_then(|api| api.details.as_ref());
    let listed = details.and_then(|details| details.get("problems")?.as_array());
    let told: Problems = listed.into_iter().flatten().filter_map(told).collect();
    if !told.is_empty() {
        return told;
    }
    let unreachable = match error.kind() {
        ClientErrorKind::Config { .. } => ErrorCode::ValidationError.as_str(),
        _ => ErrorCode::ServiceUnavailable.as_str(),
    };
    let code = error.as_api().map_or_else(|| unreachable.to_owned(), |api| api.code.clone());
    Diagnostic::error(code, error.to_string()).into()
}

/// A problem as another host lists it.
fn told(problem: &Json) -> Option<Diagnostic> {
    let text = |key: &str| problem.get(key).and_then(Json::as_str);
    let number = |key: &str| problem.get(key).and_then(Json::as_u64);
    let place = match (text("ref"), number("line"), number("column")) {
        (Some(reference), Some(line), Some(column)) => {
            format!(" ({reference}, line {line}, column {column})")
        }
        _ => String::new(),
    };
    let found = Diagnostic::error(text("code")?.to_owned(), format!("{}{place}", text("message")?));
    Some(match text("hint") {
        Some(hint) => found.with_hint(hint.to_owned()),
        None => found,
    })
}

fn show(events: &[RunEvent], quiet: bool, output: Output) {
    if output.is_json() {
        return output::json(&json!({ "events": events }));
    }
    if !quiet {
        output::data(&explained(events));
    }
    let Some(last) = events.last() else { return };
    match last.payload_as::<RunFailed>() {
        Ok(failed) => output::note(&format!(
            "run {}: failed [{}]: {}",
            last.run_id, failed.error.code, failed.error.message
        )),
        Err(_) => output::data(&outputs(last)),
    }
}

/// The chain of every node, and the hash of what it was told.
fn explained(events: &[RunEvent]) -> String {
    let mut text = String::new();
    let mut node: Option<&NodeId> = None;
    for event in events {
        if event.event_type == EventType::AgentPromptResolved && node != event.node_id.as_ref() {
            node = event.node_id.as_ref();
            let _ = writeln!(text, "▸ node:{}", node.map(NodeId::as_str).unwrap_or_default());
        }
        if let Ok(resolution) = event.payload_as::<AgentPromptResolved>() {
            text.push_str(&disclose_resolution(&resolution));
        }
        if let Ok(composed) = event.payload_as::<PromptComposed>() {
            let _ =
                writeln!(text, "   composed: {}\n   hash: {}\n", composed.refs.join(" + "), composed.hash);
        }
    }
    text
}

/// What the run gave: a text as it is, anything else as JSON.
fn outputs(last: &RunEvent) -> String {
    let outputs = last.payload.get("outputs").cloned().unwrap_or_default();
    outputs.get("text").and_then(Json::as_str).map_or_else(|| format!("{outputs:#}"), str::to_owned)
}
