//! Filters that change the case of letters.
//!
//! It owns the mapping of one character to one character, as Go has it. It refuses the mappings of Unicode that make
//! several characters of one (`ß` to `SS`) and those that depend on neighbours (a final sigma).

use super::{Buffer, Data, Env, Fault};

/// All letters in upper case.
pub(super) fn upper<'a>(env: &Env<'a>, input: Data<'a>, _: Data<'a>, out: &mut Buffer) -> Result<(), Fault> {
    map(env.text_of(input)?, str::make_ascii_uppercase, to_upper, out)
}

/// All letters in lower case.
pub(super) fn lower<'a>(env: &Env<'a>, input: Data<'a>, _: Data<'a>, out: &mut Buffer) -> Result<(), Fault> {
    map(env.text_of(input)?, str::make_ascii_lowercase, to_lower, out)
}

/// The first letter in upper case; nothing for a number or a bool, which have no length.
pub(super) fn capfirst<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    _: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    if input.len() == 0 {
        return Ok(());
    }
    let mut characters = env.text_of(input)?.chars();
    if let Some(first) = characters.next() {
        out.push(to_upper(first))?;
    }
    out.push_str(characters.as_str())
}

/// The first letter of each word in title case and all others in lower case; nothing for what is no string.
pub(super) fn title<'a>(_: &Env<'a>, input: Data<'a>, _: Data<'a>, out: &mut Buffer) -> Result<(), Fault> {
    let Data::Str(text) = input else { return Ok(()) };
    let mut before = ' ';
    for character in text.chars().map(to_lower) {
        out.push(if separates(before) { to_title(character) } else { character })?;
        before = character;
    }
    Ok(())
}

/// Writes ASCII as a whole, and all else by characters.
fn map(text: &str, ascii: fn(&mut str), character: fn(char) -> char, out: &mut Buffer) -> Result<(), Fault> {
    if !text.is_ascii() {
        return text.chars().try_for_each(|each| out.push(character(each)));
    }
    let start = out.len();
    out.push_str(text)?;
    ascii(out.tail_mut(start));
    Ok(())
}

/// Whether a word can begin after it.
fn separates(character: char) -> bool {
    match character {
        '_' => false,
        _ if character.is_ascii() => !character.is_ascii_alphanumeric(),
        _ => character.is_whitespace(),
    }
}

fn to_upper(character: char) -> char {
    let mut mapped = character.to_uppercase();
    match (mapped.next(), mapped.next()) {
        (Some(upper), None) => upper,
        _ => with_iota(character),
    }
}

/// The capital of a Greek vowel with a iota below, which Unicode writes as two letters in full upper case.
fn with_iota(character: char) -> char {
    let distance = match character {
        '\u{1F80}'..='\u{1F87}' | '\u{1F90}'..='\u{1F97}' | '\u{1FA0}'..='\u{1FA7}' => 8,
        '\u{1FB3}' | '\u{1FC3}' | '\u{1FF3}' => 9,
        _ => 0,
    };
    char::from_u32(u32::from(character) + distance).unwrap_or(character)
}

fn to_lower(character: char) -> char {
    let mut mapped = character.to_lowercase();
    mapped.next().unwrap_or(character)
}

fn to_title(character: char) -> char {
    match character {
        'Ǆ' | 'ǅ' | 'ǆ' => 'ǅ',
        'Ǉ' | 'ǈ' | 'ǉ' => 'ǈ',
        'Ǌ' | 'ǋ' | 'ǌ' => 'ǋ',
        'Ǳ' | 'ǲ' | 'ǳ' => 'ǲ',
        // Georgian has capitals, and does not use them to begin a word.
        '\u{10D0}'..='\u{10FF}' => character,
        _ => to_upper(character),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::check_text;

    #[test]
    fn upper_and_lower() {
        for (input, upper, lower) in [
            ("", "", ""),
            ("Hello, World 1", "HELLO, WORLD 1", "hello, world 1"),
            ("你好 héÉ", "你好 HÉÉ", "你好 héé"),
            ("straße ŉ", "STRAßE ŉ", "straße ŉ"),
            ("ΑΣ İ", "ΑΣ İ", "ας i".replace('ς', "σ").as_str()),
            ("ᾀᾳ", "ᾈᾼ", "ᾀᾳ"),
        ] {
            check_text("upper", json!(input), json!(null), upper);
            check_text("lower", json!(input), json!(null), lower);
        }
        let long = "aB".repeat(300);
        check_text("upper", json!(long), json!(null), &"AB".repeat(300));
        check_text("lower", json!(long), json!(null), &"ab".repeat(300));
        check_text("upper", json!(true), json!(null), "TRUE");
        check_text("upper", json!([1, "a"]), json!(null), "[1,\"A\"]");
        check_text("lower", json!(null), json!(null), "");
    }

    #[test]
    fn capfirst_of_what_has_a_length() {
        for (input, expect) in [
            (json!("hello World"), "Hello World"),
            (json!("élan"), "Élan"),
            (json!("ßa"), "ßa"),
            (json!(""), ""),
            (json!(12), ""),
            (json!(true), ""),
            (json!(null), ""),
            (json!(["a"]), "[\"a\"]"),
        ] {
            check_text("capfirst", input, json!(null), expect);
        }
    }

    #[test]
    fn title_of_strings() {
        for (input, expect) in [
            (json!("hELLO wOrLD"), "Hello World"),
            (json!("it's a_b c-d 1x"), "It'S A_b C-D 1x"),
            (json!("你好 héllo\u{a0}élan—x"), "你好 Héllo\u{a0}Élan—x"),
            (json!("ǆabc აბ"), "ǅabc აბ"),
            (json!(5), ""),
            (json!(["a"]), ""),
            (json!(null), ""),
        ] {
            check_text("title", input, json!(null), expect);
        }
    }
}
