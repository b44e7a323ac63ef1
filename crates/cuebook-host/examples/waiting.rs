//! Measures runs that wait: `cargo run -p cuebook-host --example waiting --profile ci [DIRECTORY]`.
//!
//! Resident memory with 10,000 runs that wait for a person, above that of the idle host; how long a host takes to open on
//! 1,000 runs that were under way, and then to bring all of them to their end; and how long an append takes at the end of a
//! run of 100,000 events, next to one at its beginning.

use std::error::Error;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cuebook_host::log::{Append, Due, Open, Private, Record, RunEntry};
use cuebook_host::prompt::Principal;
use cuebook_host::wire::{
    CreateRun, EventId, EventType, RunEvent, RunId, RunStatus, Sequence, Timestamp, WorkflowId,
};
use cuebook_host::{CreateOptions, Host, Options};
use serde_json::{Value as Json, json};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// How many runs wait.
const WAITING: usize = 10_000;
/// How many runs were under way when the host died.
const UNFINISHED: usize = 1_000;
/// How many events the long run has.
const EVENTS: u64 = 100_000;
/// How many appends are measured at both ends.
const SAMPLE: usize = 1_000;

#[tokio::main]
async fn main() -> Outcome<()> {
    let given = std::env::args_os().nth(1).map(PathBuf::from);
    let root = given.unwrap_or_else(|| std::env::temp_dir().join(format!("cuebook-{}", std::process::id())));
    write_project(&root)?;
    wait_for_people(&root).await?;
    go_on(&root).await?;
    append_on(&root).await?;
    std::fs::remove_dir_all(&root)?;
    Ok(())
}

fn say(text: &str) -> Outcome<()> {
    Ok(writeln!(io::stdout(), "{text}")?)
}

/// A project with a workflow that waits for a person, and one that calls a model.
fn write_project(root: &Path) -> Outcome<()> {
    let unsure = json!({"mockDecision": {"decision": "go", "confidence": 0.1}});
    let ask = json!({"userPrompt": "Say something short about bread."});
    std::fs::create_dir_all(root.join("workflows"))?;
    for (id, type_id, config) in [
        ("conformance-waiting", "core.conformance.mock-agent", unsure),
        ("asking", "core.ai.callPrompt", ask),
    ] {
        let node = json!({
            "id": "a", "typeId": type_id, "name": "a", "position": {"x": 0, "y": 0}, "inputs": {}, "config": config,
        });
        let workflow = json!({
            "id": id, "name": id, "version": "1.0.0", "nodes": [node], "edges": [], "triggers": [],
            "variables": [], "metadata": {}, "settings": {},
        });
        std::fs::write(root.join(format!("workflows/{id}.json")), workflow.to_string())?;
    }
    Ok(())
}

fn open(root: &Path, data: &str) -> Outcome<Arc<Host>> {
    let options = Options { root: root.to_owned(), data: Some(root.join(data)), ..Options::default() };
    Ok(Arc::new(Host::open(&options).map_err(|problems| problems.to_string())?))
}

async fn create(host: &Arc<Host>, workflow: &str) -> Outcome<RunId> {
    let request = CreateRun::new(WorkflowId::new(workflow));
    let created = host.create_run(&Principal::local(), request, CreateOptions::default()).await;
    Ok(created.map_err(|refusal| refusal.message)?.run_id)
}

/// Waits until no run has a task.
async fn rest(host: &Host) {
    while host.resident_runs() > 0 {
        tokio::task::yield_now().await;
    }
}

/// The resident memory of this process in kilobytes.
fn resident() -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.split_whitespace().nth(1).ok_or("no number")?.parse()?)
}

async fn wait_for_people(root: &Path) -> Outcome<()> {
    let host = open(root, "waiting")?;
    create(&host, "conformance-waiting").await?;
    rest(&host).await;
    let idle = resident()?;
    for _ in 1..WAITING {
        create(&host, "conformance-waiting").await?;
    }
    rest(&host).await;
    let above = resident()?.saturating_sub(idle) / 1024;
    say(&format!("{WAITING} waiting runs: {above} MB above the {} MB of the idle host", idle / 1024))
}

async fn go_on(root: &Path) -> Outcome<()> {
    let host = open(root, "unfinished")?;
    write_unfinished(&host).await?;
    drop(host);
    let begun = Instant::now();
    let host = open(root, "unfinished")?;
    let ready = begun.elapsed().as_millis();
    host.take_up_runs();
    while !host.store.unfinished(None, 1).await?.is_empty() {
        tokio::task::yield_now().await;
    }
    let ended = begun.elapsed().as_millis();
    say(&format!("{UNFINISHED} unfinished runs: ready after {ready} ms, all of them ended after {ended} ms"))
}

/// Writes runs of which only the start is durable, as a host leaves them that dies right then.
async fn write_unfinished(host: &Arc<Host>) -> Outcome<()> {
    let principal = Principal::local();
    let template = create(host, "asking").await?;
    rest(host).await;
    let first = host.store.read(&principal, &template, Sequence(0), 1).await?.remove(0);
    let entry = host.store.entry(&principal, &template).await?;
    for number in 0..UNFINISHED {
        let run_id = RunId::new(format!("run_unfinished{number}"));
        let record = renamed(&first, &run_id);
        let entry = RunEntry { run_id: run_id.clone(), status: RunStatus::Running, ..entry.clone() };
        let epoch = host.store.open(&principal, &run_id, Open::New).await?;
        let batch = Append {
            run_id,
            epoch,
            records: vec![record],
            consumed: Vec::new(),
            holds: Vec::new(),
            entry,
            due: Due::Now,
        };
        host.store.append(&principal, batch).await?;
    }
    Ok(())
}

fn renamed(first: &Record, run_id: &RunId) -> Record {
    let mut record = first.clone();
    record.event.run_id = run_id.clone();
    let mut facts = record.private.as_json().cloned().unwrap_or(Json::Null);
    facts["run_id"] = json!(run_id);
    record.private = Private::from_json(Some(facts));
    record
}

async fn append_on(root: &Path) -> Outcome<()> {
    let host = open(root, "long")?;
    let (principal, run_id) = (Principal::local(), RunId::new("run_long"));
    let epoch = host.store.open(&principal, &run_id, Open::New).await?;
    let mut times = Vec::new();
    for number in 0..EVENTS {
        let batch = one(&run_id, epoch, number);
        let begun = Instant::now();
        host.store.append(&principal, batch).await?;
        times.push(begun.elapsed());
    }
    let (first, last) = (median(&times[..SAMPLE]), median(&times[times.len() - SAMPLE..]));
    let ratio = last.as_secs_f64() / first.as_secs_f64();
    let (first, last) = (first.as_micros(), last.as_micros());
    say(&format!(
        "{EVENTS} events in one run: median append {first} us at first, {last} us at last, ratio {ratio:.2}"
    ))
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    times[times.len() / 2]
}

fn one(run_id: &RunId, epoch: u64, number: u64) -> Append {
    let at = Timestamp::from_millis(1_800_000_000_000);
    let event = RunEvent {
        event_id: EventId::new(format!("evt_long-{number}")),
        run_id: run_id.clone(),
        node_id: None,
        event_type: EventType::LogAppended,
        payload: json!({"level": "info", "message": format!("event {number} of a long run")}),
        timestamp: at,
        sequence: Sequence(number),
        schema_version: Some(1),
        engine_version: Some("1".to_owned()),
        causation_id: None,
    };
    let entry = RunEntry {
        run_id: run_id.clone(),
        workflow_id: WorkflowId::new("long"),
        status: RunStatus::Running,
        started_at: at,
        updated_at: at,
    };
    let records = vec![Record { event, private: Private::NONE }];
    Append {
        run_id: run_id.clone(),
        epoch,
        records,
        consumed: Vec::new(),
        holds: Vec::new(),
        entry,
        due: Due::Now,
    }
}
