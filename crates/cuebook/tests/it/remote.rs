//! `cuebook run WORKFLOW --host URL`: the same run, on another host.

use serde_json::Value as Json;

use crate::serve::Serving;
use crate::support::{Outcome, Project};

const KEY: &str = "a-key-of-the-environment";
const TOPIC: [&str; 2] = ["--input", "topic=the night train"];

/// Runs the newsroom's workflow on the host at `address`.
fn run_at(project: &Project, address: &str, more: &[&str]) -> Outcome {
    let url = format!("http://{address}");
    project.cuebook(&[&["run", "newsroom", "--host", &url][..], &TOPIC, more].concat())
}

/// The lines that name what every node was told.
fn hashes(outcome: &Outcome) -> Vec<&str> {
    outcome.stdout.lines().map(str::trim).filter(|line| line.starts_with("hash: ")).collect()
}

#[test]
fn a_run_on_another_host_composes_the_same_prompts() {
    let project = Project::newsroom().env("CUEBOOK_API_KEY", KEY);
    let here = project.cuebook(&[&["run", "."][..], &TOPIC].concat()).ended(0);
    let serving = Serving::start(&project, &[]);
    let there = run_at(&project, &serving.address, &[]).ended(0);
    assert_eq!(hashes(&there).len(), 3, "{there}");
    assert_eq!(hashes(&there), hashes(&here));
    let events = run_at(&project, &serving.address, &["--format", "json"]).ended(0).json();
    let last = events["events"].as_array().and_then(|events| events.last());
    assert_eq!(last.map(|event| &event["type"]), Some(&Json::from("run.completed")));
    serving.terminate().ended(0);
}

#[test]
fn what_another_host_refuses_is_told() {
    let project = Project::newsroom().env("CUEBOOK_API_KEY", KEY).with("other-key", "another");
    let serving = Serving::start(&project, &[]);
    let url = format!("http://{}", serving.address);
    let check = |args: &[&str], code: &str| {
        let outcome = project.cuebook(&[&["run"][..], args, &["--host", &url]].concat()).ended(2);
        assert_eq!(outcome.stdout, "", "{outcome}");
        assert!(outcome.stderr.contains(&format!("[{code}]")), "{outcome}");
        assert!(!outcome.stderr.contains(KEY), "{outcome}");
    };
    check(&["newsroom", "--key-file", "other-key"], "unauthenticated");
    check(&["newsroom", "--key-file", "nowhere"], "unauthenticated");
    check(&["nothing"], "not_found");
    let address = serving.address.clone();
    serving.terminate().ended(0);
    let outcome = run_at(&project, &address, &[]).ended(2);
    assert!(outcome.stderr.contains("[service_unavailable]"), "{outcome}");
}
