//! Owns how a piece of a document is quoted in a message: shortened, so that no message carries a whole value.

/// The longest quotation of a document in a message, in characters.
pub(crate) const QUOTE_MAX_CHARS: usize = 80;

/// `given` cut to [`QUOTE_MAX_CHARS`] characters, the cut marked with an ellipsis.
pub(crate) fn shorten(given: &str) -> String {
    if given.chars().count() <= QUOTE_MAX_CHARS {
        return given.to_owned();
    }
    given.chars().take(QUOTE_MAX_CHARS - 1).chain(['…']).collect()
}
