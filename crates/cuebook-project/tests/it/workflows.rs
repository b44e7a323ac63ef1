//! Workflows of projects: what they come to on the wire, and what is wrong with them.

use serde_json::Value as Json;

use crate::support::{Desk, PROJECT, check};

const EDITORIAL: &str = "\
workflows:
  editorial:
    description: Draft, criticise, edit.
    inputs: { topic: { type: string, required: true }, tone: { type: string, default: plain }, brief: { type: object, required: true } }
    steps:
      - { id: draft, agent: writer, prompt: [prompts/writer.md, prompts/style.md], with: { task: 'Write about {{ inputs.topic }}, {{ inputs.tone }}.', brief: '{{ inputs.brief }}', limit: 300 } }
      - { id: facts, agent: primary, prompt: prompts/role.md, needs: [draft], format: json, with: { draft: '{{ steps.draft.output }}' } }
      - { id: edit, agent: primary, prompt: prompts/role.md, needs: [facts], with: { title: '{{ steps.facts.output.title }}', draft: '{{ steps.draft.output }}' } }
";

fn desk(workflows: &str) -> Desk {
    Desk::with(&format!("{PROJECT}{workflows}"))
}

#[test]
fn a_workflow_becomes_nodes_edges_and_variables() {
    let project = desk(EDITORIAL).project();
    let workflows = project.workflows().expect("workflows");
    insta::assert_json_snapshot!("definition", workflows[0].definition);
    assert_eq!(
        workflows[0].data[0],
        (
            "workflows.editorial.steps.draft.with".to_owned(),
            vec!["task".to_owned(), "brief".to_owned(), "limit".to_owned()]
        )
    );
}

#[test]
fn agents_become_local_manifests() {
    let agents = desk("").project().agents();
    let told: Vec<Json> =
        agents.iter().map(|agent| serde_json::to_value(&agent.manifest).expect("JSON")).collect();
    insta::assert_json_snapshot!("agents", told);
}

#[track_caller]
fn check_steps(steps: &str, expect: &[&str]) {
    let workflows = format!(
        "workflows:\n  w:\n    description: W.\n    inputs:\n      topic: {{ type: string, required: true }}\n      maybe: {{ type: string }}\n      list: {{ type: array, required: true }}\n    steps:\n{steps}"
    );
    let expect: Vec<String> = expect.iter().map(|line| format!(".cuebook/project.yaml:{line}")).collect();
    check(&desk(&workflows), &expect.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn names_in_steps_lead_somewhere() {
    check_steps(
        "      - { id: a, agent: writr, prompt: prompts/role.md, needs: [bb, a] }\n      - { id: b, agent: primary, prompt: prompts/role.md, needs: [c] }\n      - { id: c, agent: primary, prompt: prompts/role.md, needs: [b, b] }\n      - { id: c, agent: x/y, prompt: prompts/role.md }\n",
        &[
            "16:25: error[project_invalid]: there is no agent 'writr' (did you mean 'writer'?)",
            "16:65: error[project_invalid]: there is no step 'bb' (did you mean 'b'?)",
            "16:69: error[project_invalid]: step 'a' waits for itself by way of 'a'",
            "17:67: error[project_invalid]: step 'b' waits for itself by way of 'c'",
            "18:67: error[project_invalid]: step 'c' waits for itself by way of 'b'",
            "18:70: error[project_invalid]: 'b' stands here again",
            "19:15: error[project_invalid]: there is a step 'c' already, in line 18",
            "19:25: error[project_invalid]: there is no agent 'x/y' (there is primary, writer)",
        ],
    );
}

#[test]
fn data_is_there_when_a_step_begins() {
    let shape = "(write {{ inputs.name }}, {{ steps.id.output }} or a fixed path into one of them)";
    check_steps(
        "      - { id: a, agent: primary, prompt: prompts/role.md, with: { x: 'On {{ inputs.topci }}', y: '{{ inputs.maybe }}', z: 'l {{ inputs.list }}', n: '{{ topic }}' } }\n      - { id: b, agent: primary, prompt: prompts/role.md, with: { x: '{{ steps.a.output }}', y: '{{ steps.aa.output }}' } }\n      - { id: c, agent: primary, prompt: prompts/role.md, needs: [a], with: { x: '{{ steps.a.output.title }}', y: ['{{ inputs.topic }}'], z: '{{ inputs.topic.x }}' } }\n",
        &[
            "16:74: error[project_invalid]: there is no input 'topci' (did you mean 'topic'?)",
            "16:99: error[project_invalid]: input 'maybe' may have no value (make it required, or give it a default)",
            "16:126: error[project_invalid]: input 'list' is of type array and cannot stand inside a text (give it a key of its own under `with`)",
            &format!("16:150: error[project_invalid]: `topic` is no reference {shape}"),
            "17:71: error[project_invalid]: step 'a' need not be done when 'b' begins (add 'a' to `needs`)",
            "17:98: error[project_invalid]: there is no step 'aa' (did you mean 'a'?)",
            "18:83: error[project_invalid]: the answer of step 'a' is text and has no parts (set `format: json` on step 'a')",
            "18:112: error[project_invalid]: a reference stands inside a list or a mapping (give it a key of its own under `with`)",
            "18:143: error[project_invalid]: input 'topic' is of type string and has no parts",
        ],
    );
}

#[test]
fn a_workflow_has_no_tools_that_the_primary_agent_lacks() {
    let project = PROJECT
        .replace("  model: default\n", "  model: default\n  tools: { web: {}, files: { enabled: false } }\n");
    let workflow = "workflows:\n  w:\n    description: W.\n    tools: { web: {}, wbe: {}, files: {} }\n    steps: [{ id: a, agent: primary, prompt: prompts/role.md }]\n";
    check(
        &Desk::with(&format!("{project}{workflow}")),
        &[
            ".cuebook/project.yaml:12:23: error[project_invalid]: tool `wbe` is none of the primary agent's (did you mean 'web'?)",
            ".cuebook/project.yaml:12:32: error[project_invalid]: tool `files` is none of the primary agent's",
        ],
    );
}

#[test]
fn defaults_have_the_type_of_their_input() {
    let workflow = "workflows:\n  w:\n    description: W.\n    inputs: { n: { type: number, default: many } }\n    steps: [{ id: a, agent: primary, prompt: prompts/role.md }]\n";
    check(
        &desk(workflow),
        &[
            ".cuebook/project.yaml:11:43: error[project_invalid]: the default is of type string, the input of type number",
        ],
    );
}
