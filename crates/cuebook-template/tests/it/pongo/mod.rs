//! The pongo dialect, as a user of the crate sees it.

mod cache;
mod cases;
mod errors;
mod expressions;
mod hostile;
mod includes;
mod inheritance;
mod lexing;
mod limits;
mod names;
mod origins;
mod profiles;
mod properties;
mod scopes;
mod strict;
mod support;
mod tags;
mod trust;
