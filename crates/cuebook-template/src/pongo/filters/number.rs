//! Filters on numbers.
//!
//! It owns arithmetic and the shapes of digits. It refuses to fail on what is no number: as in the original, text is
//! read as a decimal number, and all else counts as 0.

use super::{Buffer, Data, Env, Fault, bounded};

/// The sum of two numbers, which wraps at 64 bits as the original's; of all else the two texts in a row.
pub(super) fn add<'a>(env: &Env<'a>, input: Data<'a>, argument: Data<'a>) -> Result<Data<'a>, Fault> {
    if !(input.is_number() && argument.is_number()) {
        let both = env.text(|out| {
            input.write(out)?;
            argument.write(out)
        })?;
        return Ok(Data::Str(both));
    }
    if input.is_float() || argument.is_float() {
        return Ok(Data::Float(input.float() + argument.float()));
    }
    Ok(Data::Int(input.integer().wrapping_add(argument.integer())))
}

/// Whether the argument divides the input as an integer; nothing is divisible by 0.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all filters")]
pub(super) fn divisibleby<'a>(_: &Env<'a>, input: Data<'a>, argument: Data<'a>) -> Result<Data<'a>, Fault> {
    let divisor = argument.integer();
    Ok(Data::Bool(divisor != 0 && input.integer().wrapping_rem(divisor) == 0))
}

/// The input as a float.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all filters")]
pub(super) fn float<'a>(_: &Env<'a>, input: Data<'a>, _: Data<'a>) -> Result<Data<'a>, Fault> {
    Ok(Data::Float(input.float()))
}

/// The input as an integer.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all filters")]
pub(super) fn integer<'a>(_: &Env<'a>, input: Data<'a>, _: Data<'a>) -> Result<Data<'a>, Fault> {
    Ok(Data::Int(input.integer()))
}

/// A number with as many decimals as the argument says, or one; an argument that is negative, 0, absent or no number
/// also turns whole numbers into integers.
///
/// # Errors
///
/// `template_limit_exceeded` when the argument is beyond the limit of filter arguments.
pub(super) fn floatformat<'a>(env: &Env<'a>, input: Data<'a>, argument: Data<'a>) -> Result<Data<'a>, Fault> {
    let asked = if argument.is_nil() { -1 } else { argument.integer() };
    let decimals = bounded(env, asked.saturating_abs())?;
    let number = input.float();
    let trims = asked <= 0 || !argument.is_number();
    if trims && is_integer(number) {
        return Ok(Data::Int(input.integer()));
    }
    env.text(|out| write_fixed(number, decimals, out)).map(Data::Str)
}

/// Whether an integer of 64 bits has the same value.
fn is_integer(number: f64) -> bool {
    number.trunc().to_bits() == number.to_bits() && number.abs() < 9_223_372_036_854_775_808.0
        || number == 0.0
}

/// Writes a number in decimal notation.
pub(super) fn write_fixed(number: f64, decimals: usize, out: &mut Buffer) -> Result<(), Fault> {
    if !number.is_finite() {
        return Data::Float(number).write(out);
    }
    // No float has more decimals than this, and a format string takes no more than 65,535.
    let exact = decimals.min(1_100);
    out.format(format_args!("{number:.exact$}"))?;
    out.push_repeated('0', decimals - exact)
}

/// The digit at a place from the right, which counts from 1; the input itself when there is no such place.
///
/// As in the original, it is the byte at that place less the byte of `0`, modulo 256.
pub(super) fn get_digit<'a>(env: &Env<'a>, input: Data<'a>, argument: Data<'a>) -> Result<Data<'a>, Fault> {
    let text = env.text_of(input)?.as_bytes();
    let place = usize::try_from(argument.integer()).unwrap_or(0);
    let byte = text.len().checked_sub(place).and_then(|at| text.get(at));
    Ok(byte.map_or(input, |byte| Data::Int(i64::from(byte.wrapping_sub(b'0')))))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::testing::{check_error, check_text};

    #[track_caller]
    fn check(name: &str, cases: &[(Json, Json, &str)]) {
        for (input, argument, expect) in cases {
            check_text(name, input.clone(), argument.clone(), expect);
        }
    }

    #[test]
    fn sums() {
        check(
            "add",
            &[
                (json!(2), json!(3), "5"),
                (json!(2), json!(1.5), "3.500000"),
                (json!(2), json!("3"), "23"),
                (json!("a"), json!("b"), "ab"),
                (json!(null), json!("b"), "b"),
                (json!([1]), json!(2), "[1]2"),
                (json!(i64::MAX), json!(1), "-9223372036854775808"),
            ],
        );
    }

    #[test]
    fn divisors() {
        check(
            "divisibleby",
            &[
                (json!(21), json!(7), "True"),
                (json!(22), json!(7), "False"),
                (json!(21), json!(0), "False"),
                (json!("21"), json!("7"), "True"),
                (json!([]), json!(7), "True"),
                (json!(i64::MIN), json!(-1), "True"),
            ],
        );
    }

    #[test]
    fn conversions() {
        check("float", &[(json!("1.5"), json!(null), "1.500000"), (json!(true), json!(null), "0.000000")]);
        check(
            "integer",
            &[
                (json!("1.9"), json!(null), "1"),
                (json!(-1.9), json!(null), "-1"),
                (json!("x"), json!(null), "0"),
            ],
        );
    }

    #[test]
    fn floats() {
        check(
            "floatformat",
            &[
                (json!(34.23234), json!(null), "34.2"),
                (json!(34.0), json!(null), "34"),
                (json!(34.26), json!(null), "34.3"),
                (json!(34.0), json!(3), "34.000"),
                (json!(34.23234), json!(0), "34"),
                (json!(34.0), json!(-3), "34"),
                (json!(34.26), json!(-3), "34.260"),
                (json!(34.0), json!("3"), "34"),
                (json!(34.5), json!("3"), "34.500"),
                (json!("7"), json!(2), "7.00"),
                (json!(1e300), json!(null), format!("{:.1}", 1e300).as_str()),
                (json!(-0.0), json!(null), "0"),
                (json!("x"), json!(1), "0.0"),
                (json!(9_223_372_036_854_775_808.0), json!(null), "9223372036854775808.0"),
                (json!(0.5), json!(2000), &format!("0.5{}", "0".repeat(1999))),
                (json!("inf"), json!(2), "+Inf"),
            ],
        );
        for argument in [99_999_999, -99_999_999] {
            let limit = "template_limit_exceeded: limit 'filter_argument' is 10000, got 99999999";
            check_error("floatformat", json!(1.5), json!(argument), limit);
        }
        let most = "template_limit_exceeded: limit 'filter_argument' is 10000, got 9223372036854775807";
        check_error("floatformat", json!(1.5), json!(i64::MIN), most);
    }

    #[test]
    fn digits() {
        check(
            "get_digit",
            &[
                (json!(12345), json!(1), "5"),
                (json!(12345), json!(5), "1"),
                (json!(12345), json!(6), "12345"),
                (json!(12345), json!(0), "12345"),
                (json!(12345), json!(-1), "12345"),
                (json!("ab"), json!(1), "50"),
                (json!("é"), json!(1), "121"),
                (json!(null), json!(1), ""),
            ],
        );
    }
}
