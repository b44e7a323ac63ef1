//! Explanations: for every node, the prompt it got and why.
//!
//! It owns how a run's log becomes something a person reads (RFC 0029 §D). It refuses to resolve or compose by itself:
//! what is not in the log is composed again by the one pipeline, and its hash is held against the log's.

mod disclose;
mod draft;
mod margin;
mod node;
mod run;
mod used;

pub use disclose::{
    disclose_composition, disclose_error, disclose_node, disclose_preview, disclose_resolution, with_margin,
};
pub use draft::PreviewDraft;
pub use margin::{MarginLine, margin};
pub(crate) use node::prompt_problems;
pub use node::{NodePreview, PreviewNode};
pub use run::{CompositionView, NodeView, RunView, TextSource};
