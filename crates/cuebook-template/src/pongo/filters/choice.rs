//! Filters that choose a text or a value by what the input is.
//!
//! It owns defaults, `yesno` and `pluralize`. It refuses to tell in an error what the choices were: they may be data.

use super::{Buffer, Data, Env, Fault};

/// The input; that the chain is markup is for the caller to note.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all filters")]
pub(super) fn safe<'a>(_: &Env<'a>, input: Data<'a>, _: Data<'a>) -> Result<Data<'a>, Fault> {
    Ok(input)
}

/// The argument in place of what is nil, zero, false or empty.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all filters")]
pub(super) fn default<'a>(_: &Env<'a>, input: Data<'a>, argument: Data<'a>) -> Result<Data<'a>, Fault> {
    Ok(if input.is_true() { input } else { argument })
}

/// The argument in place of nil.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all filters")]
pub(super) fn default_if_none<'a>(
    _: &Env<'a>,
    input: Data<'a>,
    argument: Data<'a>,
) -> Result<Data<'a>, Fault> {
    Ok(if input.is_nil() { argument } else { input })
}

/// A word for true, false and nil; the argument `yes,no[,maybe]` gives other words.
///
/// # Errors
///
/// `template_filter_failed` when the argument has one word, or more than three.
pub(super) fn yesno<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    argument: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    let words = env.text_of(argument)?;
    let words = if words.is_empty() { "yes,no,maybe" } else { words };
    let Some((yes, no, maybe)) = split_answers(words) else {
        let seen = words.split(',').count();
        return Err(Fault::filter(format!("'yesno' takes two or three words, got {seen}"))
            .hint("write them with commas: yesno:\"yes,no,maybe\""));
    };
    match input {
        _ if input.is_nil() => out.push_str(maybe),
        _ if input.is_true() => out.push_str(yes),
        _ => out.push_str(no),
    }
}

fn split_answers(words: &str) -> Option<(&str, &str, &str)> {
    let (yes, rest) = words.split_once(',')?;
    match rest.split_once(',') {
        None => Some((yes, rest, "maybe")),
        Some((_, maybe)) if maybe.contains(',') => None,
        Some((no, maybe)) => Some((yes, no, maybe)),
    }
}

/// An ending for a number that is not 1: `s`, or the one argument; two with a comma are for 1 and for all else.
///
/// # Errors
///
/// `template_filter_failed` when the input is no number, or the argument has more than two endings.
pub(super) fn pluralize<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    argument: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    if !input.is_number() {
        return Err(Fault::filter(format!("'pluralize' takes a number, got {}", input.kind()))
            .hint("count a list first: items|length|pluralize"));
    }
    let endings = if argument.len() > 0 { env.text_of(argument)? } else { "s" };
    let (one, many) = endings.split_once(',').unwrap_or(("", endings));
    if many.contains(',') {
        let seen = endings.split(',').count();
        return Err(Fault::filter(format!("'pluralize' takes at most two endings, got {seen}"))
            .hint("write one or two: pluralize:\"es\" or pluralize:\"y,ies\""));
    }
    out.push_str(if input.integer() == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{check_error, check_text};

    #[test]
    fn defaults() {
        for (input, default, default_if_none) in [
            (json!(null), "d", "d"),
            (json!(0), "d", "0"),
            (json!(0.0), "d", "0.000000"),
            (json!(""), "d", ""),
            (json!(false), "d", "False"),
            (json!([]), "d", "[]"),
            (json!({}), "d", "{}"),
            (json!("x"), "x", "x"),
            (json!([1]), "[1]", "[1]"),
            (json!(-1), "-1", "-1"),
        ] {
            check_text("default", input.clone(), json!("d"), default);
            check_text("default_if_none", input.clone(), json!("d"), default_if_none);
        }
        check_text("default", json!(""), json!(null), "");
        check_text("safe", json!({"a": 1}), json!(null), "{\"a\":1}");
    }

    #[test]
    fn yesno_with_its_words() {
        for (input, argument, expect) in [
            (json!(true), json!(null), "yes"),
            (json!(0), json!(null), "no"),
            (json!(null), json!(null), "maybe"),
            (json!(null), json!(""), "maybe"),
            (json!("x"), json!("ja,nein"), "ja"),
            (json!(""), json!("ja,nein"), "nein"),
            (json!(null), json!("ja,nein"), "maybe"),
            (json!(null), json!("ja,nein,?"), "?"),
            (json!(true), json!(",,"), ""),
        ] {
            check_text("yesno", input, argument, expect);
        }
        let one = "template_filter_failed: 'yesno' takes two or three words, got 1";
        check_error("yesno", json!(true), json!("secret"), one);
        let four = "template_filter_failed: 'yesno' takes two or three words, got 4";
        check_error("yesno", json!(true), json!("a,b,c,d"), four);
    }

    #[test]
    fn pluralize_with_its_endings() {
        for (input, argument, expect) in [
            (json!(0), json!(null), "s"),
            (json!(1), json!(null), ""),
            (json!(1.9), json!(null), ""),
            (json!(2.0), json!(null), "s"),
            (json!(2), json!("es"), "es"),
            (json!(1), json!("es"), ""),
            (json!(1), json!("y,ies"), "y"),
            (json!(-1), json!("y,ies"), "ies"),
            (json!(2), json!(7), "s"),
        ] {
            check_text("pluralize", input, argument, expect);
        }
        let string = "template_filter_failed: 'pluralize' takes a number, got a string";
        check_error("pluralize", json!("1"), json!(null), string);
        let three = "template_filter_failed: 'pluralize' takes at most two endings, got 3";
        check_error("pluralize", json!(1), json!("a,b,c"), three);
    }
}
