//! The two lines that show a place: the source line, and carets under the place.
//!
//! Owns layout only. Long lines are cut around the place; control characters are shown as spaces, so that the
//! carets stay under what they point at and a terminal is never driven by a source text.

use std::ops::Range;

use crate::span::Span;

const WINDOW_CHARS: usize = 100;
const LEAD_CHARS: usize = 40;

/// One-based line and column of an offset; columns count characters.
pub(crate) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset)];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

/// The source line of a span and a caret line, without a final newline; empty for an empty text.
pub(crate) fn render(text: &str, span: Span) -> String {
    if text.is_empty() {
        return String::new();
    }
    let (line, marked) = marked_line(text, span);
    let window = window(line.len(), &marked);
    let head = if window.start > 0 { "…" } else { "" };
    let tail = if window.end < line.len() { "…" } else { "" };
    let shown: String = line[window.clone()].iter().collect();
    let indent = " ".repeat(marked.start - window.start + head.chars().count());
    let carets = "^".repeat(marked.end.min(window.end).saturating_sub(marked.start).max(1));
    format!("{head}{shown}{tail}\n{indent}{carets}")
}

/// The characters of the line where the span begins, and which of them are under it.
fn marked_line(text: &str, span: Span) -> (Vec<char>, Range<usize>) {
    let start = text.floor_char_boundary(span.start);
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |length| start + length);
    let end = text.floor_char_boundary(span.end).clamp(start, line_end);
    let from = text[line_start..start].chars().count();
    let to = from + text[start..end].chars().count();
    (text[line_start..line_end].chars().map(visible).collect(), from..to)
}

/// The text with its control characters and unusual white space written as escapes.
pub(crate) fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || (character.is_whitespace() && character != ' ') {
            printable.extend(character.escape_unicode());
        } else {
            printable.push(character);
        }
    }
    printable
}

fn visible(character: char) -> char {
    if character.is_control() { ' ' } else { character }
}

fn window(length: usize, marked: &Range<usize>) -> Range<usize> {
    if length <= WINDOW_CHARS {
        return 0..length;
    }
    let start = marked.start.saturating_sub(LEAD_CHARS).min(length - WINDOW_CHARS);
    start..start + WINDOW_CHARS
}
