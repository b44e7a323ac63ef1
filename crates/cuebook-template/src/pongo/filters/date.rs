//! The filters `date` and `time`, which are the same.
//!
//! It owns the way from a text to a time. It refuses numbers: whether they count seconds, and from when, is a guess.

use super::{Buffer, Civil, Data, Env, Fault, format_time};

/// A time of RFC 3339 as the argument, a layout of Go, says.
///
/// # Errors
///
/// `template_filter_failed` when the input is no such time.
pub(super) fn date<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    argument: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    let time = match input {
        Data::Str(text) => Civil::parse(text),
        _ => None,
    };
    let Some(time) = time else {
        let seen = if input.is_string() { "a string that is none" } else { input.kind() };
        return Err(Fault::filter(format!("'date' and 'time' take a time of RFC 3339, got {seen}"))
            .hint("give the time as in \"2006-01-02T15:04:05Z\""));
    };
    out.push_str(&format_time(env.text_of(argument)?, &time))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{check_error, check_text};

    #[test]
    fn times() {
        for name in ["date", "time"] {
            let time = json!("2024-11-09T13:07:08+01:00");
            check_text(name, time.clone(), json!("Mon 2 Jan 2006, 15:04"), "Sat 9 Nov 2024, 13:07");
            check_text(name, time, json!(null), "");
            for (input, seen) in [
                (json!("yesterday"), "a string that is none"),
                (json!(1_700_000_000), "an integer"),
                (json!(null), "nil"),
                (json!([]), "a list"),
            ] {
                let expect =
                    format!("template_filter_failed: 'date' and 'time' take a time of RFC 3339, got {seen}");
                check_error(name, input, json!("2006"), &expect);
            }
        }
    }
}
