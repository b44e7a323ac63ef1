//! The pongo dialect: the templates of pongo2 6.0.0, bounded, with exact places.
//!
//! ```text
//! bytes ── lex ──► tokens ── parse ──► tree ── link ──► Program ── render ──► text
//!                                       ▲  includes, parents,   (immutable,
//!                              Loader ──┘  names to slots        shared)
//! ```
//!
//! [`Program::compile`] does the first half once, [`Program::render`] the second as often as wanted; [`Cache`] keeps
//! programs while their files stay as they are. What a template may use is said by a [`Profile`] and by [`Limits`].
//!
//! Where it differs from the original, and why, is in `docs/templates.md`.

mod buffer;
mod cache;
mod context;
mod env;
mod fault;
mod filters;
mod lex;
mod limits;
mod link;
mod loader;
mod map;
mod misses;
mod options;
mod parse;
mod profile;
mod program;
mod render;
mod token;
mod tree;
mod view;
mod word;

pub use cache::Cache;
pub use context::Context;
pub use fault::code;
pub use filters::Civil;
pub use limits::{LimitKind, Limits};
pub use loader::{Dependency, LoadError, Loader};
pub use misses::{Miss, Misses};
pub use options::{Options, Settings};
pub use profile::Profile;
pub use program::{Program, RootName, undefined_names};
pub use render::{Rendered, Segment};
