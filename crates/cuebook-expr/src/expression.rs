//! The public face of an expression: read once, checked, evaluated many times.
//!
//! Owns the pairing of a tree with its source text, which errors need in order to show a place.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::error::{EvalError, ExprError, Problems};
use crate::evaluate::Evaluator;
use crate::parser;
use crate::path::Path;
use crate::print;
use crate::roots;
use crate::scope::Scope;
use crate::tree::Expr;

/// An expression that was read without an error.
///
/// Two expressions are equal when they mean the same tree, however they are laid out. `Display` writes the canonical
/// form with no more parentheses than needed.
///
/// # Example
///
/// ```
/// use cuebook_expr::Expression;
/// use serde_json::{Value, json};
///
/// let expression = Expression::parse("score >= 0.8 && 'legal' not in tags")?;
/// let Value::Object(scope) = json!({"score": 0.9, "tags": ["draft"]}) else { unreachable!() };
/// assert_eq!(expression.evaluate(&scope), Ok(json!(true)));
/// # Ok::<(), Vec<cuebook_expr::ExprError>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Expression {
    source: Arc<str>,
    root: Expr,
    paths: Vec<Path>,
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
    }
}

impl Expression {
    /// Reads a source text.
    ///
    /// # Errors
    ///
    /// Every mistake found, in source order, at most [`MAX_ERRORS`](crate::limits::MAX_ERRORS): text that is not in the
    /// grammar, an unknown function, a wrong number of arguments, `exists` of something other than a path, a number out
    /// of range, or a bound of [`limits`](crate::limits) that is exceeded.
    pub fn parse(source: &str) -> Result<Self, Vec<ExprError>> {
        let source: Arc<str> = Arc::from(source);
        let mut problems = Problems::default();
        let root = parser::parse(&source, &mut problems);
        let root = problems.into_result(&source, root)?;
        let mut paths = Vec::new();
        root.collect_paths(&mut paths);
        Ok(Self { source, root, paths })
    }

    /// The text that was read, as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Every path that the expression may read, in source order, once for each place.
    ///
    /// A path ends where an index is computed: `a.b[i].c` gives `a.b` and `i`. What is read lies at a path or under it,
    /// whichever way the expression goes.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// Reports root names that are not among the known ones, each once, with the nearest that is.
    pub fn check_roots(&self, known: &[&str]) -> Vec<ExprError> {
        roots::check(&self.source, &self.paths, known)
    }

    /// Computes the value.
    ///
    /// # Errors
    ///
    /// The first of: an operand of a type that its operator or function does not take, a condition of `&&`, `||`, `!`
    /// or `?` that is not a boolean, division by zero, a number out of range, text that is not a number, an index that
    /// is neither a string nor a whole number from 0, or more than
    /// [`MAX_BUILT_BYTES`](crate::limits::MAX_BUILT_BYTES) of new values.
    pub fn evaluate(&self, scope: &dyn Scope) -> Result<Value, EvalError> {
        Evaluator::new(&self.source, scope)
            .value(&self.root)
            .map(std::borrow::Cow::into_owned)
            .map_err(|problem| EvalError::new(&self.source, problem))
    }

    /// Computes the value of an expression that is used as a condition.
    ///
    /// # Errors
    ///
    /// As [`evaluate`](Self::evaluate), and when the value is not a boolean.
    pub fn holds(&self, scope: &dyn Scope) -> Result<bool, EvalError> {
        Evaluator::new(&self.source, scope)
            .condition(&self.root)
            .map_err(|problem| EvalError::new(&self.source, problem))
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::whole(f, &self.root)
    }
}
