//! Text to elements and tokens.
//!
//! It owns what a brace opens, what a trim mark takes away, and the two regions that nothing in them is read of:
//! `comment` and `verbatim`. It refuses to stop at the first fault: what cannot be read is reported, and reading goes
//! on behind it. Every byte is looked at a fixed number of times.

use super::fault::code;
use super::token::{Element, ElementKind, Keyword, Symbol, Token, TokenKind, Tokens};
use crate::diagnostic::Diagnostic;
use crate::source::Source;
use crate::span::Span;

/// After so many faults the rest of a file is not read: it is no template.
pub(super) const MAX_FAULTS: usize = 64;

const VERBATIM: &str = "{% verbatim %}";
const END_VERBATIM: &str = "{% endverbatim %}";

/// Cuts a source into elements; faults go to `faults`.
pub(super) fn lex(source: &Source, faults: &mut Vec<Diagnostic>) -> Tokens {
    let mut lexer =
        Lexer { source, text: source.text(), at: 0, trims: false, tokens: Tokens::default(), faults };
    // A byte order mark says how the file is encoded; it is no text.
    lexer.at = if lexer.text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
    lexer.run();
    lexer.tokens
}

struct Lexer<'s> {
    source: &'s Source,
    text: &'s str,
    at: usize,
    /// Whether the element before the text at hand ends in a trim mark.
    trims: bool,
    tokens: Tokens,
    faults: &'s mut Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while self.at < self.text.len() && self.faults.len() < MAX_FAULTS {
            let start = self.at;
            let open = next_open(self.text.as_bytes(), start);
            self.push_text(start, open);
            self.trims = false;
            self.at = open;
            if open < self.text.len() {
                self.open();
            }
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn bytes(&self) -> &[u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// Text between two elements, less what the trim marks at its ends take.
    fn push_text(&mut self, start: usize, end: usize) {
        let text = &self.text[start..end];
        let left = if self.trims { text.trim_start_matches(is_space) } else { text };
        let trims_right = self.text[end..].starts_with("{{-") || self.text[end..].starts_with("{%-");
        let kept = if trims_right { left.trim_end_matches(is_space) } else { left };
        let start = end - left.len();
        self.push_element(ElementKind::Text, Span::new(start, start + kept.len()), self.tokens.tokens.len());
    }

    fn push_element(&mut self, kind: ElementKind, span: Span, first: usize) {
        if kind != ElementKind::Text || !span.is_empty() {
            self.tokens.elements.push(Element { kind, span, first, end: self.tokens.tokens.len() });
        }
    }

    fn open(&mut self) {
        match self.bytes()[1] {
            b'#' => self.skip_note(),
            b'%' if self.rest().starts_with(VERBATIM) => self.verbatim(),
            b'%' => self.element(ElementKind::Tag),
            _ => self.element(ElementKind::Output),
        }
    }

    /// `{# … #}`, on one line.
    fn skip_note(&mut self) {
        let start = self.at;
        let end = self.rest().find("#}").map(|at| start + at + 2);
        match end {
            Some(end) if !self.text[start..end].contains('\n') => {}
            Some(_) => self
                .report(Span::new(start, start + 2), code::SYNTAX, "a comment `{# #}` is on one line only")
                .hint("write {% comment %} … {% endcomment %} around several lines"),
            None => self
                .report(Span::new(start, start + 2), code::UNCLOSED, "comment `{#` is not closed")
                .hint("close it with #} on the same line"),
        }
        self.at = end.unwrap_or(self.text.len());
    }

    fn verbatim(&mut self) {
        let start = self.at;
        let body = start + VERBATIM.len();
        let len = self.text[body..].find(END_VERBATIM);
        if len.is_none() {
            self.report(Span::new(start, body), code::UNCLOSED, "block 'verbatim' is not closed")
                .hint(format!("close it with exactly {END_VERBATIM}"));
        }
        let end = len.map_or(self.text.len(), |len| body + len);
        self.push_element(ElementKind::Text, Span::new(body, end), self.tokens.tokens.len());
        self.at = len.map_or(end, |_| end + END_VERBATIM.len());
    }

    /// `{{ … }}` or `{% … %}`.
    fn element(&mut self, kind: ElementKind) {
        let (start, first) = (self.at, self.tokens.tokens.len());
        self.at += if self.bytes().get(2) == Some(&b'-') { 3 } else { 2 };
        let whole = self.tokens_until_close(kind, start);
        let kind = if whole { kind } else { ElementKind::Broken };
        self.push_element(kind, Span::new(start, self.at), first);
        if kind == ElementKind::Tag {
            self.skip_comment_body(start, first);
        }
    }

    /// Reads tokens up to and with the closing braces; `false` when it reported a fault.
    fn tokens_until_close(&mut self, kind: ElementKind, start: usize) -> bool {
        let close = if kind == ElementKind::Tag { *b"%}" } else { *b"}}" };
        loop {
            let rest = self.bytes();
            if rest.starts_with(&close) {
                self.at += 2;
                return true;
            }
            if rest.first() == Some(&b'-') && rest[1..].starts_with(&close) {
                self.at += 3;
                self.trims = true;
                return true;
            }
            match rest.first() {
                None => return self.unclosed(kind, start),
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\n') => return self.line_break(kind, start),
                Some(_) => {
                    if !self.token() {
                        return self.recover(close);
                    }
                }
            }
        }
    }

    fn unclosed(&mut self, kind: ElementKind, start: usize) -> bool {
        let (open, close) = if kind == ElementKind::Tag { ("{%", "%}") } else { ("{{", "}}") };
        self.report(Span::new(start, start + 2), code::UNCLOSED, format!("'{open}' is not closed"))
            .hint(format!("close it with {close} on the same line"));
        false
    }

    fn line_break(&mut self, kind: ElementKind, start: usize) -> bool {
        let close = if kind == ElementKind::Tag { *b"%}" } else { *b"}}" };
        let what = if kind == ElementKind::Tag { "a tag" } else { "an output" };
        self.report(Span::new(start, start + 2), code::SYNTAX, format!("{what} is not closed on its line"))
            .hint(format!(
                "close it with {} before the line ends",
                if kind == ElementKind::Tag { "%}" } else { "}}" }
            ));
        self.recover(close)
    }

    /// Goes on behind the next closing braces on the way to the next opening ones.
    fn recover(&mut self, close: [u8; 2]) -> bool {
        let rest = self.bytes();
        let found = rest.windows(2).position(|pair| pair == close || pair == b"{%" || pair == b"{{");
        let skipped = match found {
            None => rest.len(),
            Some(at) if rest[at..].starts_with(&close) => at + 2,
            // Whatever stands at the cursor has been reported already.
            Some(at) => at.max(1),
        };
        self.at += skipped;
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        false
    }

    /// Reads one token; `false` when it reported a fault instead.
    fn token(&mut self) -> bool {
        let start = self.at;
        let first = self.bytes()[0];
        let kind = if is_word(first) {
            self.word()
        } else if first == b'"' || first == b'\'' {
            match self.string(first) {
                Some(kind) => kind,
                None => return false,
            }
        } else if let Some((symbol, len)) = Symbol::parse(self.bytes()) {
            self.at += len;
            TokenKind::Symbol(symbol)
        } else {
            return self.unknown_character();
        };
        self.tokens.tokens.push(Token { kind, span: Span::new(start, self.at) });
        true
    }

    /// A name, a keyword or a number; a name may begin with digits if a letter follows.
    fn word(&mut self) -> TokenKind {
        let len = self.bytes().iter().take_while(|byte| is_word(**byte)).count();
        let word = &self.text[self.at..self.at + len];
        self.at += len;
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            return TokenKind::Number;
        }
        Keyword::parse(word).map_or(TokenKind::Name, TokenKind::Keyword)
    }

    fn string(&mut self, quote: u8) -> Option<TokenKind> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        loop {
            match bytes.get(at) {
                Some(&byte) if byte == quote => break,
                Some(b'\\') if matches!(bytes.get(at + 1), Some(b'"' | b'\'' | b'\\')) => at += 2,
                Some(b'\\') => return self.unknown_escape(at),
                Some(b'\n') | None => return self.unclosed_string(start),
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        Some(TokenKind::Str)
    }

    fn unknown_escape(&mut self, at: usize) -> Option<TokenKind> {
        let len = self.text[at + 1..].chars().next().map_or(0, char::len_utf8);
        let span = Span::new(at, at + 1 + len);
        let message = format!("unknown escape '{}' in a string", &self.text[span.range()]);
        self.report(span, code::SYNTAX, message).hint(r#"a string knows \\, \" and \'"#);
        None
    }

    fn unclosed_string(&mut self, start: usize) -> Option<TokenKind> {
        self.report(Span::new(start, start + 1), code::SYNTAX, "a string is not closed on its line")
            .hint("close it with the quote that opened it");
        None
    }

    fn unknown_character(&mut self) -> bool {
        let character = self.rest().chars().next().unwrap_or_default();
        let span = Span::new(self.at, self.at + character.len_utf8());
        let message = format!("unexpected character '{}'", character.escape_default());
        self.report(span, code::SYNTAX, message).hint(match character {
            '}' => "an output ends in }} and a tag in %}",
            '{' => "braces that are text go into {% verbatim %}",
            _ => "between braces stand names, numbers, strings and operators; text goes into {% verbatim %}",
        });
        false
    }

    /// Behind `{% comment %}`, goes on at its end tag.
    fn skip_comment_body(&mut self, start: usize, first: usize) {
        let is_comment =
            self.tokens.tokens.get(first).is_some_and(|token| &self.text[token.span.range()] == "comment");
        if !is_comment {
            return;
        }
        let body = self.at;
        let found = self.text[body..]
            .match_indices("{%")
            .find_map(|(at, _)| end_comment(&self.text[body + at..]).map(|len| (body + at, len)));
        self.trims = false;
        if let Some((at, len)) = found {
            self.at = at + len;
            self.trims = self.text[..self.at].ends_with("-%}");
        } else {
            self.report(Span::new(start, body), code::UNCLOSED, "block 'comment' is not closed")
                .hint("close it with {% endcomment %}");
            self.at = self.text.len();
        }
    }

    fn report(&mut self, span: Span, code: &'static str, message: impl Into<String>) -> Hint<'_> {
        self.faults.push(Diagnostic::error(code, message).at(self.source, span));
        Hint(self.faults.last_mut())
    }
}

/// The finding that was just made, to be given a hint.
struct Hint<'f>(Option<&'f mut Diagnostic>);

impl Hint<'_> {
    fn hint(self, hint: impl Into<String>) {
        if let Some(diagnostic) = self.0 {
            diagnostic.hint = Some(hint.into());
        }
    }
}

/// The offset of the next `{{`, `{%` or `{#` at or after `at`; the end of the text when there is none.
fn next_open(bytes: &[u8], mut at: usize) -> usize {
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'{')) {
        at += found;
        if matches!(bytes.get(at + 1), Some(b'{' | b'%' | b'#')) {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

/// The length of the end tag of a comment that `text` begins with.
fn end_comment(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("{%")?;
    let inner = inner.strip_prefix('-').unwrap_or(inner).trim_start_matches([' ', '\t']);
    let behind = inner.strip_prefix("endcomment")?.trim_start_matches([' ', '\t']);
    let behind = behind.strip_prefix('-').unwrap_or(behind).strip_prefix("%}")?;
    Some(text.len() - behind.len())
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

const fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}
