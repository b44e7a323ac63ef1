//! The pieces of one model's answer on their way into durable chunks.

use cuebook_prompt::{Scrubber, StreamScrubber};
use cuebook_wire::Timestamp;

/// The least time between two chunks of one call: 20 a second at most.
const INTERVAL_MS: u64 = 50;

/// Collects pieces, scrubbed, until a chunk is due.
pub(super) struct ChunkStream {
    scrubber: StreamScrubber,
    ready: String,
    last: Timestamp,
}

impl ChunkStream {
    /// Begins at `now`; the first chunk is due an interval later.
    pub(super) fn new(now: Timestamp) -> Self {
        Self { scrubber: StreamScrubber::new(), ready: String::new(), last: now }
    }

    /// Takes a piece; gives a chunk when one is due.
    pub(super) fn push(&mut self, scrubber: &Scrubber, piece: &str, now: Timestamp) -> Option<String> {
        self.ready.push_str(&self.scrubber.push(scrubber, piece));
        // A clock that was set back must not hold the pieces until it has caught up.
        self.last = self.last.min(now);
        if self.ready.is_empty() || now.millis_since(self.last) < INTERVAL_MS {
            return None;
        }
        self.last = now;
        Some(std::mem::take(&mut self.ready))
    }

    /// Gives the last chunk, which may be empty.
    pub(super) fn finish(self, scrubber: &Scrubber) -> String {
        self.ready + &self.scrubber.finish(scrubber)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_spaced_and_lose_nothing() {
        let at = Timestamp::from_millis;
        let scrubber = Scrubber::new();
        let mut stream = ChunkStream::new(at(0));
        assert_eq!(stream.push(&scrubber, "a", at(10)), None);
        assert_eq!(stream.push(&scrubber, "b", at(50)).as_deref(), Some("ab"));
        assert_eq!(stream.push(&scrubber, "c", at(99)), None);
        assert_eq!(stream.push(&scrubber, "", at(120)).as_deref(), Some("c"));
        assert_eq!(stream.push(&scrubber, "d", at(130)), None);
        assert_eq!(stream.finish(&scrubber), "d");
    }
}
