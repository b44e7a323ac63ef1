//! What can be chosen about a store.

use std::num::NonZeroUsize;
use std::time::Duration;

/// How a store works; the defaults suit a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many threads read; each opens its connection when it first needs one. Default 4.
    pub readers: NonZeroUsize,
    /// How many requests wait for the writer, and for the readers, before callers wait to hand theirs over. Default 1024.
    pub queue: NonZeroUsize,
    /// How many requests one commit gathers at most. Default 256.
    pub group: NonZeroUsize,
    /// How long SQLite waits for a lock that another program holds on the database. Default 5 seconds.
    pub busy_timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            readers: count(4),
            queue: count(1024),
            group: count(256),
            busy_timeout: Duration::from_secs(5),
        }
    }
}

fn count(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).unwrap_or(NonZeroUsize::MIN)
}
