//! The pongo dialect: pongo2 6.0.0's templates, bounded and with exact places.

mod buffer;
mod context;
mod env;
mod fault;
mod filters;
mod limits;
mod program;
mod view;
