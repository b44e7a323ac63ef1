//! Integers under Go's verbs.
//!
//! It owns bases, signs and zeros. It refuses to fill up with spaces: the caller does.

use super::{PLUS, SHARP, Spec, quote};

/// The text of an integer; `None` for a verb that integers do not have.
pub(super) fn format(spec: Spec, verb: char, integer: i64) -> Option<String> {
    let magnitude = integer.unsigned_abs();
    let digits = match verb {
        'v' | 'd' => magnitude.to_string(),
        'b' => format!("{magnitude:b}"),
        'o' | 'O' => format!("{magnitude:o}"),
        'x' => format!("{magnitude:x}"),
        'X' => format!("{magnitude:X}"),
        'c' => return Some(character(integer).to_string()),
        'q' => return Some(quote::character(spec.has(PLUS), character(integer))),
        'U' => return Some(code_point(spec, integer)),
        _ => return None,
    };
    if spec.precision == Some(0) && integer == 0 {
        return Some(String::new());
    }
    let sign = spec.sign(integer < 0);
    let zeros = spec.zeros().map(|width| width.saturating_sub(sign.len()));
    let len = spec.precision.or(zeros).unwrap_or(0);
    let digits = format!("{}{digits}", "0".repeat(len.saturating_sub(digits.len())));
    Some(format!("{sign}{}{digits}", prefix(spec.has(SHARP), verb, &digits)))
}

/// What tells the base.
fn prefix(sharp: bool, verb: char, digits: &str) -> &'static str {
    match verb {
        'O' => "0o",
        'b' if sharp => "0b",
        'o' if sharp && !digits.starts_with('0') => "0",
        'x' if sharp => "0x",
        'X' if sharp => "0X",
        _ => "",
    }
}

/// The character with that number, or the one that stands for a wrong number.
fn character(integer: i64) -> char {
    u32::try_from(integer).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// `U+` and at least four digits; with `#` also the character.
fn code_point(spec: Spec, integer: i64) -> String {
    let digits = format!("{integer:X}");
    let zeros = spec.precision.unwrap_or(0).max(4).saturating_sub(digits.len());
    let number = format!("U+{}{digits}", "0".repeat(zeros));
    match u32::try_from(integer).ok().and_then(char::from_u32) {
        Some(character) if spec.has(SHARP) && quote::is_print(character) => format!("{number} '{character}'"),
        _ => number,
    }
}
