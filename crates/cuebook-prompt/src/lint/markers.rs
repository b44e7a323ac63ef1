//! Markers of untrusted text that an author wrote: they stay as they are, and do nothing.

use cuebook_template::{Diagnostic, Source, Span};
use cuebook_wire::ErrorCode;

use super::warning;
use crate::markers::angles;

/// How far behind its `<` the end of a marker is looked for, in bytes.
const MAX_MARKER: usize = 80;

/// One warning for each marker in the text, however it is disguised.
pub(super) fn written_by_hand(source: &Source) -> Vec<Diagnostic> {
    let text: &str = source.text();
    let found = angles(text).into_iter().map(|angle| Span::new(angle.start, end_of(text, angle.end)));
    found.map(|span| report(source, span)).collect()
}

fn report(source: &Source, span: Span) -> Diagnostic {
    let message = match source.slice(span) {
        Some("<UNTRUSTED>" | "</UNTRUSTED>") => "a marker written by hand marks nothing: it stays as it is",
        _ => "this reads as a marker of untrusted text and marks nothing: it stays as it is",
    };
    let found = warning(ErrorCode::PromptMarkerByHand, message).at(source, span);
    found.with_hint("leave it out: untrusted values are wrapped where they stand, exactly once")
}

/// The byte behind the marker's `>`; behind its `<` when none is near.
fn end_of(text: &str, from: usize) -> usize {
    let near = text[from..].char_indices().take_while(|(at, c)| *at < MAX_MARKER && *c != '\n');
    let close = near.into_iter().find(|(_, c)| matches!(c, '>' | '\u{FF1E}' | '\u{FE65}'));
    close.map_or(from, |(at, c)| from + at + c.len_utf8())
}
