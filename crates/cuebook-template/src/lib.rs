//! Prompt templates: source to program to text, with a source map.
//!
//! A template language turns a [`Source`] into a program once, and a program into text as often as wanted. This crate
//! owns the languages and what they share: values that carry [`Trust`], byte [`Span`]s, and [`Diagnostic`]s. It
//! refuses I/O, and it knows nothing of secrets, redaction or markers: a program says *which* slot stands *where*, and
//! the caller decides what is written there.
//!
//! * [`flat`] is the `{{name}}` language of RFC 0027: placeholders and nothing else.
//! * [`pongo`] is the language of layered templates: pongo2 6.0.0's, with includes, logic and filters.

mod canonical;
mod diagnostic;
pub mod flat;
mod nearest;
pub mod pongo;
mod source;
mod span;
mod trust;
mod value;

pub use canonical::canonical_json;
pub use diagnostic::{Diagnostic, Location, Severity};
pub use nearest::nearest;
pub use source::Source;
pub use span::{LineIndex, Position, Span};
pub use trust::Trust;
pub use value::Value;
