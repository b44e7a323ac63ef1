//! One life of a simulated process: it takes the run up, lets things happen, and dies or sees the run's end.

use std::collections::VecDeque;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, PoisonError};

use cuebook_engine::{
    Engine, EngineError, Phase, Plan, Residence, Rest, RunFacts, RunHandle, RunSignals, RunState, SignalBody,
    StoredRun, offer,
};
use cuebook_log::{Due, LogError, Offered, RunKey, RunStore, Sweep};
use cuebook_prompt::Principal;
use cuebook_wire::{NodeId, Sequence, Timestamp};
use serde_json::json;

use crate::models::SimModels;
use crate::scenario::Fault;
use crate::store::FaultyStore;
use crate::world::World;

/// How long a host leaves a store alone that has failed, in milliseconds.
const PAUSE_MS: u64 = 2_000;
/// More than any run needs.
const MAX_STEPS: usize = 20_000;

/// How a life ended.
#[derive(Debug)]
pub(crate) enum End {
    /// The process died.
    Crashed,
    /// The run ended.
    Ended(Box<RunState>),
    /// The run never came to be: its beginning was not durable, and nobody was told that it is.
    Unborn,
    /// Something is wrong, and has been noted.
    Broken,
}

/// What happens at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    Fault(Fault),
    SecretsBack,
    TakeUp,
}

/// What is still to happen, in order, over all lives.
pub(crate) type Events = VecDeque<(u64, Event)>;

type Rests = Arc<Mutex<VecDeque<Result<Rest, EngineError>>>>;

/// A process.
pub(crate) struct Life<'e> {
    world: Arc<World>,
    plan: Arc<Plan>,
    facts: RunFacts,
    /// The store as the outside sees it.
    store: Arc<dyn RunStore>,
    /// The number of the next engine.
    lives: &'e mut u32,
    events: &'e mut Events,
    resident: Option<RunSignals>,
    rests: Rests,
    is_over: bool,
}

impl<'e> Life<'e> {
    pub(crate) fn new(
        world: &Arc<World>,
        plan: &Arc<Plan>,
        facts: &RunFacts,
        store: Arc<dyn RunStore>,
        lives: &'e mut u32,
        events: &'e mut Events,
    ) -> Self {
        Self {
            world: Arc::clone(world),
            plan: Arc::clone(plan),
            facts: facts.clone(),
            store,
            lives,
            events,
            resident: None,
            rests: Rests::default(),
            is_over: false,
        }
    }

    /// Lives until the process dies or the run has ended.
    pub(crate) async fn live(mut self) -> End {
        let begun = if *self.lives == 0 { self.start().await } else { self.take_up().await };
        if let Some(end) = begun {
            return end;
        }
        for _ in 0..MAX_STEPS {
            self.world.idle.wait().await;
            if self.world.is_crashed() {
                return End::Crashed;
            }
            let rest = self.rests.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let end = match rest {
                Some(rest) => self.see_rest(rest).await,
                None => self.go_on().await,
            };
            if let Some(end) = end {
                return end;
            }
        }
        self.world.violated("the run does not end");
        End::Broken
    }

    fn engine(&mut self) -> Engine {
        let models = SimModels {
            world: Arc::clone(&self.world),
            store: Arc::clone(&self.store),
            plan: Arc::clone(&self.plan),
            run_id: self.facts.run_id.clone(),
            life: *self.lives,
        };
        *self.lives += 1;
        let every = NonZeroU64::new(self.world.scenario.checkpoint_every).unwrap_or(NonZeroU64::MIN);
        Engine {
            store: Arc::new(self.faulty()),
            pipeline: Arc::new(self.world.prompts.pipeline()),
            models: Arc::new(models),
            clock: Arc::clone(&self.world.time) as _,
            checkpoint_every: every,
        }
    }

    fn faulty(&self) -> FaultyStore {
        FaultyStore { inner: Arc::clone(&self.store), world: Arc::clone(&self.world) }
    }

    /// Begins the run in a task, as the process may die in it.
    async fn start(&mut self) -> Option<End> {
        let (engine, facts, plan) = (self.engine(), self.facts.clone(), Arc::clone(&self.plan));
        let task = tokio::spawn(async move { engine.start(facts, plan, Residence::WhileBusy).await });
        self.world.idle.wait().await;
        if !task.is_finished() {
            return Some(End::Crashed);
        }
        match task.await {
            Ok(Ok(handle)) => self.follow(handle),
            Ok(Err(EngineError::Log(LogError::Storage(_)))) => return Some(End::Unborn),
            other => return Some(self.break_down(&format!("the run cannot be started: {:?}", other.err()))),
        }
        None
    }

    /// Removes all that nobody needs, as a host may at any time; whether the run is as it was.
    async fn is_spared_by_cleaning(&self) -> bool {
        let (principal, run_id) = (&self.facts.principal, &self.facts.run_id);
        let before = self.store.read(principal, run_id, Sequence(0), usize::MAX).await;
        let run = RunKey { tenant: principal.tenant.clone(), run_id: run_id.clone() };
        let far = Timestamp::from_millis(i64::MAX);
        let sweep = Sweep { removed_by: far, claimed_by: far, limit: usize::MAX };
        let entry = self.store.entry(principal, run_id).await;
        let has_ended = entry.is_ok_and(|entry| entry.status.is_terminal());
        let is_removed = !has_ended && self.store.remove_run(&run).await != Ok(None);
        let is_swept = self.store.sweep(&sweep).await.is_ok();
        let has_definition = match self.store.get(principal, &self.facts.definition).await {
            Ok(text) => text.is_some() || before.as_ref().map_or(true, Vec::is_empty),
            Err(_) => false,
        };
        let after = self.store.read(principal, run_id, Sequence(0), usize::MAX).await;
        !is_removed && is_swept && has_definition && before == after
    }

    /// Takes the run over and up.
    async fn take_up(&mut self) -> Option<End> {
        if !self.is_spared_by_cleaning().await {
            return Some(self.break_down("cleaning up has taken what the run needs"));
        }
        if !self.is_stored_as_folded().await {
            return Some(self.break_down("what a checkpoint gives is not what the log gives"));
        }
        let engine = self.engine();
        let claim = match engine.claim(&self.facts.principal, &self.facts.run_id).await {
            Ok(claim) => claim,
            Err(EngineError::Log(LogError::UnknownRun(_))) if self.world.acknowledged().is_empty() => {
                return Some(End::Unborn);
            }
            Err(error) => return Some(self.break_down(&format!("the run cannot be claimed: {error}"))),
        };
        match engine.resume(claim, Arc::clone(&self.plan), Residence::WhileBusy) {
            Ok(handle) => self.follow(handle),
            Err(error) => return Some(self.break_down(&format!("the run cannot be taken up: {error}"))),
        }
        None
    }

    fn break_down(&self, what: &str) -> End {
        self.world.violated(what);
        End::Broken
    }

    /// Whether reading from the last checkpoint comes to the same as folding the whole log.
    async fn is_stored_as_folded(&self) -> bool {
        let (principal, run_id) = (&self.facts.principal, &self.facts.run_id);
        let Ok(stored) = StoredRun::read(&*self.store, principal, run_id).await else { return true };
        let records = self.store.read(principal, run_id, Sequence(0), usize::MAX).await.unwrap_or_default();
        let folded = RunState::of_log(&records, Arc::clone(&self.plan)).ok().flatten();
        let stored = stored.fold(Arc::clone(&self.plan)).ok();
        folded.map(|state| state.checkpoint()) == stored.map(|state| state.checkpoint())
    }

    fn follow(&mut self, handle: RunHandle) {
        self.resident = Some(handle.signals().clone());
        let rests = Arc::clone(&self.rests);
        tokio::spawn(async move {
            let rest = handle.rest().await;
            rests.lock().unwrap_or_else(PoisonError::into_inner).push_back(rest);
        });
    }

    /// Looks at a task of the run that has ended.
    async fn see_rest(&mut self, rest: Result<Rest, EngineError>) -> Option<End> {
        match rest {
            Ok(Rest::Ended(state)) if self.is_over => return Some(End::Ended(state)),
            Ok(Rest::Ended(_)) => {
                // Once more, with a signal that comes too late: nothing may change.
                self.is_over = true;
                self.signal("late", &SignalBody::Cancel { reason: None, by: None }).await;
                return self.take_up().await;
            }
            Ok(Rest::Parked) => self.park().await,
            Err(EngineError::Log(LogError::StaleWriter { .. })) => {}
            Err(EngineError::Log(LogError::Storage(_))) => {
                self.resident = None;
                self.schedule(self.world.time.passed() + PAUSE_MS, Event::TakeUp);
            }
            Err(error) => return Some(self.break_down(&format!("a task of the run failed: {error}"))),
        }
        None
    }

    /// Notes when a parked run is due, as the keeper of a host does.
    async fn park(&mut self) {
        self.resident = None;
        let unfinished = self.store.unfinished(None, 10).await.unwrap_or_default();
        let Some(run) = unfinished.first() else {
            return self.world.violated("a parked run is not on the agenda");
        };
        let now = self.world.time.passed();
        match run.due {
            _ if run.is_signalled => self.schedule(now, Event::TakeUp),
            Due::Now => self.world.violated("a run was parked that is due now"),
            Due::At(at) => {
                let wait = at.millis_since(cuebook_engine::Clock::now(&*self.world.time));
                self.schedule(now + wait, Event::TakeUp);
            }
            Due::OnSignal => {}
        }
    }

    fn schedule(&mut self, at: u64, event: Event) {
        let place = self.events.iter().position(|(other, _)| *other > at).unwrap_or(self.events.len());
        self.events.insert(place, (at, event));
    }

    /// Lets the next thing happen; when there is none, people answer what they were asked.
    async fn go_on(&mut self) -> Option<End> {
        let event = self.events.front().map(|(at, _)| *at);
        match (event, self.world.time.next()) {
            (Some(at), sleeper) if sleeper.is_none_or(|sleeper| at <= sleeper) => {
                self.world.time.pass_to(at);
                match self.events.pop_front() {
                    Some((_, event)) => self.happen(event).await,
                    None => None,
                }
            }
            (_, Some(sleeper)) => {
                self.world.time.pass_to(sleeper);
                None
            }
            (_, None) if self.answer_people().await => None,
            (_, None) => Some(self.break_down("the run is stuck")),
        }
    }

    async fn happen(&mut self, event: Event) -> Option<End> {
        let world = Arc::clone(&self.world);
        match event {
            Event::TakeUp | Event::Fault(Fault::SecondLife { .. }) => {
                let is_in_vain = self.resident.is_some() && matches!(event, Event::TakeUp);
                return if is_in_vain { None } else { self.take_up().await };
            }
            Event::SecretsBack => world.prompts.put_secrets_away(false),
            Event::Fault(Fault::Crash { .. }) => world.crash(),
            Event::Fault(Fault::Clock { by, .. }) => world.time.jump(by),
            Event::Fault(Fault::Edit { .. }) => world.prompts.edit(),
            Event::Fault(Fault::SecretsGone { at, during }) => {
                world.prompts.put_secrets_away(true);
                self.schedule(at + during, Event::SecretsBack);
            }
            Event::Fault(Fault::Cancel { .. }) => {
                self.signal("cancel", &SignalBody::Cancel { reason: None, by: None }).await;
            }
            Event::Fault(Fault::Answer { .. }) => drop(self.answer_people().await),
            Event::Fault(_) => {}
        }
        None
    }

    /// Answers every node that asks, each twice; whether there was any.
    async fn answer_people(&mut self) -> bool {
        let (principal, run_id) = (&self.facts.principal, &self.facts.run_id);
        let records = self.store.read(principal, run_id, Sequence(0), usize::MAX).await.unwrap_or_default();
        let Ok(Some(state)) = RunState::of_log(&records, Arc::clone(&self.plan)) else { return false };
        let asking: Vec<NodeId> = self
            .plan
            .nodes
            .iter()
            .zip(&state.nodes)
            .filter(|(_, node)| node.phase == Phase::Suspended)
            .map(|(plan, _)| plan.id.clone())
            .collect();
        for node in &asking {
            let body = SignalBody::Resolve { node: node.clone(), value: json!("go on"), by: None };
            let key = format!("resolve:{node}");
            self.signal(&key, &body).await;
            if self.signal(&key, &body).await == Some(Offered::Accepted) {
                self.world.violated("a repeated signal was accepted");
            }
        }
        !asking.is_empty()
    }

    /// Offers a signal and sees that somebody looks, as a host does.
    async fn signal(&mut self, key: &str, body: &SignalBody) -> Option<Offered> {
        let (principal, run_id): (&Principal, _) = (&self.facts.principal, &self.facts.run_id);
        let offered = offer(&*self.store, principal, run_id, key, body).await.ok();
        match &self.resident {
            Some(signals) => signals.poke(),
            None => self.schedule(self.world.time.passed(), Event::TakeUp),
        }
        offered
    }
}
