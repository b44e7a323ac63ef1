//! Layers as a host sees them: the bundled pack, a corpus of templates, and what is refused.

mod bundled;
mod corpus;
mod limits;
mod support;
