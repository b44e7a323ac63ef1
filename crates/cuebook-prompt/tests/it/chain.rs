//! The resolution chain (RFC 0029 §A): order, precedence, reasons, warnings.

use cuebook_prompt::chain::{AgentLayer, ChainInput, resolve, warnings};
use cuebook_prompt::{AgentBinding, LibraryDefaults, Resolution};
use cuebook_wire::payload::ChainLayer;
use cuebook_wire::{AgentId, NodeId, PromptKind, PromptRefs};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::schemas;
use crate::support::{agent, lines, node, refs, with_library};

const WRITER: &str = "local.news.writer";

/// What a chain is decided from, as documents.
struct Case {
    config: Json,
    agent: Option<AgentBinding>,
    unknown: Option<AgentId>,
    off: bool,
    workflow: Json,
    host: Json,
    run: Option<Json>,
}

impl Default for Case {
    fn default() -> Self {
        let (config, workflow, host) = (json!({}), json!({}), json!({}));
        Self { config, agent: None, unknown: None, off: false, workflow, host, run: None }
    }
}

impl Case {
    fn with<T>(&self, look: impl FnOnce(&ChainInput<'_>) -> T) -> T {
        let node = node(&self.config);
        let (workflow, host) = (refs(self.workflow.clone()), refs(self.host.clone()));
        let run = self.run.clone().map(refs);
        let agent = match (&self.agent, &self.unknown) {
            _ if self.off => AgentLayer::Off,
            (Some(binding), _) => AgentLayer::Bound(binding),
            (None, Some(id)) => AgentLayer::Unknown(id),
            (None, None) => AgentLayer::Unbound,
        };
        look(&ChainInput { node: &node, agent, workflow: &workflow, host: &host, run: run.as_ref() })
    }

    fn resolve(&self) -> Vec<Resolution> {
        self.with(resolve)
    }
}

/// Resolves the one slot of interest.
#[track_caller]
fn check(case: Case, expect: [&str; 4]) {
    check_slots(case, &[&expect]);
}

/// Resolves every slot of interest; holds the shape of each chain besides what is expected.
#[track_caller]
fn check_slots(case: Case, expect: &[&[&str]]) {
    let resolutions = case.resolve();
    let found: Vec<Vec<String>> = resolutions.iter().map(|one| lines(&one.chain)).collect();
    assert_eq!(found, expect);
    for resolution in &resolutions {
        check_shape(resolution);
    }
}

/// What is true of every chain (RFC 0029 §B, design: four entries, at most one applied, a reason on the others).
#[track_caller]
fn check_shape(resolution: &Resolution) {
    let payload = resolution.to_payload(&NodeId::new("n"));
    schemas::check(&payload);
    let applied: Vec<_> = payload.chain.iter().filter(|entry| entry.applied).collect();
    assert!(applied.len() <= 1);
    assert_eq!(payload.resolved, applied.first().and_then(|entry| entry.source.clone()));
    for entry in &payload.chain {
        assert_eq!(entry.reason.is_none(), entry.applied, "{entry:?}");
    }
    let places: Vec<u8> = payload.chain.iter().map(|entry| place(entry.layer)).collect();
    assert!(places == [1, 2, 3, 4] || places == [0, 1, 2, 3, 4], "{places:?}");
}

fn place(layer: ChainLayer) -> u8 {
    match layer {
        ChainLayer::RunConfigurable => 0,
        ChainLayer::Node => 1,
        ChainLayer::AgentIntrinsic | ChainLayer::AgentOverrides | ChainLayer::AgentLibraryDefault => 2,
        ChainLayer::WorkflowDefaults => 3,
        ChainLayer::HostDefaults => 4,
    }
}

#[test]
fn the_highest_candidate_wins_and_the_others_say_why() {
    let all = || Case {
        config: json!({ "systemPromptRef": "prompt:node@1.0.0" }),
        agent: Some(agent(WRITER, None, json!({ "system": "prompt:agent@1.0.0" }))),
        workflow: json!({ "system": "prompt:workflow" }),
        host: json!({ "system": "prompt:host@1.0.0" }),
        ..Case::default()
    };
    check(
        all(),
        [
            "+ node prompt:node@1.0.0",
            "- agent-overrides prompt:agent@1.0.0 (superseded by node-config layer)",
            "- workflow-defaults prompt:workflow (superseded by node-config layer)",
            "- host-defaults prompt:host@1.0.0 (superseded by node-config layer)",
        ],
    );
    check(
        Case { config: json!({}), ..all() },
        [
            "- node (no candidate at this layer)",
            "+ agent-overrides prompt:agent@1.0.0",
            "- workflow-defaults prompt:workflow (superseded by agent-overrides layer)",
            "- host-defaults prompt:host@1.0.0 (superseded by agent-overrides layer)",
        ],
    );
    check(
        Case { config: json!({}), agent: None, ..all() },
        [
            "- node (no candidate at this layer)",
            "- agent-intrinsic (no agent bound)",
            "+ workflow-defaults prompt:workflow",
            "- host-defaults prompt:host@1.0.0 (superseded by workflow-defaults layer)",
        ],
    );
    check(
        Case { config: json!({}), agent: None, workflow: json!({}), ..all() },
        [
            "- node (no candidate at this layer)",
            "- agent-intrinsic (no agent bound)",
            "- workflow-defaults (no candidate at this layer)",
            "+ host-defaults prompt:host@1.0.0",
        ],
    );
}

#[test]
fn a_candidate_that_does_not_win_leaves_gaps_alone() {
    check(
        Case {
            config: json!({ "userPromptRef": { "libraryId": "l", "templateId": "u", "version": "1.0.0" } }),
            host: json!({ "user": "prompt:host" }),
            ..Case::default()
        },
        [
            "+ node prompt:u@1.0.0",
            "- agent-overrides (no agent bound)",
            "- workflow-defaults (no candidate at this layer)",
            "- host-defaults prompt:host (superseded by node-config layer)",
        ],
    );
}

#[test]
fn the_agents_own_text_beats_its_overrides() {
    let binding = agent(WRITER, Some("I write."), json!({ "system": "prompt:style", "user": "prompt:u" }));
    let case = Case { agent: Some(binding), ..Case::default() };
    check_slots(
        case,
        &[
            &[
                "- node (no candidate at this layer)",
                "+ agent-intrinsic prompt:agent-intrinsic.local.news.writer",
                "- workflow-defaults (no candidate at this layer)",
                "- host-defaults (no candidate at this layer)",
            ],
            &[
                "- node (no candidate at this layer)",
                "+ agent-overrides prompt:u",
                "- workflow-defaults (no candidate at this layer)",
                "- host-defaults (no candidate at this layer)",
            ],
        ],
    );
}

#[test]
fn layers_without_an_agent_say_which_way() {
    let unresolved = "- agent-overrides (agentId unresolved: 'local.news.nobody')";
    let cases = [
        (Case { unknown: Some(AgentId::new("local.news.nobody")), ..Case::default() }, unresolved),
        (Case::default(), "- agent-overrides (no agent bound)"),
        (
            Case { off: true, agent: Some(agent(WRITER, Some("x"), json!({}))), ..Case::default() },
            "- agent-overrides (this host does not bind agents)",
        ),
    ];
    for (case, expect) in cases {
        let case = Case { workflow: json!({ "user": "prompt:w" }), ..case };
        let resolutions = case.resolve();
        assert_eq!(lines(&resolutions[0].chain)[1], expect);
        assert_eq!(resolutions[0].agent_id, None);
        check_shape(&resolutions[0]);
    }
}

#[test]
fn the_agents_library_is_its_last_word() {
    let installed = || LibraryDefaults::Installed(refs(json!({ "user": "prompt:default-user" })));
    let case = |overrides, library| Case {
        agent: Some(with_library(agent(WRITER, None, overrides), "house", library)),
        workflow: json!({ "user": "prompt:w" }),
        ..Case::default()
    };
    let agent_line = |case: Case| lines(&case.resolve()[0].chain)[1].clone();
    let cases = [
        (case(json!({}), installed()), "+ agent-library-default prompt:default-user"),
        (case(json!({ "user": "prompt:own" }), installed()), "+ agent-overrides prompt:own"),
        (
            case(json!({}), LibraryDefaults::Installed(PromptRefs::default())),
            "- agent-library-default (no candidate at this layer)",
        ),
        (
            case(json!({}), LibraryDefaults::NotInstalled),
            "- agent-library-default (the agent's library is not installed)",
        ),
        (
            Case { agent: Some(agent(WRITER, None, json!({}))), ..case(json!({}), installed()) },
            "- agent-overrides (no candidate at this layer)",
        ),
    ];
    for (case, expect) in cases {
        assert_eq!(agent_line(case), expect);
    }
}

#[test]
fn every_few_shot_slot_has_a_chain_of_its_own() {
    let only = "one ref fills the first few-shot slot only";
    let second = [
        "+ node prompt:b".to_owned(),
        format!("- agent-overrides ({only})"),
        format!("- workflow-defaults ({only})"),
        format!("- host-defaults ({only})"),
    ];
    let case = Case {
        config: json!({ "fewShotPromptRefs": ["prompt:a", "prompt:b"] }),
        agent: Some(agent(WRITER, None, json!({ "few-shot": "prompt:c" }))),
        host: json!({ "few-shot": "prompt:d" }),
        ..Case::default()
    };
    let resolutions = case.resolve();
    let slots: Vec<_> = resolutions.iter().map(|one| (one.kind, one.slot)).collect();
    assert_eq!(slots, [(PromptKind::FewShot, 0), (PromptKind::FewShot, 1)]);
    check_slots(
        case,
        &[
            &[
                "+ node prompt:a",
                "- agent-overrides prompt:c (superseded by node-config layer)",
                "- workflow-defaults (no candidate at this layer)",
                "- host-defaults prompt:d (superseded by node-config layer)",
            ],
            &second.each_ref().map(String::as_str),
        ],
    );
    let case = Case { host: json!({ "few-shot": "prompt:d" }), ..Case::default() };
    assert_eq!(lines(&case.resolve()[0].chain)[3], "+ host-defaults prompt:d");
}

#[test]
fn an_inline_body_keeps_lower_layers_out_and_wins_nothing() {
    let case = || Case {
        config: json!({ "systemPrompt": "Be brief." }),
        agent: Some(agent(WRITER, Some("I write."), json!({}))),
        workflow: json!({ "system": "prompt:w" }),
        ..Case::default()
    };
    check(
        case(),
        [
            "- node (inline body)",
            "- agent-intrinsic prompt:agent-intrinsic.local.news.writer (superseded by inline body)",
            "- workflow-defaults prompt:w (superseded by inline body)",
            "- host-defaults (superseded by inline body)",
        ],
    );
    assert_eq!(case().resolve()[0].to_payload(&NodeId::new("n")).resolved, None);
    check_slots(
        Case { run: Some(json!({ "system": "prompt:run" })), ..case() },
        &[&[
            "+ run-configurable prompt:run",
            "- node (superseded by run-configurable layer)",
            "- agent-intrinsic prompt:agent-intrinsic.local.news.writer (superseded by run-configurable layer)",
            "- workflow-defaults prompt:w (superseded by run-configurable layer)",
            "- host-defaults (no candidate at this layer)",
        ]],
    );
}

#[test]
fn the_runs_own_layer_is_there_only_when_honoured() {
    let case =
        |run| Case { config: json!({ "userPromptRef": "prompt:node" }), run: Some(run), ..Case::default() };
    let rest =
        ["- workflow-defaults (no candidate at this layer)", "- host-defaults (no candidate at this layer)"];
    let agent = "- agent-overrides (no agent bound)";
    check_slots(
        case(json!({ "user": "prompt:run@1.0.0" })),
        &[&[
            "+ run-configurable prompt:run@1.0.0",
            "- node prompt:node (superseded by run-configurable layer)",
            agent,
            rest[0],
            rest[1],
        ]],
    );
    check_slots(
        case(json!({})),
        &[&[
            "- run-configurable (no candidate at this layer)",
            "+ node prompt:node",
            agent,
            rest[0],
            rest[1],
        ]],
    );
}

#[test]
fn only_kinds_of_interest_are_answered() {
    let kinds = |case: Case| case.resolve().iter().map(|one| one.kind).collect::<Vec<_>>();
    assert_eq!(kinds(Case::default()), []);
    assert_eq!(kinds(Case { agent: Some(agent(WRITER, None, json!({}))), ..Case::default() }), []);
    assert_eq!(kinds(Case { config: json!({ "userPrompt": "" }), ..Case::default() }), [PromptKind::User]);
    let all = json!({ "user": "prompt:u", "few-shot": "prompt:f", "schema-hint": "prompt:h", "system": "prompt:s" });
    let order = [PromptKind::System, PromptKind::SchemaHint, PromptKind::FewShot, PromptKind::User];
    assert_eq!(kinds(Case { workflow: all, ..Case::default() }), order);
    assert_eq!(
        kinds(Case { config: json!({ "additionalPromptRefs": ["prompt:a"] }), ..Case::default() }),
        []
    );
}

/// Checks whether the missing library of an agent with `own` prompts is told of.
#[track_caller]
fn check_library(own: (Option<&str>, Json), case: Case, is_told: bool) {
    let lost = with_library(agent(WRITER, own.0, own.1), "house", LibraryDefaults::NotInstalled);
    let told = Case { agent: Some(lost), ..case }.with(warnings);
    let codes: Vec<&str> = told.iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(codes, if is_told { vec!["agent_library_unresolvable"] } else { Vec::new() });
}

#[test]
fn a_missing_library_is_told_of_only_when_it_is_looked_in() {
    let nothing = || (None, json!({}));
    let written = || (Some("You write."), json!({}));
    let node = |config: Json| Case { config, ..Case::default() };
    check_library(nothing(), Case::default(), true);
    check_library(written(), Case::default(), false);
    check_library((None, json!({ "system": "prompt:s" })), Case::default(), false);
    check_library(nothing(), node(json!({ "systemPromptRef": "prompt:s" })), false);
    check_library(nothing(), node(json!({ "systemPrompt": "You write." })), false);
    check_library(nothing(), Case { run: Some(json!({ "system": "prompt:s" })), ..Case::default() }, false);
    check_library(written(), node(json!({ "userPromptRef": "prompt:u" })), false);
    check_library(written(), Case { workflow: json!({ "user": "prompt:u" }), ..Case::default() }, true);
    check_library(written(), Case { host: json!({ "few-shot": "prompt:f" }), ..Case::default() }, true);
    let overridden = (Some("You write."), json!({ "user": "prompt:o" }));
    check_library(overridden, Case { workflow: json!({ "user": "prompt:u" }), ..Case::default() }, false);
}

#[track_caller]
fn check_warnings(case: &Case, expect: &[&str]) {
    let found = case.with(warnings);
    let found: Vec<String> =
        found.iter().map(|one| format!("{}: {}", one.code.as_str(), one.message)).collect();
    assert_eq!(found, expect);
}

#[test]
fn each_warning_comes_once() {
    check_warnings(&Case::default(), &[]);
    let config = json!({
        "systemPrompt": "a", "systemPromptRef": "prompt:s", "userPrompt": "b", "userPromptRef": "prompt:u",
    });
    check_warnings(
        &Case { config, ..Case::default() },
        &[
            "prompt_ref_supersedes_inline: both a ref and an inline body are given (system, user): the ref is used",
        ],
    );
    check_warnings(
        &Case { unknown: Some(AgentId::new("local.a.b")), ..Case::default() },
        &["agent_binding_unresolvable: no agent is called 'local.a.b': the agent layer is skipped"],
    );
    let lost = with_library(agent(WRITER, None, json!({})), "house", LibraryDefaults::NotInstalled);
    check_warnings(
        &Case { agent: Some(lost), ..Case::default() },
        &["agent_library_unresolvable: the library 'house' of agent 'local.news.writer' is not installed"],
    );
    check_warnings(
        &Case { config: json!({ "userPrompt": "b", "systemPromptRef": "prompt:s" }), ..Case::default() },
        &[],
    );
    check_warnings(&Case { off: true, unknown: Some(AgentId::new("local.a.b")), ..Case::default() }, &[]);
}

fn candidates() -> impl Strategy<Value = Json> {
    const KINDS: [&str; 4] = ["system", "user", "few-shot", "schema-hint"];
    prop::collection::btree_map(prop::sample::select(&KINDS[..]), "prompt:[a-c]", 0..4)
        .prop_map(|map| json!(map))
}

fn configs() -> impl Strategy<Value = Json> {
    let reference = "prompt:[a-c]@1\\.0\\.0";
    let text = || prop::option::of("[a-z]{0,4}");
    let slots = prop::collection::vec(reference, 0..4);
    (prop::option::of(reference), prop::option::of(reference), slots, text(), text()).prop_map(
        |(system, user, few_shot, inline_system, inline_user)| {
            json!({
                "systemPromptRef": system, "userPromptRef": user, "fewShotPromptRefs": few_shot,
                "systemPrompt": inline_system, "userPrompt": inline_user,
            })
        },
    )
}

proptest! {
    #[test]
    fn every_chain_has_the_published_shape(
        config in configs(), overrides in candidates(), intrinsic in prop::option::of("[a-z]{0,9}"),
        workflow in candidates(), host in candidates(), run in prop::option::of(candidates()),
    ) {
        let agent = Some(agent(WRITER, intrinsic.as_deref(), overrides));
        let case = Case { config, agent, workflow, host, run, ..Case::default() };
        for resolution in case.resolve() {
            check_shape(&resolution);
            let first = resolution.chain.iter().find(|entry| entry.source.is_some());
            if !resolution.chain.iter().any(|entry| entry.reason.as_deref() == Some("inline body")) {
                prop_assert!(first.is_none_or(|entry| entry.applied));
            }
        }
    }
}
