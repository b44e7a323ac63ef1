//! What operators make of two values.
//!
//! It owns the conversions of pongo2 6.0.0: a sum with a string is a string, an operation with a float is a float, and
//! everything else is counted in integers, so that `"b" > "a"` is false.

use std::cmp::Ordering;

use crate::pongo::env::Env;
use crate::pongo::fault::{Fault, code};
use crate::pongo::tree::Operator;
use crate::pongo::view::Data;

/// Applies `operator`, which is none of `and` and `or`.
pub(super) fn binary<'a>(
    env: &Env<'a>,
    operator: Operator,
    left: Data<'a>,
    right: Data<'a>,
) -> Result<Data<'a>, Fault> {
    Ok(match operator {
        Operator::Equal => Data::Bool(left.equals(right)?),
        Operator::NotEqual => Data::Bool(!left.equals(right)?),
        Operator::Less => Data::Bool(order(left, right) == Some(Ordering::Less)),
        Operator::LessEqual => Data::Bool(order(left, right).is_some_and(Ordering::is_le)),
        Operator::Greater => Data::Bool(order(left, right) == Some(Ordering::Greater)),
        Operator::GreaterEqual => Data::Bool(order(left, right).is_some_and(Ordering::is_ge)),
        Operator::In => Data::Bool(right.contains(left, env.text_of(left)?)?),
        Operator::Add if left.is_string() || right.is_string() => concatenate(env, left, right)?,
        Operator::Add => arithmetic(left, right, i64::wrapping_add, |a, b| a + b),
        Operator::Subtract => arithmetic(left, right, i64::wrapping_sub, |a, b| a - b),
        Operator::Multiply => arithmetic(left, right, i64::wrapping_mul, |a, b| a * b),
        Operator::Divide if left.is_float() || right.is_float() => Data::Float(left.float() / right.float()),
        Operator::Divide => Data::Int(left.integer().wrapping_div(divisor(right)?)),
        Operator::Remainder => Data::Int(left.integer().wrapping_rem(divisor(right)?)),
        Operator::Power => Data::Float(left.float().powf(right.float())),
        // The linker makes these two into nodes of their own.
        Operator::And => Data::Bool(left.is_true() && right.is_true()),
        Operator::Or => Data::Bool(left.is_true() || right.is_true()),
    })
}

/// The order of two values as `<` has it; `None` beside a float that is no number.
fn order(left: Data<'_>, right: Data<'_>) -> Option<Ordering> {
    if left.is_float() || right.is_float() {
        return left.float().partial_cmp(&right.float());
    }
    Some(left.integer().cmp(&right.integer()))
}

fn concatenate<'a>(env: &Env<'a>, left: Data<'a>, right: Data<'a>) -> Result<Data<'a>, Fault> {
    let text = env.text(|out| {
        left.write(out)?;
        right.write(out)
    });
    text.map(Data::Str)
}

fn arithmetic<'a>(
    left: Data<'a>,
    right: Data<'a>,
    integers: fn(i64, i64) -> i64,
    floats: fn(f64, f64) -> f64,
) -> Data<'a> {
    if left.is_float() || right.is_float() {
        return Data::Float(floats(left.float(), right.float()));
    }
    Data::Int(integers(left.integer(), right.integer()))
}

fn divisor(data: Data<'_>) -> Result<i64, Fault> {
    match data.integer() {
        0 => Err(Fault::new(code::DIVISION, "division by zero")
            .hint("test the divisor first; what is no number counts as 0")),
        divisor => Ok(divisor),
    }
}
