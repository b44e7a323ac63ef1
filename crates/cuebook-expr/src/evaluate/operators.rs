//! Operators on computed operands.
//!
//! Owns what each operator takes. Nothing is converted silently: a string never becomes a number, nor the reverse.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use super::{Evaluator, Operand, Outcome, owned};
use crate::error::Problem;
use crate::number::{ArithmeticError, Number};
use crate::operator::BinaryOp;
use crate::span::Span;
use crate::value::{self, type_name};

impl<'a> Evaluator<'a> {
    /// Applies an operator whose left operand alone did not decide.
    pub(super) fn apply(&mut self, left: Operand<'a>, op: BinaryOp, right: &Operand<'a>) -> Outcome<'a> {
        match op {
            BinaryOp::Or | BinaryOp::And => self.truth(&right.value, right.span).map(owned),
            BinaryOp::Equal => Ok(owned(value::equal(&left.value, &right.value))),
            BinaryOp::NotEqual => Ok(owned(!value::equal(&left.value, &right.value))),
            BinaryOp::In => self.membership(right, &left).map(owned),
            BinaryOp::NotIn => self.membership(right, &left).map(|found| owned(!found)),
            BinaryOp::Add if left.value.is_string() && right.value.is_string() => {
                self.concatenate(left, right)
            }
            BinaryOp::Less => self.ordered(&left, op, right, Ordering::is_lt),
            BinaryOp::LessEqual => self.ordered(&left, op, right, Ordering::is_le),
            BinaryOp::Greater => self.ordered(&left, op, right, Ordering::is_gt),
            BinaryOp::GreaterEqual => self.ordered(&left, op, right, Ordering::is_ge),
            BinaryOp::Add => self.arithmetic(&left, op, right, Number::add),
            BinaryOp::Subtract => self.arithmetic(&left, op, right, Number::subtract),
            BinaryOp::Multiply => self.arithmetic(&left, op, right, Number::multiply),
            BinaryOp::Divide => self.arithmetic(&left, op, right, Number::divide),
            BinaryOp::Remainder => self.arithmetic(&left, op, right, Number::remainder),
        }
    }

    /// Whether the container has the item.
    pub(super) fn membership(&self, container: &Operand<'a>, item: &Operand<'a>) -> Result<bool, Problem> {
        value::contains(&container.value, &item.value).ok_or_else(|| {
            let (problem, is_null) = no_membership(container, item);
            let text = self.snippet(container.span);
            problem.with_hint_if(is_null.then(|| format!("write `default({text}, [])`")))
        })
    }

    /// Appends text in place, so that a long sum copies each part once.
    fn concatenate(&mut self, left: Operand<'a>, right: &Operand<'a>) -> Outcome<'a> {
        let span = left.span.to(right.span);
        if matches!(left.value, Cow::Borrowed(_)) {
            self.charge(value::weight(&left.value), span)?;
        }
        let added = right.value.as_str().unwrap_or_default();
        self.charge(added.len(), span)?;
        let mut sum = left.value.into_owned();
        if let Value::String(text) = &mut sum {
            text.push_str(added);
        }
        Ok(Cow::Owned(sum))
    }

    fn ordered(
        &self,
        left: &Operand<'a>,
        op: BinaryOp,
        right: &Operand<'a>,
        holds: fn(Ordering) -> bool,
    ) -> Outcome<'a> {
        let ordering = match (&*left.value, &*right.value) {
            (Value::Number(a), Value::Number(b)) => Number::from_json(a).compare(Number::from_json(b)),
            (Value::String(a), Value::String(b)) => a.cmp(b),
            _ => return Err(self.mismatch(left, op, right, "two numbers or two strings")),
        };
        Ok(owned(holds(ordering)))
    }

    fn arithmetic(
        &self,
        left: &Operand<'a>,
        op: BinaryOp,
        right: &Operand<'a>,
        compute: fn(Number, Number) -> Result<Number, ArithmeticError>,
    ) -> Outcome<'a> {
        let (Value::Number(a), Value::Number(b)) = (&*left.value, &*right.value) else {
            let taken = if op == BinaryOp::Add { "two numbers or two strings" } else { "two numbers" };
            return Err(self.mismatch(left, op, right, taken));
        };
        let result = compute(Number::from_json(a), Number::from_json(b));
        result.map(|number| owned(number.to_json())).map_err(|error| match error {
            ArithmeticError::DivisionByZero => no_number(error, right.span),
            ArithmeticError::OutOfRange => no_number(error, left.span.to(right.span)),
        })
    }

    fn mismatch(&self, left: &Operand<'a>, op: BinaryOp, right: &Operand<'a>, taken: &str) -> Problem {
        let (a, b) = (type_name(&left.value), type_name(&right.value));
        let message = format!("`{}` takes {taken}, got {a} and {b}", op.text());
        Problem::new(left.span.to(right.span), message).with_hint_if(self.mismatch_hint(left, op, right))
    }

    /// What would make the types agree, for the first operand that is out of line.
    fn mismatch_hint(&self, left: &Operand<'a>, op: BinaryOp, right: &Operand<'a>) -> Option<String> {
        let texts = [left, right].map(|operand| self.snippet(operand.span));
        match (&*left.value, &*right.value) {
            (Value::Null, Value::String(_)) => Some(format!("write `default({}, \"\")`", texts[0])),
            (Value::String(_), Value::Null) => Some(format!("write `default({}, \"\")`", texts[1])),
            (Value::Null, _) => Some(format!("write `default({}, 0)`", texts[0])),
            (_, Value::Null) => Some(format!("write `default({}, 0)`", texts[1])),
            (Value::String(_), Value::Number(_)) if op == BinaryOp::Add => {
                Some(format!("write `string({})`", texts[1]))
            }
            (Value::Number(_), Value::String(_)) if op == BinaryOp::Add => {
                Some(format!("write `string({})`", texts[0]))
            }
            (Value::String(_), Value::Number(_)) => Some(format!("write `number({})`", texts[0])),
            (Value::Number(_), Value::String(_)) => Some(format!("write `number({})`", texts[1])),
            _ => None,
        }
    }
}

/// The number with the opposite sign.
pub(super) fn negate<'a>(operand: &Operand<'a>) -> Outcome<'a> {
    let Value::Number(number) = &*operand.value else {
        return Err(Problem::new(
            operand.span,
            format!("`-` takes a number, got {}", type_name(&operand.value)),
        ));
    };
    let negated = Number::from_json(number).negate();
    negated.map(|number| owned(number.to_json())).map_err(|error| no_number(error, operand.span))
}

fn no_number(error: ArithmeticError, span: Span) -> Problem {
    match error {
        ArithmeticError::DivisionByZero => Problem::new(span, "division by zero"),
        ArithmeticError::OutOfRange => Problem::new(span, "the result is out of range")
            .with_hint("whole numbers lie between -2^63 and 2^64-1"),
    }
}

/// The finding about a container that cannot be asked for the item, and whether the container is null.
fn no_membership(container: &Operand<'_>, item: &Operand<'_>) -> (Problem, bool) {
    match &*container.value {
        Value::String(_) | Value::Object(_) => {
            let (searched, item_type) = (type_name(&container.value), type_name(&item.value));
            let message = format!("{searched} is searched for a string, got {item_type}");
            (Problem::new(item.span, message), false)
        }
        other => {
            let message = format!("expected a list, a map or a string to search, got {}", type_name(other));
            (Problem::new(container.span, message), other.is_null())
        }
    }
}
