//! Operands: literals, names, lists, calls, parentheses, and the steps after them.
//!
//! Owns brackets: each opening one is remembered until it is closed, so that a missing one is named with its place.

use serde_json::Value;

use super::Parser;
use crate::caret::line_and_column;
use crate::error::Problem;
use crate::function::{Function, unknown_hint};
use crate::limits::MAX_LIST_ITEMS;
use crate::path::Segment;
use crate::span::Span;
use crate::token::{Symbol, TokenKind};
use crate::tree::{Expr, Node, Step, Target};

impl Parser<'_, '_> {
    /// Reads an operand and the steps into it.
    pub(super) fn accessed(&mut self) -> Expr {
        let base = self.atom();
        let steps: Vec<Step> = std::iter::from_fn(|| self.step()).collect();
        base.stepped(steps)
    }

    fn atom(&mut self) -> Expr {
        let span = self.span();
        match &self.token().kind {
            TokenKind::Literal(value) => {
                let node = Node::Literal(value.clone());
                self.bump();
                Expr::new(node, span)
            }
            TokenKind::Broken => Expr::placeholder(self.bump()),
            TokenKind::Symbol(Symbol::LeftParen) => self.parenthesised(),
            TokenKind::Symbol(Symbol::LeftBracket) => self.list(),
            TokenKind::Word => self.named(),
            _ => self.expected_value(),
        }
    }

    fn expected_value(&mut self) -> Expr {
        let span = self.span();
        let problem = Problem::new(span, format!("expected a value, found {}", self.found()));
        let is_dot = self.is_at(Symbol::Dot);
        if is_dot || self.is_at(Symbol::Question) {
            self.bump();
        }
        let is_decimal = is_dot && self.is_at_literal();
        self.report(
            problem.with_hint_if(is_decimal.then_some("a decimal begins with a digit, such as `0.5`")),
        );
        if is_decimal {
            self.bump();
        }
        Expr::placeholder(span)
    }

    fn named(&mut self) -> Expr {
        let word = self.word().unwrap_or_default();
        let node = match word {
            "and" | "or" | "in" | "not" => return self.expected_value(),
            "null" => Node::Literal(Value::Null),
            "true" => Node::Literal(Value::Bool(true)),
            "false" => Node::Literal(Value::Bool(false)),
            _ => Node::Name(word.to_owned()),
        };
        let span = self.bump();
        match node {
            Node::Name(name) if self.is_at(Symbol::LeftParen) => self.call(&name, span),
            node => Expr::new(node, span),
        }
    }

    fn parenthesised(&mut self) -> Expr {
        match self.bracketed(Symbol::RightParen) {
            (Some(inner), span) => Expr::new(inner.node, span),
            (None, span) => Expr::placeholder(span),
        }
    }

    /// Reads one expression between brackets; the opening one is here. Gives the span with the brackets.
    fn bracketed(&mut self, closing: Symbol) -> (Option<Expr>, Span) {
        let open = self.bump();
        let inner = self.nested(open, |parser| (parser.group(), open.to(parser.close(closing, open))));
        inner.map_or((None, open), |(inner, span)| (Some(inner), span))
    }

    fn list(&mut self) -> Expr {
        let (items, span) = self.items(Symbol::RightBracket);
        if items.len() > MAX_LIST_ITEMS {
            let message = format!("a list of {} items, the limit is {MAX_LIST_ITEMS}", items.len());
            self.report(Problem::new(span, message).with_hint("pass the list in as an input"));
        }
        Expr::new(Node::List(items), span)
    }

    fn call(&mut self, name: &str, at: Span) -> Expr {
        let (arguments, brackets) = self.items(Symbol::RightParen);
        let span = at.to(brackets);
        let Some(function) = Function::named(name) else {
            self.report(Problem::new(at, format!("unknown function `{name}`")).with_hint(unknown_hint(name)));
            return Expr::placeholder(span);
        };
        self.check_arguments(function, &arguments, span);
        Expr::new(Node::Call(function, arguments), span)
    }

    fn check_arguments(&mut self, function: Function, arguments: &[Expr], span: Span) {
        let (expected, got) = (function.parameters().len(), arguments.len());
        let name = function.name();
        if expected != got {
            let noun = if expected == 1 { "argument" } else { "arguments" };
            let message = format!("`{name}` takes {expected} {noun}, got {got}");
            self.report(Problem::new(span, message).with_hint(format!("write `{}`", function.signature())));
        } else if function == Function::Exists
            && let Some(argument) = arguments.iter().find(|argument| !argument.is_path())
        {
            let problem = Problem::new(argument.span, "`exists` takes a path");
            self.report(problem.with_hint("write a name with its steps, such as `exists(output.approved)`"));
        }
    }

    /// Reads expressions between brackets; the opening one is here. Gives the span with the brackets.
    fn items(&mut self, closing: Symbol) -> (Vec<Expr>, Span) {
        let open = self.bump();
        let items = self.nested(open, |parser| {
            let items = if parser.is_at(closing) { Vec::new() } else { parser.separated() };
            (items, open.to(parser.close(closing, open)))
        });
        items.unwrap_or_else(|| (Vec::new(), open))
    }

    fn separated(&mut self) -> Vec<Expr> {
        let mut items = vec![self.group()];
        while self.is_at(Symbol::Comma) {
            self.bump();
            items.push(self.group());
        }
        items
    }

    /// Passes the closing bracket, or reports that it is missing; gives the span of what is there.
    fn close(&mut self, closing: Symbol, open: Span) -> Span {
        if self.is_at(closing) {
            return self.bump();
        }
        let (line, column) = line_and_column(self.source, open.start);
        let place =
            if line > 1 { format!("line {line}, column {column}") } else { format!("column {column}") };
        let opened = open.of(self.source);
        let message =
            format!("expected `{}` for the `{opened}` at {place}, found {}", closing.text(), self.found());
        self.report(Problem::new(self.span(), message));
        if !self.is_at(Symbol::RightParen) && !self.is_at(Symbol::RightBracket) {
            self.skip_to(closing);
        }
        self.bump()
    }

    /// Passes everything up to a closing bracket, with the brackets in between in pairs, or up to the end.
    fn skip_to(&mut self, closing: Symbol) {
        let mut open = 0_usize;
        while !(self.is_at_end() || open == 0 && self.is_at(closing)) {
            if self.is_at(Symbol::LeftParen) || self.is_at(Symbol::LeftBracket) {
                open += 1;
            } else if self.is_at(Symbol::RightParen) || self.is_at(Symbol::RightBracket) {
                open = open.saturating_sub(1);
            }
            self.bump();
        }
    }

    fn is_at_literal(&self) -> bool {
        matches!(self.token().kind, TokenKind::Literal(_))
    }

    /// Reads one `.key` or `[index]`, if there is one.
    fn step(&mut self) -> Option<Step> {
        if self.is_at(Symbol::Dot) {
            return Some(self.key());
        }
        self.is_at(Symbol::LeftBracket).then(|| self.index())
    }

    fn key(&mut self) -> Step {
        let dot = self.bump();
        let Some(key) = self.word() else {
            return self.expected_key(dot);
        };
        let span = self.bump();
        if self.is_at(Symbol::LeftParen) {
            let problem = Problem::new(span, format!("there are no methods, and `{key}` is called as one"));
            let call = Function::named(key).map(Function::signature);
            self.report(problem.with_hint_if(call.map(|call| format!("write `{call}`"))));
            self.items(Symbol::RightParen);
        }
        Step { to: Target::Fixed(Segment::Key(key.to_owned())), span: dot.to(span) }
    }

    fn expected_key(&mut self, dot: Span) -> Step {
        let problem = Problem::new(self.span(), format!("expected a name after `.`, found {}", self.found()));
        let is_literal = self.is_at_literal();
        let hint = is_literal.then_some("items are written `[0]`, other keys `[\"key\"]`");
        self.report(problem.with_hint_if(hint));
        if is_literal {
            self.bump();
        }
        Step { to: Target::Fixed(Segment::Key(String::new())), span: dot }
    }

    fn index(&mut self) -> Step {
        let (index, span) = self.bracketed(Symbol::RightBracket);
        let index = index.unwrap_or_else(|| Expr::placeholder(span));
        let to = fixed_target(&index).map_or_else(|| Target::Computed(index), Target::Fixed);
        Step { to, span }
    }
}

fn fixed_target(index: &Expr) -> Option<Segment> {
    match &index.node {
        Node::Literal(Value::String(key)) => Some(Segment::Key(key.clone())),
        Node::Literal(Value::Number(number)) => {
            number.as_u64().and_then(|index| usize::try_from(index).ok()).map(Segment::Index)
        }
        _ => None,
    }
}
