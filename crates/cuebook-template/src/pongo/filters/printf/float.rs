//! Floats under Go's verbs.
//!
//! It owns the notations: fixed, with an exponent, the shorter of both, and powers of two. It refuses to fill up with
//! spaces: the caller does.

use super::{PLUS, SHARP, SPACE, Spec};

/// More significant digits than any float has; what goes beyond them is zeros.
const MOST_DIGITS: usize = 1_100;

/// The text of a float; `None` for a verb that floats do not have.
pub(super) fn format(spec: Spec, verb: char, float: f64) -> Option<String> {
    let notation = match verb {
        'v' => 'g',
        'F' => 'f',
        'b' | 'e' | 'E' | 'f' | 'g' | 'G' | 'x' | 'X' => verb,
        _ => return None,
    };
    if !float.is_finite() {
        return Some(infinite(spec, float));
    }
    let magnitude = match notation {
        'e' | 'E' => scientific(float.abs(), spec.precision.unwrap_or(6)),
        'f' => fixed(float.abs(), spec.precision.unwrap_or(6)),
        'b' => binary(float),
        'x' | 'X' => hexadecimal(float, spec.precision),
        _ => general(float.abs(), spec.precision),
    };
    let magnitude = if spec.has(SHARP) { keep_point(magnitude, notation, spec.precision) } else { magnitude };
    let magnitude = if notation.is_ascii_uppercase() { magnitude.to_uppercase() } else { magnitude };
    let sign = spec.sign(float.is_sign_negative());
    let len = spec.zeros().unwrap_or(0).saturating_sub(sign.len() + magnitude.len());
    Some(format!("{sign}{}{magnitude}", "0".repeat(len)))
}

/// Infinity always has its sign, no number only when asked.
fn infinite(spec: Spec, float: f64) -> String {
    match (float.is_nan(), spec.has(PLUS), spec.has(SPACE)) {
        (true, true, _) => "+NaN",
        (true, _, true) => " NaN",
        (true, ..) => "NaN",
        _ if float < 0.0 => "-Inf",
        (_, false, true) => " Inf",
        _ => "+Inf",
    }
    .to_owned()
}

fn fixed(magnitude: f64, decimals: usize) -> String {
    let exact = decimals.min(MOST_DIGITS);
    format!("{magnitude:.exact$}{}", "0".repeat(decimals - exact))
}

fn scientific(magnitude: f64, decimals: usize) -> String {
    let exact = decimals.min(MOST_DIGITS);
    let text = format!("{magnitude:.exact$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent = exponent.parse().unwrap_or(0);
    format!("{mantissa}{}{}", "0".repeat(decimals - exact), power('e', exponent))
}

/// An exponent with its sign and at least two digits.
fn power(mark: char, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mark}{sign}{:02}", exponent.unsigned_abs())
}

/// Without zeros at the end, with an exponent where that is far from 0: so many significant digits as the precision
/// says, or as few as tell the number.
fn general(magnitude: f64, precision: Option<usize>) -> String {
    let text = match precision.map(|digits| digits.clamp(1, MOST_DIGITS) - 1) {
        Some(decimals) => format!("{magnitude:.decimals$e}"),
        None => format!("{magnitude:e}"),
    };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits = mantissa.replace('.', "");
    let digits = digits.trim_end_matches('0');
    if exponent < -4 || exponent >= exponent_limit(precision, digits.len(), exponent) {
        return format!("{}{}", with_point(digits, 0), power('e', exponent));
    }
    with_point(digits, exponent)
}

/// Digits as a number whose first digit counts ten to the power of the exponent.
fn with_point(digits: &str, exponent: i32) -> String {
    let Ok(exponent) = usize::try_from(exponent) else {
        let zeros = usize::try_from(exponent.unsigned_abs() - 1).unwrap_or(0);
        return format!("0.{}{digits}", "0".repeat(zeros));
    };
    let whole = exponent + 1;
    match digits.split_at_checked(whole) {
        Some((whole, "")) => whole.to_owned(),
        Some((whole, decimals)) => format!("{whole}.{decimals}"),
        None => format!("{digits}{}", "0".repeat(whole - digits.len())),
    }
}

/// From which exponent on it is written out; the shortest text decides as with a precision of 6.
fn exponent_limit(precision: Option<usize>, digits: usize, exponent: i32) -> i32 {
    let Some(precision) = precision else { return 6 };
    let precision = precision.max(1);
    let whole = usize::try_from(exponent + 1).unwrap_or(0);
    let limit = if precision > digits && digits >= whole { digits } else { precision };
    i32::try_from(limit).unwrap_or(i32::MAX)
}

/// With `#` a point is always there, and general notation keeps its zeros.
fn keep_point(text: String, notation: char, precision: Option<usize>) -> String {
    if matches!(notation, 'b' | 'x' | 'X') {
        return text;
    }
    let wanted = if matches!(notation, 'g' | 'G') { precision.unwrap_or(6) } else { 0 };
    let (mantissa, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
    let point = if mantissa.contains('.') { "" } else { "." };
    let significant =
        mantissa.replace('.', "").trim_start_matches('0').len().max(usize::from(mantissa == "0"));
    format!("{mantissa}{point}{}{exponent}", "0".repeat(wanted.saturating_sub(significant)))
}

/// The whole mantissa and the power of two.
fn binary(float: f64) -> String {
    let (mantissa, exponent) = parts(float);
    let exponent = exponent - 52;
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}p{sign}{}", exponent.unsigned_abs())
}

/// The mantissa with its 52 places after the point, and the exponent of the point.
fn parts(float: f64) -> (u64, i32) {
    let bits = float.to_bits();
    let (fraction, exponent) = (bits & ((1 << 52) - 1), (bits >> 52) & 0x7FF);
    match i32::try_from(exponent).unwrap_or(0) {
        0 => (fraction, -1022),
        exponent => (fraction | (1 << 52), exponent - 1023),
    }
}

/// Hexadecimal with a power of two, one digit before the point; rounded to even.
fn hexadecimal(float: f64, precision: Option<usize>) -> String {
    let (mantissa, exponent) = parts(float);
    if mantissa == 0 {
        let zeros = "0".repeat(precision.unwrap_or(0));
        return format!("0x0{}{zeros}p+00", if zeros.is_empty() { "" } else { "." });
    }
    // One binary digit before the point, 60 after it.
    let shift = mantissa.leading_zeros() - 3;
    let shifted = mantissa << shift;
    let exponent = exponent + 8 - i32::try_from(shift).unwrap_or(0);
    let (shifted, exponent) = match precision {
        Some(digits) if digits < 15 => round(shifted, digits, exponent),
        _ => (shifted, exponent),
    };
    let digits = format!("{:015x}", shifted & ((1 << 60) - 1));
    let digits = match precision {
        None => digits.trim_end_matches('0').to_owned(),
        Some(asked) => digits.chars().chain(std::iter::repeat('0')).take(asked).collect(),
    };
    format!("0x1{}{digits}{}", if digits.is_empty() { "" } else { "." }, power('p', exponent))
}

/// Rounds to hexadecimal digits after the point, half to even.
fn round(mantissa: u64, digits: usize, exponent: i32) -> (u64, i32) {
    let dropped = 60 - 4 * digits;
    let half = 1 << (dropped - 1);
    let (kept, rest) = (mantissa >> dropped, mantissa & ((1 << dropped) - 1));
    let up = rest > half || (rest == half && kept % 2 == 1);
    let rounded = (kept + u64::from(up)) << dropped;
    if rounded >> 61 == 0 { (rounded, exponent) } else { (rounded >> 1, exponent + 1) }
}
