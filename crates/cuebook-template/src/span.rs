//! Places in a text: byte spans, and the line and column that a reader sees.
//!
//! Everything inside the crate counts bytes; lines and columns are worked out only when a person is told. This module
//! refuses to hold text: a [`LineIndex`] keeps what it needs to answer without it.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A range of bytes in a text, start included and end excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset just after the last byte; never before `start` in a span that this crate gives out.
    pub end: usize,
}

impl Span {
    /// The span from `start` up to, and without, `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Length in bytes.
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether the span covers no byte.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The span as a range, for slicing.
    pub const fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

/// A place as a reader counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// The line, from 1. Lines end at `\n` and `\r\n`; a `\r` alone ends none.
    pub line: usize,
    /// The column, from 1, in Unicode scalar values. A byte order mark at the start of the text takes no column.
    pub column: usize,
}

/// Answers in `O(log n)` on which line and column a byte offset lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    len: usize,
    /// Offset of the first byte of each line; the first entry is 0.
    lines: Vec<usize>,
    /// The characters whose width in bytes is not the column they take, in order.
    wide: Vec<Wide>,
}

/// A character that takes more bytes than columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wide {
    start: usize,
    end: usize,
    /// Bytes without a column of their own, from the start of the text up to `end`.
    surplus: usize,
}

const BYTE_ORDER_MARK: char = '\u{FEFF}';

impl LineIndex {
    /// Indexes `text` in one pass.
    pub fn new(text: &str) -> Self {
        let mut lines = vec![0];
        let mut wide: Vec<Wide> = Vec::new();
        for (start, character) in text.char_indices() {
            let end = start + character.len_utf8();
            if character == '\n' {
                lines.push(end);
            } else if !character.is_ascii() {
                let columns = usize::from(!(start == 0 && character == BYTE_ORDER_MARK));
                let before = wide.last().map_or(0, |last| last.surplus);
                wide.push(Wide { start, end, surplus: before + (end - start) - columns });
            }
        }
        Self { len: text.len(), lines, wide }
    }

    /// The position of the character that holds the byte at `offset`; an offset past the end means the end.
    pub fn position(&self, offset: usize) -> Position {
        let (offset, surplus) = self.snap(offset.min(self.len));
        let line = self.lines.partition_point(|&start| start <= offset);
        let line_start = self.lines[line - 1];
        let column = (offset - surplus) - (line_start - self.snap(line_start).1) + 1;
        Position { line, column }
    }

    /// How many lines the text has; a text that ends in a line end has an empty last line.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// The start of the character at `offset`, and the surplus bytes before it.
    fn snap(&self, offset: usize) -> (usize, usize) {
        let complete = self.wide.partition_point(|wide| wide.end <= offset);
        let surplus = complete.checked_sub(1).map_or(0, |last| self.wide[last].surplus);
        match self.wide.get(complete) {
            Some(wide) if wide.start < offset => (wide.start, surplus),
            _ => (offset, surplus),
        }
    }
}
