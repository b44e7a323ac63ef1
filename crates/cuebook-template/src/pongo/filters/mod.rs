//! The filters of pongo2 6.0.0, by name.
//!
//! It owns the table, and what a filter may be. It refuses trust: a filter sees no more than values, and whoever
//! calls one joins the trust of the input and of the argument into the result, so that no filter can lose it.

use super::buffer::Buffer;
use super::env::Env;
use super::fault::Fault;
use super::view::Data;

/// A filter.
#[derive(Debug)]
pub(crate) struct Filter {
    pub(crate) name: &'static str,
    pub(crate) run: Run,
}

/// What a filter does with its input and its argument; an absent argument is [`Data::Nil`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Run {
    /// Gives another value.
    Value(for<'a> fn(&Env<'a>, Data<'a>, Data<'a>) -> Result<Data<'a>, Fault>),
    /// Writes a text; at the end of a chain it goes to the output without a copy.
    Text(for<'a> fn(&Env<'a>, Data<'a>, Data<'a>, &mut Buffer) -> Result<(), Fault>),
}
