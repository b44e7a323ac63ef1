//! The condition of a workflow edge, compiled from its wire form.
//!
//! Owns what each condition type needs and means. A field that the type does not use is refused, since its author
//! expected it to count.

mod pattern;

use std::sync::Arc;

use cuebook_wire::workflow::{ConditionType, EdgeCondition};
use regex::Regex;
use serde_json::Value;

use crate::error::{EvalError, ExprError, Problem};
use crate::expression::Expression;
use crate::path::Path;
use crate::roots;
use crate::scope::Scope;
use crate::span::Span;
use crate::value::{self, NULL, type_name};

/// A condition that was read without an error.
#[derive(Clone, Debug)]
pub struct Condition(Test);

#[derive(Clone, Debug)]
enum Test {
    Expression(Expression),
    Left(Left, Comparison),
}

/// The left operand and the text it was read from.
#[derive(Clone, Debug)]
struct Left {
    source: Arc<str>,
    path: Path,
}

#[derive(Clone, Debug)]
enum Comparison {
    Equals(Value),
    NotEquals(Value),
    Contains(Value),
    Matches(Regex),
}

impl Condition {
    /// Reads the wire form of a condition.
    ///
    /// A condition without `type` is of type `expression` when it has an `expression`. `left` is a reference, see
    /// [`Path::parse`]. An explicit null is a right operand like any other.
    ///
    /// # Errors
    ///
    /// Every mistake, each with the field it is in: no `type` and no `expression`, a field that the type needs and that
    /// is missing, a field that the type does not use, a malformed `expression` or `left`, and for type `regex` a
    /// `right` that is not a string, not a regular expression, longer than
    /// [`MAX_PATTERN_BYTES`](crate::limits::MAX_PATTERN_BYTES) or larger than
    /// [`MAX_COMPILED_PATTERN_BYTES`](crate::limits::MAX_COMPILED_PATTERN_BYTES) when compiled.
    pub fn compile(condition: &EdgeCondition) -> Result<Self, Vec<ExprError>> {
        let kind = match condition.condition_type {
            Some(kind) => kind,
            None if condition.expression.is_some() => ConditionType::Expression,
            None => return Err(vec![missing_type()]),
        };
        let mut errors = unused_fields(condition, kind);
        let test = match kind {
            ConditionType::Expression => expression(condition),
            ConditionType::Equals => {
                comparison(condition, kind, |right| Ok(Comparison::Equals(right.clone())))
            }
            ConditionType::NotEquals => {
                comparison(condition, kind, |right| Ok(Comparison::NotEquals(right.clone())))
            }
            ConditionType::Contains => {
                comparison(condition, kind, |right| Ok(Comparison::Contains(right.clone())))
            }
            ConditionType::Regex => {
                comparison(condition, kind, |right| pattern::of(right).map(Comparison::Matches))
            }
        };
        match test {
            Ok(test) if errors.is_empty() => Ok(Self(test)),
            Ok(_) => Err(errors),
            Err(more) => {
                errors.extend(more);
                Err(errors)
            }
        }
    }

    /// Whether the condition holds.
    ///
    /// `equals` and `notEquals` compare deeply, numbers by value. `contains` looks for a substring, an item of a list or
    /// a key of a map. `regex` looks for a match anywhere in a string. A left operand that is missing or null contains
    /// nothing and matches nothing.
    ///
    /// # Errors
    ///
    /// For an expression as [`Expression::holds`]. For `contains`, a left operand that is a number or a boolean, and a
    /// right operand other than a string when the left is a string or a map. For `regex`, a left operand that is
    /// neither a string nor null.
    pub fn holds(&self, scope: &dyn Scope) -> Result<bool, EvalError> {
        match &self.0 {
            Test::Expression(expression) => {
                expression.holds(scope).map_err(|error| error.in_field("expression"))
            }
            Test::Left(left, comparison) => {
                let value = left.path.lookup(scope).unwrap_or(&NULL);
                comparison.holds(value).map_err(|message| left.error(message))
            }
        }
    }

    /// Every path that the condition may read, as [`Expression::paths`].
    pub fn paths(&self) -> &[Path] {
        match &self.0 {
            Test::Expression(expression) => expression.paths(),
            Test::Left(left, _) => std::slice::from_ref(&left.path),
        }
    }

    /// Reports root names that are not among the known ones, each once, with the nearest that is.
    pub fn check_roots(&self, known: &[&str]) -> Vec<ExprError> {
        let (errors, field) = match &self.0 {
            Test::Expression(expression) => (expression.check_roots(known), "expression"),
            Test::Left(left, _) => (roots::check(&left.source, self.paths(), known), "left"),
        };
        errors.into_iter().map(|error| error.in_field(field)).collect()
    }
}

impl Left {
    fn parse(text: &str) -> Result<Self, Vec<ExprError>> {
        Path::parse(text)
            .map(|path| Self { source: Arc::from(text), path })
            .map_err(|errors| errors.into_iter().map(|error| error.in_field("left")).collect())
    }

    fn error(&self, message: String) -> EvalError {
        EvalError::new(&self.source, Problem::new(self.path.span(), message)).in_field("left")
    }
}

impl Comparison {
    /// Whether the comparison holds for a left operand, or what is wrong with that operand.
    fn holds(&self, left: &Value) -> Result<bool, String> {
        match self {
            Self::Equals(right) => Ok(value::equal(left, right)),
            Self::NotEquals(right) => Ok(!value::equal(left, right)),
            Self::Contains(_) | Self::Matches(_) if left.is_null() => Ok(false),
            Self::Contains(right) => value::contains(left, right).ok_or_else(|| no_containment(left, right)),
            Self::Matches(pattern) => match left {
                Value::String(text) => Ok(pattern.is_match(text)),
                other => Err(format!("a `regex` condition takes a string, got {}", type_name(other))),
            },
        }
    }
}

fn no_containment(left: &Value, right: &Value) -> String {
    match left {
        Value::String(_) | Value::Object(_) => {
            format!("{} is searched for a string, and `right` is {}", type_name(left), type_name(right))
        }
        other => format!("a `contains` condition takes a string, a list or a map, got {}", type_name(other)),
    }
}

fn expression(condition: &EdgeCondition) -> Result<Test, Vec<ExprError>> {
    let Some(source) = &condition.expression else {
        return Err(vec![missing_field("expression", ConditionType::Expression)]);
    };
    Expression::parse(source)
        .map(Test::Expression)
        .map_err(|errors| errors.into_iter().map(|error| error.in_field("expression")).collect())
}

/// Reads both operands, so that the mistakes of one do not hide those of the other.
fn comparison(
    condition: &EdgeCondition,
    kind: ConditionType,
    read: fn(&Value) -> Result<Comparison, ExprError>,
) -> Result<Test, Vec<ExprError>> {
    let left = match &condition.left {
        Some(text) => Left::parse(text),
        None => Err(vec![missing_field("left", kind)]),
    };
    let right = match &condition.right {
        Some(right) => read(right).map_err(|error| error.in_field("right")),
        None => Err(missing_field("right", kind)),
    };
    match (left, right) {
        (Ok(left), Ok(right)) => Ok(Test::Left(left, right)),
        (Err(errors), Ok(_)) => Err(errors),
        (left, Err(error)) => Err(left.err().into_iter().flatten().chain([error]).collect()),
    }
}

fn unused_fields(condition: &EdgeCondition, kind: ConditionType) -> Vec<ExprError> {
    let is_expression = kind == ConditionType::Expression;
    let unused = [
        ("left", is_expression && condition.left.is_some()),
        ("right", is_expression && condition.right.is_some()),
        ("expression", !is_expression && condition.expression.is_some()),
    ];
    let hint = if is_expression {
        "remove it, or write the comparison into `expression`"
    } else {
        "remove it, or set `type` to `expression`"
    };
    let message = format!("not used by a condition of type `{}`", kind.as_str());
    unused
        .into_iter()
        .filter(|(_, is_unused)| *is_unused)
        .map(|(field, _)| about_field(field, Problem::new(Span::default(), message.as_str()).with_hint(hint)))
        .collect()
}

fn missing_field(field: &'static str, kind: ConditionType) -> ExprError {
    let message = format!("missing; a condition of type `{}` needs it", kind.as_str());
    about_field(field, Problem::new(Span::default(), message))
}

fn missing_type() -> ExprError {
    let problem = Problem::new(Span::default(), "missing, and there is no `expression`");
    let hint = "write one of `expression`, `equals`, `notEquals`, `contains`, `regex`";
    about_field("type", problem.with_hint(hint))
}

/// An error about a whole field, with no text to show.
fn about_field(field: &'static str, problem: Problem) -> ExprError {
    ExprError::new(&Arc::from(""), problem).in_field(field)
}
