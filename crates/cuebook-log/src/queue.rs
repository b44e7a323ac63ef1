//! How much is waiting for a store, for those who decide whether to ask it for more.

/// How much waits to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueLength {
    /// Requests that have not been answered, those whose callers wait to hand them over included.
    pub waiting: usize,
    /// How many may wait before more should be refused; none when there is no queue.
    pub room: Option<usize>,
}

impl QueueLength {
    /// Whether more should be refused.
    pub fn is_full(self) -> bool {
        self.room.is_some_and(|room| self.waiting >= room)
    }
}

/// The queue before a store's writer.
///
/// Nothing that is under way is refused by it: a caller that finds the queue full waits. Whoever takes up new work asks
/// first.
pub trait WriteQueue: Send + Sync {
    /// How much waits at this moment.
    fn queue(&self) -> QueueLength;
}
