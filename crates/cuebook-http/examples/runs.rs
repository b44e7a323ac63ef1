//! Measures runs: `cargo run -p cuebook-http --example runs --profile ci [RUNS]`.
//!
//! Sixteen callers start runs of `conformance-multi-node`, three `core.noop` nodes in a row, over HTTP and poll each to its end. The floor is a
//! server that answers the same requests and makes the same appends to the same kind of store, and nothing else. The ratio
//! is what the engine, the checks and the shapes leave of the floor.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::extract::{Path, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use cuebook_client::{Client, PollOptions};
use cuebook_host::log::{Append, Open, Record, RunStore};
use cuebook_host::prompt::Principal;
use cuebook_host::wire::{CreateRun, EventId, RunId, Sequence, WorkflowId};
use cuebook_host::{CreateOptions, Host, Options};
use cuebook_http::{App, HttpOptions, Key, Keys, serve};
use serde_json::{Value, json};
use tokio::task::JoinSet;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

const CALLERS: usize = 16;
const KEY: &str = "measuring-key";
const WORKFLOW: &str = r#"{"id":"conformance-multi-node","name":"Three","version":"1","edges":[
    {"id":"ab","sourceNodeId":"a","targetNodeId":"b"},{"id":"bc","sourceNodeId":"b","targetNodeId":"c"}],
    "nodes":[{"id":"a","typeId":"core.noop","name":"A","position":{"x":0,"y":0},"config":{},"inputs":{}},
    {"id":"b","typeId":"core.noop","name":"B","position":{"x":0,"y":0},"config":{},"inputs":{}},
    {"id":"c","typeId":"core.noop","name":"C","position":{"x":0,"y":0},"config":{},"inputs":{}}],
    "triggers":[],"variables":[],"metadata":{},"settings":{}}"#;

fn main() -> Outcome<()> {
    let runs = std::env::args().nth(1).map_or(Ok(2000), |runs| runs.parse())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let (host, floor) = runtime.block_on(measure(runs))?;
    let mut out = std::io::stdout();
    writeln!(out, "runs/s {host:.0}, floor/s {floor:.0}, ratio {:.2}", host / floor)?;
    runtime.shutdown_background();
    Ok(())
}

async fn measure(runs: usize) -> Outcome<(f64, f64)> {
    let project = tempfile::tempdir()?;
    std::fs::create_dir(project.path().join("workflows"))?;
    std::fs::write(project.path().join("workflows/multi-node.json"), WORKFLOW)?;
    let data = tempfile::tempdir()?;
    let options =
        Options { root: project.path().to_owned(), data: Some(data.path().to_owned()), ..Options::default() };
    let host = Arc::new(Host::open(&options).map_err(|problems| problems.to_string())?);
    let template = template(&host).await?;
    let address = listen(Arc::clone(&host)).await?;
    let rate = drive(address, runs).await?;
    let floor = drive(listen_floor(Arc::clone(&host.store), template).await?, runs).await?;
    Ok((rate, floor))
}

/// The records of one run, which the floor writes again and again.
async fn template(host: &Arc<Host>) -> Outcome<Vec<Record>> {
    let principal = Principal::local();
    let created = host
        .create_run(
            &principal,
            CreateRun::new(WorkflowId::new("conformance-multi-node")),
            CreateOptions::default(),
        )
        .await
        .map_err(|it| it.message)?;
    loop {
        let records = host.store.read(&principal, &created.run_id, Sequence(0), 100).await?;
        if records.last().is_some_and(|record| record.event.event_type.is_terminal()) {
            return Ok(records);
        }
        tokio::task::yield_now().await;
    }
}

async fn listen(host: Arc<Host>) -> Outcome<SocketAddr> {
    let app = App::new(host, Keys::new(vec![Key::new("measuring", KEY, "default")]), HttpOptions::default());
    let (ready, address) = tokio::sync::oneshot::channel();
    let on_ready = move |address| _ = ready.send(address);
    tokio::spawn(serve(app, SocketAddr::from(([127, 0, 0, 1], 0)), on_ready, std::future::pending()));
    Ok(address.await?)
}

/// Starts `runs` runs from all callers and polls each to its end; gives runs a second.
async fn drive(address: SocketAddr, runs: usize) -> Outcome<f64> {
    let client = Client::new(&format!("http://{address}"), KEY)?;
    let left = Arc::new(AtomicUsize::new(runs));
    let began = Instant::now();
    let mut callers = JoinSet::new();
    for _ in 0..CALLERS {
        let (client, left) = (client.clone(), Arc::clone(&left));
        callers.spawn(async move {
            while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
            {
                let request = CreateRun::new(WorkflowId::new("conformance-multi-node"));
                let created = client.runs().create(&request).await?;
                let mut after = None;
                loop {
                    let options = PollOptions { after, wait: Some(Duration::from_secs(10)) };
                    let answer = client.runs().poll(&created.run_id, options).await?;
                    after = answer.events.last().map(|event| event.sequence).or(after);
                    if answer.is_complete {
                        break;
                    }
                }
            }
            Ok::<_, cuebook_client::ClientError>(())
        });
    }
    while let Some(done) = callers.join_next().await {
        done??;
    }
    Ok(f64::from(u32::try_from(runs)?) / began.elapsed().as_secs_f64())
}

/// What the floor stands on.
#[derive(Clone)]
struct Floor {
    store: Arc<dyn RunStore>,
    records: Arc<Vec<Record>>,
    made: Arc<AtomicUsize>,
}

async fn listen_floor(store: Arc<dyn RunStore>, records: Vec<Record>) -> Outcome<SocketAddr> {
    let floor = Floor { store, records: Arc::new(records), made: Arc::default() };
    let routes = Router::new()
        .route("/v1/runs", post(floor_create))
        .route("/v1/runs/{run_id}/events/poll", get(floor_poll))
        .with_state(floor);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, routes).await });
    Ok(address)
}

/// Opens a run and appends its first record, then the others, as the host does.
async fn floor_create(State(floor): State<Floor>) -> Result<(axum::http::StatusCode, Json<Value>), String> {
    let principal = Principal { tenant: "floor".to_owned(), workspace: None };
    let run_id = RunId::new(format!("run_floor{}", floor.made.fetch_add(1, Ordering::Relaxed)));
    let first = floor.write(&principal, &run_id).await.map_err(|error| error.to_string())?;
    let events = format!("/v1/runs/{run_id}/events");
    Ok((
        axum::http::StatusCode::CREATED,
        Json(json!({"runId": run_id, "status": first, "eventsUrl": events})),
    ))
}

impl Floor {
    async fn write(&self, principal: &Principal, run_id: &RunId) -> Outcome<&'static str> {
        let definition = Principal::local().tenant;
        self.store.put(principal, &definition).await?;
        let epoch = self.store.open(principal, run_id, Open::New).await?;
        let entry = self.store.entry(&Principal::local(), &self.records[0].event.run_id).await?;
        let renamed = self.records.iter().cloned().map(|mut record| {
            record.event.event_id = EventId::new(format!("evt_{run_id}-{}", record.event.sequence.0));
            record.event.run_id = run_id.clone();
            record
        });
        let mut records: Vec<Record> = renamed.collect();
        let rest = records.split_off(1);
        for records in [records, rest] {
            let entry = cuebook_host::log::RunEntry { run_id: run_id.clone(), ..entry.clone() };
            let due = cuebook_host::log::Due::Now;
            let batch = Append {
                run_id: run_id.clone(),
                epoch,
                records,
                consumed: Vec::new(),
                holds: Vec::new(),
                entry,
                due,
            };
            self.store.append(principal, batch).await?;
        }
        Ok("completed")
    }
}

async fn floor_poll(State(floor): State<Floor>, Path(run_id): Path<String>) -> Result<Json<Value>, String> {
    let principal = Principal { tenant: "floor".to_owned(), workspace: None };
    let records = floor.store.read(&principal, &RunId::new(run_id), Sequence(0), 100).await;
    let records = records.map_err(|error| error.to_string())?;
    let events: Vec<Value> = records.iter().map(|record| json!(record.event)).collect();
    Ok(Json(json!({"events": events, "isComplete": true})))
}
