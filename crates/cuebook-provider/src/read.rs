//! The one place where the text of a dispatch is read.
//!
//! It owns nothing and keeps nothing: the text is lent to a closure and is gone when that returns.

use cuebook_prompt::{Dispatch, DispatchText};

/// Lends the text of `dispatch` to `read`.
#[expect(clippy::disallowed_methods, reason = "a model has to get the text; this crate alone may read it")]
pub(crate) fn text<R>(dispatch: &Dispatch, read: impl FnOnce(DispatchText<'_>) -> R) -> R {
    dispatch.expose(read)
}
