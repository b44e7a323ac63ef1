//! The fixed bounds of the language, in one place.
//!
//! Owns numbers only. Whoever enforces a bound names it in the error, together with what was seen.

/// The longest source text of an expression or a path, in bytes.
pub const MAX_SOURCE_BYTES: usize = 4096;

/// How deep brackets, calls, prefix operators and choices may nest.
pub const MAX_NESTING: usize = 64;

/// The most items a list literal may have.
pub const MAX_LIST_ITEMS: usize = 1000;

/// The most that one evaluation may build: bytes of new text plus eight for each copied value.
///
/// Values that are only read from the scope cost nothing.
pub const MAX_BUILT_BYTES: usize = 1024 * 1024;

/// The longest regular expression of a condition, in bytes.
pub const MAX_PATTERN_BYTES: usize = 1024;

/// The most memory that a compiled regular expression may take, in bytes.
pub const MAX_COMPILED_PATTERN_BYTES: usize = 1024 * 1024;

/// The most errors that are reported for one source text.
pub const MAX_ERRORS: usize = 20;
