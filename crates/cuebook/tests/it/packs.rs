//! Agents from packs: their own prompts win, word for word.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::support::{Project, data, shared};

/// An agent, and the file that its prompt must equal.
type Agent<'a> = (&'a str, &'a str);

/// A project with one node for each agent.
fn bound_to(agents: &[Agent<'_>]) -> Project {
    let node = |(at, (agent, _)): (usize, &Agent<'_>)| {
        json!({
            "id": format!("n{at}"), "typeId": "core.ai.callPrompt", "name": agent, "position": { "x": 0, "y": 0 },
            "config": { "agentId": agent, "userPrompt": "Begin." }, "inputs": {},
        })
    };
    let workflow = json!({
        "id": "crew", "name": "Crew", "version": "1.0.0",
        "nodes": agents.iter().enumerate().map(node).collect::<Vec<Json>>(),
        "edges": [], "triggers": [], "variables": [], "metadata": {}, "settings": {},
    });
    Project::empty().with("workflows/crew.json", workflow.to_string())
}

/// Runs a workflow of these agents of `packs` and checks what each was told, and why.
fn check(packs: &Path, agents: &[Agent<'_>]) {
    let project = bound_to(agents);
    let packs_arg = packs.to_str().unwrap();
    let run = project.cuebook(&["run", ".", "--packs", packs_arg, "--json"]).succeeded().json();
    for (at, (agent, file)) in agents.iter().enumerate() {
        let nodes = run["nodes"].as_array().unwrap();
        let node = nodes.iter().find(|node| node["nodeId"] == format!("n{at}")).unwrap();
        let system =
            node["resolutions"].as_array().unwrap().iter().find(|one| one["kind"] == "system").unwrap();
        let reference = format!("prompt:agent-intrinsic.{agent}");
        assert_eq!(system["resolved"], reference);
        let applied =
            system["chain"].as_array().unwrap().iter().find(|entry| entry["applied"] == true).unwrap();
        assert_eq!((&applied["layer"], &applied["source"]), (&json!("agent-intrinsic"), &json!(reference)));
        let text = fs::read_to_string(packs.join(file)).unwrap();
        assert_eq!(node["composition"]["composed"], format!("{text}\n\nBegin."), "of {agent}");
        let args = ["prompts", "render", "--agent", agent, "--packs", packs_arg];
        assert_eq!(project.cuebook(&args).succeeded().stdout, text, "of {agent}");
    }
}

#[test]
fn the_prompt_of_a_pack_is_told_as_it_stands() {
    let agent = ("core.example.desk.greeter", "greeter/prompts/greeter.md");
    check(&data("packs"), &[agent]);
}

#[test]
fn a_pack_of_prompts_is_a_library() {
    let packs = data("packs");
    let project = Project::empty();
    let args = ["prompts", "list", "--packs", packs.to_str().unwrap()];
    let list = project.cuebook(&args).succeeded();
    assert!(list.stdout.contains("prompt:farewell@1.2.0  user  vendor.example.phrases"), "{list}");
    let render =
        ["prompts", "render", "prompt:farewell", "--var", "name=Ada", "--packs", packs.to_str().unwrap()];
    assert_eq!(project.cuebook(&render).succeeded().stdout, "Say goodbye to Ada.");
}

#[test]
fn agents_of_public_packs() {
    let Some(packs) = shared("openwop/packs") else { return };
    let name = |agent: &str| format!("core.openwop.agents.{agent}");
    let agents = ["doc-writer", "react", "code-reviewer"];
    let ids: Vec<(String, String)> = agents
        .into_iter()
        .filter(|agent| packs.join(name(agent)).is_dir())
        .map(|agent| (format!("{}.default", name(agent)), format!("{}/prompts/{agent}.md", name(agent))))
        .collect();
    let borrowed: Vec<Agent<'_>> = ids.iter().map(|(id, file)| (id.as_str(), file.as_str())).collect();
    assert!(!borrowed.is_empty(), "the folder of packs has none of {agents:?}");
    check(&packs, &borrowed);
}
