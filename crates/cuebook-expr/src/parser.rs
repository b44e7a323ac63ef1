//! Reads tokens into a tree.
//!
//! Owns the grammar that the crate's front page states. It climbs the precedence table of [`crate::operator`], counts
//! nesting, and goes on after a mistake so that one reading reports all of them; the tree is of use only when nothing
//! was reported.

mod atom;
pub(crate) mod reference;

use crate::caret::printable;
use crate::error::{Problem, Problems};
use crate::lexer::{self, Style};
use crate::limits::MAX_NESTING;
use crate::operator::{BinaryOp, Level, UnaryOp};
use crate::path::too_long;
use crate::span::Span;
use crate::token::{Symbol, Token, TokenKind};
use crate::tree::{Choice, Expr, Node};

const CHOICE: &str = "a choice is written `condition ? value : other`";

/// Reads a whole source text as one expression.
pub(crate) fn parse(source: &str, problems: &mut Problems) -> Expr {
    if let Some(problem) = too_long(source) {
        problems.close_with(problem);
        return Expr::placeholder(Span::default());
    }
    let tokens = lexer::tokens(source, Style::Expression, problems);
    // After a bad token, two operands side by side are most likely the halves of what it broke.
    let stray_reported = !problems.is_empty();
    Parser { source, tokens, at: 0, depth: 0, stray_reported, problems }.whole()
}

struct Parser<'s, 'p> {
    source: &'s str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    stray_reported: bool,
    problems: &'p mut Problems,
}

impl<'s> Parser<'s, '_> {
    fn token(&self) -> &Token {
        // The lexer ends every list with an end token, and `bump` never passes it.
        &self.tokens[self.at]
    }

    fn span(&self) -> Span {
        self.token().span
    }

    fn bump(&mut self) -> Span {
        let span = self.span();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        span
    }

    fn is_at(&self, symbol: Symbol) -> bool {
        self.token().kind == TokenKind::Symbol(symbol)
    }

    fn is_at_end(&self) -> bool {
        self.token().kind == TokenKind::End
    }

    fn is_at_boundary(&self) -> bool {
        match &self.token().kind {
            TokenKind::End => true,
            TokenKind::Symbol(symbol) => symbol.is_boundary(),
            _ => false,
        }
    }

    /// The word here, or none when there is another kind of token.
    fn word(&self) -> Option<&'s str> {
        self.word_at(self.at)
    }

    fn word_at(&self, at: usize) -> Option<&'s str> {
        let token = self.tokens.get(at)?;
        (token.kind == TokenKind::Word).then(|| token.span.of(self.source))
    }

    /// The token here, as a message names it.
    fn found(&self) -> String {
        found(self.token(), self.source)
    }

    fn report(&mut self, problem: Problem) {
        self.problems.report(problem);
    }

    fn whole(mut self) -> Expr {
        if self.is_at_end() && self.problems.is_empty() {
            self.report(Problem::new(self.span(), "the expression is empty"));
            return Expr::placeholder(self.span());
        }
        let expr = self.group();
        while !self.is_at_end() {
            self.report(self.unopened());
            self.bump();
            if !self.is_at_boundary() {
                self.group();
            }
        }
        expr
    }

    /// The finding about a token here that only brackets or a choice can use.
    fn unopened(&self) -> Problem {
        let hint = match self.token().kind {
            TokenKind::Symbol(Symbol::Comma) => "a list stands between `[` and `]`",
            TokenKind::Symbol(Symbol::Colon) => CHOICE,
            _ => "nothing before it was opened",
        };
        Problem::new(self.span(), format!("unexpected {}", self.found())).with_hint(hint)
    }

    /// Reads an expression up to the end or to a token that only brackets or a choice can use.
    fn group(&mut self) -> Expr {
        let expr = self.operators(Level::Choice);
        while !self.is_at_boundary() {
            let before = self.at;
            self.report_stray();
            self.operators(Level::Choice);
            if self.at == before {
                self.bump();
            }
        }
        expr
    }

    /// Reports that one operand follows another; only the first time, since prose would give one error a word.
    fn report_stray(&mut self) {
        if std::mem::replace(&mut self.stray_reported, true) {
            return;
        }
        let problem = Problem::new(self.span(), format!("expected an operator, found {}", self.found()));
        let meant = self.word().and_then(operator_meant);
        self.report(problem.with_hint(match meant {
            Some(operator) => format!("write `{operator}`"),
            None => "join two values with an operator such as `&&`, `==` or `+`".to_owned(),
        }));
    }

    /// Reads operands and the operators between them that bind at least as tightly as `least`.
    fn operators(&mut self, least: Level) -> Expr {
        let mut left = self.prefix(least);
        let mut previous = None;
        while let Some((op, width)) = self.operator().filter(|(op, _)| op.level() >= least) {
            if previous == Some(op.level()) && !op.level().chains() {
                self.report_chained(op);
            }
            previous = Some(op.level());
            self.at += width;
            let right = self.operators(op.level().tighter());
            left = left.joined(op, right);
        }
        if least == Level::Choice && self.is_at(Symbol::Question) { self.choice(left) } else { left }
    }

    /// The operator here and how many tokens spell it.
    fn operator(&self) -> Option<(BinaryOp, usize)> {
        match self.token().kind {
            TokenKind::Symbol(Symbol::Binary(op)) => Some((op, 1)),
            TokenKind::Word => match self.word()? {
                "and" => Some((BinaryOp::And, 1)),
                "or" => Some((BinaryOp::Or, 1)),
                "in" => Some((BinaryOp::In, 1)),
                "not" if self.word_at(self.at + 1) == Some("in") => Some((BinaryOp::NotIn, 2)),
                _ => None,
            },
            _ => None,
        }
    }

    fn report_chained(&mut self, op: BinaryOp) {
        let message = format!("`{}` cannot follow another comparison", op.text());
        let hint = "join two comparisons with `&&`, or put one in parentheses";
        self.report(Problem::new(self.span(), message).with_hint(hint));
    }

    fn prefix(&mut self, least: Level) -> Expr {
        if self.is_at(Symbol::Bang) {
            return self.unary(UnaryOp::Not, Level::Unary);
        }
        if self.is_at(Symbol::Binary(BinaryOp::Subtract)) {
            return self.unary(UnaryOp::Negate, Level::Unary);
        }
        match self.word() {
            Some("not") if least <= Level::Not => self.unary(UnaryOp::Not, Level::Not),
            Some("not") => {
                let problem = Problem::new(self.span(), "`not` binds too loosely to stand here");
                self.report(problem.with_hint("write `!`, or put `not` and its operand in parentheses"));
                self.unary(UnaryOp::Not, Level::Unary)
            }
            _ => self.accessed(),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: Level) -> Expr {
        let start = self.bump();
        let Some(operand) = self.nested(start, |parser| parser.operators(operand)) else {
            return Expr::placeholder(start);
        };
        let span = start.to(operand.span);
        Expr::new(Node::Unary(op, Box::new(operand)), span)
    }

    fn choice(&mut self, condition: Expr) -> Expr {
        let question = self.bump();
        let Some((then, otherwise)) = self.nested(question, Self::alternatives).flatten() else {
            return Expr::placeholder(question);
        };
        let span = condition.span.to(otherwise.span);
        Expr::new(Node::Choice(Box::new(Choice { condition, then, otherwise })), span)
    }

    fn alternatives(&mut self) -> Option<(Expr, Expr)> {
        let then = self.group();
        if self.is_at(Symbol::Colon) {
            self.bump();
            return Some((then, self.operators(Level::Choice)));
        }
        let problem = Problem::new(self.span(), format!("expected `:`, found {}", self.found()));
        self.report(problem.with_hint(CHOICE));
        None
    }

    /// Reads one level deeper; past the limit it reports that and gives up on the rest of the source.
    fn nested<T>(&mut self, start: Span, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_NESTING {
            let message = format!("nested {} deep here, the limit is {MAX_NESTING}", self.depth + 1);
            let problem = Problem::new(start, message);
            self.problems.close_with(problem.with_hint("compute parts of it in an earlier step"));
            self.at = self.tokens.len() - 1;
            return None;
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        Some(result)
    }
}

/// How a message names a token.
fn found(token: &Token, source: &str) -> String {
    match token.kind {
        TokenKind::End => "the end".to_owned(),
        TokenKind::Literal(serde_json::Value::String(_)) => "a string".to_owned(),
        _ => format!("`{}`", printable(token.span.of(source))),
    }
}

/// The operator that a word stands for in other languages.
fn operator_meant(word: &str) -> Option<&'static str> {
    match word.to_ascii_lowercase().as_str() {
        "and" => Some("and"),
        "or" => Some("or"),
        "not" => Some("not"),
        "in" => Some("in"),
        "is" | "eq" | "equals" => Some("=="),
        "ne" | "isnt" => Some("!="),
        "mod" => Some("%"),
        _ => None,
    }
}
