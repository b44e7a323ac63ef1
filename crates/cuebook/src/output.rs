//! Where things are written: data to stdout, everything else to stderr, colour only where it can be seen.

use std::ffi::OsStr;
use std::io::{IsTerminal as _, Write as _, stderr, stdout};

use cuebook_host::Problems;
use serde_json::Value as Json;

use crate::args::{Color, Format};

/// The two streams, and how to write to them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    format: Format,
    color: Color,
}

impl Output {
    pub(crate) fn new(format: Format, color: Color) -> Self {
        Self { format, color }
    }

    pub(crate) fn is_json(self) -> bool {
        self.format == Format::Json
    }

    /// Whether progress can be drawn: stderr is a terminal and the data is for a person.
    pub(crate) fn is_live(self) -> bool {
        stderr().is_terminal() && !self.is_json()
    }

    /// Writes problems: as text to stderr, or as JSON to stdout where JSON was asked for.
    pub(crate) fn problems(self, problems: &Problems) {
        if self.is_json() {
            json(&serde_json::json!({ "problems": problems.to_json() }));
        } else {
            self.remarks(problems);
        }
    }

    /// Writes problems to stderr, whatever the format.
    pub(crate) fn remarks(self, problems: &Problems) {
        if !problems.is_empty() {
            note(&problems.render(self.is_coloured()));
        }
    }

    pub(crate) fn is_coloured(self) -> bool {
        is_coloured(self.color, std::env::var_os("NO_COLOR").as_deref(), stderr().is_terminal())
    }
}

/// Writes data. A reader that has gone away ends the output, not the program.
pub(crate) fn data(text: &str) {
    let mut out = stdout().lock();
    let newline = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    let _ = write!(out, "{text}{newline}").and_then(|()| out.flush());
}

/// Writes data exactly as it is.
pub(crate) fn bytes(text: &str) {
    let mut out = stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Writes data as JSON.
pub(crate) fn json(value: &Json) {
    data(&format!("{value:#}"));
}

/// Writes a remark.
pub(crate) fn note(text: &str) {
    let _ = writeln!(stderr().lock(), "{text}");
}

/// A text of somebody else on one line of a terminal, which it cannot drive: control characters as their pictures.
pub(crate) fn plain(text: &str) -> String {
    let picture = |c: char| match u32::from(c) {
        control @ 0..=0x1f => char::from_u32(0x2400 + control).unwrap_or(' '),
        0x7f => '\u{2421}',
        0x80..=0x9f => char::REPLACEMENT_CHARACTER,
        _ => c,
    };
    text.chars().map(picture).collect()
}

/// Whether to colour: as asked for, else on a terminal whose user has not set `NO_COLOR` to something.
fn is_coloured(asked: Color, no_color: Option<&OsStr>, is_terminal: bool) -> bool {
    match asked {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => is_terminal && no_color.is_none_or(OsStr::is_empty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(asked: Color, no_color: Option<&str>, is_terminal: bool, expect: bool) {
        assert_eq!(is_coloured(asked, no_color.map(OsStr::new), is_terminal), expect);
    }

    #[test]
    fn a_text_of_somebody_else_drives_no_terminal() {
        assert_eq!(plain("tea – 茶"), "tea – 茶");
        assert_eq!(plain("\u{1b}[2Ja\nb\u{7f}\u{9b}"), "\u{241b}[2Ja\u{240a}b\u{2421}\u{fffd}");
    }

    #[test]
    fn colour_is_for_terminals_without_no_color() {
        check(Color::Auto, None, true, true);
        check(Color::Auto, Some(""), true, true);
        check(Color::Auto, Some("1"), true, false);
        check(Color::Auto, None, false, false);
        check(Color::Always, Some("1"), false, true);
        check(Color::Never, None, true, false);
    }
}
