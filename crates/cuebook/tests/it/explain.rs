//! `cuebook explain node`: what a node would be told, before any run.

use serde_json::Value as Json;

use crate::support::Project;

const NODE: [&str; 6] = ["explain", "node", ".", "answer", "--input", "topic=tea"];

#[test]
fn a_node_is_explained_without_a_run() {
    Project::desk().check("explain-node", &NODE).ended(0);
    Project::desk().check("explain-node-text", &[&NODE[..], &["--text"]].concat()).ended(0);
}

#[test]
fn a_node_is_told_what_a_run_tells_it() {
    let project = Project::desk();
    let preview = project.cuebook(&[&NODE[..], &["--json"]].concat()).succeeded().json();
    let run = project.cuebook(&["run", ".", "--input", "topic=tea", "--json"]).succeeded().json();
    let node = &run["nodes"][0];
    assert_eq!(preview["composition"]["composed"], node["composition"]["composed"]);
    assert_eq!(preview["composition"]["hash"], node["composition"]["hash"]);
    assert_eq!(preview["composition"]["record"], node["composition"]["record"]);
    assert_eq!(preview["resolutions"], node["resolutions"]);
}

#[test]
fn one_ref_is_the_same_bytes_and_the_same_hash_everywhere() {
    let project = Project::desk().edit("workflows/desk.json", "\"agentId\": \"local.desk.clerk\", ", "");
    let run = project.cuebook(&["run", ".", "--input", "topic=tea", "--json"]).succeeded().json();
    let event =
        run["events"].as_array().unwrap().iter().find(|event| event["type"] == "prompt.composed").unwrap();
    let preview = project.cuebook(&[&NODE[..], &["--json"]].concat()).succeeded().json();
    let args = ["prompts", "render", "prompt:question@1.0.0", "--var", "topic=tea"];
    let render = project.cuebook(&[&args[..], &["--json"]].concat()).succeeded().json();
    for (what, facts) in [("event", &event["payload"]), ("preview", &preview["composition"])] {
        assert_eq!(facts["hash"], render["hash"], "of the {what}");
        assert_eq!(facts["composed"], render["composed"], "of the {what}");
    }
    let bytes = project.cuebook(&args).succeeded().stdout;
    assert_eq!(Json::from(bytes), render["composed"]);
}

#[test]
fn values_at_ports_stand_for_earlier_nodes() {
    let project = Project::newsroom();
    let node = ["explain", "node", ".", "critic", "--input", "topic=bread"];
    let unbound = project.cuebook(&node).ended(1);
    assert!(unbound.stderr.contains("required variable 'draft' has no value"), "{unbound}");
    let args = [&node[..], &["--port", "draft=Bread = {flour}", "--json"]].concat();
    let preview = project.cuebook(&args).succeeded().json();
    let composed = preview["composition"]["composed"].as_str().unwrap();
    assert!(composed.contains("\nBread = {flour}\n"), "{composed}");
}

#[test]
fn what_is_wrong_with_a_prompt_is_shown_in_its_text() {
    let project = Project::desk().edit("workflows/desk.json", r#""topic": {"#, r#""other": {"#);
    project.check("explain-node-unbound", &NODE).ended(1);
    let json = project.cuebook(&[&NODE[..], &["--json"]].concat()).ended(1).json();
    assert_eq!(json["problems"][0]["code"], "prompt_variable_unresolved");
}

#[test]
fn what_is_not_there_is_named_with_the_nearest() {
    let project = Project::desk();
    project.check_refused("explain-unknown-node", &["explain", "node", ".", "anser", "--input", "topic=tea"]);
    project.check_refused("explain-unknown-workflow", &[&NODE[..], &["--workflow", "dsk"]].concat());
    project.check_refused("explain-missing-input", &["explain", "node", ".", "answer"]);
    project.check_refused(
        "explain-port-twice",
        &[&NODE[..], &["--port", "topic=a", "--port", "topic=b"]].concat(),
    );
    project.check_refused("explain-unknown-port", &[&NODE[..], &["--port", "topik=a"]].concat());
    let noop = project.edit("workflows/desk.json", "core.ai.callPrompt", "core.noop");
    noop.check_refused("explain-no-prompts", &NODE);
}
