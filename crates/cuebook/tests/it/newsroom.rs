//! The example: which prompt each of its three agents gets, and why.

use serde_json::Value as Json;

use crate::support::{Outcome, Project};

const TOPIC: &str = "topic=the night train";

/// The layer that a node's kind was resolved at.
#[track_caller]
fn check_applied(run: &Json, node: &str, kind: &str, layer: &str, reference: &str) {
    let nodes = run["nodes"].as_array().unwrap();
    let node = nodes.iter().find(|view| view["nodeId"] == node).unwrap();
    let resolutions = node["resolutions"].as_array().unwrap();
    let resolution = resolutions.iter().find(|one| one["kind"] == kind).unwrap();
    assert_eq!(resolution["resolved"], reference);
    let chain = resolution["chain"].as_array().unwrap();
    let applied: Vec<&Json> = chain.iter().filter(|entry| entry["applied"] == true).collect();
    assert_eq!((applied.len(), &applied[0]["layer"]), (1, &Json::from(layer)), "{resolution}");
}

fn run(args: &[&str]) -> Outcome {
    Project::newsroom().cuebook(&[&["run", ".", "--input", TOPIC], args].concat()).succeeded()
}

#[test]
fn a_node_wins_over_its_agent_and_an_agent_over_its_workflow() {
    let run = run(&["--json"]).json();
    check_applied(&run, "writer", "system", "node", "prompt:experimental-writer@2.0.0");
    check_applied(&run, "critic", "system", "agent-overrides", "prompt:editorial-house-style@1.0.0");
    check_applied(&run, "editor", "system", "agent-overrides", "prompt:editorial-house-style@1.0.0");
}

#[test]
fn the_chains_are_disclosed() {
    let project = Project::newsroom();
    let run = ["run", ".", "--input", TOPIC, "--quiet", "--journal", "run.jsonl"];
    project.cuebook(&run).succeeded();
    let explained = project.cuebook(&["explain", "run", "run.jsonl"]).succeeded();
    // The prose of the example may change; what is decided about it may not.
    insta::with_settings!({
        prepend_module_to_snapshot => false,
        omit_expression => true,
        filters => vec![("sha256:[0-9a-f]{64}", "sha256:HASH")],
    }, { insta::assert_snapshot!("newsroom-chains", explained.stdout) });
}

#[test]
fn every_node_comes_to_an_answer_about_the_topic() {
    let run = run(&["--json"]).json();
    assert_eq!(run["status"], "completed");
    for node in run["nodes"].as_array().unwrap() {
        assert_eq!(node["status"], "completed", "{node}");
        let composed = node["composition"]["composed"].as_str().unwrap();
        assert!(composed.contains("the night train"), "{composed}");
    }
    assert!(run["outputs"]["text"].as_str().unwrap().contains("the night train"), "{run}");
}

#[test]
fn the_quiet_form_is_the_finished_piece() {
    let json = run(&["--json"]).json();
    let quiet = run(&["--quiet"]);
    assert_eq!(quiet.stdout, format!("{}\n", json["outputs"]["text"].as_str().unwrap()));
}

#[test]
fn untrusted_text_stays_untrusted_through_all_three_nodes() {
    let project = Project::newsroom();
    let run = project.cuebook(&["run", ".", "--untrusted-input", TOPIC, "--json"]).succeeded().json();
    for node in run["nodes"].as_array().unwrap() {
        let composition = &node["composition"];
        assert_eq!(composition["contentTrust"], "untrusted", "{composition}");
        let composed = composition["composed"].as_str().unwrap();
        assert!(composed.contains("<UNTRUSTED>"), "{composed}");
    }
    let writer = run["nodes"][0]["composition"]["composed"].as_str().unwrap();
    assert_eq!(writer.matches("<UNTRUSTED>the night train</UNTRUSTED>").count(), 1, "{writer}");
}

#[test]
fn the_same_input_gives_the_same_prompts() {
    let hashes = |run: &Json| -> Vec<Json> {
        let nodes = run["nodes"].as_array().unwrap();
        nodes.iter().map(|node| node["composition"]["hash"].clone()).collect()
    };
    assert_eq!(hashes(&run(&["--json"]).json()), hashes(&run(&["--json"]).json()));
}
