//! Who waits for news of a run, in this process.
//!
//! A channel is made when a run is first watched and forgotten when nobody watches any more, so that memory goes with the
//! watchers and not with the runs. It refuses to hold what a run's next sequence is without being told from the database.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cuebook_wire::{RunId, Sequence};
use tokio::sync::watch;

/// A run of a tenant.
pub(crate) type Key = (String, RunId);

/// What has become durable of a run.
#[derive(Clone, Debug)]
pub(crate) struct News {
    /// The run.
    pub(crate) run: Key,
    /// The sequence that comes next in its log; none when the run was removed.
    pub(crate) next: Option<Sequence>,
}

/// The channels of all runs that are watched.
#[derive(Debug, Default)]
pub(crate) struct Watchers {
    channels: Mutex<Channels>,
}

#[derive(Debug, Default)]
struct Channels {
    of_runs: HashMap<Key, watch::Sender<Sequence>>,
    /// How many channels were left when the unused ones were last looked for.
    kept: usize,
}

/// Fewer channels than this are not worth looking through.
const FEW: usize = 64;

impl Watchers {
    /// A receiver of the news of `run` that come after this call; its value is no answer yet, see [`Watchers::start`].
    pub(crate) fn subscribe(&self, run: Key) -> watch::Receiver<Sequence> {
        let mut channels = self.channels();
        channels.drop_unused_sometimes();
        channels.of_runs.entry(run).or_default().subscribe()
    }

    /// Makes `next`, which was read after the subscription, the present value of `receiver`, unless later news have come.
    pub(crate) fn start(&self, run: &Key, next: Sequence, receiver: &mut watch::Receiver<Sequence>) {
        let channels = self.channels();
        if let Some(channel) = channels.of_runs.get(run) {
            // Nobody is woken: whoever watches already is told by the writer, who comes after the database.
            channel.send_if_modified(|seen| {
                *seen = next.max(*seen);
                false
            });
        }
        receiver.mark_unchanged();
    }

    /// Wakes the watchers of a run; the channel of a run that was removed is closed.
    pub(crate) fn tell(&self, news: &News) {
        let mut channels = self.channels();
        let Some(channel) = channels.of_runs.get(&news.run) else { return };
        if let Some(next) = news.next {
            channel.send_modify(|seen| *seen = next.max(*seen));
        }
        if news.next.is_none() || channel.is_closed() {
            channels.of_runs.remove(&news.run);
        }
    }

    fn channels(&self) -> MutexGuard<'_, Channels> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Channels {
    /// Forgets channels without receivers, whenever there are twice as many channels as were needed last.
    fn drop_unused_sometimes(&mut self) {
        if self.of_runs.len() >= FEW.max(2 * self.kept) {
            self.of_runs.retain(|_, channel| !channel.is_closed());
            self.kept = self.of_runs.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(number: usize) -> Key {
        ("acme".to_owned(), RunId::new(format!("run {number}")))
    }

    fn watch(watchers: &Watchers, number: usize, next: u64) -> watch::Receiver<Sequence> {
        let mut receiver = watchers.subscribe(run(number));
        watchers.start(&run(number), Sequence(next), &mut receiver);
        receiver
    }

    fn tell(watchers: &Watchers, number: usize, next: u64) {
        watchers.tell(&News { run: run(number), next: Some(Sequence(next)) });
    }

    #[track_caller]
    fn check(receiver: &watch::Receiver<Sequence>, next: u64, is_woken: bool) {
        let changed = receiver.has_changed().expect("the channel is open");
        assert_eq!((*receiver.borrow(), changed), (Sequence(next), is_woken));
    }

    #[test]
    fn channels_go_when_their_watchers_have_gone() {
        let watchers = Watchers::default();
        let kept: Vec<_> = (0..10).map(|number| watch(&watchers, number, 1)).collect();
        for number in 10..10_000 {
            drop(watch(&watchers, number, 1));
            assert!(watchers.channels().of_runs.len() <= FEW, "after {number} runs");
        }
        for (number, receiver) in kept.iter().enumerate() {
            tell(&watchers, number, 2);
            check(receiver, 2, true);
        }
    }

    #[test]
    fn telling_a_run_nobody_watches_forgets_it() {
        let watchers = Watchers::default();
        drop(watch(&watchers, 0, 1));
        tell(&watchers, 0, 2);
        tell(&watchers, 1, 2);
        assert!(watchers.channels().of_runs.is_empty());
    }

    #[test]
    fn a_run_that_was_removed_closes_its_channel_and_may_begin_again() {
        let watchers = Watchers::default();
        let old = watch(&watchers, 0, 7);
        watchers.tell(&News { run: run(0), next: None });
        assert!(old.has_changed().is_err(), "the channel is closed");
        check(&watch(&watchers, 0, 0), 0, false);
    }

    #[test]
    fn a_second_watcher_neither_wakes_the_first_nor_hides_its_news() {
        let watchers = Watchers::default();
        let first = watch(&watchers, 0, 3);
        check(&first, 3, false);
        let second = watch(&watchers, 0, 4);
        check(&first, 4, false);
        tell(&watchers, 0, 4);
        check(&first, 4, true);
        check(&second, 4, true);
    }

    #[test]
    fn news_that_overtake_a_subscription_stand() {
        let watchers = Watchers::default();
        let mut receiver = watchers.subscribe(run(0));
        tell(&watchers, 0, 6);
        watchers.start(&run(0), Sequence(5), &mut receiver);
        check(&receiver, 6, false);
        tell(&watchers, 0, 6);
        check(&receiver, 6, true);
    }
}
