//! The pongo dialect, as a user of the crate sees it.

mod cases;
mod expressions;
mod hostile;
mod includes;
mod inheritance;
mod lexing;
mod limits;
mod names;
mod profiles;
mod scopes;
mod strict;
mod support;
mod tags;
