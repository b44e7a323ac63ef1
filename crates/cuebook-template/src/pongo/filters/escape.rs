//! Filters that replace single characters: escapes for markup, scripts and addresses, and plain removal.
//!
//! It owns what each character becomes. It refuses to decode anything: text that is escaped already is escaped again.

use super::{Buffer, Data, Env, Fault};

/// Characters of markup as entities.
pub(super) fn escape<'a>(env: &Env<'a>, input: Data<'a>, _: Data<'a>, out: &mut Buffer) -> Result<(), Fault> {
    escape_markup(env.text_of(input)?, out)
}

/// Writes `text` with entities for the characters of markup.
pub(crate) fn escape_markup(text: &str, out: &mut Buffer) -> Result<(), Fault> {
    replace(text, out, |byte| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        b'"' => Some("&quot;"),
        b'\'' => Some("&#39;"),
        _ => None,
    })
}

/// A backslash before quotes and backslashes.
pub(super) fn addslashes<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    _: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    replace(env.text_of(input)?, out, |byte| match byte {
        b'\\' => Some("\\\\"),
        b'"' => Some("\\\""),
        b'\'' => Some("\\'"),
        _ => None,
    })
}

/// Letters as the digits of a telephone's keys.
pub(super) fn phone2numeric<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    _: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    replace(env.text_of(input)?, out, |byte| match byte.to_ascii_lowercase() {
        b'a'..=b'c' => Some("2"),
        b'd'..=b'f' => Some("3"),
        b'g'..=b'i' => Some("4"),
        b'j'..=b'l' => Some("5"),
        b'm'..=b'o' => Some("6"),
        b'p'..=b's' => Some("7"),
        b't'..=b'v' => Some("8"),
        b'w'..=b'z' => Some("9"),
        _ => None,
    })
}

/// Writes `text` with replacements for ASCII characters; what lies between them is copied whole.
pub(super) fn replace(
    text: &str,
    out: &mut Buffer,
    replacement: impl Fn(u8) -> Option<&'static str>,
) -> Result<(), Fault> {
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate() {
        if let Some(other) = replacement(byte) {
            out.push_str(&text[copied..at])?;
            out.push_str(other)?;
            copied = at + 1;
        }
    }
    out.push_str(&text[copied..])
}

/// The input without any occurrence of the argument.
pub(super) fn cut<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    argument: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    let text = env.text_of(input)?;
    let unwanted = env.text_of(argument)?;
    if unwanted.is_empty() {
        return out.push_str(text);
    }
    text.split(unwanted).try_for_each(|part| out.push_str(part))
}

/// All but ASCII letters, spaces and slashes as `\uXXXX`; the two characters `\n` and `\r` as the control they name.
pub(super) fn escapejs<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    _: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    let mut characters = env.text_of(input)?.chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' | '/' | 'a'..='z' | 'A'..='Z' => out.push(character)?,
            // The original takes it for a decoding error and drops it.
            char::REPLACEMENT_CHARACTER => {}
            '\\' => match characters.as_str().as_bytes().first() {
                Some(b'n') => escape_control(&mut characters, "\\u000A", out)?,
                Some(b'r') => escape_control(&mut characters, "\\u000D", out)?,
                _ => out.push_str("\\u005C")?,
            },
            other => out.format(format_args!("\\u{:04X}", u32::from(other)))?,
        }
    }
    Ok(())
}

/// Writes the escape of a control character whose letter comes next.
fn escape_control(
    characters: &mut std::str::Chars<'_>,
    escaped: &str,
    out: &mut Buffer,
) -> Result<(), Fault> {
    characters.next();
    out.push_str(escaped)
}

/// Encoded as a value in a query: spaces as `+`, all but unreserved characters (RFC 3986, section 2.3) in percent.
pub(super) fn urlencode<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    _: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    percent_encode(env.text_of(input)?, b"", out)
}

/// As `urlencode`, but for the characters that have a meaning in addresses.
pub(super) fn iriencode<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    _: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    encode_iri(env.text_of(input)?, out)
}

/// Writes `text` as an address.
pub(super) fn encode_iri(text: &str, out: &mut Buffer) -> Result<(), Fault> {
    percent_encode(text, b"/#%[]=:;$&()+,!?*@'~", out)
}

fn percent_encode(text: &str, kept: &[u8], out: &mut Buffer) -> Result<(), Fault> {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| !is_unreserved(byte) && !kept.contains(&byte)) {
        let (copied, encoded) = rest.split_at(at);
        out.push_str(copied)?;
        let mut characters = encoded.chars();
        match characters.next() {
            Some(' ') => out.push('+')?,
            character => push_percent(character.unwrap_or_default(), out)?,
        }
        rest = characters.as_str();
    }
    out.push_str(rest)
}

fn push_percent(character: char, out: &mut Buffer) -> Result<(), Fault> {
    let mut bytes = [0; 4];
    let bytes = character.encode_utf8(&mut bytes).bytes();
    bytes.into_iter().try_for_each(|byte| out.format(format_args!("%{byte:02X}")))
}

const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~')
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::testing::{check_error_within, check_text};

    #[track_caller]
    fn check(name: &str, cases: &[(Json, &str)]) {
        for (input, expect) in cases {
            check_text(name, input.clone(), json!(null), expect);
        }
    }

    #[test]
    fn escape_and_its_short_name() {
        let cases = [
            (json!("<a href=\"x\">T&'s</a>"), "&lt;a href=&quot;x&quot;&gt;T&amp;&#39;s&lt;/a&gt;"),
            (json!("&amp;"), "&amp;amp;"),
            (json!("plain é"), "plain é"),
            (json!(["<"]), "[&quot;&lt;&quot;]"),
            (json!(null), ""),
            (json!(1.5), "1.500000"),
        ];
        check("escape", &cases);
        check("e", &cases);
        check_error_within(8, "escape", json!("&&&&"), json!(null), "limit 'output_bytes' is 8");
    }

    #[test]
    fn slashes_keys_and_scripts() {
        check("addslashes", &[(json!("it's \\a \"t\""), "it\\'s \\\\a \\\"t\\\""), (json!(""), "")]);
        check("phone2numeric", &[(json!("0800-FLOWERS zé"), "0800-3569377 9é"), (json!(true), "8783")]);
        check(
            "escapejs",
            &[
                (json!("a B/c\n\"1\""), "a B/c\\u000A\\u0022\\u0031\\u0022"),
                (json!("x\\r\\n\\t\\"), "x\\u000D\\u000A\\u005Ct\\u005C"),
                (json!("é👍\u{fffd}"), "\\u00E9\\u1F44D"),
            ],
        );
    }

    #[test]
    fn addresses() {
        check(
            "urlencode",
            &[(json!("a b/c?d=é&e~"), "a+b%2Fc%3Fd%3D%C3%A9%26e~"), (json!("-_.AZaz09"), "-_.AZaz09")],
        );
        check("iriencode", &[(json!("a b/c?d=é&e~<"), "a+b/c?d=%C3%A9&e~%3C"), (json!(null), "")]);
    }

    #[test]
    fn cut_of_all_occurrences() {
        for (input, argument, expect) in [
            (json!("hello"), json!("l"), "heo"),
            (json!("aaaa"), json!("aa"), ""),
            (json!("hello"), json!(""), "hello"),
            (json!("hello"), json!(null), "hello"),
            (json!(1213), json!(1), "23"),
            (json!("héllo"), json!("é"), "hllo"),
        ] {
            check_text("cut", input, argument, expect);
        }
    }
}
