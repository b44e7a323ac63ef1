//! Texts under Go's verbs `q` and `x`.
//!
//! It owns quotes, escapes and hexadecimal bytes. It refuses to decide what is printable: the standard library knows.

use super::{Buffer, Fault, PLUS, SHARP, SPACE, Spec};

/// Writes a text in double quotes, with escapes; in backquotes with `#` where these need none; only ASCII with `+`.
pub(super) fn string(spec: Spec, text: &str, out: &mut Buffer) -> Result<(), Fault> {
    if spec.has(SHARP) && text.chars().all(stands_in_backquotes) {
        return out.format(format_args!("`{text}`"));
    }
    out.push('"')?;
    text.chars().try_for_each(|it| out.push_str(&escape(it, '"', spec.has(PLUS))))?;
    out.push('"')
}

/// A character in single quotes, with escapes; only ASCII when `ascii` is set.
pub(super) fn character(ascii: bool, character: char) -> String {
    format!("'{}'", escape(character, '\'', ascii))
}

fn stands_in_backquotes(character: char) -> bool {
    !matches!(character, '`' | '\u{7f}' | '\u{feff}') && (character >= ' ' || character == '\t')
}

fn escape(character: char, quote: char, ascii: bool) -> String {
    let number = u32::from(character);
    match character {
        '\\' => "\\\\".to_owned(),
        _ if character == quote => format!("\\{quote}"),
        _ if is_print(character) && (character.is_ascii() || !ascii) => character.to_string(),
        '\u{7}' => "\\a".to_owned(),
        '\u{8}' => "\\b".to_owned(),
        '\u{c}' => "\\f".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\u{b}' => "\\v".to_owned(),
        _ if character.is_ascii() => format!("\\x{number:02x}"),
        _ if number < 0x1_0000 => format!("\\u{number:04x}"),
        _ => format!("\\U{number:08x}"),
    }
}

/// Whether it is a letter, mark, number, punctuation, symbol, or the space.
pub(super) fn is_print(character: char) -> bool {
    // Behind another character the standard library escapes what has no picture, quotes, and no marks.
    let text: String = [' ', character].iter().collect();
    matches!(character, '"' | '\'' | '\\') || text.escape_debug().count() == 2
}

/// Writes bytes in hexadecimal, as many as the precision says; the flags put spaces between them and `0x` before them.
pub(super) fn hex(spec: Spec, verb: char, bytes: &[u8], out: &mut Buffer) -> Result<(), Fault> {
    let prefix = if spec.has(SHARP) { ["0x", "0X"][usize::from(verb == 'X')] } else { "" };
    for (index, byte) in bytes.iter().take(spec.precision.unwrap_or(usize::MAX)).enumerate() {
        if index > 0 && spec.has(SPACE) {
            out.push(' ')?;
        }
        if index == 0 || spec.has(SPACE) {
            out.push_str(prefix)?;
        }
        match verb {
            'X' => out.format(format_args!("{byte:02X}"))?,
            _ => out.format(format_args!("{byte:02x}"))?,
        }
    }
    Ok(())
}
