//! Computes the value of a tree in a scope.
//!
//! Owns control flow: short circuits, choices, steps. It borrows from the scope wherever it can and accounts for what
//! it builds. The depth of its recursion is the depth of the tree, which the parser bounds.

mod functions;
mod operators;

use std::borrow::Cow;

use serde_json::Value;

use crate::error::Problem;
use crate::limits::MAX_BUILT_BYTES;
use crate::number::Number;
use crate::operator::{BinaryOp, UnaryOp};
use crate::path::Segment;
use crate::scope::Scope;
use crate::span::Span;
use crate::tree::{Access, Chain, Choice, Expr, Node, Step, Target};
use crate::value::{self, NULL, type_name};

const SNIPPET_CHARS: usize = 40;
const LAST_ITEM: &str = "the last item of `x` is `x[size(x) - 1]`";

type Outcome<'a> = Result<Cow<'a, Value>, Problem>;

/// A computed value and the place that gave it.
struct Operand<'a> {
    value: Cow<'a, Value>,
    span: Span,
}

/// One evaluation: what it reads, and what it may still build.
pub(crate) struct Evaluator<'a> {
    source: &'a str,
    scope: &'a dyn Scope,
    built: usize,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(source: &'a str, scope: &'a dyn Scope) -> Self {
        Self { source, scope, built: 0 }
    }

    pub(crate) fn value(&mut self, expr: &'a Expr) -> Outcome<'a> {
        match &expr.node {
            Node::Literal(value) => Ok(Cow::Borrowed(value)),
            Node::List(items) => self.list(items, expr.span),
            Node::Name(name) => Ok(Cow::Borrowed(self.scope.lookup(name).unwrap_or(&NULL))),
            Node::Access(access) => self.access(access),
            Node::Call(function, arguments) => self.call(*function, arguments, expr.span),
            Node::Unary(op, operand) => self.unary(*op, operand),
            Node::Chain(chain) => self.chain(chain),
            Node::Choice(choice) => self.choice(choice),
        }
    }

    /// The value of a part that must be a boolean.
    pub(crate) fn condition(&mut self, expr: &'a Expr) -> Result<bool, Problem> {
        let value = self.value(expr)?;
        self.truth(&value, expr.span)
    }

    fn truth(&self, value: &Value, span: Span) -> Result<bool, Problem> {
        let Value::Bool(truth) = value else {
            let problem = Problem::new(span, format!("expected a boolean, got {}", type_name(value)));
            return Err(problem.with_hint(self.boolean_hint(value, span)));
        };
        Ok(*truth)
    }

    fn boolean_hint(&self, value: &Value, span: Span) -> String {
        let text = self.snippet(span);
        match value {
            Value::Null => format!("write `default({text}, false)`"),
            Value::Number(_) => format!("write `{text} != 0`"),
            _ => format!("write `size({text}) > 0`"),
        }
    }

    /// The source of an operand for use in a hint; a long one is abbreviated to `x`.
    fn snippet(&self, span: Span) -> &'a str {
        let text = span.of(self.source);
        let fits = text.chars().count() <= SNIPPET_CHARS && !text.chars().any(char::is_control);
        if fits { text } else { "x" }
    }

    /// Accounts for new values before or as they are made.
    fn charge(&mut self, bytes: usize, span: Span) -> Result<(), Problem> {
        self.built = self.built.saturating_add(bytes);
        if self.built > MAX_BUILT_BYTES {
            let message = format!("built {} bytes of new values, the limit is {MAX_BUILT_BYTES}", self.built);
            return Err(Problem::new(span, message)
                .with_hint("pass large values on by path instead of building them"));
        }
        Ok(())
    }

    fn operand(&mut self, expr: &'a Expr) -> Result<Operand<'a>, Problem> {
        Ok(Operand { value: self.value(expr)?, span: expr.span })
    }

    fn list(&mut self, items: &'a [Expr], span: Span) -> Outcome<'a> {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            let value = self.value(item)?;
            self.charge(value::weight(&value), span)?;
            values.push(value.into_owned());
        }
        Ok(Cow::Owned(Value::Array(values)))
    }

    fn access(&mut self, access: &'a Access) -> Outcome<'a> {
        let base = self.value(&access.base)?;
        access.steps.iter().try_fold(base, |value, step| self.step(value, step))
    }

    fn step(&mut self, value: Cow<'a, Value>, step: &'a Step) -> Outcome<'a> {
        match &step.to {
            Target::Fixed(segment) => Ok(follow(value, segment)),
            Target::Computed(index) => {
                let segment = self.segment(index)?;
                Ok(follow(value, &segment))
            }
        }
    }

    fn segment(&mut self, index: &'a Expr) -> Result<Segment, Problem> {
        let value = self.value(index)?;
        match &*value {
            Value::String(key) => Ok(Segment::Key(key.clone())),
            Value::Number(number) => position(number).map(Segment::Index).ok_or_else(|| {
                Problem::new(index.span, "an index is a whole number from 0").with_hint(LAST_ITEM)
            }),
            other => {
                let got = type_name(other);
                Err(Problem::new(
                    index.span,
                    format!("an index is a string or a whole number from 0, got {got}"),
                ))
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &'a Expr) -> Outcome<'a> {
        match op {
            UnaryOp::Not => self.condition(operand).map(|truth| owned(!truth)),
            UnaryOp::Negate => self.operand(operand).and_then(|operand| operators::negate(&operand)),
        }
    }

    fn chain(&mut self, chain: &'a Chain) -> Outcome<'a> {
        let mut left = self.operand(&chain.first)?;
        for (op, right) in &chain.rest {
            let span = left.span.to(right.span);
            left = Operand { value: self.binary(left, *op, right)?, span };
        }
        Ok(left.value)
    }

    fn binary(&mut self, left: Operand<'a>, op: BinaryOp, right: &'a Expr) -> Outcome<'a> {
        if self.decides(&left, op)? {
            return Ok(left.value);
        }
        let right = self.operand(right)?;
        self.apply(left, op, &right)
    }

    /// Whether the left operand alone is the result.
    fn decides(&self, left: &Operand<'a>, op: BinaryOp) -> Result<bool, Problem> {
        match op {
            BinaryOp::Or => self.truth(&left.value, left.span),
            BinaryOp::And => self.truth(&left.value, left.span).map(|truth| !truth),
            _ => Ok(false),
        }
    }

    fn choice(&mut self, choice: &'a Choice) -> Outcome<'a> {
        let chosen = if self.condition(&choice.condition)? { &choice.then } else { &choice.otherwise };
        self.value(chosen)
    }
}

fn owned<'a>(value: impl Into<Value>) -> Cow<'a, Value> {
    Cow::Owned(value.into())
}

/// The value one step further in; null when there is nothing there.
fn follow<'a>(value: Cow<'a, Value>, segment: &Segment) -> Cow<'a, Value> {
    match value {
        Cow::Borrowed(value) => Cow::Borrowed(segment.of(value).unwrap_or(&NULL)),
        Cow::Owned(mut value) => Cow::Owned(segment.take_from(&mut value).unwrap_or_default()),
    }
}

fn position(index: &serde_json::Number) -> Option<usize> {
    match Number::from_json(index) {
        Number::Integer(position) => usize::try_from(position).ok(),
        Number::Decimal(_) => None,
    }
}
