//! The same work on many things, on all cores; two things beside each other.
//!
//! It owns the split over threads. It refuses work that waits for other work: every item is done by itself.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{available_parallelism, scope};

/// How many items a thread takes at a time; fewer than this for each thread are not worth starting it.
const SHARE: usize = 64;

/// What `work` gives for each of `items`, in their order.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let shares: Vec<&[T]> = items.chunks(SHARE).collect();
    let next = AtomicUsize::new(0);
    let take = || -> Vec<(usize, Vec<R>)> {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(share) = shares.get(at) else { return done };
            done.push((at, share.iter().map(&work).collect()));
        }
    };
    let cores = available_parallelism().map_or(1, NonZero::get).min(shares.len());
    let mut done = scope(|scope| {
        let threads: Vec<_> = (1..cores).map(|_| scope.spawn(take)).collect();
        let mut done = take();
        for thread in threads {
            done.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().flat_map(|(_, results)| results).collect()
}

/// What `one` and `other` give, which are done beside each other.
pub(crate) fn both<A: Send, B>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
    scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        (one.join().unwrap_or_else(|panic| resume_unwind(panic)), other)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_two_things_gives_what_it_gives() {
        assert_eq!(both(|| "one", || 2), ("one", 2));
        assert!(std::panic::catch_unwind(|| both(|| assert_eq!(1, 2), || ())).is_err());
    }

    #[track_caller]
    fn check(count: usize) {
        let items: Vec<usize> = (0..count).collect();
        let expect: Vec<String> = items.iter().map(ToString::to_string).collect();
        assert_eq!(map(&items, ToString::to_string), expect);
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for count in [0, 1, SHARE - 1, SHARE, SHARE + 1, 10 * SHARE + 7] {
            check(count);
        }
    }

    #[test]
    fn a_panic_of_the_work_is_a_panic_of_the_caller() {
        let items: Vec<usize> = (0..4 * SHARE).collect();
        for bad in [0, 4 * SHARE - 1] {
            let done = std::panic::catch_unwind(|| map(&items, |item| assert_ne!(*item, bad)));
            assert!(done.is_err(), "of item {bad}");
        }
    }
}
