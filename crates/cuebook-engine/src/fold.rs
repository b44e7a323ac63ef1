//! The fold: what each record makes of a run's state.
//!
//! Pure and total over readable logs. Records of types that the engine does not know change nothing but the sequence.

use std::sync::Arc;

use cuebook_log::Record;
use cuebook_prompt::{Trust, Value};
use cuebook_wire::payload::{
    EventPayload, LogAppended, LogLevel, NodeCancelled, NodeCompleted, NodeFailed, NodeResumed, NodeRetried,
    NodeSkipped, NodeStarted, NodeSuspended, RunCancelled, RunCompleted, RunFailed,
};
use cuebook_wire::{EventType, NodeId, RunEvent, RunStatus, Sequence};
use serde::de::DeserializeOwned;

use crate::agent_change::AgentChange;
use crate::facts::{ComposedPart, NodeEnd, NodeStart, RetryPlan, RunFacts};
use crate::plan::Plan;
use crate::state::{NodeState, Phase, RunState};

/// A record that this engine cannot read.
#[derive(Debug, thiserror::Error)]
#[error("record {sequence} ({event_type}) cannot be read: {reason}")]
pub struct FoldError {
    /// The record.
    pub sequence: Sequence,
    /// Its type.
    pub event_type: EventType,
    /// What is wrong with it.
    pub reason: String,
}

impl RunState {
    /// Reads the facts out of the first record of a run.
    ///
    /// # Errors
    ///
    /// When `record` is not a readable `run.started`.
    pub fn facts_of(record: &Record) -> Result<RunFacts, FoldError> {
        let is_first =
            record.event.event_type == EventType::RunStarted && record.event.sequence == Sequence(0);
        let facts = if is_first { private(record)? } else { None };
        facts.ok_or_else(|| fold_error(&record.event, "a log begins with run.started"))
    }

    /// Folds a whole log.
    ///
    /// # Errors
    ///
    /// As [`Self::facts_of`] and [`Self::fold`].
    pub fn of_log(records: &[Record], plan: Arc<Plan>) -> Result<Option<Self>, FoldError> {
        let Some((first, rest)) = records.split_first() else { return Ok(None) };
        let facts = Arc::new(Self::facts_of(first)?);
        let mut state = Self::begin(facts, plan, first.event.timestamp);
        rest.iter().try_for_each(|record| state.fold(record))?;
        Ok(Some(state))
    }

    /// Takes note of the next record; types that the engine does not know change nothing but the sequence.
    ///
    /// # Errors
    ///
    /// When a record of a known type does not have that type's shape.
    pub fn fold(&mut self, record: &Record) -> Result<(), FoldError> {
        let event = &record.event;
        match &event.event_type {
            EventType::NodeStarted => self.fold_started(record)?,
            EventType::PromptComposed | EventType::AgentPromptResolved => self.fold_composed(record)?,
            EventType::LogAppended => {
                self.fold_told(event);
                self.fold_agent_change(event);
                self.fold_composed(record)?;
            }
            EventType::NodeCompleted => self.fold_completed(record)?,
            EventType::NodeRetried => self.fold_retried(record)?,
            EventType::NodeFailed => self.fold_failed(event)?,
            EventType::NodeSkipped => {
                self.end_node(event, &payload::<NodeSkipped>(event)?.node_id, Phase::Skipped)?;
            }
            EventType::NodeCancelled => {
                self.end_node(event, &payload::<NodeCancelled>(event)?.node_id, Phase::Cancelled)?;
            }
            EventType::NodeSuspended => self.fold_suspended(event)?,
            EventType::NodeResumed => self.fold_resumed(event)?,
            EventType::RunCompleted => {
                self.status = RunStatus::Completed;
                self.outputs = payload::<RunCompleted>(event)?.outputs.unwrap_or_default();
            }
            EventType::RunFailed => {
                self.status = RunStatus::Failed;
                self.error = Some(payload::<RunFailed>(event)?.error);
            }
            EventType::RunCancelled => {
                payload::<RunCancelled>(event)?;
                self.status = RunStatus::Cancelled;
            }
            _ => {}
        }
        self.next = event.sequence.next();
        self.updated_at = event.timestamp;
        Ok(())
    }

    fn fold_started(&mut self, record: &Record) -> Result<(), FoldError> {
        let started: NodeStarted = payload(&record.event)?;
        let start: Option<NodeStart> = private(record)?;
        self.executions += 1;
        let node = self.node(&record.event, &started.node_id)?;
        node.phase = Phase::Running;
        node.attempt = started.attempt.unwrap_or(0);
        if node.attempt == 0 {
            node.told.clear();
        }
        node.started_at = Some(record.event.timestamp);
        node.agent = started.agent;
        if let Some(start) = start {
            node.inputs = start.inputs;
            node.wake_at = start.wake_at;
            node.deadline = start.deadline;
        }
        Ok(())
    }

    /// Takes note of a warning about a node, which is not told again while it is tried again.
    fn fold_told(&mut self, event: &RunEvent) {
        let Ok(LogAppended { level: LogLevel::Warn, message, code: Some(code), node_id: Some(id), .. }) =
            payload(event)
        else {
            return;
        };
        if let Ok(node) = self.node(event, &id) {
            node.told.push((code, message));
        }
    }

    /// Takes note of the prompt that an agent was told to have, so that it is not told again.
    fn fold_agent_change(&mut self, event: &RunEvent) {
        let change = payload(event).ok().as_ref().and_then(AgentChange::of_log);
        if let (Some(change), Some(known)) = (change, &mut self.agent_prompts) {
            change.note(known);
        }
    }

    /// Takes note of a composition; most of the records that could carry one do not.
    fn fold_composed(&mut self, record: &Record) -> Result<(), FoldError> {
        let part: Option<ComposedPart> = private(record)?;
        let (Some(part), Some(id)) = (part, record.event.node_id.clone()) else { return Ok(()) };
        self.pins.extend(part.record.pins.iter().cloned());
        for used in &part.record.secrets {
            if !self.secrets.contains(used) {
                self.secrets.push(used.clone());
            }
        }
        let node = self.node(&record.event, &id)?;
        node.compositions += 1;
        node.composed = Some(Arc::new(part));
        Ok(())
    }

    fn fold_completed(&mut self, record: &Record) -> Result<(), FoldError> {
        let completed: NodeCompleted = payload(&record.event)?;
        let end: NodeEnd = private(record)?.unwrap_or_default();
        let mut outputs = completed.outputs.unwrap_or_default();
        outputs.extend(end.masked);
        let trust = |port: &str| end.trust.get(port).copied().unwrap_or(Trust::Trusted);
        let values = outputs.into_iter().map(|(port, json)| {
            let trust = trust(&port);
            (port, Value::new(json, trust))
        });
        let node = self.node(&record.event, &completed.node_id)?;
        node.phase = Phase::Completed;
        node.error = None;
        node.outputs = values.collect();
        Ok(())
    }

    fn fold_retried(&mut self, record: &Record) -> Result<(), FoldError> {
        let retried: NodeRetried = payload(&record.event)?;
        let plan: Option<RetryPlan> = private(record)?;
        let node = self.node(&record.event, &retried.node_id)?;
        node.phase = Phase::Retrying;
        node.attempt = retried.attempt;
        node.error = retried.last_error;
        node.wake_at = plan.map(|plan| plan.wake_at);
        node.deadline = None;
        Ok(())
    }

    fn fold_failed(&mut self, event: &RunEvent) -> Result<(), FoldError> {
        let failed: NodeFailed = payload(event)?;
        let node = self.node(event, &failed.node_id)?;
        node.phase = Phase::Failed;
        node.error = Some(failed.error);
        Ok(())
    }

    fn fold_suspended(&mut self, event: &RunEvent) -> Result<(), FoldError> {
        let suspended: NodeSuspended = payload(event)?;
        let node = self.node(event, &suspended.node_id)?;
        node.phase = Phase::Suspended;
        node.interrupt = Some(suspended.interrupt_id);
        self.status = RunStatus::WaitingApproval;
        Ok(())
    }

    fn fold_resumed(&mut self, event: &RunEvent) -> Result<(), FoldError> {
        let resumed: NodeResumed = payload(event)?;
        let node = self.node(event, &resumed.node_id)?;
        node.phase = Phase::Running;
        node.interrupt = None;
        let waiting = self.nodes.iter().any(|node| node.phase == Phase::Suspended);
        self.status = if waiting { RunStatus::WaitingApproval } else { RunStatus::Running };
        Ok(())
    }

    fn end_node(&mut self, event: &RunEvent, id: &NodeId, phase: Phase) -> Result<(), FoldError> {
        self.node(event, id)?.phase = phase;
        Ok(())
    }

    fn node(&mut self, event: &RunEvent, id: &NodeId) -> Result<&mut NodeState, FoldError> {
        let index =
            self.plan.index(id).ok_or_else(|| fold_error(event, &format!("there is no node '{id}'")))?;
        Ok(&mut self.nodes[index])
    }
}

fn payload<P: EventPayload>(event: &RunEvent) -> Result<P, FoldError> {
    event.payload_as().map_err(|error| fold_error(event, &error.to_string()))
}

fn private<T: DeserializeOwned>(record: &Record) -> Result<Option<T>, FoldError> {
    record.private.read().map_err(|error| fold_error(&record.event, &error.to_string()))
}

fn fold_error(event: &RunEvent, reason: &str) -> FoldError {
    FoldError { sequence: event.sequence, event_type: event.event_type.clone(), reason: reason.to_owned() }
}
