//! A host over a project of its own, asked in process or over a socket.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::to_bytes;
use cuebook_client::Client;
use cuebook_host::{Host, Options};
use cuebook_http::{App, HttpOptions, Key, Keys, router};
use serde_json::{Value as Json, json};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tower::ServiceExt as _;

use super::{Answer, Call, EventStream, MEMBER, OURS, POWERLESS, THEIRS, project};

/// How a test host is made.
#[derive(Default)]
pub(crate) struct Builder {
    test_seams: bool,
    timeouts: Timeouts,
    config: String,
    observability: Option<&'static str>,
    templates: Vec<Json>,
    on_disk: bool,
    is_immutable: bool,
}

/// How long a body and the head of a request may take, where a test says so.
#[derive(Clone, Copy, Default)]
struct Timeouts {
    body: Option<Duration>,
    head: Option<Duration>,
}

impl Builder {
    /// Bounds the time in which the head of a request arrives.
    pub(crate) fn header_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.head = Some(timeout);
        self
    }

    pub(crate) fn test_seams(mut self) -> Self {
        self.test_seams = true;
        self
    }

    pub(crate) fn max_body_bytes(self, limit: usize) -> Self {
        self.config(&format!("[limits]\nmax_body_bytes = {limit}\n"))
    }

    /// More tables of the configuration.
    pub(crate) fn config(mut self, tables: &str) -> Self {
        self.config.push_str(tables);
        self
    }

    pub(crate) fn body_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.body = Some(timeout);
        self
    }

    /// `full` unless told otherwise.
    pub(crate) fn observability(self, observability: &'static str) -> Self {
        Self { observability: Some(observability), ..self }
    }

    pub(crate) fn templates(self, templates: Vec<Json>) -> Self {
        Self { templates, ..self }
    }

    /// Lets nobody write prompts.
    pub(crate) fn immutable(self) -> Self {
        Self { is_immutable: true, ..self }
    }

    /// Keeps runs on `SQLite` and not in memory.
    pub(crate) fn on_disk(self) -> Self {
        Self { on_disk: true, ..self }
    }

    pub(crate) fn open(self) -> TestHost {
        let directory = TempDir::new().unwrap();
        let level = self.observability.unwrap_or("full");
        let mutable = !self.is_immutable;
        let config =
            format!("[prompts]\nobservability = \"{level}\"\nmutable_library = {mutable}\n{}", self.config);
        project::write(directory.path(), &config, &self.templates);
        TestHost::over(directory, self.test_seams, self.timeouts, self.on_disk)
    }
}

/// A host with four keys.
pub(crate) struct TestHost {
    pub(crate) app: App,
    host: Arc<Host>,
    router: Router,
    directory: TempDir,
    options: HttpOptions,
}

impl TestHost {
    /// In memory, without test seams, with full observability.
    pub(crate) fn new() -> Self {
        Self::builder().open()
    }

    pub(crate) fn builder() -> Builder {
        Builder::default()
    }

    fn over(directory: TempDir, test_seams: bool, timeouts: Timeouts, on_disk: bool) -> Self {
        let root = directory.path().to_owned();
        let data = on_disk.then(|| root.join("data"));
        let host = Host::open(&Options { root, data, ..Options::default() });
        let host = host.unwrap_or_else(|problems| panic!("{:?}", problems.to_json()));
        let host = Arc::new(host);
        let mut options = HttpOptions { test_seams, ..HttpOptions::of(&host.config.limits) };
        options.body_timeout = timeouts.body.unwrap_or(options.body_timeout);
        options.header_timeout = timeouts.head.unwrap_or(options.header_timeout);
        let app = App::new(Arc::clone(&host), keys(), options.clone());
        Self { router: router(app.clone()), app, host, directory, options }
    }

    /// The same host opened anew on the same data, which are on disk.
    pub(crate) async fn restarted(self) -> Self {
        let Self { app, host, router, directory, options } = self;
        drop((app, router));
        // Runs that have ended let go of the host a moment later.
        while Arc::strong_count(&host) > 1 || host.resident_runs() > 0 {
            tokio::task::yield_now().await;
        }
        drop(host);
        let timeouts = Timeouts { body: Some(options.body_timeout), head: Some(options.header_timeout) };
        Self::over(directory, options.test_seams, timeouts, true)
    }

    /// The host behind the routes.
    pub(crate) fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// Waits until so many runs have something under way.
    pub(crate) async fn until_in_flight(&self, count: usize) {
        while self.host.runs_in_flight() != count {
            tokio::task::yield_now().await;
        }
    }

    /// The whole answer to a call.
    pub(crate) async fn send(&self, call: Call) -> Answer {
        let response = self.router.clone().oneshot(call.into_request()).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        Answer { status: parts.status.as_u16(), headers: parts.headers, text }
    }

    /// An event stream, read frame by frame.
    pub(crate) async fn stream(&self, call: Call) -> EventStream {
        let response = self.router.clone().oneshot(call.into_request()).await.unwrap();
        assert_eq!(response.status().as_u16(), 200);
        EventStream::new(response.into_body())
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Call::get(path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Json) -> Answer {
        self.send(Call::post(path, body)).await
    }

    /// Starts a run.
    pub(crate) async fn start(&self, workflow: &str, inputs: &Json) -> String {
        let body = json!({ "workflowId": workflow, "inputs": inputs });
        let created = self.post("/v1/runs", &body).await.gives(201);
        created["runId"].as_str().unwrap().to_owned()
    }

    /// Starts a run, waits for its end, and gives its id and events.
    pub(crate) async fn run(&self, workflow: &str, inputs: &Json) -> (String, Vec<Json>) {
        let run = self.start(workflow, inputs).await;
        let events = self.ended(&run).await;
        (run, events)
    }

    /// The events of a run that has ended.
    pub(crate) async fn ended(&self, run: &str) -> Vec<Json> {
        self.until(run, |event| event["type"].as_str().is_some_and(is_terminal)).await
    }

    /// The events of a run up to one of the type `name`, at least.
    pub(crate) async fn until_type(&self, run: &str, name: &str) -> Vec<Json> {
        self.until(run, |event| event["type"] == name).await
    }

    async fn until(&self, run: &str, is_last: impl Fn(&Json) -> bool) -> Vec<Json> {
        let mut events: Vec<Json> = Vec::new();
        while !events.iter().any(&is_last) {
            let since = events.len().checked_sub(1).map(|last| format!("?lastSequence={last}"));
            let path = format!("/v1/runs/{run}/events/poll{}", since.unwrap_or_default());
            let answer = self.get(&path).await.gives(200);
            events.extend(answer["events"].as_array().unwrap().iter().cloned());
            let done = answer["isComplete"] == true && !events.iter().any(&is_last);
            assert!(!done, "the run ended otherwise: {events:?}");
        }
        events
    }

    pub(crate) async fn snapshot(&self, run: &str) -> Json {
        self.get(&format!("/v1/runs/{run}")).await.gives(200)
    }

    /// Listens on a free port.
    pub(crate) async fn listen(&self) -> Live {
        let (ready, address) = oneshot::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let app = self.app.clone();
        let task = tokio::spawn(async move {
            let any = SocketAddr::from(([127, 0, 0, 1], 0));
            let ready = |address| ready.send(address).unwrap();
            cuebook_http::serve(app, any, ready, async { drop(stopped.await) }).await.unwrap();
        });
        Live { address: address.await.unwrap(), stop, task }
    }
}

fn is_terminal(name: &str) -> bool {
    ["run.completed", "run.failed", "run.cancelled"].contains(&name)
}

fn keys() -> Keys {
    Keys::new(vec![
        Key::new("ours", OURS, "first"),
        Key::new("theirs", THEIRS, "other"),
        Key::new("powerless", POWERLESS, "first").with_scopes([]),
        Key::new("member", MEMBER, "first").with_workspaces(["studio".to_owned()]),
    ])
}

/// A server that listens.
pub(crate) struct Live {
    pub(crate) address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Live {
    pub(crate) fn client(&self) -> Client {
        Client::new(&format!("http://{}", self.address), OURS).unwrap()
    }

    /// Asks the server to stop and waits until it has.
    pub(crate) async fn stop(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap();
    }
}
