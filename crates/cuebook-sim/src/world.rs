//! What outlives a simulated process: time, prompts, the outside's own notes, and what went wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cuebook_log::Record;

use crate::prompts::{CANARY, Prompts};
use crate::scenario::{Fault, Scenario};
use crate::time::{Idle, Time};

/// The world of one scenario.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) scenario: Scenario,
    pub(crate) time: Arc<Time>,
    pub(crate) idle: Arc<Idle>,
    pub(crate) prompts: Arc<Prompts>,
    notes: Mutex<Notes>,
}

/// What the outside remembers.
#[derive(Debug, Default)]
struct Notes {
    appends: u64,
    calls: u64,
    is_crashed: bool,
    acknowledged: Vec<Record>,
    violations: BTreeSet<String>,
    answers: BTreeMap<usize, usize>,
    sent: BTreeMap<String, String>,
    called: BTreeSet<(u32, usize, u32)>,
}

impl World {
    pub(crate) fn new(scenario: Scenario) -> Arc<Self> {
        let (time, idle, prompts) = (Arc::default(), Arc::default(), Arc::default());
        Arc::new(Self { scenario, time, idle, prompts, notes: Mutex::default() })
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a promise was broken.
    pub(crate) fn violated(&self, what: impl Into<String>) {
        self.notes().violations.insert(what.into());
    }

    pub(crate) fn violations(&self) -> Vec<String> {
        self.notes().violations.iter().cloned().collect()
    }

    /// The process dies: from now on it gets no answer from anywhere.
    pub(crate) fn crash(&self) {
        self.notes().is_crashed = true;
    }

    pub(crate) fn is_crashed(&self) -> bool {
        self.notes().is_crashed
    }

    /// Another process begins.
    pub(crate) fn begin_anew(&self) {
        self.notes().is_crashed = false;
    }

    /// Counts an append; gives what happens to it.
    pub(crate) fn next_append(&self) -> Option<Fault> {
        let mut notes = self.notes();
        let number = notes.appends;
        notes.appends += 1;
        drop(notes);
        let of_this = |fault: &&Fault| match fault {
            Fault::CrashBeforeAppend(at) | Fault::CrashAfterAppend(at) | Fault::FailAppend(at) => {
                *at == number
            }
            _ => false,
        };
        self.scenario.faults.iter().find(of_this).copied()
    }

    pub(crate) fn acknowledge(&self, records: Vec<Record>) {
        self.notes().acknowledged.extend(records);
    }

    pub(crate) fn acknowledged(&self) -> Vec<Record> {
        self.notes().acknowledged.clone()
    }

    /// Counts a model call; whether the process dies in it.
    pub(crate) fn next_call(&self) -> bool {
        let mut notes = self.notes();
        let number = notes.calls;
        notes.calls += 1;
        drop(notes);
        self.scenario.faults.contains(&Fault::CrashInCall(number))
    }

    /// Counts the calls of a node; gives how many there were before.
    pub(crate) fn next_answer(&self, node: usize) -> usize {
        let mut notes = self.notes();
        let count = notes.answers.entry(node).or_default();
        *count += 1;
        *count - 1
    }

    /// Notes what was sent under an invocation id; one id must always mean the same text.
    pub(crate) fn note_sent(&self, invocation: &str, text: &str) {
        let mut notes = self.notes();
        let earlier = notes.sent.entry(invocation.to_owned()).or_insert_with(|| text.to_owned());
        let is_same = earlier == text;
        drop(notes);
        if !is_same {
            self.violated("two texts were sent under one invocation id");
        }
    }

    /// Whether any model has been sent the secret.
    pub(crate) fn is_told(&self) -> bool {
        self.notes().sent.values().any(|text| text.contains(CANARY))
    }

    /// Notes that a process called a model for an attempt, which it must do once.
    pub(crate) fn note_called(&self, life: u32, node: usize, attempt: u32) {
        if !self.notes().called.insert((life, node, attempt)) {
            self.violated(format!("one process called a model twice for attempt {attempt} of n{node}"));
        }
    }
}
