//! Text that grows up to a limit.
//!
//! It owns the bytes written so far. It refuses to grow beyond its limit: what passes is an error, found where the
//! buffer grows, so that writing pays for one comparison.

use std::fmt;

use super::fault::Fault;
use super::limits::{LimitKind, exceeded};

/// Rendered text, or a text on its way.
#[derive(Debug)]
pub(crate) struct Buffer {
    text: String,
    limit: usize,
    kind: LimitKind,
}

impl Buffer {
    /// An empty buffer for at most `limit` bytes; `kind` is what an error calls it.
    pub(crate) const fn new(kind: LimitKind, limit: usize) -> Self {
        Self { text: String::new(), limit, kind }
    }

    /// Room for about `bytes` from the start.
    pub(crate) fn with_room(kind: LimitKind, limit: usize, bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes.min(limit)), limit, kind }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Everything from the byte at `start` on; `start` is one that [`Buffer::len`] gave.
    pub(crate) fn tail_mut(&mut self, start: usize) -> &mut str {
        &mut self.text[start..]
    }

    pub(crate) fn into_string(self) -> String {
        self.text
    }

    /// Forgets everything from the byte at `len` on; `len` is one that [`Buffer::len`] gave.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.text.truncate(len);
    }

    #[inline]
    pub(crate) fn push_str(&mut self, text: &str) -> Result<(), Fault> {
        if text.len() > self.text.capacity() - self.text.len() {
            self.grow(text.len())?;
        }
        self.text.push_str(text);
        Ok(())
    }

    pub(crate) fn push(&mut self, character: char) -> Result<(), Fault> {
        self.push_str(character.encode_utf8(&mut [0; 4]))
    }

    /// Pushes `character` as often as `count` says.
    pub(crate) fn push_repeated(&mut self, character: char, count: usize) -> Result<(), Fault> {
        (0..count).try_for_each(|_| self.push(character))
    }

    /// Writes what a format string says.
    pub(crate) fn format(&mut self, arguments: fmt::Arguments<'_>) -> Result<(), Fault> {
        let mut writer = Writer { buffer: self, fault: None };
        let written = fmt::Write::write_fmt(&mut writer, arguments);
        match writer.fault {
            Some(fault) => Err(fault),
            None => written.map_err(|_| Fault::filter("a value could not be written as text")),
        }
    }

    /// Makes room for `more` bytes: at least doubled, at most the limit.
    #[cold]
    fn grow(&mut self, more: usize) -> Result<(), Fault> {
        let len = self.text.len();
        let needed = len.saturating_add(more);
        if needed > self.limit {
            return Err(exceeded(self.kind, self.limit, &format!("at least {needed}")));
        }
        let wanted = needed.max(len.saturating_mul(2)).max(256).min(self.limit);
        self.text.reserve_exact(wanted - len);
        Ok(())
    }
}

/// Carries a fault through `fmt`.
struct Writer<'b> {
    buffer: &'b mut Buffer,
    fault: Option<Fault>,
}

impl fmt::Write for Writer<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.buffer.push_str(text).map_err(|fault| {
            self.fault = Some(fault);
            fmt::Error
        })
    }
}
