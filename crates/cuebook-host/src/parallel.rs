//! The same work on many things, on all cores.
//!
//! It owns the split over threads. It refuses work that waits for other work: every item is done by itself.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread::{available_parallelism, scope};

/// Fewer items than this for each thread are not worth starting it.
const MIN_SHARE: usize = 64;

/// What `work` gives for each of `items`, in their order.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = available_parallelism().map_or(1, NonZero::get);
    let share = items.len().div_ceil(cores).max(MIN_SHARE);
    let work = &work;
    let (mine, others) = items.split_at(share.min(items.len()));
    scope(|scope| {
        let threads: Vec<_> = others
            .chunks(share)
            .map(|share| scope.spawn(move || share.iter().map(work).collect::<Vec<R>>()))
            .collect();
        let mut results: Vec<R> = mine.iter().map(work).collect();
        for thread in threads {
            results.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(count: usize) {
        let items: Vec<usize> = (0..count).collect();
        let expect: Vec<String> = items.iter().map(ToString::to_string).collect();
        assert_eq!(map(&items, ToString::to_string), expect);
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for count in [0, 1, MIN_SHARE - 1, MIN_SHARE, MIN_SHARE + 1, 10 * MIN_SHARE + 7] {
            check(count);
        }
    }

    #[test]
    fn a_panic_of_the_work_is_a_panic_of_the_caller() {
        let items: Vec<usize> = (0..4 * MIN_SHARE).collect();
        for bad in [0, 4 * MIN_SHARE - 1] {
            let done = std::panic::catch_unwind(|| map(&items, |item| assert_ne!(*item, bad)));
            assert!(done.is_err(), "of item {bad}");
        }
    }
}
