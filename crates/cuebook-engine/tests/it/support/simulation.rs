//! A run without an executor: the test decides which effect is answered next, and how.
//!
//! Nothing in it waits or races, so a run is a function of its plan, its inputs and the choices.

use std::sync::Arc;

use cuebook_engine::{
    Attempt, Composed, ComposedPart, Decision, Effect, Input, ModelAnswer, Moment, Phase, Plan,
    PreparedFacts, RunState, Timer, decide, started_record,
};
use cuebook_log::Record;
use cuebook_prompt::{Pipeline, Prepared, PromptRequest, Scrubber, Secrets};
use cuebook_wire::{ErrorCode, NodeId, RunError, Timestamp};
use futures_util::FutureExt;
use serde_json::{Value, json};

use super::clock::at;
use super::host::TestHost;
use super::log::Log;

/// What the test does next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    /// Which open effect is answered, counted round.
    pub(crate) pick: usize,
    /// How a model call ends.
    pub(crate) outcome: Outcome,
    /// Whether the run is cancelled first.
    pub(crate) cancel: bool,
}

/// How a model call ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    /// With a text.
    Text,
    /// With a piece, and then a text.
    Streamed,
    /// With JSON.
    Json,
    /// With a failure that may pass.
    Hiccup,
    /// With a failure that stays.
    Refusal,
}

/// An effect that nobody has answered yet.
enum Open {
    Prepare(Attempt, Box<PromptRequest>),
    Call(Attempt),
    Ring(Timer, Timestamp),
}

/// A run that goes on choice by choice.
pub(crate) struct Simulation {
    state: RunState,
    records: Vec<Record>,
    open: Vec<Open>,
    scrubber: Scrubber,
    pipeline: Pipeline,
    now: Timestamp,
}

impl Simulation {
    /// Starts a run of `plan` on the parts of `host`.
    pub(crate) fn start(host: &TestHost, plan: Plan, inputs: &Value) -> Self {
        let facts = host.facts(&plan, inputs);
        let first = started_record(&facts, &plan, at(0));
        let state = RunState::begin(Arc::new(facts), Arc::new(plan), at(0));
        let mut simulation = Self {
            state,
            records: vec![first],
            open: Vec::new(),
            scrubber: Scrubber::new(),
            pipeline: host.pipeline(),
            now: at(0),
        };
        simulation.input(Input::Start);
        simulation
    }

    /// Goes on by the choices, over and over, until the run has ended.
    pub(crate) fn finish(mut self, choices: &[Choice]) -> Log {
        for choice in choices.iter().cycle().take(10_000) {
            if self.state.status.is_terminal() {
                break;
            }
            self.choose(*choice);
        }
        assert!(self.state.status.is_terminal(), "the run does not end: {:#?}", self.state.nodes);
        Log { records: self.records, state: self.state }
    }

    /// Answers one effect, or does what the choice says instead.
    pub(crate) fn choose(&mut self, choice: Choice) {
        if choice.cancel {
            self.input(Input::Cancel { reason: None, by: None });
            return;
        }
        let suspended = self.state.nodes.iter().position(|node| node.phase == Phase::Suspended);
        match suspended {
            Some(node) if self.open.is_empty() || choice.pick.is_multiple_of(2) => {
                let node = self.state.plan.nodes[node].id.clone();
                self.input(Input::Resolve { node, value: json!("go on"), by: None });
            }
            _ => self.answer(choice),
        }
    }

    fn answer(&mut self, choice: Choice) {
        assert!(!self.open.is_empty(), "nothing is under way: {:#?}", self.state.nodes);
        let open = self.open.remove(choice.pick % self.open.len());
        match open {
            Open::Prepare(attempt, request) => {
                let facts = self.prepare(&attempt.node, &request);
                self.input(Input::Prepared(attempt, Box::new(facts)));
            }
            Open::Call(attempt) => self.answer_call(attempt, choice.outcome),
            Open::Ring(timer, at) => {
                self.now = self.now.max(at);
                self.input(Input::Woken(timer));
            }
        }
    }

    fn answer_call(&mut self, attempt: Attempt, outcome: Outcome) {
        if matches!(outcome, Outcome::Streamed) {
            let chunk =
                |text: &str, is_last| Input::Chunk { attempt: attempt.clone(), text: text.into(), is_last };
            self.input(chunk("a piece", false));
            self.input(chunk("", true));
        }
        let answer = match outcome {
            Outcome::Text | Outcome::Streamed => Ok(answer("a piece")),
            Outcome::Json => Ok(answer("{\"n\": 1}")),
            Outcome::Hiccup => Err(failure(true)),
            Outcome::Refusal => Err(failure(false)),
        };
        self.input(Input::Answered(attempt, answer));
    }

    fn prepare(&mut self, node: &NodeId, request: &PromptRequest) -> PreparedFacts {
        let principal = self.state.facts.principal.clone();
        let prepared = self.pipeline.prepare(&principal, request, Secrets::Fetch);
        let Prepared { resolutions, warnings, pins, secrets, outcome } =
            prepared.now_or_never().expect("nothing in memory waits");
        for (id, secret) in &secrets {
            self.scrubber.learn(id, secret);
        }
        let observability = self.state.facts.observability;
        let composed = outcome.map(|composition| {
            let observed = composition?.observed;
            let payload = observed.to_payload(node, observability);
            let (hash, trust) = (observed.hash.clone(), observed.content_trust);
            Some(Composed { payload, part: ComposedPart { hash, trust, record: observed.to_record(pins) } })
        });
        PreparedFacts {
            is_again: false,
            resolutions: resolutions.iter().map(|resolution| resolution.to_payload(node)).collect(),
            warnings,
            outcome: composed.map_err(|errors| errors.to_run_error()),
        }
    }

    /// Has the run decide about an input; gives how many records came of it.
    pub(crate) fn input(&mut self, input: Input) -> usize {
        let moment = Moment { now: self.now, scrubber: &self.scrubber };
        let Decision { records, effects } = decide(&mut self.state, input, &moment);
        let count = records.len();
        self.records.extend(records);
        for effect in effects {
            match effect {
                Effect::Prepare { attempt, request, .. } => self.open.push(Open::Prepare(attempt, request)),
                Effect::Call { attempt, .. } => self.open.push(Open::Call(attempt)),
                Effect::Ring(timer, at) => self.open.push(Open::Ring(timer, at)),
                Effect::Abort(node) => self.open.retain(|open| !open.is_work_of(&node)),
            }
        }
        count
    }
}

impl Open {
    fn is_work_of(&self, node: &NodeId) -> bool {
        match self {
            Self::Prepare(attempt, _) | Self::Call(attempt) => attempt.node == *node,
            Self::Ring(..) => false,
        }
    }
}

fn answer(text: &str) -> ModelAnswer {
    ModelAnswer {
        text: text.to_owned(),
        provider: "test".to_owned(),
        model: "small".to_owned(),
        usage: None,
        finish: "stop",
    }
}

fn failure(retryable: bool) -> RunError {
    RunError { retryable: Some(retryable), ..RunError::new(ErrorCode::ProviderError, "the model failed") }
}
