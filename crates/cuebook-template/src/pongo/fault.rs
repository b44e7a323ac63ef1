//! What went wrong, before anyone knows where.
//!
//! It owns the codes of the pongo dialect's errors. It refuses values: a message names kinds, names and limits, and
//! never what a variable holds.

/// The stable codes of errors in pongo templates.
pub mod code {
    /// The text is no template: a token, a tag's arguments or an expression is malformed.
    pub const SYNTAX: &str = "template_syntax";
    /// A block has no end, or an end has no block.
    pub const UNCLOSED: &str = "template_unclosed_block";
    /// A tag that the dialect does not have.
    pub const UNKNOWN_TAG: &str = "template_unknown_tag";
    /// A filter that the dialect does not have.
    pub const UNKNOWN_FILTER: &str = "template_unknown_filter";
    /// A tag or filter that the profile does not allow.
    pub const BANNED: &str = "template_not_allowed";
    /// An included, extended or imported file does not exist.
    pub const NOT_FOUND: &str = "template_not_found";
    /// A file exists and cannot be read.
    pub const UNREADABLE: &str = "template_unreadable";
    /// Files include or extend each other in a circle.
    pub const CYCLE: &str = "template_cycle";
    /// A limit was passed.
    pub const LIMIT: &str = "template_limit_exceeded";
    /// A name or key without a value, in strict mode.
    pub const UNDEFINED: &str = "template_undefined_name";
    /// An operation on a value of a kind that does not have it.
    pub const TYPE: &str = "template_type_mismatch";
    /// A filter cannot do what it is asked.
    pub const FILTER: &str = "template_filter_failed";
    /// Division or remainder by zero.
    pub const DIVISION: &str = "template_division_by_zero";
    /// A macro or block is defined twice, missing, or called with too many arguments.
    pub const MACRO: &str = "template_macro";
    /// The host gave no clock or no seed.
    pub const NONDETERMINISTIC: &str = "template_nondeterministic";
}

/// An error without a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault(Box<Parts>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts {
    code: &'static str,
    message: String,
    hint: Option<String>,
}

impl Fault {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self(Box::new(Parts { code, message: message.into(), hint: None }))
    }

    /// An operation on the wrong kind of value.
    pub(crate) fn type_mismatch(message: impl Into<String>) -> Self {
        Self::new(code::TYPE, message)
    }

    /// A filter that cannot do what it is asked.
    pub(crate) fn filter(message: impl Into<String>) -> Self {
        Self::new(code::FILTER, message)
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    pub(crate) fn into_diagnostic(self) -> crate::Diagnostic {
        let Parts { code, message, hint } = *self.0;
        let mut diagnostic = crate::Diagnostic::error(code, message);
        diagnostic.hint = hint;
        diagnostic
    }
}
