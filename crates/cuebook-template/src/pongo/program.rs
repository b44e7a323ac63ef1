//! A linked template.

/// A macro.
#[derive(Debug)]
pub(crate) struct Macro;
