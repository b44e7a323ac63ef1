//! What the template languages promise, as tables and properties.

mod canonical;
mod diagnostic;
mod docs;
mod flat_declared;
mod flat_grammar;
mod flat_lints;
mod flat_properties;
mod flat_render;
mod pongo;
mod position;
mod shared;
mod sinks;
mod value;
