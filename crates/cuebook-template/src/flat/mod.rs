//! The flat language of RFC 0027: text with `{{name}}` placeholders, and no logic.
//!
//! # Grammar
//!
//! ```text
//! placeholder = "{{" *WS NAME *WS "}}"     ; after exactly two "{", never a third before them
//! NAME        = [a-zA-Z_][a-zA-Z0-9_]{0,63}
//! WS          = space / tab / LF / CR
//! ```
//!
//! Everything else is literal text, byte for byte. In detail:
//!
//! * A run of one, or of three or more, `{` opens nothing: `{{{x}}}` and `{{{{x}}}}` are literal.
//! * The first `}}` closes; what follows is text: `{"n": {{n}}}` is `{"n": `, the placeholder, `}`.
//! * There is no escape, because there is nothing to escape but a placeholder itself; `\{{x}}` is `\` and a placeholder.
//! * Any text is a program. What looks like a placeholder and is none is reported by [`Program::lints`].
//!
//! A program is rendered in one pass over the template. Values are written by the [`Sink`], and never read again: a
//! value that contains `{{other}}` puts exactly these characters into the result.

mod attempt;
mod declared;
mod lint;
mod program;
mod scan;

pub use program::{Placeholder, Program, Sink};
pub use scan::is_name;
