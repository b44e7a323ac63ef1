//! Agents that speak for themselves: the mock agent's events, and the interrupt of a decision below its threshold.

use std::sync::Arc;

use cuebook_log::Private;
use cuebook_prompt::Values;
use cuebook_wire::payload::{
    AgentDecided, InterruptKind, InterruptRequested, InterruptResolved, NodeResumed, NodeSuspended,
};
use cuebook_wire::{AgentId, InterruptId, NodeId};
use serde_json::{Map, Value as Json, json};

use super::{Decider, private};
use crate::facts::AnswerPart;
use crate::mock_agent::{MockAgentConfig, MockToolCall};
use crate::node_type::NodeType;
use crate::state::Phase;

/// The confidence below which a decision is put to a person, unless the run says otherwise (RFC 0002 §F).
const DEFAULT_THRESHOLD: f64 = 0.7;

impl Decider<'_> {
    pub(super) fn run_mock_agent(&mut self, node: usize, config: &MockAgentConfig) {
        let id = self.id(node);
        let agent = self.mock_agent_id(node, config);
        if let Some((deltas, reasoned)) = config.reasoning(&agent) {
            for delta in deltas {
                self.emit(Some(node), &delta, Private::NONE);
            }
            self.emit(Some(node), &reasoned, Private::NONE);
        }
        for (at, call) in config.mock_tool_calls.iter().enumerate() {
            self.tool_call(node, &agent, &format!("call-{id}-{at}"), call);
        }
        if let Some(handoff) = config.handoff(&agent) {
            self.emit(Some(node), &handoff, Private::NONE);
        }
        match config.decision(&agent) {
            None => self.complete_node(node, &Values::new()),
            Some(decided) => self.decided(node, &decided),
        }
    }

    fn tool_call(&mut self, node: usize, agent: &AgentId, call_id: &str, call: &MockToolCall) {
        let (called, returned) = call.events(agent, call_id);
        let cause = self.emit(Some(node), &called, Private::NONE);
        self.emit_caused(Some(node), &returned, Private::NONE, Some(cause));
    }

    /// Emits a decision; below the threshold the node waits for a person to ratify it.
    fn decided(&mut self, node: usize, decided: &AgentDecided) {
        let cause = self.emit(Some(node), decided, Private::NONE);
        let threshold = self.threshold();
        match decided.confidence.filter(|confidence| *confidence < threshold) {
            None => self.complete_node(node, &Values::new()),
            Some(observed) => {
                let (suspended, requested) = self.interrupt(node, decided, threshold, observed);
                self.emit_caused(Some(node), &suspended, Private::NONE, Some(cause));
                self.emit(Some(node), &requested, Private::NONE);
            }
        }
    }

    fn threshold(&self) -> f64 {
        let configured =
            self.state.facts.configurable.as_ref().and_then(cuebook_wire::Configurable::threshold);
        configured.unwrap_or(DEFAULT_THRESHOLD)
    }

    /// The two events that put a decision to a person.
    fn interrupt(
        &self,
        node: usize,
        decided: &AgentDecided,
        threshold: f64,
        observed: f64,
    ) -> (NodeSuspended, InterruptRequested) {
        let key = format!("{}:{}:0", self.state.facts.run_id, self.id(node));
        let interrupt_id = InterruptId::new(format!("int-{}-{}", self.id(node), self.state.next.0));
        let suspended = NodeSuspended {
            node_id: self.id(node),
            interrupt_id,
            kind: None,
            key: Some(key.clone()),
            reason: Some("low-confidence".to_owned()),
            agent_id: Some(decided.agent_id.clone()),
            threshold: Some(threshold),
            observed: Some(observed),
        };
        let facts = [
            ("agentId", json!(decided.agent_id)),
            ("threshold", json!(threshold)),
            ("observed", json!(observed)),
            ("decision", decided.decision.clone()),
        ];
        let data: Map<String, Json> = facts.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let requested = InterruptRequested {
            kind: InterruptKind::LowConfidence,
            key,
            data,
            resume_schema: None,
            timeout_ms: None,
        };
        (suspended, requested)
    }

    /// A person's answer: the decision is ratified with it and the node goes on.
    pub(super) fn resolve_interrupt(&mut self, node_id: &NodeId, value: Json, by: Option<String>) {
        let Some(node) = self.state.plan.index(node_id) else { return };
        let waiting = Some(&self.state.nodes[node]).filter(|state| state.phase == Phase::Suspended);
        let Some(interrupt_id) = waiting.and_then(|state| state.interrupt.clone()) else { return };
        let resolved = InterruptResolved {
            node_id: node_id.clone(),
            interrupt_id: interrupt_id.clone(),
            kind: None,
            resume_value: Some(value.clone()),
        };
        let part = by.map_or(Private::NONE, |by| private(&AnswerPart { by }));
        let cause = self.emit(Some(node), &resolved, part);
        let resumed = NodeResumed {
            node_id: node_id.clone(),
            interrupt_id: Some(interrupt_id),
            resume_value: Some(value.clone()),
        };
        self.emit_caused(Some(node), &resumed, Private::NONE, Some(cause));
        self.ratify(node, value);
        self.complete_node(node, &Values::new());
    }

    /// Emits the decision that the person made of the agent's; it is theirs, so it carries no confidence.
    fn ratify(&mut self, node: usize, decision: Json) {
        let plan = Arc::clone(&self.state.plan);
        let NodeType::MockAgent(config) = &plan.nodes[node].node_type else { return };
        let agent_id = self.mock_agent_id(node, config);
        let ratified =
            AgentDecided { agent_id, decision, confidence: None, reasoning: None, causation_host_id: None };
        self.emit(Some(node), &ratified, Private::NONE);
    }

    fn mock_agent_id(&self, node: usize, config: &MockAgentConfig) -> AgentId {
        let pinned = self.state.plan.nodes[node].agent.as_ref().map(|agent| &agent.agent_id);
        config.agent(&self.state.plan.nodes[node].id, pinned)
    }
}
