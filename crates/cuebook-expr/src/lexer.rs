//! Cuts source text into tokens.
//!
//! Owns spelling: numbers, strings, words, symbols. It never stops at a mistake; it reports and goes on with a token
//! that stands for the mistake.

mod text;

use crate::caret::printable;
use crate::error::{Problem, Problems};
use crate::number::Number;
use crate::span::Span;
use crate::token::{SPELLINGS, Spelling, Token, TokenKind};

/// Whether a name may begin with the character.
pub(crate) fn starts_name(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_'
}

/// Whether a name may go on with the character.
pub(crate) fn continues_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// What counts as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Words are names, and `-` subtracts.
    Expression,
    /// Words may hold hyphens and begin with a digit; there are no numbers.
    Reference,
}

impl Style {
    fn starts_word(self, character: char) -> bool {
        starts_name(character) || (self == Self::Reference && character.is_ascii_digit())
    }

    fn continues_word(self, character: char) -> bool {
        continues_name(character) || (self == Self::Reference && character == '-')
    }
}

/// The tokens of a source text; the last one is always the end.
pub(crate) fn tokens(source: &str, style: Style, problems: &mut Problems) -> Vec<Token> {
    let mut lexer = Lexer { source, style, at: 0, problems };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_whitespace();
        let start = lexer.at;
        let Some(kind) = lexer.next_kind() else {
            tokens.push(Token { kind: TokenKind::End, span: Span::new(start, start) });
            return tokens;
        };
        tokens.push(Token { kind, span: Span::new(start, lexer.at) });
    }
}

struct Lexer<'s, 'p> {
    source: &'s str,
    style: Style,
    at: usize,
    problems: &'p mut Problems,
}

impl<'s> Lexer<'s, '_> {
    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Passes over the characters that fit and gives the text passed.
    fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'s str {
        let rest = self.rest();
        let length = rest.find(|character| !fits(character)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn skip_whitespace(&mut self) {
        self.take_while(is_whitespace);
    }

    fn report_from(&mut self, start: usize, message: String, hint: Option<&str>) -> TokenKind {
        let span = Span::new(start, self.at);
        self.problems.report(Problem::new(span, message).with_hint_if(hint));
        TokenKind::Broken
    }

    fn next_kind(&mut self) -> Option<TokenKind> {
        let first = self.peek()?;
        Some(match first {
            '\'' | '"' => self.text(first),
            _ if self.style.starts_word(first) => {
                let style = self.style;
                self.take_while(|character| style.continues_word(character));
                TokenKind::Word
            }
            '0'..='9' => self.number(),
            _ => match spelling(self.rest()) {
                Some(spelling) => self.symbol(spelling),
                None => self.unknown(),
            },
        })
    }

    fn symbol(&mut self, spelling: &Spelling) -> TokenKind {
        let start = self.at;
        self.at += spelling.text.len();
        if spelling.mistaken {
            let hint = format!("write `{}`", spelling.symbol.text());
            self.report_from(start, format!("there is no operator `{}`", spelling.text), Some(&hint));
        }
        TokenKind::Symbol(spelling.symbol)
    }

    fn number(&mut self) -> TokenKind {
        let start = self.at;
        self.take_while(|character| character.is_ascii_digit());
        let mut after = self.rest().chars();
        if after.next() == Some('.') && after.next().is_some_and(|digit| digit.is_ascii_digit()) {
            self.at += 1;
            self.take_while(|character| character.is_ascii_digit());
        }
        if !self.take_while(continues_name).is_empty() {
            let message = format!("malformed number `{}`", &self.source[start..self.at]);
            return self.report_from(
                start,
                message,
                Some("numbers are digits, or digits, a point and digits"),
            );
        }
        match Number::from_digits(&self.source[start..self.at]) {
            Some(number) => TokenKind::Literal(number.to_json()),
            None => self.report_from(
                start,
                "number out of range".to_owned(),
                Some("whole numbers go up to 18446744073709551615, decimals to about 1.8 times 10^308"),
            ),
        }
    }

    fn unknown(&mut self) -> TokenKind {
        let start = self.at;
        let run = self.take_while(is_unknown);
        let hint = run.chars().next().and_then(unknown_hint);
        self.report_from(start, format!("unexpected `{}`", printable(run)), hint)
    }
}

fn spelling(rest: &str) -> Option<&'static Spelling> {
    SPELLINGS.iter().find(|spelling| rest.starts_with(spelling.text))
}

fn is_whitespace(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n')
}

fn is_unknown(character: char) -> bool {
    !is_whitespace(character)
        && !continues_name(character)
        && !matches!(character, '\'' | '"')
        && spelling(character.encode_utf8(&mut [0; 4])).is_none()
}

fn unknown_hint(character: char) -> Option<&'static str> {
    match character {
        '{' | '}' | '$' => Some("write it without braces and without `$`"),
        '`' | '\u{2018}' | '\u{2019}' | '\u{201C}' | '\u{201D}' => {
            Some("strings stand between `'` and `'` or between `\"` and `\"`")
        }
        _ if character.is_alphabetic() => {
            Some("names are made of ASCII letters, digits and `_`; reach other keys with `[\"…\"]`")
        }
        _ => None,
    }
}
