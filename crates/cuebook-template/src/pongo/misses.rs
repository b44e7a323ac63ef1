//! What a strict render found missing, when it is to find all of it.
//!
//! It owns the list. It refuses to tell a place twice: a loop misses the same key many times.

use std::cell::RefCell;

use crate::diagnostic::{Diagnostic, Location};

/// Everything without a value that a strict render came upon; with it, such a render goes on to its end.
#[derive(Debug, Default)]
pub struct Misses(RefCell<Vec<Miss>>);

/// A name or key without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// The name that has no value; none for a key that something with a value lacks.
    pub name: Option<String>,
    /// What is missing, and where.
    pub problem: Diagnostic,
}

impl Misses {
    pub(super) fn note(&self, name: Option<&str>, problem: Diagnostic) {
        let miss = Miss { name: name.map(str::to_owned), problem };
        let mut all = self.0.borrow_mut();
        if !all.contains(&miss) {
            all.push(miss);
        }
    }

    /// How many there are so far.
    pub(super) fn count(&self) -> usize {
        self.0.borrow().len()
    }

    /// Says of those from the one numbered `first` on that their file came in at `places`.
    pub(super) fn included_at(&self, first: usize, places: &[Location]) {
        for miss in self.0.borrow_mut().iter_mut().skip(first) {
            miss.problem.included_from.extend_from_slice(places);
        }
    }

    /// All of them, in the order of the render, each place once.
    pub fn into_all(self) -> Vec<Miss> {
        self.0.into_inner()
    }
}
