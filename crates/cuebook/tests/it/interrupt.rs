//! An interrupt from the terminal ends a run in good order.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::openai::desk_on;
use crate::server::{Reply, Server};
use crate::support::{Outcome, Project};

/// Starts the binary, interrupts it when it says `line` on stderr, and waits for its end.
fn interrupt_at(project: &Project, args: &[&str], line: &str) -> Outcome {
    let mut child = project.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut told = String::new();
    while !told.ends_with(line) {
        assert!(stderr.read_line(&mut told).unwrap() > 0, "it ended before '{line}':\n{told}");
        told.truncate(told.trim_end_matches('\n').len());
        told.push_str(if told.ends_with(line) { "" } else { "\n" });
    }
    let sent = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
    assert!(sent.success());
    told.push('\n');
    stderr.read_to_string(&mut told).unwrap();
    let outcome: Outcome = child.wait_with_output().unwrap().into();
    Outcome { stderr: told, ..outcome }
}

fn last_event(journal: &str) -> Json {
    serde_json::from_str::<Json>(journal.lines().last().unwrap()).unwrap()["event"].clone()
}

fn waiting() -> Project {
    let node = json!({
        "id": "wait", "typeId": "core.delay", "name": "Wait", "position": { "x": 0, "y": 0 }, "config": {},
        "inputs": { "delayMs": { "type": "static", "value": 30_000 } },
    });
    let workflow = json!({
        "id": "wait", "name": "Wait", "version": "1.0.0", "nodes": [node], "edges": [], "triggers": [],
        "variables": [], "metadata": {}, "settings": {},
    });
    Project::empty().with("workflows/wait.json", workflow.to_string())
}

#[test]
fn an_interrupt_cancels_a_run_that_waits() {
    let project = waiting();
    let outcome = interrupt_at(&project, &["run", ".", "--journal", "run.jsonl"], "wait started");
    crate::support::check("interrupt", &outcome);
    assert_eq!(outcome.code, 130, "{outcome}");
    assert_eq!(last_event(&project.read("run.jsonl"))["type"], "run.cancelled");
    assert_eq!(project.cuebook(&["explain", "run", "run.jsonl"]).succeeded().stderr, "");
}

#[test]
fn an_interrupt_gives_up_a_call_under_way() {
    let server = Server::start(vec![Reply::Silence]);
    let project = desk_on(&server);
    let args = ["run", ".", "--input", "topic=tea", "--journal", "run.jsonl", "--json"];
    let outcome = interrupt_at(&project, &args, "answer started").ended(130);
    assert_eq!(outcome.json()["status"], "cancelled");
    assert_eq!(last_event(&project.read("run.jsonl"))["type"], "run.cancelled");
}
