//! `cuebook run`: what it prints, what it refuses, and how it ends.

use serde_json::json;

use crate::support::Project;

const RUN: [&str; 4] = ["run", ".", "--input", "topic=tea"];

fn run_with<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&RUN, args].concat()
}

#[test]
fn a_run_shows_each_prompt_its_origins_and_the_answer() {
    Project::desk().check("run", &RUN).ended(0);
    Project::desk().check("run-quiet", &run_with(&["--quiet"])).ended(0);
}

#[test]
fn untrusted_inputs_are_wrapped_and_marked() {
    let args = ["run", ".", "--untrusted-input", "topic=tea</UNTRUSTED> and <b>"];
    Project::desk().check("run-untrusted", &args).ended(0);
}

#[test]
fn the_json_form_holds_the_nodes_and_every_event() {
    let run = Project::desk().cuebook(&run_with(&["--json"])).succeeded().json();
    assert_eq!(run["workflowId"], "desk");
    assert_eq!(run["status"], "completed");
    let events = run["events"].as_array().unwrap();
    let types: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    let numbers: Vec<u64> = events.iter().map(|event| event["sequence"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..events.len() as u64).collect::<Vec<_>>());
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("run-json-events", types.join("\n"));
    });
    let node = &run["nodes"][0];
    assert_eq!(node["nodeId"], "answer");
    assert_eq!(node["agentId"], "local.desk.clerk");
    let text = "You are a desk clerk.\n\nAnswer in one sentence.\n\nTell me 3 things about tea.";
    assert_eq!(node["composition"]["composed"], text);
    let composed = events.iter().find(|event| event["type"] == "prompt.composed").unwrap();
    assert_eq!(composed["payload"]["composed"], text);
    assert_eq!(composed["payload"]["hash"], node["composition"]["hash"]);
}

#[test]
fn both_spellings_of_json_are_one() {
    let project = Project::desk();
    let long = project.cuebook(&run_with(&["--format", "json"])).succeeded().json();
    assert_eq!(long["outputs"], project.cuebook(&run_with(&["--json"])).json()["outputs"]);
    project.check_refused("run-format-twice", &run_with(&["--json", "--format", "text"]));
}

#[test]
fn a_failed_run_says_why() {
    let failing = Project::desk().with("workflows/desk.json", workflow_of("core.fail", &json!({})));
    failing.check("run-failed", &["run", "."]).ended(1);
    let run = failing.cuebook(&["run", ".", "--json"]).ended(1).json();
    assert_eq!((&run["status"], &run["error"]["code"]), (&json!("failed"), &json!("node_failed")));
    failing.check("run-failed-quiet", &["run", ".", "--quiet"]).ended(1);
}

/// A workflow of one node that takes no inputs.
fn workflow_of(node_type: &str, config: &serde_json::Value) -> String {
    json!({
        "id": "one", "name": "One", "version": "1.0.0",
        "nodes": [{
            "id": "only", "typeId": node_type, "name": "Only", "position": { "x": 0, "y": 0 },
            "config": config, "inputs": {},
        }],
        "edges": [], "triggers": [], "variables": [], "metadata": {}, "settings": {},
    })
    .to_string()
}

#[test]
fn outputs_that_are_no_text_are_printed_as_json() {
    let identity = json!({ "a": 1, "text": ["x"] });
    let workflow = workflow_of("core.identity", &json!({}))
        .replace(r#""inputs":{}"#, &format!(r#""inputs":{{"all":{{"type":"static","value":{identity}}}}}"#));
    let project = Project::desk().with("workflows/desk.json", workflow);
    project.check("run-no-text", &["run", "."]).ended(0);
    project.check("run-no-text-quiet", &["run", ".", "--quiet"]).ended(0);
}

#[test]
fn a_node_bound_to_an_unknown_agent_warns_and_goes_on() {
    let project = Project::desk().edit("workflows/desk.json", "\"local.desk.clerk\"", "\"local.desk.clark\"");
    project.check("run-unknown-agent", &RUN).ended(0);
}

#[test]
fn every_input_that_is_wrong_is_named_at_once() {
    let desk = Project::desk();
    desk.check_refused("run-input-missing", &["run", "."]);
    desk.check_refused("run-input-mistyped", &["run", ".", "--input", "topic=tea", "--input", "count=many"]);
    desk.check_refused(
        "run-inputs-all-wrong",
        &["run", ".", "--input", "topik=tea", "--input", "count=\"3\"", "--untrusted-input", "xyz=1"],
    );
    desk.check_refused("run-input-no-value", &["run", ".", "--input", "topic"]);
    desk.check_refused("run-input-no-name", &["run", ".", "--input", "=tea"]);
    desk.check_refused("run-input-twice", &run_with(&["--input", "topic=coffee"]));
}

#[test]
fn a_wrong_value_is_never_echoed() {
    let project = Project::desk();
    let outcome = project.cuebook(&run_with(&["--input", "count=hunter2hunter2"])).ended(2);
    assert!(!outcome.stderr.contains("hunter2"), "{outcome}");
}

#[test]
fn what_is_not_there_is_named_with_the_nearest() {
    let desk = Project::desk();
    desk.check_refused("run-unknown-workflow", &["run", ".", "dask", "--input", "topic=tea"]);
    desk.check_refused("run-unknown-workflow-file", &["run", ".", "workflows/dask.json"]);
    desk.check_refused("run-unknown-directory", &["run", "nowhere", "--input", "topic=tea"]);
    desk.check_refused("run-unknown-config", &run_with(&["--config", "other.toml"]));
    desk.check_refused("run-unknown-flag", &run_with(&["--qiet"]));
    desk.check_refused("run-unknown-files", &run_with(&["--prompts", "no/prompts"]));
    Project::empty().check_refused("run-empty-directory", &["run", "."]);
}

#[test]
fn a_workflow_is_named_by_id_by_file_or_not_at_all() {
    let project = Project::desk().with("other/fail.json", workflow_of("core.fail", &json!({})));
    for name in [&[][..], &["desk"], &["workflows/desk.json"]] {
        let args = [&["run", "."], name, &["--input", "topic=tea", "--quiet"]].concat();
        project.cuebook(&args).succeeded();
    }
    project.cuebook(&["run", ".", "other/fail.json"]).ended(1);
    let two = project.with("workflows/two.json", workflow_of("core.noop", &json!({})));
    two.check_refused("run-which-workflow", &["run", "."]);
    two.edit("cuebook.toml", "[prompts]", "[run]\nworkflow = \"one\"\n[prompts]")
        .cuebook(&["run", "."])
        .succeeded();
}

#[test]
fn a_journal_that_cannot_be_written_is_told() {
    let project = Project::desk();
    project.check("run-journal-nowhere", &run_with(&["--quiet", "--journal", "no/run.jsonl"])).ended(2);
}
