//! Filters on words and lines.
//!
//! It owns wrapping, counting and numbering. It refuses grammar: a word is what stands between white space.

use super::{Buffer, Data, Env, Fault, amount, count};

/// How many words there are.
pub(super) fn wordcount<'a>(env: &Env<'a>, input: Data<'a>, _: Data<'a>) -> Result<Data<'a>, Fault> {
    Ok(count(env.text_of(input)?.split_whitespace().count()))
}

/// As many words a line as the argument says; the input itself when that is less than one.
pub(super) fn wordwrap<'a>(env: &Env<'a>, input: Data<'a>, argument: Data<'a>) -> Result<Data<'a>, Fault> {
    let words_per_line = amount(argument.integer());
    if words_per_line == 0 {
        return Ok(input);
    }
    let text = env.text_of(input)?;
    env.text(|out| wrap(text, words_per_line, out)).map(Data::Str)
}

fn wrap(text: &str, words_per_line: usize, out: &mut Buffer) -> Result<(), Fault> {
    for (index, word) in text.split_whitespace().enumerate() {
        if index > 0 {
            out.push_str(if index % words_per_line == 0 { "\n" } else { " " })?;
        }
        out.push_str(word)?;
    }
    Ok(())
}

/// Each line with its number, which counts from 1.
pub(super) fn linenumbers<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    _: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    for (index, line) in env.text_of(input)?.split('\n').enumerate() {
        if index > 0 {
            out.push('\n')?;
        }
        count(index + 1).write(out)?;
        out.push_str(". ")?;
        out.push_str(line)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::check_text;

    #[test]
    fn counts() {
        for (input, expect) in [
            (json!("a b  c\n\td"), "4"),
            (json!(" 你好\u{3000}x "), "2"),
            (json!(""), "0"),
            (json!(null), "0"),
            (json!(1.5), "1"),
            (json!(["a b"]), "2"),
        ] {
            check_text("wordcount", input, json!(null), expect);
        }
    }

    #[test]
    fn wraps_by_words() {
        for (input, argument, expect) in [
            (json!("a b c d e"), json!(2), "a b\nc d\ne"),
            (json!("a b c d e"), json!(3), "a b c\nd e"),
            (json!("  a\nb  "), json!(100), "a b"),
            (json!("a b"), json!(1), "a\nb"),
            (json!("a  b"), json!(0), "a  b"),
            (json!("a  b"), json!(-2), "a  b"),
            (json!("a  b"), json!(null), "a  b"),
            (json!("a b"), json!(i64::MAX), "a b"),
            (json!(""), json!(2), ""),
            (json!(null), json!(2), ""),
        ] {
            check_text("wordwrap", input, argument, expect);
        }
    }

    #[test]
    fn numbers_lines() {
        for (input, expect) in [
            (json!("a\n\nb\n"), "1. a\n2. \n3. b\n4. "),
            (json!("a\r\nb"), "1. a\r\n2. b"),
            (json!(""), "1. "),
            (json!(7), "1. 7"),
        ] {
            check_text("linenumbers", input, json!(null), expect);
        }
    }
}
