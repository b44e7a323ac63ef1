//! `cuebook serve`: the real binary, its one line, its keys, its end.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::support::{Outcome, Project};

/// How long a process may take to tell what it must.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server under way.
pub(crate) struct Serving {
    child: Child,
    pub(crate) address: String,
    stderr: BufReader<ChildStderr>,
}

impl Serving {
    /// Starts the binary on a free port and waits for its line.
    pub(crate) fn start(project: &Project, args: &[&str]) -> Self {
        let args = [&["serve", "--listen", "127.0.0.1:0"], args].concat();
        Self::of(project.command(&args))
    }

    /// Starts a command that becomes the binary, and waits for its line.
    pub(crate) fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let mut serving = Self { child, address: String::new(), stderr };
        let told = line.split_once("http://").and_then(|(_, rest)| rest.split(['"', '\n']).next());
        match told {
            Some(address) => address.clone_into(&mut serving.address),
            None => panic!("no address in {line:?}: {}", serving.ended()),
        }
        serving.child.stdout = Some(stdout.into_inner());
        serving
    }

    /// Opens a connection and sends a request that closes it after its answer.
    fn ask(&self, method: &str, path: &str, key: &str, body: Option<&Json>) -> TcpStream {
        self.ask_with("", method, path, key, body)
    }

    /// As [`Self::ask`], with more header lines.
    pub(crate) fn ask_with(
        &self,
        headers: &str,
        method: &str,
        path: &str,
        key: &str,
        body: Option<&Json>,
    ) -> TcpStream {
        let body = body.map(Json::to_string).unwrap_or_default();
        let mut socket = TcpStream::connect(&self.address).unwrap();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\
             Content-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        socket.write_all(request.as_bytes()).unwrap();
        socket
    }

    /// The status and the body of an answer.
    pub(crate) fn call(&self, method: &str, path: &str, key: &str, body: Option<&Json>) -> (u16, Json) {
        let (head, body) = answer_of(self.ask(method, path, key, body));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error} in {head}{body}")))
    }

    fn status(&self, key: &str) -> u16 {
        self.call("GET", "/v1/agents", key, None).0
    }

    /// Reads what the process tells on stderr until `wanted` is in it; gives all that was read. A process that does not tell it
    /// is ended after a while, so that nobody waits for ever.
    pub(crate) fn until_told(&mut self, wanted: &str) -> String {
        let (told, waiting) = mpsc::channel::<()>();
        let process = self.child.id().to_string();
        let watchdog = thread::spawn(move || {
            if waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let _ = Command::new("kill").args(["-KILL", &process]).status();
            }
        });
        let mut text = String::new();
        while !text.contains(wanted) {
            assert!(self.stderr.read_line(&mut text).unwrap() > 0, "no {wanted:?} in {text}");
        }
        drop(told);
        watchdog.join().unwrap();
        text
    }

    /// Asks the process to end, as a service manager does, and waits for it.
    pub(crate) fn terminate(self) -> Outcome {
        let sent = Command::new("sh").args(["-c", &format!("kill -TERM {}", self.child.id())]).status();
        assert!(sent.unwrap().success());
        self.ended()
    }

    /// Ends the process without a warning, as a machine does that loses its power; gives what it had logged.
    pub(crate) fn kill(mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut stderr = String::new();
        self.stderr.read_to_string(&mut stderr).unwrap();
        stderr
    }

    /// The number of the process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    fn ended(mut self) -> Outcome {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.stderr.read_to_string(&mut stderr).unwrap();
        if let Some(mut rest) = self.child.stdout.take() {
            rest.read_to_string(&mut stdout).unwrap();
        }
        let code = self.child.wait().unwrap().code().unwrap();
        Outcome { code, stdout, stderr }
    }
}

/// A test that fails leaves no host behind.
impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The head and the body of the answer that comes.
pub(crate) fn answer_of(mut socket: TcpStream) -> (String, String) {
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

/// One workflow that ends at once and one that does not.
fn project() -> Project {
    let workflow = |id: &str, type_id: &str, inputs: Json| {
        json!({
            "id": id, "name": id, "version": "1.0.0",
            "nodes": [{
                "id": "only", "typeId": type_id, "name": "Only", "position": { "x": 0, "y": 0 },
                "config": {}, "inputs": inputs,
            }],
            "edges": [], "triggers": [], "variables": [], "metadata": {}, "settings": {},
        })
        .to_string()
    };
    let delay = json!({ "delayMs": { "type": "static", "value": 30_000 } });
    Project::empty()
        .with("workflows/quick.json", workflow("quick", "core.noop", json!({})))
        .with("workflows/slow.json", workflow("slow", "core.delay", delay))
}

/// The same project with a key in the environment.
pub(crate) fn keyed() -> Project {
    project().env("CUEBOOK_API_KEY", KEY)
}

pub(crate) const KEY: &str = "a-key-of-the-environment";

pub(crate) fn start_run(serving: &Serving, workflow: &str) -> String {
    let (status, run) = serving.call("POST", "/v1/runs", KEY, Some(&json!({ "workflowId": workflow })));
    assert_eq!(status, 201, "{run}");
    run["runId"].as_str().unwrap().to_owned()
}

/// The events of a run that ends, followed as a stream to its end.
pub(crate) fn follow(serving: &Serving, run: &str) -> String {
    let path = format!("/v1/runs/{run}/events");
    let mut stream = String::new();
    serving.ask("GET", &path, KEY, None).read_to_string(&mut stream).unwrap();
    stream
}

#[test]
fn one_line_tells_the_address_and_a_signal_ends_it_well() {
    let project = keyed();
    let serving = Serving::start(&project, &[]);
    assert!(serving.address.starts_with("127.0.0.1:") && !serving.address.ends_with(":0"));
    let outcome = serving.terminate().ended(0);
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("", ""), "nothing besides the one line");
}

#[test]
fn without_a_key_one_is_made_kept_private_and_shown_once() {
    let project = project();
    let serving = Serving::start(&project, &["--data", "data"]);
    let key = project.read("data/api-key").trim_end().to_owned();
    assert!(key.starts_with("cbk_") && key.len() == 68, "{key}");
    assert_eq!((serving.status(&key), serving.status("other")), (200, 401));
    let mode = std::fs::metadata(project.root().join("data/api-key")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let outcome = serving.terminate().ended(0);
    assert_eq!(outcome.stderr.matches(&key).count(), 1, "{outcome}");
    let again = Serving::start(&project, &["--data", "data"]);
    assert_eq!(again.status(&key), 200);
    assert_eq!(again.terminate().ended(0).stderr, "");
}

#[test]
fn keys_come_from_environment_file_and_configuration() {
    // The hash of `key-of-the-configuration`, as `sha256sum` prints it.
    let hash = sha256_of("key-of-the-configuration");
    let project = keyed()
        .with("key", "a-key-of-the-file\n")
        .with("cuebook.toml", format!("[keys.reader]\nsha256 = \"{hash}\"\nscopes = [\"prompts:read\"]\n"));
    let serving = Serving::start(&project, &["--api-key-file", "key"]);
    assert_eq!(serving.status(KEY), 200);
    assert_eq!(serving.status("a-key-of-the-file"), 200);
    assert_eq!(serving.status("key-of-the-configuration"), 403);
    assert_eq!(serving.call("GET", "/v1/prompts", "key-of-the-configuration", None).0, 200);
    assert_eq!(serving.status("another"), 401);
    assert!(!project.files().contains(&"cuebook-data/api-key".to_owned()), "none is made");
    serving.terminate().ended(0);
}

pub(crate) fn sha256_of(text: &str) -> String {
    let command = format!("printf %s '{text}' | sha256sum");
    let output = Command::new("sh").args(["-c", &command]).output().unwrap();
    String::from_utf8(output.stdout).unwrap()[..64].to_owned()
}

#[test]
fn a_key_file_that_cannot_be_used_is_refused() {
    let project = project().with("empty", "\n");
    for (file, reason) in [("empty", "it holds no key"), ("nowhere", "No such file")] {
        let outcome = project.cuebook(&["serve", "--api-key-file", file]).ended(2);
        assert!(outcome.stderr.contains(file) && outcome.stderr.contains(reason), "{outcome}");
        assert_eq!(outcome.stdout, "");
    }
}

#[test]
fn a_key_that_no_header_carries_is_refused() {
    for (key, reason) in
        [("  ", "holds no key"), ("schl\u{fc}ssel", "visible ASCII"), ("one two", "visible ASCII")]
    {
        let outcome = project().env("CUEBOOK_API_KEY", key).cuebook(&["serve"]).ended(2);
        assert!(outcome.stderr.contains("CUEBOOK_API_KEY") && outcome.stderr.contains(reason), "{outcome}");
        assert!(!outcome.stderr.contains("one two"), "{outcome}");
    }
    let serving = Serving::start(&project().env("CUEBOOK_API_KEY", "a-mounted-key\n"), &[]);
    assert_eq!(serving.status("a-mounted-key"), 200);
    serving.terminate().ended(0);
}

#[test]
fn what_a_host_keeps_is_for_its_owner_alone() {
    let project = keyed().with("shared/note", "x");
    let serving = Serving::start(&project, &["--data", "shared"]);
    start_run(&serving, "quick");
    for file in ["cuebook.db", "cuebook.db-wal", "lock"] {
        let mode = std::fs::metadata(project.root().join("shared").join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    serving.terminate().ended(0);
}

#[test]
fn a_workflow_that_cannot_be_run_is_told_of_at_the_start() {
    let broken = || keyed().with("workflows/broken.json", "{bad");
    let mut serving = Serving::start(&broken(), &[]);
    let told = serving.until_told("cannot be run");
    assert!(told.contains("warning[") && told.contains("workflow 'broken' cannot be run"), "{told}");
    serving.terminate().ended(0);
    let mut serving = Serving::start(&broken(), &["--format", "json"]);
    let told = serving.until_told("cannot be run");
    assert!(told.lines().all(|line| serde_json::from_str::<Json>(line).is_ok()), "{told}");
    serving.terminate().ended(0);
}

#[test]
fn a_second_host_on_the_same_data_refuses_and_names_the_first() {
    let project = keyed();
    let serving = Serving::start(&project, &[]);
    let outcome = project.cuebook(&["serve", "--listen", "127.0.0.1:0"]).ended(2);
    assert_eq!(outcome.stdout, "");
    assert!(outcome.stderr.contains(&serving.child.id().to_string()), "{outcome}");
    assert_eq!(serving.status(KEY), 200);
    let run = start_run(&serving, "quick");
    assert!(follow(&serving, &run).contains("event: run.completed"));
    serving.terminate().ended(0);
}

#[test]
fn an_address_that_is_taken_is_refused() {
    let project = keyed();
    let serving = Serving::start(&project, &[]);
    let args = ["serve", "--data", "other", "--listen", &serving.address];
    let outcome = project.cuebook(&args).ended(2);
    assert!(outcome.stderr.contains(&serving.address), "{outcome}");
    serving.terminate().ended(0);
}

#[test]
fn an_open_stream_does_not_keep_the_host_from_ending() {
    let project = keyed();
    let serving = Serving::start(&project, &[]);
    let run = start_run(&serving, "slow");
    let mut stream = BufReader::new(serving.ask("GET", &format!("/v1/runs/{run}/events"), KEY, None));
    let mut line = String::new();
    while !line.starts_with("event: run.started") {
        line.clear();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream ended early");
    }
    serving.terminate().ended(0);
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(rest.ends_with("0\r\n\r\n"), "the stream ended in good order: {rest:?}");
}

#[test]
fn an_ended_run_outlives_the_host() {
    let project = keyed();
    let serving = Serving::start(&project, &[]);
    let run = start_run(&serving, "quick");
    let stream = follow(&serving, &run);
    assert!(stream.contains("event: run.completed"), "{stream}");
    let paths = [format!("/v1/runs/{run}"), format!("/v1/runs/{run}/events/poll")];
    let before = paths.each_ref().map(|path| serving.call("GET", path, KEY, None));
    assert_eq!((before[0].0, &before[0].1["status"]), (200, &json!("completed")));
    serving.terminate().ended(0);
    let again = Serving::start(&project, &[]);
    assert_eq!(paths.each_ref().map(|path| again.call("GET", path, KEY, None)), before);
    again.terminate().ended(0);
}

/// Asks for what is and what is not there, with a right key and a wrong one, and gives what was logged.
fn logged(args: &[&str]) -> String {
    let project = keyed();
    let serving = Serving::start(&project, args);
    assert_eq!((serving.status(KEY), serving.status("wrong-key")), (200, 401));
    assert_eq!(serving.call("GET", "/v1/prompts/pasted-secret?version=pasted-secret", KEY, None).0, 400);
    serving.terminate().ended(0).stderr
}

#[test]
fn the_log_tells_of_requests_and_of_no_key() {
    let text = logged(&["--log-level", "info"]);
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.contains(r#"answered method=GET route="/v1/agents" status=401"#), "{text}");
    let json = logged(&["--log-level", "info", "--format", "json"]);
    let lines: Vec<Json> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<_> =
        lines.iter().map(|line| (&line["fields"]["route"], &line["fields"]["status"])).collect();
    let (agents, prompt) = (json!("/v1/agents"), json!("/v1/prompts/{template_id}"));
    assert_eq!(told, [(&agents, &json!(200)), (&agents, &json!(401)), (&prompt, &json!(400))]);
    assert!(lines.iter().all(|line| line["span"]["id"].as_str().is_some_and(|id| id.starts_with("req_"))));
    for secret in [KEY, "wrong-key", "pasted-secret"] {
        assert!(!text.contains(secret) && !json.contains(secret), "{text}{json}");
    }
    assert_eq!(logged(&[]), "");
}

#[test]
fn test_seams_answer_only_when_asked_for() {
    let project = keyed();
    let body = json!({ "kind": "user", "node": { "nodeId": "n", "config": {} } });
    for (args, status) in [(&[][..], 404), (&["--test-seams"][..], 200)] {
        let serving = Serving::start(&project, args);
        let path = "/v1/host/sample/prompt/resolve";
        assert_eq!(serving.call("POST", path, KEY, Some(&body)).0, status);
        serving.terminate().ended(0);
    }
}
