//! Expressions, from the loosest operator to the tightest.
//!
//! ```text
//! expression = relation [ ("and"|"&&"|"or"|"||") expression ]      ; right to left, one level for both words
//! relation   = sum [ ("=="|"<="|">="|"!="|"<>"|">"|"<") relation | "in" sum ]
//! sum        = ["+"|"-"] ["!"|"not"] product { ("+"|"-") product }
//! product    = power { ("*"|"/"|"%") power }
//! power      = factor [ "^" power ]
//! factor     = "(" expression ")" | atom { "|" filter [ ":" atom ] }
//! ```
//!
//! It owns the precedences of pongo2 6.0.0, the odd ones too: `not` and a sign bind the first product only, and a
//! filter's argument is one atom. Its one addition is the list, `[a, b]`.

use super::Parser;
use super::arguments::{Arguments, Read, Reported};
use crate::diagnostic::Diagnostic;
use crate::nearest::nearest;
use crate::pongo::fault::code;
use crate::pongo::filters;
use crate::pongo::limits::LimitKind;
use crate::pongo::token::{Keyword, Symbol, TokenKind};
use crate::pongo::tree::{Expression, ExpressionKind, FilterCall, Name, Operator, Step};
use crate::span::Span;

const OPERAND: &str = "a number, a string or a name";

impl Parser<'_> {
    pub(super) fn expression(&mut self, arguments: &mut Arguments<'_>) -> Read<Expression> {
        self.deeper(arguments, |parser, arguments| {
            let left = parser.relation(arguments)?;
            let operator = match arguments.peek() {
                Some(TokenKind::Keyword(Keyword::And) | TokenKind::Symbol(Symbol::And)) => Operator::And,
                Some(TokenKind::Keyword(Keyword::Or) | TokenKind::Symbol(Symbol::Or)) => Operator::Or,
                _ => return Ok(left),
            };
            arguments.advance();
            let right = parser.expression(arguments)?;
            Ok(binary(operator, left, right))
        })
    }

    fn relation(&mut self, arguments: &mut Arguments<'_>) -> Read<Expression> {
        let left = self.sum(arguments)?;
        if arguments.eat_keyword(Keyword::In) {
            let right = self.sum(arguments)?;
            return Ok(binary(Operator::In, left, right));
        }
        let operator = match arguments.peek() {
            Some(TokenKind::Symbol(Symbol::Equal)) => Operator::Equal,
            Some(TokenKind::Symbol(Symbol::NotEqual)) => Operator::NotEqual,
            Some(TokenKind::Symbol(Symbol::Less)) => Operator::Less,
            Some(TokenKind::Symbol(Symbol::LessEqual)) => Operator::LessEqual,
            Some(TokenKind::Symbol(Symbol::Greater)) => Operator::Greater,
            Some(TokenKind::Symbol(Symbol::GreaterEqual)) => Operator::GreaterEqual,
            _ => return Ok(left),
        };
        arguments.advance();
        let right = self.deeper(arguments, Self::relation)?;
        Ok(binary(operator, left, right))
    }

    fn sum(&mut self, arguments: &mut Arguments<'_>) -> Read<Expression> {
        let start = arguments.span().start;
        let negative = arguments.eat_symbol(Symbol::Minus);
        if !negative {
            arguments.eat_symbol(Symbol::Plus);
        }
        let not = arguments.eat_symbol(Symbol::Not) || arguments.eat_keyword(Keyword::Not);
        let mut sum = self.product(arguments)?;
        if not {
            sum = prefixed(start, sum, ExpressionKind::Not);
        }
        if negative {
            sum = prefixed(start, sum, ExpressionKind::Negative);
        }
        self.chain(arguments, sum, Self::product, |symbol| match symbol {
            Symbol::Plus => Some(Operator::Add),
            Symbol::Minus => Some(Operator::Subtract),
            _ => None,
        })
    }

    fn product(&mut self, arguments: &mut Arguments<'_>) -> Read<Expression> {
        let first = self.power(arguments)?;
        self.chain(arguments, first, Self::power, |symbol| match symbol {
            Symbol::Times => Some(Operator::Multiply),
            Symbol::Divide => Some(Operator::Divide),
            Symbol::Remainder => Some(Operator::Remainder),
            _ => None,
        })
    }

    /// Operators of one level, from left to right; each makes the tree one deeper.
    fn chain(
        &mut self,
        arguments: &mut Arguments<'_>,
        first: Expression,
        operand: fn(&mut Self, &mut Arguments<'_>) -> Read<Expression>,
        operator: fn(Symbol) -> Option<Operator>,
    ) -> Read<Expression> {
        let depth = arguments.depth;
        let mut left = first;
        while let Some(TokenKind::Symbol(symbol)) = arguments.peek() {
            let Some(operator) = operator(symbol) else { break };
            arguments.advance();
            arguments.depth += 1;
            let right = self.deeper(arguments, operand)?;
            left = binary(operator, left, right);
        }
        arguments.depth = depth;
        Ok(left)
    }

    fn power(&mut self, arguments: &mut Arguments<'_>) -> Read<Expression> {
        let base = self.factor(arguments)?;
        if !arguments.eat_symbol(Symbol::Power) {
            return Ok(base);
        }
        let exponent = self.deeper(arguments, Self::power)?;
        Ok(binary(Operator::Power, base, exponent))
    }

    fn factor(&mut self, arguments: &mut Arguments<'_>) -> Read<Expression> {
        if arguments.eat_symbol(Symbol::OpenParen) {
            let inner = self.expression(arguments)?;
            arguments.expect_symbol(self, Symbol::CloseParen, "')'")?;
            return Ok(inner);
        }
        let input = self.atom(arguments)?;
        if arguments.peek() != Some(TokenKind::Symbol(Symbol::Pipe)) {
            return Ok(input);
        }
        let mut calls = Vec::new();
        while arguments.eat_symbol(Symbol::Pipe) {
            calls.push(self.filter_call(arguments)?);
        }
        let span = Span::new(input.span.start, arguments.behind());
        Ok(Expression { kind: ExpressionKind::Filtered { input: Box::new(input), calls }, span })
    }

    /// A filter's name and argument.
    pub(super) fn filter_call(&mut self, arguments: &mut Arguments<'_>) -> Read<FilterCall> {
        let name = arguments.expect_name(self, "the name of a filter")?;
        let found = filters::find(&name.text);
        if let Some(filter) = found {
            if !self.profile.allows_filter(filter.name) {
                self.report_banned("filter", filter.name, name.span);
            }
        } else {
            self.report_unknown_filter(&name);
        }
        let argument = if arguments.eat_symbol(Symbol::Colon) { Some(self.atom(arguments)?) } else { None };
        let span = Span::new(name.span.start, arguments.behind());
        Ok(FilterCall { filter: found.ok_or(Reported)?, argument, span })
    }

    fn report_unknown_filter(&mut self, name: &Name) {
        let fault = Diagnostic::error(code::UNKNOWN_FILTER, format!("there is no filter '{}'", name.text));
        let known = filters::names().filter(|filter| self.profile.allows_filter(filter));
        let fault = match nearest(&name.text, known) {
            Some(near) => fault.with_hint(format!("did you mean '{near}'?")),
            None => fault.with_hint("the filters are those of pongo2 6.0.0"),
        };
        self.report(fault, name.span);
    }

    /// A literal, a list, or a path that begins with a name.
    fn atom(&mut self, arguments: &mut Arguments<'_>) -> Read<Expression> {
        let span = arguments.span();
        let kind = match arguments.peek() {
            Some(TokenKind::Number) => self.number(arguments)?,
            Some(TokenKind::Str) => {
                ExpressionKind::Str(arguments.eat_string().map(|literal| literal.text).unwrap_or_default())
            }
            Some(TokenKind::Keyword(keyword @ (Keyword::True | Keyword::False))) => {
                arguments.advance();
                ExpressionKind::Bool(keyword == Keyword::True)
            }
            Some(TokenKind::Symbol(Symbol::OpenBracket)) => {
                arguments.advance();
                ExpressionKind::List(self.items(arguments, Symbol::CloseBracket, "',' or ']'")?)
            }
            Some(TokenKind::Name) => self.path(arguments)?,
            _ => return Err(arguments.expected(self, OPERAND)),
        };
        Ok(Expression { kind, span: Span::new(span.start, arguments.behind()) })
    }

    /// Digits, or digits around a point.
    fn number(&mut self, arguments: &mut Arguments<'_>) -> Read<ExpressionKind> {
        let span = arguments.span();
        arguments.advance();
        if !arguments.eat_symbol(Symbol::Dot) {
            return self.integer(arguments, span).map(ExpressionKind::Int);
        }
        if arguments.peek() != Some(TokenKind::Number) {
            return Err(arguments.expected(self, "digits behind the point"));
        }
        let text = format!("{}.{}", arguments.text(span), arguments.text(arguments.span()));
        arguments.advance();
        Ok(ExpressionKind::Float(text.parse().unwrap_or_default()))
    }

    fn integer<T: std::str::FromStr>(&mut self, arguments: &Arguments<'_>, span: Span) -> Read<T> {
        arguments.text(span).parse().map_err(|_| {
            let fault = Diagnostic::error(code::SYNTAX, "a number is too large");
            self.report(fault.with_hint(format!("the largest is {}", i64::MAX)), span);
            Reported
        })
    }

    fn path(&mut self, arguments: &mut Arguments<'_>) -> Read<ExpressionKind> {
        let root = arguments.expect_name(self, OPERAND)?;
        let mut steps = Vec::new();
        loop {
            if arguments.eat_symbol(Symbol::Dot) {
                steps.push(self.member(arguments)?);
            } else if arguments.eat_symbol(Symbol::OpenBracket) {
                let subscript = self.expression(arguments)?;
                arguments.expect_symbol(self, Symbol::CloseBracket, "']'")?;
                steps.push(Step::Subscript(subscript));
            } else if arguments.eat_symbol(Symbol::OpenParen) {
                steps.push(Step::Call(self.items(arguments, Symbol::CloseParen, "',' or ')'")?));
            } else {
                return Ok(ExpressionKind::Path { root, steps });
            }
        }
    }

    fn member(&mut self, arguments: &mut Arguments<'_>) -> Read<Step> {
        if arguments.peek() == Some(TokenKind::Number) {
            let span = arguments.span();
            arguments.advance();
            return self.integer(arguments, span).map(Step::Index);
        }
        arguments.expect_name(self, "a name or a number behind the dot").map(Step::Key)
    }

    /// Expressions between commas, up to and with `close`.
    fn items(
        &mut self,
        arguments: &mut Arguments<'_>,
        close: Symbol,
        expected: &str,
    ) -> Read<Vec<Expression>> {
        let mut items = Vec::new();
        while !arguments.eat_symbol(close) {
            items.push(self.expression(arguments)?);
            if arguments.peek() != Some(TokenKind::Symbol(close)) {
                arguments.expect_symbol(self, Symbol::Comma, expected)?;
            }
        }
        Ok(items)
    }

    /// Reads one level further in.
    fn deeper<T>(
        &mut self,
        arguments: &mut Arguments<'_>,
        read: impl FnOnce(&mut Self, &mut Arguments<'_>) -> Read<T>,
    ) -> Read<T> {
        if arguments.depth >= self.limits.get(LimitKind::Nesting) {
            self.report_nesting(arguments.span());
            return Err(Reported);
        }
        arguments.depth += 1;
        let read = read(self, arguments);
        arguments.depth -= 1;
        read
    }
}

fn binary(operator: Operator, left: Expression, right: Expression) -> Expression {
    let span = Span::new(left.span.start, right.span.end);
    let kind = ExpressionKind::Binary { operator, left: Box::new(left), right: Box::new(right) };
    Expression { kind, span }
}

fn prefixed(start: usize, inner: Expression, kind: fn(Box<Expression>) -> ExpressionKind) -> Expression {
    let span = Span::new(start, inner.span.end);
    Expression { kind: kind(Box::new(inner)), span }
}
