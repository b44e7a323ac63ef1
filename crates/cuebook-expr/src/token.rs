//! The pieces that source text is cut into.
//!
//! Owns the kinds of token. Words stay words here: whether `in` is an operator or a key depends on its place.

use serde_json::Value;

use crate::operator::BinaryOp;
use crate::span::Span;

/// A piece of source text and its place.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// What a piece of source text is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    /// A number or a string.
    Literal(Value),
    /// A name or a keyword; the text is under the span.
    Word,
    Symbol(Symbol),
    /// Something that was already reported; it stands for an operand so that it is reported once.
    Broken,
    End,
}

/// A token made of punctuation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    Comma,
    Dot,
    Question,
    Colon,
    Bang,
    Binary(BinaryOp),
}

impl Symbol {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::LeftParen => "(",
            Self::RightParen => ")",
            Self::LeftBracket => "[",
            Self::RightBracket => "]",
            Self::Comma => ",",
            Self::Dot => ".",
            Self::Question => "?",
            Self::Colon => ":",
            Self::Bang => "!",
            Self::Binary(op) => op.text(),
        }
    }

    /// Whether the symbol ends the expression before it inside brackets or a choice.
    pub(crate) fn is_boundary(self) -> bool {
        matches!(self, Self::RightParen | Self::RightBracket | Self::Comma | Self::Colon)
    }
}

/// How each symbol is spelled, longest first; `mistaken` spellings are reported and read as the symbol meant.
pub(crate) struct Spelling {
    pub(crate) text: &'static str,
    pub(crate) symbol: Symbol,
    pub(crate) mistaken: bool,
}

const fn right(text: &'static str, symbol: Symbol) -> Spelling {
    Spelling { text, symbol, mistaken: false }
}

const fn wrong(text: &'static str, op: BinaryOp) -> Spelling {
    Spelling { text, symbol: Symbol::Binary(op), mistaken: true }
}

pub(crate) const SPELLINGS: [Spelling; 28] = [
    wrong("===", BinaryOp::Equal),
    wrong("!==", BinaryOp::NotEqual),
    right("&&", Symbol::Binary(BinaryOp::And)),
    right("||", Symbol::Binary(BinaryOp::Or)),
    right("==", Symbol::Binary(BinaryOp::Equal)),
    right("!=", Symbol::Binary(BinaryOp::NotEqual)),
    right("<=", Symbol::Binary(BinaryOp::LessEqual)),
    right(">=", Symbol::Binary(BinaryOp::GreaterEqual)),
    wrong("<>", BinaryOp::NotEqual),
    right("<", Symbol::Binary(BinaryOp::Less)),
    right(">", Symbol::Binary(BinaryOp::Greater)),
    right("+", Symbol::Binary(BinaryOp::Add)),
    right("-", Symbol::Binary(BinaryOp::Subtract)),
    right("*", Symbol::Binary(BinaryOp::Multiply)),
    right("/", Symbol::Binary(BinaryOp::Divide)),
    right("%", Symbol::Binary(BinaryOp::Remainder)),
    right("(", Symbol::LeftParen),
    right(")", Symbol::RightParen),
    right("[", Symbol::LeftBracket),
    right("]", Symbol::RightBracket),
    right(",", Symbol::Comma),
    right(".", Symbol::Dot),
    right("?", Symbol::Question),
    right(":", Symbol::Colon),
    right("!", Symbol::Bang),
    wrong("=", BinaryOp::Equal),
    wrong("&", BinaryOp::And),
    wrong("|", BinaryOp::Or),
];
