//! The search for text that was probably meant as a placeholder, and is none.
//!
//! It owns which stretches of literal text are worth a second look, and where each begins and ends; what they were
//! meant to be is decided in `attempt`. It refuses to touch placeholders: only the text between them is searched, and
//! each byte of it a fixed number of times.

use super::attempt::{self, Attempt};
use super::program::Program;
use super::scan::{name_after, next_run, skip_space};
use crate::diagnostic::Diagnostic;
use crate::span::Span;

/// All findings of a program, in order of place.
pub(super) fn lint(program: &Program, is_declared: &dyn Fn(&str) -> bool) -> Vec<Diagnostic> {
    let mut linter = Linter { program, is_declared, found: Vec::new() };
    let mut at = 0;
    for placeholder in program.placeholders() {
        linter.search(Span::new(at, placeholder.span.start));
        at = placeholder.span.end;
    }
    linter.search(Span::new(at, program.source().text().len()));
    linter.found
}

struct Linter<'a> {
    program: &'a Program,
    is_declared: &'a dyn Fn(&str) -> bool,
    found: Vec<Diagnostic>,
}

impl<'a> Linter<'a> {
    /// Searches one stretch of literal text.
    fn search(&mut self, gap: Span) {
        let text = &self.text()[..gap.end];
        let mut at = gap.start;
        while let Some(run) = next_run(text.as_bytes(), at, b'{') {
            at = if run.len() == 1 { self.single(text, gap, run) } else { self.doubled(text, run) };
        }
    }

    fn text(&self) -> &'a str {
        self.program.source().text()
    }

    fn report(&mut self, span: Span, attempt: Attempt) {
        self.found.push(attempt.into_diagnostic(self.program.source(), span));
    }

    /// Looks at two or more braces; gives the offset to go on from.
    fn doubled(&mut self, text: &str, run: Span) -> usize {
        let (content, closed) = content_after(text.as_bytes(), run.end);
        let inner = &text[content.range()];
        if closed && !inner.trim().contains('\n') {
            let end = content.end + closing_braces(&text[content.end..], run.len());
            self.report(Span::new(run.start, end), attempt::closed(run.len(), inner));
            return end;
        }
        if let Some(end) = self.half_open(text, run, closed) {
            return end;
        }
        if closed {
            self.report(run, attempt::braces());
        } else {
            self.open_section(run, inner);
        }
        content.end
    }

    /// Looks for a name that is closed by one brace, or by nothing at all; gives the offset behind it.
    fn half_open(&mut self, text: &str, run: Span, closed: bool) -> Option<usize> {
        let name = name_after(text.as_bytes(), run.end);
        let after = skip_space(text.as_bytes(), name.end);
        let half = closing_braces(&text[after..], 2) == 1;
        if name.is_empty() || (closed && !half) {
            return None;
        }
        let end = if half { after + 1 } else { name.end };
        self.report(Span::new(run.start, end), attempt::unclosed(&text[name.range()], half));
        Some(end)
    }

    /// Looks for `{{#word` without an end, as when a placeholder stands inside the tag.
    fn open_section(&mut self, run: Span, inner: &str) {
        let indent = inner.len() - inner.trim_start().len();
        let word = inner.split_whitespace().next().unwrap_or_default();
        if let Some(attempt) = attempt::section(word) {
            self.report(Span::new(run.start, run.end + indent + word.len()), attempt);
        }
    }

    /// Looks at one brace; gives the offset to go on from.
    fn single(&mut self, text: &str, gap: Span, brace: Span) -> usize {
        let rest = &text[brace.end..];
        if let Some(found) = tag(rest) {
            self.report(Span::new(brace.start, brace.end + found.len), found.attempt);
            return brace.end + found.len;
        }
        let name = name_after(text.as_bytes(), brace.end);
        let close = skip_space(text.as_bytes(), name.end);
        if text[close..].starts_with('}') && self.is_known(&text[name.range()]) {
            let dollar = text[gap.start..brace.start].ends_with('$');
            let start = brace.start - usize::from(dollar);
            self.report(Span::new(start, close + 1), attempt::foreign(&text[name.range()], dollar));
        }
        close
    }

    fn is_known(&self, name: &str) -> bool {
        self.program.slot(name).is_some() || (!name.is_empty() && (self.is_declared)(name))
    }
}

/// How many `}` the text begins with, counted up to `most`.
fn closing_braces(text: &str, most: usize) -> usize {
    text.bytes().take(most).take_while(|&byte| byte == b'}').count()
}

/// What stands after an opening run: up to the next `}}` (true) or else up to the next `{{` or the end (false).
fn content_after(bytes: &[u8], start: usize) -> (Span, bool) {
    let pair = bytes[start..].windows(2).position(|pair| pair == b"}}" || pair == b"{{");
    let end = pair.map_or(bytes.len(), |offset| start + offset);
    (Span::new(start, end), bytes[end..].starts_with(b"}}"))
}

/// A tag or comment of a bigger language, by its length behind the brace.
struct Tag {
    len: usize,
    attempt: Attempt,
}

/// Recognises `% word` and `# … #}` behind a brace; looks no further than the line's end or the next `{`.
fn tag(rest: &str) -> Option<Tag> {
    let end = rest.find(['\n', '{']).unwrap_or(rest.len());
    let line = &rest[..end];
    if let Some(comment) = line.strip_prefix('#') {
        let len = comment.find("#}")? + "##}".len();
        return Some(Tag { len, attempt: attempt::comment() });
    }
    let body = line.strip_prefix('%')?;
    let body = body.strip_prefix('-').unwrap_or(body);
    let word = name_after(body.as_bytes(), 0);
    let behind_word = line.len() - body.len() + word.end;
    let len = line.find("%}").map_or(behind_word, |close| close + 2);
    (!word.is_empty()).then(|| Tag { len, attempt: attempt::tag(&body[word.range()]) })
}
