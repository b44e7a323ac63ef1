//! What a strict render found missing, when it is to find all of it.
//!
//! It owns the list. It refuses to tell a place twice: a loop misses the same key many times.

use std::cell::RefCell;

use crate::diagnostic::Diagnostic;

/// Everything without a value that a strict render came upon; with it, such a render goes on to its end.
#[derive(Debug, Default)]
pub struct Misses(RefCell<Vec<Miss>>);

/// A name or key without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// Whether something that has a value lacks the key, and not the name alone has none.
    pub is_key: bool,
    /// What is missing, and where.
    pub problem: Diagnostic,
}

impl Misses {
    pub(super) fn note(&self, is_key: bool, problem: Diagnostic) {
        let miss = Miss { is_key, problem };
        let mut all = self.0.borrow_mut();
        if !all.contains(&miss) {
            all.push(miss);
        }
    }

    /// All of them, in the order of the render, each place once.
    pub fn into_all(self) -> Vec<Miss> {
        self.0.into_inner()
    }
}
