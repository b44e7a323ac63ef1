//! A scenario's workflow as a plan, and the facts of its run.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context;
use cuebook_engine::{Plan, RunFacts, read_inputs};
use cuebook_prompt::{Pipeline, Principal, Trust};
use cuebook_wire::{Observability, RunId, Timestamp, strict};
use serde_json::{Map, Value as Json, json};

use crate::prompts::{AGENT, SECRET_ID};
use crate::scenario::{Ask, Edge, Kind, Node, Scenario};

/// What untrusted text begins with, wherever it goes.
pub(crate) const TAINT: &str = "TAINT";

/// The workflow of a scenario, compiled.
pub(crate) fn plan(scenario: &Scenario) -> anyhow::Result<Arc<Plan>> {
    let document = json!({
        "id": "conformance-simulated", "name": "Simulated", "version": "1.0.0", "triggers": [], "metadata": {},
        "nodes": scenario.nodes.iter().map(node).collect::<Vec<_>>(),
        "edges": scenario.edges.iter().map(|edge| edge_of(scenario, edge)).collect::<Vec<_>>(),
        "variables": [
            {"name": "n", "type": "number", "required": true},
            {"name": "topic", "type": "string", "required": true},
        ],
        "settings": {"maxRetries": scenario.max_retries, "timeout": scenario.timeout_ms},
    });
    let definition = strict::read(&document).map_err(|faults| anyhow::anyhow!("{faults:?}"))?;
    let compiled = Plan::compile(definition).map_err(|faults| anyhow::anyhow!("{faults:?}"))?;
    Ok(Arc::new(compiled.plan))
}

/// What the run of a scenario is fixed to.
pub(crate) fn facts(
    scenario: &Scenario,
    plan: &Plan,
    pipeline: &Pipeline,
    now: Timestamp,
) -> anyhow::Result<RunFacts> {
    let topic = json!({"value": format!("{TAINT} topic"), "meta": {"contentTrust": "untrusted"}});
    let given = Map::from_iter([("n".to_owned(), (scenario.seed % 8).into()), ("topic".to_owned(), topic)]);
    let inputs =
        read_inputs(&plan.definition, &given, Trust::Trusted).ok().context("inputs of a scenario")?;
    let levels = Observability::ALL;
    let level = usize::try_from(scenario.seed).unwrap_or(0) % levels.len();
    Ok(RunFacts {
        run_id: RunId::new(format!("run_{}", scenario.seed)),
        principal: Principal::local(),
        user: None,
        workflow_id: plan.definition.id.clone(),
        definition: plan.hash.clone(),
        variables: inputs.variables,
        configurable: None,
        tags: Vec::new(),
        metadata: Map::new(),
        now,
        observability: levels[level],
        max_node_executions: 100,
        max_events: max_events(scenario.seed),
        scope: None,
        agents: BTreeMap::new(),
        agent_prompts: Some(pipeline.intrinsic_hashes(&Principal::local(), plan.agents())),
    })
}

/// One run in five may not have as many events as it may need.
fn max_events(seed: u64) -> u64 {
    if seed % 5 == 3 { 2 + seed % 23 } else { u64::MAX }
}

fn node(node: &Node) -> Json {
    let id = node.id();
    let mut document = json!({
        "id": id, "typeId": "core.noop", "name": id, "position": {"x": 0, "y": 0}, "config": {}, "inputs": {},
    });
    match &node.kind {
        Kind::Noop => {}
        Kind::Untrusted => {
            document["typeId"] = "core.identity".into();
            let value = json!({"value": format!("{TAINT} of {id}"), "meta": {"contentTrust": "untrusted"}});
            document["inputs"] = json!({"text": {"type": "static", "value": value}});
        }
        Kind::Fail => document["typeId"] = "core.fail".into(),
        Kind::Delay(millis) => {
            document["typeId"] = "core.delay".into();
            document["inputs"] = json!({"delayMs": {"type": "static", "value": millis}});
        }
        Kind::Unsure => {
            document["typeId"] = "core.conformance.mock-agent".into();
            document["config"] = json!({"mockDecision": {"decision": "go", "confidence": 0.4}});
        }
        Kind::Ask(ask) => fill_ask(&mut document, &id, ask),
    }
    document
}

fn fill_ask(document: &mut Json, id: &str, ask: &Ask) {
    document["typeId"] = "core.ai.callPrompt".into();
    let template = if ask.secret { "prompt:with-secret" } else { "prompt:plain" };
    document["config"] = json!({"userPromptRef": template});
    document["inputs"] = json!({"id": {"type": "static", "value": format!("[{id}]")}});
    if ask.secret {
        document["inputs"]["key"] = json!({"type": "static", "value": SECRET_ID});
    }
    if ask.untrusted {
        document["inputs"]["topic"] = json!({"type": "variable", "variableName": "topic"});
    }
    if ask.agent {
        document["config"]["agentId"] = AGENT.into();
    }
    if ask.timeout_ms > 0 {
        document["settings"] = json!({"timeout": ask.timeout_ms});
    }
}

/// An edge; from a text to a model call it carries the text along.
fn edge_of(scenario: &Scenario, edge: &Edge) -> Json {
    let (from, to) = (format!("n{}", edge.from), format!("n{}", edge.to));
    let mut document = json!({
        "id": format!("{from}-{to}"), "sourceNodeId": from, "targetNodeId": to, "triggerRule": edge.rule,
    });
    if let Some(condition) = edge.condition {
        document["condition"] = json!({"expression": condition});
    }
    let kind = |number| scenario.nodes.iter().find(|node| node.number == number).map(|node| &node.kind);
    let gives_text = matches!(kind(edge.from), Some(Kind::Ask(_) | Kind::Untrusted));
    if gives_text && matches!(kind(edge.to), Some(Kind::Ask(_))) {
        document["sourceOutput"] = "text".into();
        document["targetInput"] = "seen".into();
    }
    document
}
