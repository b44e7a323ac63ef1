//! Filters that fill a text up with spaces.
//!
//! It owns the three directions. It refuses columns: a character counts as one, whatever its width on a screen.

use super::{Buffer, Data, Env, Fault, bounded};

/// The input in the middle, one more space before it than after it when they are odd; the input itself when there is
/// nothing to fill. A number has length 0.
///
/// # Errors
///
/// `template_limit_exceeded` when the argument is beyond the limit of filter arguments.
pub(super) fn center<'a>(env: &Env<'a>, input: Data<'a>, argument: Data<'a>) -> Result<Data<'a>, Fault> {
    let spaces = bounded(env, argument.integer())?.saturating_sub(input.len());
    if spaces == 0 {
        return Ok(input);
    }
    let centered = env.text(|out| {
        out.push_repeated(' ', spaces.div_ceil(2))?;
        input.write(out)?;
        out.push_repeated(' ', spaces / 2)
    });
    centered.map(Data::Str)
}

/// Spaces after the input. A number has length 0.
///
/// # Errors
///
/// `template_limit_exceeded` when the argument is beyond the limit of filter arguments.
pub(super) fn ljust<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    argument: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    let spaces = bounded(env, argument.integer())?.saturating_sub(input.len());
    input.write(out)?;
    out.push_repeated(' ', spaces)
}

/// Spaces before the input, or after it when the argument is negative. A number has as many characters as its text.
///
/// # Errors
///
/// `template_limit_exceeded` when the argument is beyond the limit of filter arguments.
pub(super) fn rjust<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    argument: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    let width = argument.integer();
    let text = env.text_of(input)?;
    let spaces = bounded(env, width.saturating_abs())?.saturating_sub(text.chars().count());
    if width < 0 {
        out.push_str(text)?;
        return out.push_repeated(' ', spaces);
    }
    out.push_repeated(' ', spaces)?;
    out.push_str(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{check_error, check_text};

    #[test]
    fn three_directions() {
        for (input, width, center, left, right) in [
            (json!("ab"), json!(5), "  ab ", "ab   ", "   ab"),
            (json!("ab"), json!(4), " ab ", "ab  ", "  ab"),
            (json!("héé"), json!(4), " héé", "héé ", " héé"),
            (json!("ab"), json!(2), "ab", "ab", "ab"),
            (json!("ab"), json!(0), "ab", "ab", "ab"),
            (json!("ab"), json!("x"), "ab", "ab", "ab"),
            (json!("ab"), json!(-4), "ab", "ab", "ab  "),
            (json!(12), json!(3), "  12 ", "12   ", " 12"),
            (json!(null), json!(3), "   ", "   ", "   "),
            (json!([1]), json!(4), "  [1] ", "[1]   ", " [1]"),
        ] {
            check_text("center", input.clone(), width.clone(), center);
            check_text("ljust", input.clone(), width.clone(), left);
            check_text("rjust", input, width, right);
        }
    }

    #[test]
    fn widths_are_limited() {
        for name in ["center", "ljust", "rjust"] {
            let beyond = "template_limit_exceeded: limit 'filter_argument' is 10000, got 99999999";
            check_error(name, json!("x"), json!(99_999_999), beyond);
            check_error(name, json!("x"), json!("99999999"), beyond);
        }
    }
}
