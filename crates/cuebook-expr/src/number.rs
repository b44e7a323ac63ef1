//! Numbers by value.
//!
//! JSON has one type of number, so `1` and `1.0` are the same number here whichever way they were written. Whole
//! numbers are exact from -2^63 to 2^64-1; everything else is an IEEE 754 double. Not-a-number and the infinities do not
//! exist: an operation that would give one is an error.

use std::cmp::Ordering;

use serde_json::Value;

const MIN_INTEGER: i128 = i64::MIN as i128;
const MAX_INTEGER: i128 = u64::MAX as i128;
/// 2^53: up to here every whole double is an exact integer.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A number in its one normal form: a whole double up to 2^53 is held as an integer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Integer(i128),
    Decimal(f64),
}

/// Why two numbers have no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArithmeticError {
    DivisionByZero,
    OutOfRange,
}

impl Number {
    pub(crate) fn from_json(number: &serde_json::Number) -> Self {
        if let Some(integer) = number.as_i64() {
            return Self::Integer(integer.into());
        }
        if let Some(integer) = number.as_u64() {
            return Self::Integer(integer.into());
        }
        // Only a build with arbitrary precision holds numbers beyond a double; they compare as larger than all others.
        Self::normal(number.as_f64().unwrap_or(f64::INFINITY))
    }

    /// Reads digits with at most one point in them; none when the number is out of range.
    pub(crate) fn from_digits(text: &str) -> Option<Self> {
        if text.contains('.') {
            return text.parse().ok().and_then(Self::decimal);
        }
        text.parse().ok().and_then(Self::integer)
    }

    fn integer(value: i128) -> Option<Self> {
        (MIN_INTEGER..=MAX_INTEGER).contains(&value).then_some(Self::Integer(value))
    }

    fn decimal(value: f64) -> Option<Self> {
        value.is_finite().then(|| Self::normal(value))
    }

    #[expect(clippy::cast_possible_truncation, reason = "the value is whole and within 2^53")]
    fn normal(value: f64) -> Self {
        if value.abs() <= EXACT && value.fract() == 0.0 {
            return Self::Integer(value as i128);
        }
        Self::Decimal(value)
    }

    pub(crate) fn to_json(self) -> Value {
        match self {
            Self::Integer(value) => i64::try_from(value)
                .map(Value::from)
                .or_else(|_| u64::try_from(value).map(Value::from))
                .unwrap_or(Value::Null),
            Self::Decimal(value) => Value::from(value),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "mixed arithmetic is done in doubles")]
    fn to_f64(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Decimal(value) => value,
        }
    }

    pub(crate) fn negate(self) -> Result<Self, ArithmeticError> {
        Self::Integer(0).subtract(self)
    }

    pub(crate) fn add(self, other: Self) -> Result<Self, ArithmeticError> {
        self.combine(other, i128::checked_add, |a, b| a + b)
    }

    pub(crate) fn subtract(self, other: Self) -> Result<Self, ArithmeticError> {
        self.combine(other, i128::checked_sub, |a, b| a - b)
    }

    pub(crate) fn multiply(self, other: Self) -> Result<Self, ArithmeticError> {
        self.combine(other, i128::checked_mul, |a, b| a * b)
    }

    pub(crate) fn divide(self, other: Self) -> Result<Self, ArithmeticError> {
        other.refuse_zero()?;
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) if a % b == 0 => Self::integer(a / b),
            _ => Self::decimal(self.to_f64() / other.to_f64()),
        }
        .ok_or(ArithmeticError::OutOfRange)
    }

    /// What is left after dividing to a whole number; it has the sign of the dividend.
    pub(crate) fn remainder(self, other: Self) -> Result<Self, ArithmeticError> {
        other.refuse_zero()?;
        self.combine(other, i128::checked_rem, |a, b| a % b)
    }

    fn refuse_zero(self) -> Result<(), ArithmeticError> {
        if self.compare(Self::Integer(0)).is_eq() {
            return Err(ArithmeticError::DivisionByZero);
        }
        Ok(())
    }

    fn combine(
        self,
        other: Self,
        exact: impl FnOnce(i128, i128) -> Option<i128>,
        inexact: impl FnOnce(f64, f64) -> f64,
    ) -> Result<Self, ArithmeticError> {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => exact(a, b).and_then(Self::integer),
            _ => Self::decimal(inexact(self.to_f64(), other.to_f64())),
        }
        .ok_or(ArithmeticError::OutOfRange)
    }

    /// Orders two numbers exactly, without rounding an integer to a double.
    pub(crate) fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.cmp(&b),
            (Self::Integer(a), Self::Decimal(b)) => compare_mixed(a, b),
            (Self::Decimal(a), Self::Integer(b)) => compare_mixed(b, a).reverse(),
            (Self::Decimal(a), Self::Decimal(b)) => a.total_cmp(&b),
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the cast saturates far outside the range of integers")]
fn compare_mixed(integer: i128, decimal: f64) -> Ordering {
    integer.cmp(&(decimal.trunc() as i128)).then_with(|| 0.0_f64.total_cmp(&decimal.fract()))
}

/// The digits of a literal as the language reads them back, without an exponent.
pub(crate) fn literal_text(number: &serde_json::Number) -> String {
    match Number::from_json(number) {
        Number::Integer(value) => value.to_string(),
        Number::Decimal(value) if value.fract() == 0.0 => format!("{value}.0"),
        Number::Decimal(value) => value.to_string(),
    }
}
