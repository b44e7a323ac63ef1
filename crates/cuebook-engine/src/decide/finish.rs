//! Endings: of nodes, of attempts, and of the run.

use std::collections::BTreeMap;
use std::time::Duration;

use cuebook_log::Private;
use cuebook_prompt::{Trust, Values};
use cuebook_wire::depth::is_within;
use cuebook_wire::payload::{
    CapBreached, CapKind, NodeCancelled, NodeCompleted, NodeFailed, NodeRetried, RunCancelled, RunCompleted,
    RunFailed,
};
use cuebook_wire::workflow::OutputRole;
use cuebook_wire::{ErrorCode, NodeId, RunError};
use serde_json::{Map, Value as Json};

use super::{Decider, MASK, private};
use crate::effect::{Effect, Timer};
use crate::facts::{NodeEnd, RetryPlan};
use crate::inputs::plain;
use crate::node_type::NodeType;
use crate::state::Phase;

/// The pause before the first repetition of an attempt; it doubles with each one.
const RETRY_BASE_MS: u64 = 500;

/// The most levels of a value of a run: what records and prompts put around it stays within those of a log.
const MAX_LEVELS: usize = 64;

/// The failure of a node one of whose values is nested too deep, if there is one.
pub(super) fn too_deep(values: &Values) -> Option<RunError> {
    let (port, _) = values.iter().find(|(_, value)| !is_within(value.json(), MAX_LEVELS))?;
    let message = format!("the value at port '{port}' is nested deeper than {MAX_LEVELS} levels");
    Some(RunError { retryable: Some(false), ..RunError::new(ErrorCode::NodeFailed, message) })
}

impl Decider<'_> {
    pub(super) fn complete_node(&mut self, node: usize, outputs: &Values) {
        if let Some(error) = too_deep(outputs) {
            return self.fail_node(node, error);
        }
        let mut shown = plain(outputs);
        let masked = self.mask(node, &mut shown);
        let trust: BTreeMap<String, Trust> = outputs
            .iter()
            .filter(|(_, value)| value.trust() == Trust::Untrusted)
            .map(|(port, value)| (port.clone(), value.trust()))
            .collect();
        let payload = NodeCompleted {
            node_id: self.id(node),
            outputs: Some(shown),
            duration_ms: Some(self.node_duration(node)),
            agent: self.state.nodes[node].agent.clone(),
        };
        let end = NodeEnd { trust, masked };
        let part = if end == NodeEnd::default() { Private::NONE } else { private(&end) };
        self.emit(Some(node), &payload, part);
        self.open_targets(node);
    }

    /// Masks the outputs that the node declares sensitive; gives what they were.
    fn mask(&self, node: usize, shown: &mut Map<String, Json>) -> Map<String, Json> {
        let sensitivity = &self.state.plan.definition.nodes[node].output_sensitivity;
        let sensitive = shown.iter_mut().filter(|(port, _)| sensitivity.get(*port) == Some(&true));
        sensitive.map(|(port, value)| (port.clone(), std::mem::replace(value, Json::from(MASK)))).collect()
    }

    /// Ends an attempt with an error: another attempt if it may help and is allowed, else the node has failed.
    pub(super) fn end_attempt(&mut self, node: usize, error: RunError) {
        let attempt = self.state.nodes[node].attempt;
        if error.retryable == Some(true) && attempt < self.state.plan.nodes[node].max_retries {
            self.retry(node, attempt + 1, error);
        } else {
            self.fail_node(node, error);
        }
    }

    fn retry(&mut self, node: usize, attempt: u32, error: RunError) {
        let delay_ms = RETRY_BASE_MS << (attempt - 1).min(6);
        let wake_at = self.now.plus(Duration::from_millis(delay_ms));
        let payload = NodeRetried {
            node_id: self.id(node),
            attempt,
            delay_ms: Some(delay_ms),
            last_error: Some(error),
        };
        self.emit(Some(node), &payload, private(&RetryPlan { wake_at }));
        self.effect(Effect::Ring(Timer::Wake(self.attempt(node)), wake_at));
    }

    pub(super) fn fail_node(&mut self, node: usize, error: RunError) {
        let attempts = self.state.nodes[node].attempt + 1;
        let payload = NodeFailed { node_id: self.id(node), error: error.clone(), attempts: Some(attempts) };
        self.emit(Some(node), &payload, Private::NONE);
        if self.state.plan.handles_failure(node) {
            self.open_targets(node);
        } else {
            self.fail_run(error, Some(node));
        }
    }

    pub(super) fn woken(&mut self, timer: &Timer) {
        match timer {
            Timer::Run => self.time_out_run(),
            Timer::Wake(attempt) => {
                let Some(node) = self.state.plan.index(&attempt.node) else { return };
                let state = &self.state.nodes[node];
                match (state.phase, &self.state.plan.nodes[node].node_type) {
                    _ if state.attempt != attempt.number => {}
                    (Phase::Retrying, _) => self.start_node(node),
                    (Phase::Running, NodeType::Delay) => self.complete_node(node, &Values::new()),
                    _ => {}
                }
            }
            Timer::Deadline(attempt) => self.with_attempt(attempt, |this, node| {
                let limit = this.state.plan.nodes[node].timeout_ms.unwrap_or_default();
                this.effect(Effect::Abort(this.id(node)));
                let message = format!("the attempt took longer than {limit} ms");
                let error =
                    RunError { retryable: Some(true), ..RunError::new(ErrorCode::NodeTimeout, message) };
                this.end_attempt(node, error);
            }),
        }
    }

    fn time_out_run(&mut self) {
        let limit = self.state.plan.definition.settings.timeout.unwrap_or_default();
        let breached = CapBreached {
            kind: CapKind::RunDuration,
            limit: limit.into(),
            observed: self.run_duration().max(limit).into(),
            node_id: None,
        };
        self.emit(None, &breached, Private::NONE);
        self.fail_run(
            RunError::new(ErrorCode::RunTimeout, format!("the run took longer than {limit} ms")),
            None,
        );
    }

    pub(super) fn fail_run(&mut self, error: RunError, node: Option<usize>) {
        self.cancel_active("the run failed");
        let payload = RunFailed {
            error,
            failed_node_id: node.map(|node| self.id(node)),
            duration_ms: Some(self.run_duration()),
        };
        self.emit(None, &payload, Private::NONE);
    }

    pub(super) fn cancel(&mut self, reason: Option<String>, by: Option<String>) {
        self.cancel_active("the run was cancelled");
        let payload = RunCancelled {
            reason,
            cancelled_by: by,
            duration_ms: Some(self.run_duration()),
            parent_run_id: None,
        };
        self.emit(None, &payload, Private::NONE);
    }

    fn cancel_active(&mut self, reason: &str) {
        let active: Vec<usize> = self.state.active().collect();
        for node in active {
            let payload = NodeCancelled { node_id: self.id(node), reason: Some(reason.to_owned()) };
            self.emit(Some(node), &payload, Private::NONE);
            self.effect(Effect::Abort(payload.node_id));
        }
    }

    pub(super) fn complete_run(&mut self) {
        let outputs = self.run_outputs();
        let payload = RunCompleted { outputs: Some(outputs), duration_ms: Some(self.run_duration()) };
        self.emit(None, &payload, Private::NONE);
    }

    /// The outputs of the primary nodes, or else of those that no edge leads on from: of one node as they are, of
    /// several under the nodes' ids.
    fn run_outputs(&self) -> Map<String, Json> {
        let role = |node: usize| self.state.plan.definition.nodes[node].output_role;
        let completed = |node: &usize| self.state.nodes[*node].phase == Phase::Completed;
        let all = 0..self.state.nodes.len();
        let primary: Vec<usize> =
            all.clone().filter(|node| role(*node) == Some(OutputRole::Primary)).filter(completed).collect();
        let last = || {
            all.filter(|node| self.state.plan.nodes[*node].outgoing.is_empty()).filter(completed).collect()
        };
        let nodes: Vec<usize> = if primary.is_empty() { last() } else { primary };
        match nodes.as_slice() {
            [node] => self.shown_outputs(*node),
            nodes => nodes
                .iter()
                .map(|node| (self.id_text(*node), Json::Object(self.shown_outputs(*node))))
                .collect(),
        }
    }

    fn shown_outputs(&self, node: usize) -> Map<String, Json> {
        let mut shown = plain(&self.state.nodes[node].outputs);
        self.mask(node, &mut shown);
        shown
    }

    fn id_text(&self, node: usize) -> String {
        NodeId::to_string(&self.state.plan.nodes[node].id)
    }
}
