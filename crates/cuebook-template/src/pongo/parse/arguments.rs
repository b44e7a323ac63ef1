//! The tokens of one tag or output, read from left to right.
//!
//! It owns the cursor and the wording of "expected this, found that". It refuses to know any tag.

use super::Parser;
use crate::diagnostic::Diagnostic;
use crate::pongo::fault::code;
use crate::pongo::token::{Element, ElementKind, Keyword, Symbol, Token, TokenKind};
use crate::pongo::tree::{Expression, Literal, Name};
use crate::source::Source;
use crate::span::Span;

/// A cursor over the tokens of an element.
pub(super) struct Arguments<'s> {
    source: &'s Source,
    tokens: &'s [Token],
    next: usize,
    /// The closing braces.
    close: Span,
    /// Where something is missing when the arguments end too early.
    end: Span,
    /// How a tag like this is written.
    usage: &'static str,
    /// Expressions within each other at the cursor.
    pub(super) depth: usize,
}

/// A fault that has been reported.
#[derive(Debug)]
pub(super) struct Reported;

/// What a reading gives; a fault has been reported by whoever found it.
pub(super) type Read<T> = Result<T, Reported>;

impl<'s> Arguments<'s> {
    pub(super) fn new(source: &'s Source, tokens: &'s [Token], element: &Element) -> Self {
        let usage = "an output is written as {{ name|filter:argument }}";
        let end = element.span.end;
        let trims = source.text().as_bytes()[end - 3] == b'-';
        let close = Span::new(end - if trims { 3 } else { 2 }, end);
        // What a tag lacks at its end is missed behind its last word; an output has no word of its own to point at.
        let end = if element.kind == ElementKind::Tag {
            tokens.last().map_or(close, |token| token.span)
        } else {
            close
        };
        Self { source, tokens, next: 0, close, end, usage, depth: 0 }
    }

    /// Says how the tag is written, for whoever gets it wrong.
    pub(super) fn set_usage(&mut self, usage: &'static str) {
        self.usage = usage;
    }

    pub(super) fn peek(&self) -> Option<TokenKind> {
        self.tokens.get(self.next).map(|token| token.kind)
    }

    pub(super) fn is_done(&self) -> bool {
        self.next >= self.tokens.len()
    }

    /// The place of the token at the cursor, or of the closing braces.
    pub(super) fn span(&self) -> Span {
        self.tokens.get(self.next).map_or(self.close, |token| token.span)
    }

    /// The end of the token before the cursor.
    pub(super) fn behind(&self) -> usize {
        self.next.checked_sub(1).map_or(self.close.start, |last| self.tokens[last].span.end)
    }

    pub(super) fn text(&self, span: Span) -> &'s str {
        &self.source.text()[span.range()]
    }

    pub(super) fn advance(&mut self) {
        self.next += 1;
    }

    pub(super) fn eat_symbol(&mut self, symbol: Symbol) -> bool {
        self.eat(TokenKind::Symbol(symbol))
    }

    pub(super) fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        self.eat(TokenKind::Keyword(keyword))
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == Some(kind);
        self.next += usize::from(found);
        found
    }

    /// Takes the name at the cursor if it is `word`, which has a meaning only here.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(TokenKind::Name) && self.text(self.span()) == word;
        self.next += usize::from(found);
        found
    }

    pub(super) fn eat_name(&mut self) -> Option<Name> {
        (self.peek() == Some(TokenKind::Name)).then(|| {
            let span = self.span();
            self.advance();
            Name { text: self.text(span).into(), span }
        })
    }

    pub(super) fn eat_string(&mut self) -> Option<Literal> {
        (self.peek() == Some(TokenKind::Str)).then(|| {
            let span = self.span();
            self.advance();
            Literal { text: unescape(self.text(Span::new(span.start + 1, span.end - 1))), span }
        })
    }

    /// The first word of a tag; a keyword is as good as a name here.
    pub(super) fn tag_name(&mut self) -> Option<(&'s str, Span)> {
        let is_word = matches!(self.peek(), Some(TokenKind::Name | TokenKind::Keyword(_)));
        is_word.then(|| {
            let span = self.span();
            self.advance();
            (self.text(span), span)
        })
    }

    /// Whether `keyword` stands anywhere at or behind the cursor.
    pub(super) fn holds_keyword(&self, keyword: Keyword) -> bool {
        self.tokens[self.next.min(self.tokens.len())..]
            .iter()
            .any(|token| token.kind == TokenKind::Keyword(keyword))
    }

    pub(super) fn expect_name(&mut self, parser: &mut Parser<'_>, what: &str) -> Read<Name> {
        self.eat_name().ok_or_else(|| self.expected(parser, what))
    }

    pub(super) fn expect_string(&mut self, parser: &mut Parser<'_>, what: &str) -> Read<Literal> {
        self.eat_string().ok_or_else(|| self.expected(parser, what))
    }

    pub(super) fn expect_symbol(&mut self, parser: &mut Parser<'_>, symbol: Symbol, what: &str) -> Read<()> {
        if self.eat_symbol(symbol) { Ok(()) } else { Err(self.expected(parser, what)) }
    }

    /// Nothing may be left; what is left is reported.
    pub(super) fn end(&mut self, parser: &mut Parser<'_>) -> Option<()> {
        if self.is_done() {
            return Some(());
        }
        self.expected(parser, "the end of the tag");
        self.next = self.tokens.len();
        None
    }

    /// One expression and nothing else.
    pub(super) fn only_expression(&mut self, parser: &mut Parser<'_>) -> Option<Expression> {
        let expression = parser.expression(self).ok()?;
        if self.is_done() {
            return Some(expression);
        }
        self.expected(parser, "an operator, a filter or the end");
        None
    }

    /// Reports that something else was expected at the cursor.
    pub(super) fn expected(&self, parser: &mut Parser<'_>, what: &str) -> Reported {
        let (span, found) = match self.tokens.get(self.next) {
            Some(token) => (token.span, format!("found '{}'", self.text(token.span))),
            None => (self.end, "found the end".to_owned()),
        };
        let fault = Diagnostic::error(code::SYNTAX, format!("expected {what}, {found}"));
        parser.report(fault.with_hint(self.usage), span);
        Reported
    }
}

/// The text of a string literal between its quotes.
fn unescape(text: &str) -> Box<str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        // The lexer let only escapes of single characters pass.
        out.extend(if character == '\\' { characters.next() } else { Some(character) });
    }
    out.into()
}
