//! Scheduling: which nodes start, which never will, and when the run is over.

use std::sync::Arc;
use std::time::Duration;

use cuebook_log::Private;
use cuebook_prompt::{Value, Values};
use cuebook_wire::payload::{CapBreached, CapKind, NodeSkipped, NodeStarted};
use cuebook_wire::{AgentRef, ErrorCode, RunError, TriggerRule};
use serde_json::Value as Json;

use super::finish::too_deep;
use super::{Decider, private};
use crate::effect::{Effect, Timer};
use crate::facts::NodeStart;
use crate::inputs::port_values;
use crate::node_type::{MAX_DELAY_MS, NodeType};
use crate::plan::PlanNode;
use crate::state::Phase;
use crate::trigger::{EdgeVerdict, Join, join};
use crate::verdict::edge_verdict;

impl Decider<'_> {
    /// Looks at every node whose sources have news until there is nothing left to start or skip, then ends the run if
    /// nothing is under way.
    ///
    /// A run that goes on needs one more event at least; one that has had all it may have fails instead.
    pub(super) fn advance(&mut self) {
        while !self.state.status.is_terminal() {
            if self.state.next.0 >= self.state.facts.max_events {
                return self.fail_over_events();
            }
            match self.open.pop_front() {
                Some(node) if self.state.nodes[node].phase == Phase::Pending => self.look_at(node),
                Some(_) => {}
                None if self.state.active().next().is_none() => self.complete_run(),
                None => return,
            }
        }
    }

    fn fail_over_events(&mut self) {
        let limit = self.state.facts.max_events;
        let message = format!("the run may have {limit} events and would need more");
        self.fail_run(RunError::new(ErrorCode::EventLimitExceeded, message), None);
    }

    /// Has the nodes behind `node` looked at.
    pub(super) fn open_targets(&mut self, node: usize) {
        let plan = Arc::clone(&self.state.plan);
        self.open.extend(plan.nodes[node].outgoing.iter().map(|(target, _)| *target));
    }

    fn look_at(&mut self, node: usize) {
        let plan = Arc::clone(&self.state.plan);
        let mut edges: Vec<(TriggerRule, EdgeVerdict)> = Vec::new();
        for edge in &plan.nodes[node].incoming {
            match edge_verdict(self.state, edge) {
                Ok(verdict) => edges.push((edge.rule, verdict)),
                Err(error) => return self.fail_at_start(node, *error),
            }
        }
        match join(&edges) {
            Join::Wait => {}
            Join::Fire if plan.nodes[node].disabled => self.skip(node, "the node is disabled".to_owned()),
            Join::Fire => self.start_node(node),
            Join::Never(rule) => self.skip(node, format!("{rule} does not hold")),
        }
    }

    fn skip(&mut self, node: usize, reason: String) {
        let payload = NodeSkipped { node_id: self.id(node), reason: Some(reason) };
        self.emit(Some(node), &payload, Private::NONE);
        self.open_targets(node);
    }

    fn fail_at_start(&mut self, node: usize, error: RunError) {
        let attempt = self.state.nodes[node].attempt;
        if self.emit_started(node, attempt, &NodeStart::default()) {
            self.fail_node(node, error);
        }
    }

    pub(super) fn start_node(&mut self, node: usize) {
        let plan = Arc::clone(&self.state.plan);
        let inputs = match port_values(self.state, &plan.nodes[node]) {
            Ok(inputs) => inputs,
            Err(error) => return self.fail_at_start(node, *error),
        };
        if let Some(error) = too_deep(&inputs) {
            return self.fail_at_start(node, error);
        }
        let attempt = self.state.nodes[node].attempt;
        let after = |ms: u64| self.now.plus(Duration::from_millis(ms));
        let deadline = plan.nodes[node].timeout_ms.map(after);
        let wake_at = match &plan.nodes[node].node_type {
            NodeType::Delay => match delay_ms(inputs.get("delayMs").map(Value::json)) {
                Ok(ms) => Some(after(ms)),
                Err(error) => return self.fail_at_start(node, *error),
            },
            _ => None,
        };
        if !self.emit_started(node, attempt, &NodeStart { inputs, wake_at, deadline }) {
            return;
        }
        if let Some(deadline) = deadline {
            self.effect(Effect::Ring(Timer::Deadline(self.attempt(node)), deadline));
        }
        self.run_node(node, &plan.nodes[node].node_type);
    }

    fn run_node(&mut self, node: usize, node_type: &NodeType) {
        match node_type {
            NodeType::Noop => self.complete_node(node, &Values::new()),
            NodeType::Identity => {
                let outputs = self.state.nodes[node].inputs.clone();
                self.complete_node(node, &outputs);
            }
            NodeType::Delay => {
                let wake_at = self.state.nodes[node].wake_at.unwrap_or(self.now);
                self.effect(Effect::Ring(Timer::Wake(self.attempt(node)), wake_at));
            }
            NodeType::Fail(config) => {
                let code = config.code.clone().unwrap_or_else(|| ErrorCode::NodeFailed.as_str().to_owned());
                let message =
                    config.message.clone().unwrap_or_else(|| "the node was told to fail".to_owned());
                self.fail_node(node, RunError { code, message, details: None, retryable: None });
            }
            NodeType::Prompt(_) => self.start_prompt(node),
            NodeType::MockAgent(config) => self.run_mock_agent(node, config),
        }
    }

    /// Who a node runs as: the agent pinned to it, else the one whose prompts it uses.
    fn agent_of(&self, plan: &PlanNode) -> Option<AgentRef> {
        let bound = || plan.agent_id.as_ref().and_then(|id| self.state.facts.agents.get(id));
        plan.agent.as_ref().or_else(bound).cloned()
    }

    /// Emits `node.started`, unless the run has used up its node executions: then the run fails.
    fn emit_started(&mut self, node: usize, attempt: u32, start: &NodeStart) -> bool {
        let limit = self.state.facts.max_node_executions;
        let observed = self.state.executions + 1;
        let node_id = self.id(node);
        if observed > limit {
            let breached = CapBreached {
                kind: CapKind::NodeExecutions,
                limit: limit.into(),
                observed: observed.into(),
                node_id: Some(node_id.clone()),
            };
            self.emit(Some(node), &breached, Private::NONE);
            let message =
                format!("the run may execute {limit} nodes; '{node_id}' would have been number {observed}");
            self.fail_run(RunError::new(ErrorCode::RecursionLimitExceeded, message), Some(node));
            return false;
        }
        let plan = &self.state.plan.nodes[node];
        let payload = NodeStarted {
            node_id,
            type_id: plan.type_id.clone(),
            attempt: Some(attempt),
            agent: self.agent_of(plan),
        };
        self.emit(Some(node), &payload, private(start));
        true
    }
}

/// The milliseconds of a delay, cut to whole ones; none given is none waited.
fn delay_ms(value: Option<&Json>) -> Result<u64, Box<RunError>> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(0) };
    let delay = value.as_f64().and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok());
    let allowed = delay.filter(|delay| *delay <= Duration::from_millis(MAX_DELAY_MS));
    allowed.and_then(|delay| u64::try_from(delay.as_millis()).ok()).ok_or_else(|| {
        let message = format!("'delayMs' is a number of milliseconds from 0 to {MAX_DELAY_MS}");
        Box::new(RunError::new(ErrorCode::ValidationError, message))
    })
}
