//! Everything that a host has acknowledged: answers it gave, events it showed. Whatever stands here must be true for ever.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard};

use serde_json::Value as Json;

use super::flows::{FLOWS, Flow, Need};
use super::http::Answer;
use super::promises::{hold, is_terminal};

/// The record of one data directory.
#[derive(Default)]
pub(super) struct Ledger(Mutex<Books>);

#[derive(Default)]
struct Books {
    posts: BTreeMap<String, Post>,
    runs: BTreeMap<String, Run>,
    /// Runs that have not ended, as far as is known, and that nobody attends to.
    open: VecDeque<String>,
    fuse: Option<Fuse>,
    facts: u64,
}

/// Rings when as many facts have come as were asked for.
struct Fuse {
    left: u64,
    bell: Sender<()>,
}

/// A request that changes something, with its key.
#[derive(Clone)]
pub(super) struct Post {
    pub(super) path: String,
    pub(super) body: Json,
    /// What was answered first.
    pub(super) answer: Option<Answer>,
}

/// A run that was acknowledged.
struct Run {
    flow: &'static Flow,
    events: BTreeMap<u64, Json>,
    /// Whether its whole log was read by a host that came after the one that wrote its end.
    is_settled: bool,
}

impl Ledger {
    fn books(&self) -> MutexGuard<'_, Books> {
        self.0.lock().unwrap()
    }

    /// Rings the bell after `facts` more; at once when that is 0.
    pub(super) fn light(&self, facts: u64) -> Receiver<()> {
        let (bell, rung) = channel();
        let mut books = self.books();
        if facts == 0 {
            let _ = bell.send(());
        }
        books.fuse = Some(Fuse { left: facts, bell });
        rung
    }

    /// Whether the bell has rung, so that the host may be dead.
    pub(super) fn is_burnt(&self) -> bool {
        self.books().fuse.as_ref().is_none_or(|fuse| fuse.left == 0)
    }

    pub(super) fn facts(&self) -> u64 {
        self.books().facts
    }

    /// The runs that were acknowledged.
    pub(super) fn runs(&self) -> Vec<String> {
        self.books().runs.keys().cloned().collect()
    }

    /// Notes a request that is about to be sent; gives it with the answer that came before.
    pub(super) fn intend(&self, key: &str, path: &str, body: &Json) -> Post {
        let post = Post { path: path.to_owned(), body: body.clone(), answer: None };
        self.books().posts.entry(key.to_owned()).or_insert(post).clone()
    }

    /// Notes an answer; it must be the one that came before.
    #[track_caller]
    pub(super) fn acknowledge(&self, key: &str, answer: Answer) {
        let mut books = self.books();
        books.note();
        let post = books.posts.get_mut(key).unwrap();
        match &post.answer {
            Some(first) => {
                assert_eq!(
                    (first.status, &first.body),
                    (answer.status, &answer.body),
                    "{key} is answered alike"
                );
                assert!(answer.is_replay(), "{key}: {}", answer.head);
            }
            None => post.answer = Some(answer),
        }
    }

    /// Notes that a run of the workflow `flow` was acknowledged.
    pub(super) fn begin(&self, run: &str, flow: &'static Flow) {
        let new = Run { flow, events: BTreeMap::new(), is_settled: false };
        self.books().runs.entry(run.to_owned()).or_insert(new);
    }

    /// Notes an event; one that came before must be the same.
    #[track_caller]
    pub(super) fn see(&self, run: &str, event: &Json) {
        let mut books = self.books();
        books.note();
        let events = &mut books.runs.get_mut(run).unwrap().events;
        let first = events.entry(event["sequence"].as_u64().unwrap()).or_insert_with(|| event.clone());
        assert_eq!(first, event, "an event of {run} has changed");
    }

    /// The last sequence from 0 on up to which every event was seen.
    pub(super) fn seen(&self, run: &str) -> Option<u64> {
        let books = self.books();
        let dense = (0..).zip(books.runs[run].events.keys()).take_while(|(place, key)| place == *key);
        dense.last().map(|(place, _)| place)
    }

    /// What a run waits for from outside, as far as its events tell.
    pub(super) fn need(&self, run: &str) -> Need {
        let books = self.books();
        let run = &books.runs[run];
        let has = |event_type: &str| run.events.values().any(|event| event["type"] == event_type);
        match run.flow.need {
            Need::Answer if has("interrupt.requested") && !has("interrupt.resolved") => Need::Answer,
            Need::Cancel if has("node.started") && !run.has_ended() => Need::Cancel,
            _ => Need::Nothing,
        }
    }

    /// Leaves a run to whoever looks for one.
    pub(super) fn leave(&self, run: &str) {
        self.books().open.push_back(run.to_owned());
    }

    /// A run that nobody attends to.
    pub(super) fn take_open(&self) -> Option<String> {
        self.books().open.pop_front()
    }

    /// A host has begun: all runs that have not ended are open. Gives the requests that were never answered.
    pub(super) fn turn_over(&self) -> Vec<(String, Post)> {
        let mut books = self.books();
        books.open =
            books.runs.iter().filter(|(_, run)| !run.has_ended()).map(|(id, _)| id.clone()).collect();
        let cut_off = books.posts.iter().filter(|(_, post)| post.answer.is_none());
        cut_off.map(|(key, post)| (key.clone(), post.clone())).collect()
    }

    /// The key of an answered request for a run, by number.
    pub(super) fn answered(&self, number: usize) -> Option<(String, Post)> {
        let books = self.books();
        let mut answered =
            books.posts.iter().filter(|(_, post)| post.path == "/v1/runs" && post.answer.is_some());
        let count = answered.clone().count();
        let (key, post) = answered.nth(number.checked_rem(count)?)?;
        Some((key.clone(), post.clone()))
    }

    /// Every answered request.
    pub(super) fn posts(&self) -> Vec<(String, Post)> {
        self.books().posts.iter().map(|(key, post)| (key.clone(), post.clone())).collect()
    }

    /// The runs to be read after restart `round`: all whose end was not read by a later host, and about `sample` others.
    pub(super) fn due(&self, round: usize, sample: usize) -> Vec<String> {
        let books = self.books();
        let step = books.runs.len() / sample + 1;
        let is_due = |place: usize, run: &Run| !run.is_settled || (place + round).is_multiple_of(step);
        let due = books.runs.iter().enumerate().filter(|(place, (_, run))| is_due(*place, run));
        due.map(|(_, (id, _))| id.clone()).collect()
    }

    /// Holds the whole log of a run against everything that is known, and learns from it.
    #[track_caller]
    pub(super) fn check(&self, id: &str, log: &[Json]) {
        let mut books = self.books();
        let Books { posts, runs, .. } = &mut *books;
        let run = runs.get_mut(id).unwrap();
        hold(id, log, &run.events);
        run.is_settled = run.has_ended();
        run.events = (0..).zip(log.iter().cloned()).collect();
        if let Some(end) = log.last().filter(|event| is_terminal(event)) {
            // A wait that nobody ended in time, as the host was dead for so long, comes to its own end.
            let is_late = run.flow.need == Need::Cancel && !was_cancelled(posts, id);
            let ends = [run.flow.end, if is_late { "run.completed" } else { run.flow.end }];
            assert!(ends.iter().any(|known| end["type"] == *known), "{id} has another end: {log:#?}");
        }
    }

    pub(super) fn has_ended(&self, run: &str) -> bool {
        self.books().runs[run].has_ended()
    }

    pub(super) fn knows(&self, run: &str) -> bool {
        self.books().runs.contains_key(run)
    }
}

impl Books {
    /// One more fact.
    fn note(&mut self) {
        self.facts += 1;
        let Some(fuse) = self.fuse.as_mut().filter(|fuse| fuse.left > 0) else { return };
        fuse.left -= 1;
        if fuse.left == 0 {
            let _ = fuse.bell.send(());
        }
    }
}

impl Run {
    fn has_ended(&self) -> bool {
        self.events.values().next_back().is_some_and(is_terminal)
    }
}

/// The request that ends a run.
pub(super) fn cancel_path(run: &str) -> String {
    format!("/v1/runs/{run}/cancel")
}

/// Whether a host has promised to end the run.
fn was_cancelled(posts: &BTreeMap<String, Post>, run: &str) -> bool {
    let answer = posts.get(&cancel_path(run)).and_then(|post| post.answer.as_ref());
    answer.is_some_and(|answer| answer.body["status"] == "cancelling")
}

/// The workflow that a request for a run names.
pub(super) fn flow_of(post: &Post) -> &'static Flow {
    FLOWS.iter().find(|flow| post.body["workflowId"] == flow.id).unwrap()
}
