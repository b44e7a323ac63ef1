//! Where names get their values.
//!
//! Owns the port that callers implement. A scope is read only; it is asked for root names and nothing else.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The root names that an expression can see.
pub trait Scope {
    /// The value of a root name, or none when the scope does not have it.
    ///
    /// The language does not tell the two apart: a missing name evaluates to null.
    fn lookup(&self, root: &str) -> Option<&Value>;
}

impl Scope for Map<String, Value> {
    fn lookup(&self, root: &str) -> Option<&Value> {
        self.get(root)
    }
}

impl Scope for BTreeMap<String, Value> {
    fn lookup(&self, root: &str) -> Option<&Value> {
        self.get(root)
    }
}

/// Several scopes seen as one; the first that has a name decides.
#[derive(Clone, Copy)]
pub struct Layered<'a>(&'a [&'a dyn Scope]);

impl<'a> Layered<'a> {
    /// Puts scopes in order, the innermost first.
    pub const fn new(scopes: &'a [&'a dyn Scope]) -> Self {
        Self(scopes)
    }
}

impl Scope for Layered<'_> {
    fn lookup(&self, root: &str) -> Option<&Value> {
        self.0.iter().find_map(|scope| scope.lookup(root))
    }
}
