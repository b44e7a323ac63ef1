//! Filters that shorten plain text.
//!
//! It owns where a text is cut. It refuses to look at markup: `truncate_html` does.

use super::list::offset;
use super::{Buffer, Data, Env, Fault, amount};

/// At most as many characters as the argument says, the last three of them dots when something was cut off and there
/// is room for them.
///
/// # Errors
///
/// `template_filter_failed` when the argument is less than 0.
pub(super) fn chars<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    argument: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    let Ok(most) = usize::try_from(argument.integer()) else {
        return Err(Fault::filter("'truncatechars' takes a number of characters from 0 on, got less")
            .hint("write how many characters may stay: truncatechars:80"));
    };
    let text = env.text_of(input)?;
    let end = offset(text, most);
    if end == text.len() {
        return out.push_str(text);
    }
    if most < 3 {
        return out.push_str(&text[..end]);
    }
    out.push_str(&text[..offset(text, most - 3)])?;
    out.push_str("...")
}

/// At most as many words as the argument says, with single spaces between them, and dots when words were cut off.
pub(super) fn words<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    argument: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    let most = amount(argument.integer());
    if most == 0 {
        return Ok(());
    }
    for (index, word) in env.text_of(input)?.split_whitespace().enumerate() {
        if index > 0 {
            out.push(' ')?;
        }
        if index == most {
            return out.push_str("...");
        }
        out.push_str(word)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{check_error, check_text};

    #[test]
    fn cuts_characters() {
        for (input, argument, expect) in [
            (json!("hello world"), json!(8), "hello..."),
            (json!("hello"), json!(5), "hello"),
            (json!("hello"), json!(4), "h..."),
            (json!("hello"), json!(3), "..."),
            (json!("hello"), json!(2), "he"),
            (json!("hello"), json!(0), ""),
            (json!("hello"), json!(null), ""),
            (json!("你好世界"), json!(3), "..."),
            (json!("你好世界é"), json!(4), "你..."),
            (json!("hello"), json!(i64::MAX), "hello"),
            (json!(3.5), json!(6), "3.5..."),
            (json!(null), json!(6), ""),
        ] {
            check_text("truncatechars", input, argument, expect);
        }
        let negative =
            "template_filter_failed: 'truncatechars' takes a number of characters from 0 on, got less";
        check_error("truncatechars", json!("hello"), json!(-1), negative);
    }

    #[test]
    fn cuts_words() {
        for (input, argument, expect) in [
            (json!("a b  c\nd"), json!(2), "a b ..."),
            (json!(" a  b "), json!(2), "a b"),
            (json!("a b"), json!(100), "a b"),
            (json!("a b"), json!(0), ""),
            (json!("a b"), json!(-1), ""),
            (json!("a b"), json!(i64::MAX), "a b"),
            (json!("你 好 é"), json!("1"), "你 ..."),
            (json!(null), json!(1), ""),
        ] {
            check_text("truncatewords", input, argument, expect);
        }
    }
}
