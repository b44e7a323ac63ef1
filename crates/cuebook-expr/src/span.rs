//! Places in a source text.
//!
//! Owns byte offsets. It knows nothing of lines and columns; those are counted when an error is shown.

/// A range of bytes in a source text; both ends lie on character boundaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset just past the last byte; equal to `start` for a place between two characters.
    pub end: usize,
}

impl Span {
    /// Makes the span from `start` up to but without `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// The text under the span, or nothing when the span does not fit the text.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}
