//! The grammar of one placeholder, and the search for the next.
//!
//! It owns where a placeholder begins and ends. It refuses to look at any byte more than a fixed number of times:
//! a search that fails goes on behind everything it has read that cannot begin a placeholder.

use crate::span::Span;

/// Longest name of a placeholder, in bytes (RFC 0027 §A).
pub(super) const MAX_NAME_BYTES: usize = 64;

/// Whether `name` may stand in a placeholder: `[a-zA-Z_][a-zA-Z0-9_]{0,63}` (RFC 0027 §A).
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && name_len(name.as_bytes()) == name.len() && name.len() <= MAX_NAME_BYTES
}

/// A placeholder as found: all of it, and the name within.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) span: Span,
    pub(super) name: Span,
}

/// The placeholders of a text, in order.
pub(super) struct Placeholders<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Placeholders<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), at: 0 }
    }
}

impl Iterator for Placeholders<'_> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        while let Some(run) = next_run(self.bytes, self.at, b'{') {
            self.at = run.end;
            if run.len() != 2 {
                continue;
            }
            let name = name_after(self.bytes, run.end);
            let close = skip_space(self.bytes, name.end);
            self.at = close;
            if is_placeholder(self.bytes, name, close) {
                self.at = close + 2;
                return Some(Found { span: Span::new(run.start, self.at), name });
            }
        }
        None
    }
}

fn is_placeholder(bytes: &[u8], name: Span, close: usize) -> bool {
    (1..=MAX_NAME_BYTES).contains(&name.len()) && bytes[close..].starts_with(b"}}")
}

/// The identifier after any white space at `at`, however long; empty when there is none.
pub(super) fn name_after(bytes: &[u8], at: usize) -> Span {
    let start = skip_space(bytes, at);
    Span::new(start, start + name_len(&bytes[start..]))
}

/// The next whole run of `brace` at or after `at`.
pub(super) fn next_run(bytes: &[u8], at: usize, brace: u8) -> Option<Span> {
    let start = at + bytes.get(at..)?.iter().position(|&byte| byte == brace)?;
    let len = bytes[start..].iter().take_while(|&&byte| byte == brace).count();
    Some(Span::new(start, start + len))
}

/// The offset of the first byte at or after `at` that is no white space of the grammar.
pub(super) fn skip_space(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|&&byte| is_space(byte)).count()
}

pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The length of the identifier that `bytes` begins with, in bytes; 0 when it begins with none.
fn name_len(bytes: &[u8]) -> usize {
    if bytes.first().is_some_and(u8::is_ascii_digit) {
        return 0;
    }
    bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()
}
