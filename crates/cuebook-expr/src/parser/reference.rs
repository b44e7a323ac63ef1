//! Reads a reference: a root name and fixed steps, nothing else.
//!
//! Owns the small grammar of [`crate::Path`]. It stops at the first token that does not fit, since what follows it was
//! meant for another grammar.

use serde_json::Value;

use super::found;
use crate::error::{Problem, Problems};
use crate::lexer::{self, Style};
use crate::path::{Path, Segment, too_long};
use crate::span::Span;
use crate::token::{Symbol, Token, TokenKind};

const SHAPE: &str = "a reference is a name, then any of `.name`, `[0]` and `[\"key\"]`";

/// Reads a whole source text as one reference.
pub(crate) fn parse(source: &str, problems: &mut Problems) -> Path {
    if let Some(problem) = too_long(source) {
        problems.close_with(problem);
        return Path::new(String::new(), Vec::new(), Span::default());
    }
    let tokens = lexer::tokens(source, Style::Reference, problems);
    let mut reader = Reader { source, tokens: &tokens };
    match reader.path() {
        Ok(path) => path,
        Err(problem) => {
            // A token that the lexer reported is not reported again as one that does not fit.
            if problems.is_empty() {
                problems.report(problem);
            }
            Path::new(String::new(), Vec::new(), Span::default())
        }
    }
}

struct Reader<'s, 't> {
    source: &'s str,
    tokens: &'t [Token],
}

impl<'s> Reader<'s, '_> {
    fn path(&mut self) -> Result<Path, Problem> {
        let (root, mut span) = self.name("expected a name")?;
        let mut segments = Vec::new();
        while self.tokens.first().is_some_and(|token| token.kind != TokenKind::End) {
            let (segment, end) = self.segment()?;
            segments.push(segment);
            span = span.to(end);
        }
        Ok(Path::new(root.to_owned(), segments, span))
    }

    fn segment(&mut self) -> Result<(Segment, Span), Problem> {
        if self.take(&TokenKind::Symbol(Symbol::Dot)).is_some() {
            return self
                .name("expected a name after `.`")
                .map(|(name, span)| (Segment::Key(name.to_owned()), span));
        }
        if self.take(&TokenKind::Symbol(Symbol::LeftBracket)).is_none() {
            return Err(self.misfit("expected the end").with_hint(SHAPE));
        }
        let segment = self.index()?;
        let close = self.take(&TokenKind::Symbol(Symbol::RightBracket));
        close.map(|span| (segment, span)).ok_or_else(|| self.misfit("expected `]`"))
    }

    fn index(&mut self) -> Result<Segment, Problem> {
        let segment = match self.tokens.first() {
            Some(Token { kind: TokenKind::Literal(Value::String(key)), .. }) => {
                Some(Segment::Key(key.clone()))
            }
            Some(token) if token.kind == TokenKind::Word => {
                token.span.of(self.source).parse().ok().map(Segment::Index)
            }
            _ => None,
        };
        let segment =
            segment.ok_or_else(|| self.misfit("expected digits or a quoted key").with_hint(SHAPE))?;
        self.bump();
        Ok(segment)
    }

    fn name(&mut self, expected: &str) -> Result<(&'s str, Span), Problem> {
        let is_index = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
        let token = self.tokens.first().filter(|token| token.kind == TokenKind::Word);
        match token.map(|token| (token.span.of(self.source), token.span)) {
            Some((name, span)) if is_index(name) => {
                Err(Problem::new(span, format!("{expected}, found `{name}`"))
                    .with_hint("items are written `[0]`"))
            }
            Some(named) => {
                self.bump();
                Ok(named)
            }
            None => Err(self.misfit(expected).with_hint(SHAPE)),
        }
    }

    fn take(&mut self, kind: &TokenKind) -> Option<Span> {
        let token = self.tokens.first().filter(|token| token.kind == *kind)?;
        self.bump();
        Some(token.span)
    }

    fn bump(&mut self) {
        self.tokens = self.tokens.get(1..).unwrap_or_default();
    }

    fn misfit(&self, expected: &str) -> Problem {
        match self.tokens.first() {
            Some(token) => {
                Problem::new(token.span, format!("{expected}, found {}", found(token, self.source)))
            }
            None => Problem::new(Span::default(), expected),
        }
    }
}
