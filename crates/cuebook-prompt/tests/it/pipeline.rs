//! The whole pipeline: what is chosen, what stops it, and what it says on the way.

use cuebook_prompt::{AgentBinding, Origin, Owner, PromptRequest, Resolution};
use cuebook_wire::PromptTemplate;
use serde_json::{Value as Json, json};

use crate::support::{
    Host, agent, composition, exposed, failures, inputs, library, lines, plain, refs, request, versioned,
};

const WRITER: &str = "local.news.writer";

fn applied(resolutions: &[Resolution]) -> Vec<String> {
    let chains = resolutions.iter().flat_map(|one| lines(&one.chain));
    chains.filter(|line| line.starts_with('+')).collect()
}

fn kinds() -> Vec<PromptTemplate> {
    ["system", "user", "few-shot", "schema-hint"].map(|kind| plain(kind, "1.0.0", kind)).to_vec()
}

#[test]
fn a_node_without_prompts_composes_nothing() {
    let prepared = Host::new(kinds()).prepare(&request(&json!({ "model": "m" })));
    assert!(prepared.resolutions.is_empty() && prepared.warnings.is_empty());
    assert!(matches!(prepared.outcome, Ok(None)));
}

#[test]
fn every_layer_contributes_the_kinds_it_wins() {
    let mut host = Host::new(kinds());
    host.agents.push(agent(WRITER, None, json!({ "few-shot": "prompt:few-shot" })));
    host.policy.host_defaults =
        refs(json!({ "schema-hint": "prompt:schema-hint", "user": "prompt:nowhere" }));
    let config = json!({ "systemPromptRef": "prompt:system@1.0.0", "agentId": WRITER });
    let workflow_defaults = refs(json!({ "user": "prompt:user" }));
    let prepared = host.prepare(&PromptRequest { workflow_defaults, ..request(&config) });
    assert_eq!(
        applied(&prepared.resolutions),
        [
            "+ node prompt:system@1.0.0",
            "+ host-defaults prompt:schema-hint",
            "+ agent-overrides prompt:few-shot",
            "+ workflow-defaults prompt:user",
        ]
    );
    let composition = composition(prepared);
    let refs = ["system", "schema-hint", "few-shot", "user"].map(|id| format!("prompt:{id}@1.0.0"));
    assert_eq!(composition.observed.refs, refs);
}

#[test]
fn the_agents_own_text_is_composed_as_it_stands() {
    let mut host = Host::new(vec![]);
    host.agents.push(agent(WRITER, Some("I am {{name}}."), json!({})));
    let config = json!({ "agentId": WRITER, "userPrompt": "Write {{this}}." });
    let request = PromptRequest { scope: inputs(json!({ "name": "no", "this": "no" })), ..request(&config) };
    let composition = composition(host.prepare(&request));
    assert_eq!(composition.observed.refs, ["prompt:agent-intrinsic.local.news.writer"]);
    let sent = exposed(&composition.dispatch);
    assert_eq!(sent, (Some("I am {{name}}.".to_owned()), Some("Write {{this}}.".to_owned())));
    assert!(composition.observed.variables.iter().next().is_none());
    let origins: Vec<&Origin> = composition.observed.segments.iter().map(|segment| &segment.origin).collect();
    assert_eq!(
        origins,
        [
            &Origin::File { path: "prompts/writer.md".to_owned(), line: 1, layer: None },
            &Origin::Joint,
            &Origin::Inline { field: "config.userPrompt".to_owned(), line: 1 },
        ]
    );
}

#[test]
fn ref_and_inline_body_together_warn_once_and_the_ref_is_used() {
    let config = json!({ "systemPromptRef": "prompt:system", "systemPrompt": "inline" });
    let prepared = Host::new(kinds()).prepare(&request(&config));
    let codes: Vec<&str> = prepared.warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(codes, ["prompt_ref_supersedes_inline"]);
    assert_eq!(composition(prepared).observed.composed, "system@1.0.0");
}

#[test]
fn an_unknown_agent_is_a_warning_and_the_run_goes_on() {
    let config = json!({ "agentId": "local.news.nobody", "systemPromptRef": "prompt:system" });
    let prepared = Host::new(kinds()).prepare(&request(&config));
    assert_eq!(prepared.warnings[0].code.as_str(), "agent_binding_unresolvable");
    assert_eq!(prepared.resolutions[0].agent_id, None);
    assert_eq!(composition(prepared).observed.composed, "system@1.0.0");
}

#[test]
fn agents_can_be_switched_off() {
    let mut host = Host::new(kinds());
    host.policy.agent_bindings = false;
    host.agents.push(agent(WRITER, Some("mine"), json!({})));
    let workflow_defaults = refs(json!({ "system": "prompt:system" }));
    let request = PromptRequest { workflow_defaults, ..request(&json!({ "agentId": WRITER })) };
    let prepared = host.prepare(&request);
    assert_eq!(applied(&prepared.resolutions), ["+ workflow-defaults prompt:system"]);
    assert!(prepared.warnings.is_empty());
}

#[test]
fn the_runs_overrides_count_only_where_honoured() {
    for (honoured, expect, length) in [(true, "few-shot@1.0.0", 5), (false, "system@1.0.0", 4)] {
        let mut host = Host::new(kinds());
        host.policy.run_overrides = honoured;
        let run_overrides = refs(json!({ "system": "prompt:few-shot" }));
        let config = json!({ "systemPromptRef": "prompt:system" });
        let prepared = host.prepare(&PromptRequest { run_overrides, ..request(&config) });
        assert_eq!(prepared.resolutions[0].chain.len(), length);
        assert_eq!(composition(prepared).observed.composed, expect);
    }
}

#[test]
fn a_missing_winner_fails_and_does_not_fall_through() {
    let mut host = Host::new(kinds());
    host.policy.host_defaults = refs(json!({ "system": "prompt:system" }));
    let prepared = host.prepare(&request(&json!({ "systemPromptRef": "prompt:sytem@1.0.0" })));
    assert_eq!(applied(&prepared.resolutions), ["+ node prompt:sytem@1.0.0"]);
    assert_eq!(
        failures(&prepared),
        ["prompt_template_not_found no library has a template 'sytem' (named by node-config); \
          did you mean 'prompt:system'?"]
    );
}

#[test]
fn the_error_names_ref_and_layer_for_machines_too() {
    let workflow_defaults = refs(json!({ "user": "prompt:nowhere@1.0.0" }));
    let prepared = Host::new(vec![]).prepare(&PromptRequest { workflow_defaults, ..request(&json!({})) });
    let error = prepared.outcome.err().unwrap().to_run_error();
    assert_eq!(error.code, "prompt_template_not_found");
    assert_eq!(error.message, "no library has a template 'nowhere' (named by workflow-defaults)");
    assert_eq!(Json::from(error.details.unwrap()), json!({ "ref": "prompt:nowhere@1.0.0" }));
}

#[test]
fn host_defaults_are_the_host_librarys() {
    let mut host = Host::new(vec![]);
    host.libraries.push(library("user", Owner::User, vec![plain("mine", "1.0.0", "system")]));
    host.policy.host_defaults = refs(json!({ "system": "prompt:mine" }));
    assert_eq!(
        failures(&host.prepare(&request(&json!({})))),
        ["prompt_template_not_found no library has a template 'mine' (named by host-defaults)"]
    );
}

#[test]
fn synthetic_refs_cannot_be_named_where_there_is_no_source() {
    for id in ["agent-intrinsic.local.news.writer", "layered.agents.writer", "project.news.writer"] {
        let prepared =
            Host::new(vec![]).prepare(&request(&json!({ "userPromptRef": format!("prompt:{id}") })));
        let failures = failures(&prepared);
        assert!(failures[0].starts_with("prompt_template_not_found"), "{failures:?}");
        assert!(failures[0].contains("cannot be chosen by ref here (named by node-config)"), "{failures:?}");
    }
}

#[test]
fn all_that_is_wrong_with_a_node_comes_at_once() {
    let required = |name: &str| json!([{ "name": name, "type": "string", "required": true }]);
    let host = Host::new(vec![
        versioned("u", "1.0.0", "user", "{{topic}}", required("topic")),
        versioned("f", "1.0.0", "few-shot", "{{example}}", required("example")),
    ]);
    let config = json!({
        "systemPromptRef": "prompt:gone",
        "userPromptRef": "prompt:u",
        "fewShotPromptRefs": ["prompt:f@2.0.0", "prompt:f"],
        "additionalPromptRefs": ["prompt:lost"],
    });
    let prepared = host.prepare(&request(&config));
    insta::assert_snapshot!(failures(&prepared).join("\n"));
    let error = prepared.outcome.err().unwrap().to_run_error();
    let details = error.details.unwrap();
    let others: Vec<&Json> = details["also"].as_array().unwrap().iter().map(|error| &error["code"]).collect();
    let (missing, unresolved) = ("prompt_template_not_found", "prompt_variable_unresolved");
    assert_eq!(others, [missing, missing, unresolved, unresolved]);
    assert_eq!(details["also"][3]["details"]["variable"], "topic");
}

#[test]
fn undeclared_placeholders_warn_on_the_way() {
    let host = Host::new(vec![versioned("u", "1.0.0", "user", "[{{loose}}]", json!([]))]);
    let prepared = host.prepare(&request(&json!({ "userPromptRef": "prompt:u" })));
    assert_eq!(prepared.warnings[0].code.as_str(), "prompt_placeholder_undeclared");
    assert_eq!(composition(prepared).observed.composed, "[]");
    let mut strict = Host::new(vec![versioned("u", "1.0.0", "user", "[{{loose}}]", json!([]))]);
    strict.policy.bind.strict_placeholders = true;
    let prepared = strict.prepare(&request(&json!({ "userPromptRef": "prompt:u" })));
    assert!(failures(&prepared)[0].starts_with("prompt_placeholder_undeclared [1:2]"));
}

/// RFC 0029, Motivation: a house style for every agent, and one experimental override at the writer node.
#[test]
fn house_style_for_all_and_an_experiment_for_the_writer() {
    let style = json!({ "system": "prompt:editorial-house-style@1.0.0" });
    let staff: Vec<AgentBinding> = ["writer", "critic", "editor"]
        .map(|role| agent(&format!("local.news.{role}"), None, style.clone()))
        .to_vec();
    let chain = |role: &str, config: Json| {
        let mut host = Host::new(vec![
            plain("editorial-house-style", "1.0.0", "system"),
            plain("experimental-writer", "2.0.0", "system"),
        ]);
        host.agents.clone_from(&staff);
        let mut config = config;
        config["agentId"] = json!(format!("local.news.{role}"));
        let prepared = host.prepare(&request(&config));
        (lines(&prepared.resolutions[0].chain), composition(prepared).observed.composed)
    };
    let (trace, text) = chain("writer", json!({ "systemPromptRef": "prompt:experimental-writer@2.0.0" }));
    assert_eq!(
        trace,
        [
            "+ node prompt:experimental-writer@2.0.0",
            "- agent-overrides prompt:editorial-house-style@1.0.0 (superseded by node-config layer)",
            "- workflow-defaults (no candidate at this layer)",
            "- host-defaults (no candidate at this layer)",
        ]
    );
    assert_eq!(text, "experimental-writer@2.0.0");
    for role in ["critic", "editor"] {
        let (trace, text) = chain(role, json!({}));
        assert_eq!(trace[1], "+ agent-overrides prompt:editorial-house-style@1.0.0");
        assert_eq!(text, "editorial-house-style@1.0.0");
    }
}
