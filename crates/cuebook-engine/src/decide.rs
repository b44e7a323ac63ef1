//! The decision: what a run does about what happened.
//!
//! Deterministic: state, input and time in, records and effects out. The state is advanced by folding each record as it
//! is emitted, by the same fold that reads a log back, so that the live state is always the fold of the log. It
//! refuses I/O, clocks and randomness: ids are made from the run's id and sequence numbers.

mod agent;
mod finish;
mod prompt;
mod resume;
mod schedule;

use std::collections::VecDeque;

use cuebook_log::{Private, Record};
use cuebook_prompt::Scrubber;
use cuebook_wire::payload::{EventPayload, LogAppended, LogLevel, RunStarted, Transport, VersionPinned};
use cuebook_wire::{ErrorCode, EventId, NodeId, RunEvent, RunId, Sequence, Timestamp};
use serde::Serialize;
use serde_json::Value as Json;

use crate::effect::{Attempt, Effect, Input};
use crate::facts::RunFacts;
use crate::inputs::plain;
use crate::plan::Plan;
use crate::state::{Phase, RunState};

/// The version of each event's payload contract that this engine writes.
const SCHEMA_VERSION: u32 = 1;

/// What a decision gives: records to make durable, then effects to perform.
#[derive(Debug, Default)]
pub struct Decision {
    /// The records, numbered and stamped.
    pub records: Vec<Record>,
    /// The effects, to be performed once the records are durable.
    pub effects: Vec<Effect>,
}

/// The id of the event at `sequence` of a run.
pub fn event_id(run: &RunId, sequence: Sequence) -> EventId {
    let run = run.as_str();
    EventId::new(format!("evt_{}-{}", run.strip_prefix("run_").unwrap_or(run), sequence.0))
}

/// The first record of a run.
pub fn started_record(facts: &RunFacts, plan: &Plan, at: Timestamp) -> Record {
    let mut inputs = plain(&facts.variables);
    for variable in plan.definition.variables.iter().filter(|variable| variable.sensitive) {
        if let Some(value) = inputs.get_mut(&variable.name) {
            *value = Json::from(MASK);
        }
    }
    let payload = RunStarted {
        workflow_id: facts.workflow_id.clone(),
        inputs: Some(inputs),
        transport: Some(Transport::Rest),
        engine_version: Some(crate::ENGINE_VERSION.to_owned()),
        owner: None,
        tags: facts.tags.clone(),
        metadata: Some(facts.metadata.clone()).filter(|metadata| !metadata.is_empty()),
    };
    let stamp = Stamp { run: &facts.run_id, sequence: Sequence(0), at };
    stamp.record(None, &payload, private(facts), None)
}

/// What stands in place of a sensitive value.
pub(crate) const MASK: &str = "[MASKED]";

/// What a decision may look at besides the run.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    /// The present; one before the run's last record is taken as that record's, as a run's time never goes back.
    pub now: Timestamp,
    /// The secrets that no record may hold.
    pub scrubber: &'a Scrubber,
}

/// Decides about `input`, advancing `state`; an input to a run that has ended changes nothing.
pub fn decide(state: &mut RunState, input: Input, moment: &Moment<'_>) -> Decision {
    let now = moment.now.max(state.updated_at);
    let mut decider = Decider {
        state,
        now,
        scrubber: moment.scrubber,
        decision: Decision::default(),
        open: VecDeque::new(),
    };
    if !decider.state.status.is_terminal() {
        decider.input(input);
        decider.advance();
    }
    decider.decision
}

/// Where and when a record stands.
struct Stamp<'a> {
    run: &'a RunId,
    sequence: Sequence,
    at: Timestamp,
}

impl Stamp<'_> {
    fn record<P: EventPayload>(
        &self,
        node: Option<&NodeId>,
        payload: &P,
        private: Private,
        cause: Option<EventId>,
    ) -> Record {
        let event = RunEvent {
            event_id: event_id(self.run, self.sequence),
            run_id: self.run.clone(),
            node_id: node.cloned(),
            event_type: P::TYPE,
            payload: payload.to_value().unwrap_or_default(),
            timestamp: self.at,
            sequence: self.sequence,
            schema_version: Some(SCHEMA_VERSION),
            engine_version: Some(crate::ENGINE_VERSION.to_owned()),
            causation_id: cause,
        };
        Record { event, private }
    }
}

/// A private part; parts are plain structs with string keys, which always have a JSON form.
fn private(part: &impl Serialize) -> Private {
    Private::of(part).unwrap_or_default()
}

struct Decider<'s> {
    state: &'s mut RunState,
    now: Timestamp,
    scrubber: &'s Scrubber,
    decision: Decision,
    /// Nodes whose incoming edges have to be looked at.
    open: VecDeque<usize>,
}

impl Decider<'_> {
    fn input(&mut self, input: Input) {
        match input {
            Input::Start => self.start(),
            Input::Resume(agents) => self.resume(&agents),
            Input::Prepared(attempt, facts) => {
                self.with_attempt(&attempt, |this, node| this.prepared(node, *facts));
            }
            Input::Chunk { attempt, text, is_last } => {
                self.with_attempt(&attempt, |this, node| this.chunk(node, text, is_last));
            }
            Input::Answered(attempt, answer) => {
                self.with_attempt(&attempt, |this, node| this.answered(node, answer));
            }
            Input::Woken(timer) => self.woken(&timer),
            Input::Cancel { reason, by } => self.cancel(reason, by),
            Input::Resolve { node, value, by } => self.resolve_interrupt(&node, value, by),
        }
    }

    fn start(&mut self) {
        if self.state.plan.takes_prompts() {
            let pinned = VersionPinned {
                change_id: "cuebook.composer".to_owned(),
                version: cuebook_prompt::MARKERS_VERSION,
                node_id: None,
            };
            self.emit(None, &pinned, Private::NONE);
        }
        self.ring_run();
        self.open.extend(0..self.state.plan.nodes.len());
    }

    /// Acts on a node if the attempt that something belongs to is still under way.
    fn with_attempt(&mut self, attempt: &Attempt, act: impl FnOnce(&mut Self, usize)) {
        let node = self.state.plan.index(&attempt.node);
        let current = node.filter(|node| {
            let state = &self.state.nodes[*node];
            state.phase == Phase::Running && state.attempt == attempt.number
        });
        if let Some(node) = current {
            act(self, node);
        }
    }

    /// Emits a record and folds it into the state.
    fn emit<P: EventPayload>(&mut self, node: Option<usize>, payload: &P, private: Private) -> EventId {
        self.emit_caused(node, payload, private, None)
    }

    fn emit_caused<P: EventPayload>(
        &mut self,
        node: Option<usize>,
        payload: &P,
        private: Private,
        cause: Option<EventId>,
    ) -> EventId {
        let stamp = Stamp { run: &self.state.facts.run_id, sequence: self.state.next, at: self.now };
        let id = node.map(|node| &self.state.plan.nodes[node].id);
        let mut record = stamp.record(id, payload, private, cause);
        self.scrub(&mut record);
        let event_id = record.event.event_id.clone();
        let folded = self.state.fold(&record);
        debug_assert!(folded.is_ok(), "an emitted record cannot be folded: {folded:?}");
        self.decision.records.push(record);
        event_id
    }

    /// The one place through which every record passes before anybody sees it.
    fn scrub(&self, record: &mut Record) {
        self.scrubber.scrub_json(&mut record.event.payload);
        if let Some(private) = record.private.as_json_mut() {
            self.scrubber.scrub_json(private);
        }
    }

    fn warn(&mut self, node: Option<usize>, code: ErrorCode, message: String) {
        let payload = LogAppended {
            level: LogLevel::Warn,
            message,
            code: Some(code.as_str().to_owned()),
            node_id: node.map(|node| self.state.plan.nodes[node].id.clone()),
            fields: None,
        };
        self.emit(node, &payload, Private::NONE);
    }

    fn effect(&mut self, effect: Effect) {
        self.decision.effects.push(effect);
    }

    fn id(&self, node: usize) -> NodeId {
        self.state.plan.nodes[node].id.clone()
    }

    fn attempt(&self, node: usize) -> Attempt {
        Attempt { node: self.id(node), number: self.state.nodes[node].attempt }
    }

    /// The milliseconds since the current attempt of a node started.
    fn node_duration(&self, node: usize) -> u64 {
        self.state.nodes[node].started_at.map_or(0, |started| self.now.millis_since(started))
    }

    fn run_duration(&self) -> u64 {
        self.now.millis_since(self.state.started_at)
    }
}
