//! Scheduling: which nodes start, which never will, and when the run is over.

use cuebook_expr::{Layered, Scope};
use cuebook_log::Private;
use cuebook_wire::payload::{CapBreached, CapKind, NodeSkipped, NodeStarted};
use cuebook_wire::{ErrorCode, RunError, TriggerRule};
use serde_json::Value as Json;

use super::{Decider, private};
use crate::effect::{Effect, Timer};
use crate::facts::NodeStart;
use crate::inputs::{plain, port_values, run_scope};
use crate::node_type::{MAX_DELAY_MS, NodeType};
use crate::plan::PlanEdge;
use crate::state::Phase;
use crate::trigger::{EdgeVerdict, Join, join};

impl Decider<'_> {
    /// Looks at every node whose sources have news until there is nothing left to start or skip, then ends the run if
    /// nothing is under way.
    pub(super) fn advance(&mut self) {
        while let Some(node) = self.open.pop_front() {
            if self.state.status.is_terminal() {
                return;
            }
            if self.state.nodes[node].phase == Phase::Pending {
                self.look_at(node);
            }
        }
        if !self.state.status.is_terminal() && self.state.active().next().is_none() {
            self.complete_run();
        }
    }

    /// Has the nodes behind `node` looked at.
    pub(super) fn open_targets(&mut self, node: usize) {
        let plan = std::sync::Arc::clone(&self.state.plan);
        self.open.extend(plan.nodes[node].outgoing.iter().map(|(target, _)| *target));
    }

    fn look_at(&mut self, node: usize) {
        let plan = std::sync::Arc::clone(&self.state.plan);
        let mut edges: Vec<(TriggerRule, EdgeVerdict)> = Vec::new();
        for edge in &plan.nodes[node].incoming {
            match self.edge_verdict(edge) {
                Ok(verdict) => edges.push((edge.rule, verdict)),
                Err(error) => return self.fail_at_start(node, error),
            }
        }
        match join(&edges) {
            Join::Wait => {}
            Join::Fire if plan.nodes[node].disabled => self.skip(node, "the node is disabled".to_owned()),
            Join::Fire => self.start_node(node),
            Join::Never(rule) => self.skip(node, format!("{rule} does not hold")),
        }
    }

    fn edge_verdict(&self, edge: &PlanEdge) -> Result<EdgeVerdict, RunError> {
        match self.state.nodes[edge.source].phase {
            Phase::Pending | Phase::Running | Phase::Retrying | Phase::Suspended => Ok(EdgeVerdict::Pending),
            Phase::Failed => Ok(EdgeVerdict::Failed),
            Phase::Skipped | Phase::Cancelled => Ok(EdgeVerdict::NotTaken),
            Phase::Completed => self.condition_verdict(edge),
        }
    }

    /// Tests the edge's condition over the source's outputs; they are also there as `output`, besides `status`,
    /// `variables` and `nodes`.
    fn condition_verdict(&self, edge: &PlanEdge) -> Result<EdgeVerdict, RunError> {
        let Some(condition) = &edge.condition else { return Ok(EdgeVerdict::Taken) };
        let source = &self.state.nodes[edge.source];
        let outputs = plain(&source.outputs);
        let mut run = run_scope(self.state);
        run.insert("output".to_owned(), Json::Object(outputs.clone()));
        run.insert("status".to_owned(), source.phase.as_str().into());
        let layers: [&dyn Scope; 2] = [&outputs, &run];
        let scope = Layered::new(&layers);
        match condition.holds(&scope) {
            Ok(true) => Ok(EdgeVerdict::Taken),
            Ok(false) => Ok(EdgeVerdict::NotTaken),
            Err(error) => {
                let message = format!(
                    "the condition of edge '{}' cannot be tested: {error}\n{}",
                    edge.id,
                    error.caret()
                );
                Err(RunError::new(ErrorCode::ValidationError, message))
            }
        }
    }

    fn skip(&mut self, node: usize, reason: String) {
        let payload = NodeSkipped { node_id: self.id(node), reason: Some(reason) };
        self.emit(Some(node), &payload, Private::NONE);
        self.open_targets(node);
    }

    fn fail_at_start(&mut self, node: usize, error: RunError) {
        if self.emit_started(node, 0, &NodeStart::default()) {
            self.fail_node(node, error);
        }
    }

    pub(super) fn start_node(&mut self, node: usize) {
        let plan = std::sync::Arc::clone(&self.state.plan);
        let inputs = match port_values(self.state, &plan.nodes[node]) {
            Ok(inputs) => inputs,
            Err(error) => return self.fail_at_start(node, error),
        };
        let attempt = self.state.nodes[node].attempt;
        let after = |ms: u64| self.now.plus(std::time::Duration::from_millis(ms));
        let deadline = plan.nodes[node].timeout_ms.map(after);
        let wake_at = match &plan.nodes[node].node_type {
            NodeType::Delay => match delay_ms(inputs.get("delayMs").map(cuebook_prompt::Value::json)) {
                Ok(ms) => Some(after(ms)),
                Err(error) => return self.fail_at_start(node, error),
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
            NodeType::Noop => self.complete_node(node, cuebook_prompt::Values::new()),
            NodeType::Identity => self.complete_node(node, self.state.nodes[node].inputs.clone()),
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
            NodeType::Prompt(prompt) => self.start_prompt(node, prompt),
            NodeType::MockAgent(config) => self.run_mock_agent(node, config),
        }
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
            agent: plan.agent.clone(),
        };
        self.emit(Some(node), &payload, private(start));
        true
    }
}

fn delay_ms(value: Option<&Json>) -> Result<u64, RunError> {
    let number = match value {
        None => Some(0.0),
        Some(value) => value.as_f64(),
    };
    match number.filter(|number| (0.0..=MAX_DELAY_MS as f64).contains(number)) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be 0 to 30 000"
        )]
        Some(number) => Ok(number as u64),
        None => {
            let message = format!("'delayMs' is a number of milliseconds from 0 to {MAX_DELAY_MS}");
            Err(RunError::new(ErrorCode::ValidationError, message))
        }
    }
}
