//! The words of the dialect: what a lexer gives to a parser.
//!
//! It owns kinds and places. It refuses text: a token is a span, and the source says what stands there.

use crate::span::Span;

/// A piece of a template, in order; text that a comment or a trim mark took away is in none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) kind: ElementKind,
    /// All of it, braces included.
    pub(super) span: Span,
    /// Where its tokens begin and end in [`Tokens::tokens`].
    pub(super) first: usize,
    pub(super) end: usize,
}

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementKind {
    /// Text that is put out as it is.
    Text,
    /// `{{ … }}`.
    Output,
    /// `{% … %}`.
    Tag,
    /// A tag or output that could not be read, and has been reported.
    Broken,
}

/// A token within an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Name,
    Number,
    /// A string literal; the span has the quotes.
    Str,
    Keyword(Keyword),
    Symbol(Symbol),
}

/// A word with a meaning of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    In,
    And,
    Or,
    Not,
    True,
    False,
    As,
    Export,
}

impl Keyword {
    pub(super) fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "in" => Self::In,
            "and" => Self::And,
            "or" => Self::Or,
            "not" => Self::Not,
            "true" => Self::True,
            "false" => Self::False,
            "as" => Self::As,
            "export" => Self::Export,
            _ => return None,
        })
    }
}

/// A sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Equal,
    NotEqual,
    LessEqual,
    GreaterEqual,
    Less,
    Greater,
    And,
    Or,
    Not,
    Plus,
    Minus,
    Times,
    Divide,
    Remainder,
    Power,
    Assign,
    Pipe,
    Colon,
    Comma,
    Dot,
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
}

impl Symbol {
    /// The sign that `rest` begins with, and its length in bytes; the longest counts.
    pub(super) fn parse(rest: &[u8]) -> Option<(Self, usize)> {
        let two = match rest.get(..2) {
            Some(b"==") => Some(Self::Equal),
            Some(b"!=" | b"<>") => Some(Self::NotEqual),
            Some(b"<=") => Some(Self::LessEqual),
            Some(b">=") => Some(Self::GreaterEqual),
            Some(b"&&") => Some(Self::And),
            Some(b"||") => Some(Self::Or),
            _ => None,
        };
        two.map(|symbol| (symbol, 2)).or_else(|| Self::single(*rest.first()?).map(|symbol| (symbol, 1)))
    }

    const fn single(byte: u8) -> Option<Self> {
        Some(match byte {
            b'<' => Self::Less,
            b'>' => Self::Greater,
            b'!' => Self::Not,
            b'+' => Self::Plus,
            b'-' => Self::Minus,
            b'*' => Self::Times,
            b'/' => Self::Divide,
            b'%' => Self::Remainder,
            b'^' => Self::Power,
            b'=' => Self::Assign,
            b'|' => Self::Pipe,
            b':' => Self::Colon,
            b',' => Self::Comma,
            b'.' => Self::Dot,
            b'(' => Self::OpenParen,
            b')' => Self::CloseParen,
            b'[' => Self::OpenBracket,
            b']' => Self::CloseBracket,
            _ => return None,
        })
    }
}

/// A template as elements and tokens.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) elements: Vec<Element>,
    pub(super) tokens: Vec<Token>,
}

impl Tokens {
    pub(super) fn of(&self, element: &Element) -> &[Token] {
        &self.tokens[element.first..element.end]
    }
}
