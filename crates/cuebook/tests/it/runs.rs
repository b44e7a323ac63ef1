//! `cuebook runs`: what a host has left behind, listed, shown and removed by the real binary.

use serde_json::{Value as Json, json};

use crate::serve::{KEY, Serving, follow, keyed};
use crate::support::Project;

/// A data directory with three runs that have ended and one that waits, and the ids of these.
fn left_behind() -> (Project, Vec<String>, String) {
    let project = keyed();
    let serving = Serving::start(&project, &[]);
    let ended: Vec<String> = (0..3).map(|_| start(&serving, &json!({ "workflowId": "quick" }))).collect();
    for run in &ended {
        follow(&serving, run);
    }
    let waits = start(&serving, &json!({ "workflowId": "slow" }));
    serving.terminate().ended(0);
    (project, ended, waits)
}

fn start(serving: &Serving, body: &Json) -> String {
    let (status, run) = serving.call("POST", "/v1/runs", KEY, Some(body));
    assert_eq!(status, 201, "{run}");
    run["runId"].as_str().unwrap().to_owned()
}

fn listed(project: &Project, args: &[&str]) -> Vec<String> {
    let list = project.cuebook(&[&["runs", "list", "--json"], args].concat()).succeeded().json();
    let runs = list["runs"].as_array().unwrap().iter();
    runs.map(|run| run["runId"].as_str().unwrap().to_owned()).collect()
}

fn pruned(project: &Project, args: &[&str]) -> Json {
    project.cuebook(&[&["runs", "prune", "--json"], args].concat()).succeeded().json()
}

#[test]
fn runs_are_listed_newest_first_and_shown() {
    let (project, ended, waits) = left_behind();
    let all = listed(&project, &[]);
    assert_eq!((all.len(), &all[0]), (4, &waits));
    assert_eq!(listed(&project, &["--limit", "1"]), std::slice::from_ref(&waits));
    assert_eq!(listed(&project, &["--status", "running"]), std::slice::from_ref(&waits));
    assert_eq!(listed(&project, &["--status", "completed,failed"]).len(), 3);
    assert!(listed(&project, &["--tenant", "nobody"]).is_empty());
    let text = project.cuebook(&["runs", "list", "--status", "running"]).succeeded();
    assert!(text.stdout.contains(&waits) && text.stdout.contains("slow"), "{text}");
    let shown = project.cuebook(&["runs", "get", &ended[0]]).succeeded();
    assert_eq!(shown.stdout, format!("run:      {}\nworkflow: quick\nstatus:   completed\n", ended[0]));
    let shown = project.cuebook(&["runs", "get", &waits, "--json"]).succeeded().json();
    assert_eq!(shown["status"], "running");
}

#[test]
fn finished_runs_are_removed_and_a_host_goes_on_with_the_rest() {
    let (project, _, waits) = left_behind();
    let before = listed(&project, &[]);
    let would = pruned(&project, &["--older-than", "0s", "--dry-run"]);
    assert_eq!(would, json!({ "dryRun": true, "runs": 3, "records": 12 }));
    assert_eq!(pruned(&project, &["--older-than", "30d"])["runs"], 0);
    assert_eq!(pruned(&project, &["--keep", "3"])["runs"], 0);
    assert_eq!(listed(&project, &[]), before);
    let first = pruned(&project, &["--keep", "2"]);
    assert_eq!((&first["runs"], &first["records"], &first["blobs"]), (&json!(1), &json!(4), &json!(0)));
    let rest = pruned(&project, &["--older-than", "0s", "--status", "completed", "--vacuum"]);
    assert_eq!((&rest["runs"], &rest["blobs"]), (&json!(2), &json!(1)));
    assert!(rest["bytes"].as_u64().unwrap() > 0);
    assert!(rest["vacuum"]["after"].as_u64().unwrap() <= rest["vacuum"]["before"].as_u64().unwrap());
    assert_eq!(listed(&project, &[]), std::slice::from_ref(&waits));
    let serving = Serving::start(&project, &[]);
    let (status, _) = serving.call("POST", &format!("/v1/runs/{waits}/cancel"), KEY, Some(&json!({})));
    assert_eq!(status, 200);
    assert!(follow(&serving, &waits).contains("run.cancelled"));
    serving.terminate().ended(0);
}

#[test]
fn the_configuration_says_what_goes_when_no_flag_does() {
    let (project, ..) = left_behind();
    let project = project.with("cuebook.toml", "[retention]\nkeep_runs = 1\nstatuses = [\"completed\"]\n");
    assert_eq!(pruned(&project, &["--dry-run"])["runs"], 2);
    assert_eq!(pruned(&project, &["--dry-run", "--keep", "2"])["runs"], 1);
    assert_eq!(pruned(&project, &["--dry-run", "--status", "failed"])["runs"], 0);
    let text = project.cuebook(&["runs", "prune", "--dry-run"]).succeeded();
    assert_eq!(text.stdout, "would remove 2 runs with 8 records\n");
}

#[test]
fn a_directory_that_a_host_holds_is_refused_by_its_name() {
    let project = keyed();
    let serving = Serving::start(&project, &[]);
    for args in [&["runs", "list"][..], &["runs", "prune", "--older-than", "1d"], &["runs", "get", "run_x"]] {
        let refused = project.cuebook(args).ended(2);
        assert!(refused.stderr.contains("is in use by process "), "{refused}");
    }
    serving.terminate().ended(0);
}

#[test]
fn what_cannot_be_done_is_refused_and_writes_nothing() {
    let project = keyed();
    for (name, args) in [
        ("runs-no-data", &["runs", "list", "--data", "nowhere"][..]),
        ("runs-bad-status", &["runs", "list", "--status", "complete"]),
        ("runs-prune-bad-age", &["runs", "prune", "--older-than", "30"]),
        ("runs-prune-not-ended", &["runs", "prune", "--older-than", "1d", "--status", "running"]),
    ] {
        project.check_refused(name, args);
    }
    let (project, ..) = left_behind();
    let refused = project.cuebook(&["runs", "prune"]).ended(2);
    assert!(refused.stderr.contains("nothing says which runs are to go"), "{refused}");
    let unknown = project.cuebook(&["runs", "get", "run_nobody"]).ended(2);
    assert!(unknown.stderr.contains("there is no such run"), "{unknown}");
    assert_eq!(listed(&project, &[]).len(), 4);
}

#[test]
fn retention_in_the_configuration_is_held_to_its_rules() {
    let project = Project::empty().with(
        "cuebook.toml",
        "[retention]\nruns_older_than = \"12h\"\nstatuses = [\"completed\", \"running\"]\n",
    );
    project.check("runs-bad-retention", &["config", "check"]).ended(2);
    let limits = "[limits]\nmax_events = 0\nwrite_queue = 0\n\n[retention]\nruns_older_than = \"soon\"\n";
    let project = Project::empty().with("cuebook.toml", limits);
    project.check("runs-bad-limits", &["config", "check"]).ended(2);
    let project = Project::empty().with("cuebook.toml", "[retention]\nstatuses = [\"failed\"]\n");
    project.check("runs-retention-says-nothing", &["config", "check"]).ended(2);
}

#[test]
fn a_scope_is_kept_over_a_kill() {
    let project = keyed();
    let ask = |serving: &Serving, workflow: &str| {
        let body = json!({ "workflowId": workflow, "scopeId": "desk" });
        let socket = serving.ask_with("X-Dedup: enforce\r\n", "POST", "/v1/runs", KEY, Some(&body));
        let (head, body) = crate::serve::answer_of(socket);
        let status = head.split(' ').nth(1).unwrap().to_owned();
        (status, serde_json::from_str::<Json>(&body).unwrap())
    };
    let serving = Serving::start(&project, &[]);
    let (status, first) = ask(&serving, "slow");
    assert_eq!(status, "201", "{first}");
    serving.kill();
    let serving = Serving::start(&project, &[]);
    let (status, refused) = ask(&serving, "quick");
    assert_eq!((status.as_str(), &refused["error"]), ("409", &json!("run_already_active")));
    assert_eq!(refused["details"]["activeRunId"], first["runId"]);
    let run = first["runId"].as_str().unwrap();
    serving.call("POST", &format!("/v1/runs/{run}/cancel"), KEY, Some(&json!({})));
    follow(&serving, run);
    assert_eq!(ask(&serving, "quick").0, "201");
    serving.terminate().ended(0);
}
