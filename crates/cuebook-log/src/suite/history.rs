//! Random histories: whatever is asked in whatever order, a store answers as the model does.
//!
//! Few tenants, runs, keys and texts, so that operations meet. The strategies are for `proptest`, which shrinks a
//! history to the few operations that matter.

use std::collections::BTreeMap;
use std::ops::Range;

use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::{EventType, RunId, Sequence, Timestamp};
use proptest::prelude::*;
use tokio::sync::watch;

use super::Fixture;
use super::model::{Model, ModelRun};
use super::support::{Store, entry, record, signal, tenant, woken};
use crate::agenda::{Due, RunKey};
use crate::ports::{Append, LogError, Offered, Open};

/// A run of one of a few tenants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    pub(super) tenant: u8,
    id: u8,
}

impl Run {
    fn principal(self) -> Principal {
        tenant(&format!("tenant {}", self.tenant))
    }

    fn id(self) -> RunId {
        RunId::new(format!("run {}", self.id))
    }
}

/// How a batch is made, seen from what would be right at that moment.
#[derive(Clone, Debug)]
pub struct Shape {
    count: u64,
    ahead: i8,
    gap_before: Option<u64>,
    terminal_at: Option<u64>,
    epochs_back: u64,
    consumed: Vec<u8>,
    started: i64,
}

/// One thing that is asked of a store.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Opens a run as new, or takes it over.
    Open(Run, bool),
    /// Appends a batch.
    Append(Run, Shape),
    /// Offers a signal.
    Offer(Run, u8),
    /// Reads a page.
    Read(Run, u64, usize),
    /// Lists the runs of a tenant.
    List(u8, usize),
    /// Stores a text for a tenant.
    Put(u8, u8),
    /// Looks a text up.
    Get(u8, u8),
    /// Removes a run, which goes if it has ended.
    Remove(Run),
}

fn runs() -> impl Strategy<Value = Run> {
    (0..2_u8, 0..3_u8).prop_map(|(tenant, id)| Run { tenant, id })
}

fn one_in_five(values: Range<u64>) -> impl Strategy<Value = Option<u64>> {
    prop_oneof![4 => Just(None), 1 => values.prop_map(Some)]
}

fn shapes() -> impl Strategy<Value = Shape> {
    let ahead = prop_oneof![8 => Just(0_i8), 1 => -2..3_i8];
    let epochs_back = prop_oneof![8 => Just(0_u64), 1 => 0..3_u64];
    let consumed = prop::collection::vec(0..5_u8, 0..3);
    let numbers = (0..5_u64, ahead, one_in_five(1..4), one_in_five(0..9));
    (numbers, epochs_back, consumed, 0..4_i64).prop_map(|(numbers, epochs_back, consumed, started)| {
        let (count, ahead, gap_before, terminal_at) = numbers;
        Shape { count, ahead, gap_before, terminal_at, epochs_back, consumed, started }
    })
}

fn operations() -> impl Strategy<Value = Operation> {
    prop_oneof![
        3 => (runs(), any::<bool>()).prop_map(|(run, is_new)| Operation::Open(run, is_new)),
        8 => (runs(), shapes()).prop_map(|(run, shape)| Operation::Append(run, shape)),
        4 => (runs(), 0..5_u8).prop_map(|(run, key)| Operation::Offer(run, key)),
        2 => (runs(), 0..12_u64, 0..6_usize).prop_map(|(run, from, limit)| Operation::Read(run, from, limit)),
        1 => (0..2_u8, 0..4_usize).prop_map(|(tenant, limit)| Operation::List(tenant, limit)),
        1 => (0..2_u8, 0..3_u8).prop_map(|(tenant, text)| Operation::Put(tenant, text)),
        1 => (0..2_u8, 0..3_u8).prop_map(|(tenant, text)| Operation::Get(tenant, text)),
        2 => runs().prop_map(Operation::Remove),
    ]
}

/// Histories of up to 80 operations that begin with an opened run.
pub fn histories() -> impl Strategy<Value = Vec<Operation>> {
    (runs(), prop::collection::vec(operations(), 1..80)).prop_map(|(first, rest)| {
        let mut history = vec![Operation::Open(first, true)];
        history.extend(rest);
        history
    })
}

impl Shape {
    /// The batch for `run` in the present state of the model.
    fn batch(&self, run: Run, state: &ModelRun) -> Append {
        let run_id = run.id();
        let first = state.next().saturating_add_signed(i64::from(self.ahead));
        let gap = |place: u64| u64::from(self.gap_before.is_some_and(|before| place >= before));
        let mut records: Vec<_> =
            (0..self.count).map(|place| record(&run_id, first + place + gap(place))).collect();
        let terminal = self.terminal_at.and_then(|place| usize::try_from(place).ok());
        if let Some(record) = terminal.and_then(|place| records.get_mut(place)) {
            record.event.event_type = EventType::RunCancelled;
        }
        let mut entry = entry(&run_id, first + self.count);
        entry.started_at = Timestamp::from_millis(self.started);
        let epoch = state.epoch().saturating_sub(self.epochs_back);
        let consumed = self.consumed.iter().map(u8::to_string).collect();
        Append { run_id, epoch, records, consumed, holds: Vec::new(), entry, due: Due::Now }
    }
}

/// A store, its model, and a watcher of every run.
struct Followed {
    store: Store,
    model: Model,
    watches: BTreeMap<Run, watch::Receiver<Sequence>>,
}

impl Followed {
    async fn open(&mut self, run: Run, is_new: bool) {
        let how = if is_new { Open::New } else { Open::TakeOver };
        let answer = self.store.open(&run.principal(), &run.id(), how).await;
        let expect = match (self.model.runs.get_mut(&run), is_new) {
            (Some(_), true) => Err(LogError::RunExists(run.id())),
            (None, false) => Err(LogError::UnknownRun(run.id())),
            (Some(state), false) => {
                state.takeovers += 1;
                Ok(state.epoch())
            }
            (None, true) => {
                let watch = self.store.watch(&run.principal(), &run.id()).await;
                self.watches.insert(run, watch.expect("an opened run can be watched"));
                Ok(self.model.runs.entry(run).or_default().epoch())
            }
        };
        assert_eq!(answer, expect);
    }

    async fn append(&mut self, run: Run, shape: &Shape) {
        let unopened = ModelRun::default();
        let batch = shape.batch(run, self.model.runs.get(&run).unwrap_or(&unopened));
        let expect = match self.model.runs.get_mut(&run) {
            Some(state) => state.append(&batch),
            None => Err(LogError::UnknownRun(run.id())),
        };
        let is_news = expect.is_ok() && !batch.records.is_empty();
        assert_eq!(self.store.append(&run.principal(), batch).await, expect);
        self.assert_woken(run, is_news);
    }

    async fn offer(&mut self, run: Run, key: u8) {
        let signal = signal(&key.to_string());
        let expect = match self.model.runs.get_mut(&run) {
            Some(state) => Ok(state.offer(&signal)),
            None => Err(LogError::UnknownRun(run.id())),
        };
        assert_eq!(self.store.offer(&run.principal(), &run.id(), signal).await, expect);
        self.assert_woken(run, expect == Ok(Offered::Accepted));
    }

    /// The watcher of `run` was told exactly when there was news; no other was.
    fn assert_woken(&mut self, run: Run, is_news: bool) {
        for (watched, watch) in &mut self.watches {
            assert_eq!(woken(watch), is_news && *watched == run, "the watcher of {watched:?}");
            let next = self.model.runs.get(watched).map(ModelRun::next);
            assert_eq!(Some(watch.borrow_and_update().0), next);
        }
    }

    async fn read(&self, run: Run, from: u64, limit: usize) {
        let expect = match self.model.runs.get(&run) {
            Some(state) => Ok(state.read(from, limit)),
            None => Err(LogError::UnknownRun(run.id())),
        };
        assert_eq!(self.store.read(&run.principal(), &run.id(), Sequence(from), limit).await, expect);
    }

    async fn list(&self, number: u8, limit: usize) {
        let mut expect = self.model.listed(number);
        expect.truncate(limit);
        let principal = Run { tenant: number, id: 0 }.principal();
        assert_eq!(self.store.runs(&principal, &[], limit).await, Ok(expect));
    }

    async fn put(&mut self, number: u8, text: u8) {
        let text = text.to_string();
        let principal = Run { tenant: number, id: 0 }.principal();
        assert_eq!(self.store.put(&principal, &text).await, Ok(ContentHash::of(&text)));
        self.model.blobs.insert((number, text));
    }

    async fn get(&self, number: u8, text: u8) {
        let text = text.to_string();
        let hash = ContentHash::of(&text);
        let principal = Run { tenant: number, id: 0 }.principal();
        let expect = self.model.blobs.contains(&(number, text.clone())).then_some(text);
        assert_eq!(self.store.get(&principal, &hash).await, Ok(expect));
    }

    async fn remove(&mut self, run: Run) {
        let may_go = self.model.runs.get(&run).is_some_and(ModelRun::has_ended);
        let gone = may_go.then(|| self.model.runs.remove(&run)).flatten();
        if gone.is_some() {
            self.watches.remove(&run);
        }
        let key = RunKey { tenant: run.principal().tenant, run_id: run.id() };
        let removed = self.store.remove_run(&key).await.expect("a run can be removed");
        let expect = gone.map(|state| state.records.len() as u64);
        assert_eq!(removed.map(|freed| freed.records), expect);
    }

    async fn take(&mut self, operation: &Operation) {
        match operation {
            Operation::Open(run, is_new) => self.open(*run, *is_new).await,
            Operation::Append(run, shape) => self.append(*run, shape).await,
            Operation::Offer(run, key) => self.offer(*run, *key).await,
            Operation::Read(run, from, limit) => self.read(*run, *from, *limit).await,
            Operation::List(tenant, limit) => self.list(*tenant, *limit).await,
            Operation::Put(tenant, text) => self.put(*tenant, *text).await,
            Operation::Get(tenant, text) => self.get(*tenant, *text).await,
            Operation::Remove(run) => self.remove(*run).await,
        }
    }

    /// Holds everything that can be seen against the model.
    async fn assert_equal(&self) {
        for (run, state) in &self.model.runs {
            let (principal, run_id) = (run.principal(), run.id());
            assert_eq!(self.store.pending(&principal, &run_id).await, Ok(state.pending()));
            let entry = state.entry.clone().ok_or_else(|| LogError::UnknownRun(run_id.clone()));
            assert_eq!(self.store.entry(&principal, &run_id).await, entry);
            self.read(*run, 0, usize::MAX).await;
        }
        for number in 0..2 {
            self.list(number, usize::MAX).await;
        }
    }
}

/// Takes `history` through the store and the model, and compares every answer; at the end also after opening anew.
pub async fn follow(fixture: &impl Fixture, history: &[Operation]) {
    let store = fixture.open().await;
    let mut followed = Followed { store, model: Model::default(), watches: BTreeMap::new() };
    for operation in history {
        followed.take(operation).await;
        followed.assert_equal().await;
    }
    let Followed { store, model, watches } = followed;
    drop((store, watches));
    Followed { store: fixture.open().await, model, watches: BTreeMap::new() }.assert_equal().await;
}
