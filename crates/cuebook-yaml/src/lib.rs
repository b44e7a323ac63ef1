//! YAML documents as people write them: every value with its place, every fault at once.
//!
//! [`parse()`] gives the tree of a document, [`read`] a typed document by its schema. The crate refuses what YAML lets through
//! and nobody means: keys given twice, merge keys, second documents, anchors that explode.

mod document;
mod parse;
mod tree;

pub use document::{placed, read};
pub use parse::parse;
pub use tree::{Entry, Map, Node, Value};
