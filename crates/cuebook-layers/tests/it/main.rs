//! Layers as a host sees them: the bundled pack, a corpus of templates, and what is refused.

mod bundled;
mod catalog;
mod corpus;
mod limits;
mod overrides;
mod support;
