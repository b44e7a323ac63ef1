//! `cuebook run`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args as ClapArgs;
use cuebook_host::engine::{RunHandle, RunState, SignalBody};
use cuebook_host::journal::JournalFile;
use cuebook_host::log::{LogError, Record, RunStore};
use cuebook_host::prompt::Principal;
use cuebook_host::wire::{RunId, RunStatus, Sequence};
use cuebook_host::{Host, Problems, RunView, StartRun, disclose_node, read_typed};
use serde_json::{Value as Json, json};

use super::remote::{self, RemoteRun};
use crate::args::{FilesArgs, InputArgs};
use crate::exit::Exit;
use crate::interrupts::Interrupts;
use crate::output::{self, Output};
use crate::progress::Progress;

/// How many records are read at a time.
const PAGE: usize = 256;

#[derive(Debug, ClapArgs)]
pub(crate) struct RunArgs {
    /// The project directory; with --host, the id of the workflow.
    pub(crate) dir: PathBuf,
    /// The workflow: its id, or a JSON file.
    pub(crate) workflow: Option<String>,
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    /// Keep the run's log in a file, for `cuebook explain run FILE`.
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// Run on another OpenWOP v1 host, with the key in `CUEBOOK_API_KEY`.
    #[arg(long, value_name = "URL", conflicts_with_all = ["workflow", "journal"])]
    pub(crate) host: Option<String>,
    /// A file that holds the key for the other host.
    #[arg(long, value_name = "FILE", requires = "host")]
    pub(crate) key_file: Option<PathBuf>,
    /// Print the outputs alone, without prompts and reasons.
    #[arg(long)]
    pub(crate) quiet: bool,
}

pub(crate) async fn run(args: RunArgs, output: Output) -> Result<Exit, Problems> {
    if let Some(url) = &args.host {
        return run_remotely(url, &args, output).await;
    }
    let host = Host::open(&args.files.options(args.dir.clone()))?;
    let workflow = host.workflow(args.workflow.as_deref())?;
    let inputs = read_typed(&workflow.plan.definition, &args.inputs.typed())?;
    let journal = args.journal.as_deref().map(JournalFile::create).transpose()?;
    output.remarks(&workflow.warnings);
    let principal = Principal::local();
    let start = StartRun {
        principal: &principal,
        plan: &workflow.plan,
        inputs,
        configurable: None,
        refuse_undeclared: true,
    };
    let interrupts = Interrupts::listen();
    let handle = host.start(start).await?;
    let records = follow(&host.store, &principal, &handle, interrupts, output).await;
    let state = match handle.wait().await {
        Ok(state) => state,
        Err(error) => {
            output::note(&format!("error: {error}"));
            return Ok(Exit::Findings);
        }
    };
    let mut view = RunView::of(&state, &records);
    view.complete_texts(&state, &host.pipeline).await;
    show(&view, &records, args.quiet, output);
    journal.map_or(Ok(()), |journal| journal.write(&workflow.plan, &records))?;
    Ok(exit_of(&state))
}

async fn run_remotely(url: &str, args: &RunArgs, output: Output) -> Result<Exit, Problems> {
    let run = RemoteRun {
        host: url,
        key_file: args.key_file.as_deref(),
        workflow: &args.dir.to_string_lossy(),
        inputs: &args.inputs.typed(),
        quiet: args.quiet,
    };
    remote::run(run, output).await
}

/// Shows the log as it grows, until its terminal record; an interrupt asks the run to end.
async fn follow(
    store: &Arc<dyn RunStore>,
    principal: &Principal,
    handle: &RunHandle,
    mut interrupts: Interrupts,
    output: Output,
) -> Vec<Record> {
    let run_id = handle.run_id().clone();
    let mut progress = Progress::new(output);
    let mut records = Vec::new();
    let Ok(mut next) = store.watch(principal, &run_id).await else { return records };
    loop {
        if read_on(store, principal, &run_id, &mut records, &mut progress).await.is_err() {
            break;
        }
        if records.last().is_some_and(|record| record.event.event_type.is_terminal()) {
            break;
        }
        tokio::select! {
            changed = next.changed() => if changed.is_err() { break },
            () = interrupts.next() => {
                output::note("interrupted: the run is being cancelled");
                let cancel = SignalBody::Cancel { reason: Some("interrupted".to_owned()), by: None };
                if handle.signal("interrupt", &cancel).await.is_err() {
                    break;
                }
            }
        }
    }
    progress.finish();
    records
}

async fn read_on(
    store: &Arc<dyn RunStore>,
    principal: &Principal,
    run_id: &RunId,
    records: &mut Vec<Record>,
    progress: &mut Progress,
) -> Result<(), LogError> {
    loop {
        let page = store.read(principal, run_id, Sequence(records.len() as u64), PAGE).await?;
        for record in &page {
            progress.show(&record.event);
        }
        let is_last = page.len() < PAGE;
        records.extend(page);
        if is_last {
            return Ok(());
        }
    }
}

fn show(view: &RunView, records: &[Record], quiet: bool, output: Output) {
    if output.is_json() {
        let mut facts = json!(view);
        facts["events"] = records.iter().map(|record| json!(record.event)).collect();
        output::json(&facts);
    } else if quiet {
        output::data(&outputs(view));
        if view.error.is_some() {
            output::note(&outcome(view));
        }
    } else {
        for node in &view.nodes {
            output::data(&disclose_node(node, true));
            output::data(&answer(&node.outputs));
        }
        output::data(&outcome(view));
    }
}

/// What a node gave, as a person reads it.
fn answer(outputs: &serde_json::Map<String, Json>) -> String {
    let shown = outputs.iter().filter(|(port, _)| !(port.as_str() == "json" && outputs.contains_key("text")));
    let mut text = String::new();
    for (port, value) in shown {
        let _ = writeln!(text, "   output {port}:");
        let value = value.as_str().map_or_else(|| format!("{value:#}"), str::to_owned);
        for line in value.lines() {
            let _ = writeln!(text, "     │ {line}");
        }
    }
    text + "\n"
}

/// The outputs of the run: a text as it is, anything else as JSON.
fn outputs(view: &RunView) -> String {
    match view.outputs.get("text").and_then(Json::as_str) {
        Some(text) => text.to_owned(),
        None if view.outputs.is_empty() => String::new(),
        None => format!("{:#}", Json::Object(view.outputs.clone())),
    }
}

/// How the run ended, in one line.
fn outcome(view: &RunView) -> String {
    match &view.error {
        Some(error) => format!("run {}: {} [{}]: {}", view.run_id, view.status, error.code, error.message),
        None => format!("run {}: {} in {} ms", view.run_id, view.status, view.duration_ms),
    }
}

fn exit_of(state: &RunState) -> Exit {
    match state.status {
        RunStatus::Completed => Exit::Fine,
        RunStatus::Cancelled => Exit::Interrupted,
        _ => Exit::Findings,
    }
}
