//! Filters that make or remove markup.
//!
//! It owns two small scanners. It refuses to parse: a tag is what stands between angle brackets, in one pass.

use std::collections::HashSet;

use super::escape::replace;
use super::{Buffer, Data, Env, Fault};

/// The input without anything between `<` and the next `>`, trimmed.
pub(super) fn striptags<'a>(env: &Env<'a>, input: Data<'a>, _: Data<'a>) -> Result<Data<'a>, Fault> {
    let text = env.text_of(input)?;
    env.text(|out| strip(text, out)).map(|stripped| Data::Str(stripped.trim()))
}

fn strip(mut text: &str, out: &mut Buffer) -> Result<(), Fault> {
    while let Some(open) = text.find('<') {
        let Some(len) = text[open..].find('>') else { break };
        out.push_str(&text[..open])?;
        text = &text[open + len + 1..];
    }
    out.push_str(text)
}

/// The input without the tags that the argument names, with commas between them, trimmed. Only tags without
/// attributes are found, and what becomes a tag by a removal stays.
pub(super) fn removetags<'a>(env: &Env<'a>, input: Data<'a>, argument: Data<'a>) -> Result<Data<'a>, Fault> {
    let text = env.text_of(input)?;
    let tags: HashSet<&str> = env.text_of(argument)?.split(',').collect();
    env.text(|out| remove(text, &tags, out)).map(|rest| Data::Str(rest.trim()))
}

fn remove(mut text: &str, tags: &HashSet<&str>, out: &mut Buffer) -> Result<(), Fault> {
    while let Some(open) = text.find('<') {
        let inside = &text[open + 1..];
        let len = inside.find(['<', '>']).unwrap_or(inside.len());
        let removed = inside[len..].starts_with('>') && is_named(&inside[..len], tags);
        let (kept, next) = if removed { (open, open + len + 2) } else { (open + 1 + len, open + 1 + len) };
        out.push_str(&text[..kept])?;
        text = &text[next..];
    }
    out.push_str(text)
}

/// Whether it is one of the tags, with or without a slash at either end.
fn is_named(inside: &str, tags: &HashSet<&str>) -> bool {
    let closed = inside.strip_prefix('/').unwrap_or(inside);
    [inside, closed]
        .iter()
        .any(|name| tags.contains(name) || tags.contains(name.strip_suffix('/').unwrap_or(name)))
}

/// A `<br />` in place of each line end.
pub(super) fn linebreaksbr<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    _: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    replace(env.text_of(input)?, out, |byte| (byte == b'\n').then_some("<br />"))
}

/// Paragraphs where lines are blank, and `<br />` at other line ends; the input itself when it has no length.
pub(super) fn linebreaks<'a>(env: &Env<'a>, input: Data<'a>, _: Data<'a>) -> Result<Data<'a>, Fault> {
    if input.len() == 0 {
        return Ok(input);
    }
    let text = env.text_of(input)?;
    env.text(|out| paragraphs(text, out)).map(Data::Str)
}

fn paragraphs(text: &str, out: &mut Buffer) -> Result<(), Fault> {
    let mut lines = text.split('\n').peekable();
    let mut opened = false;
    while let Some(line) = lines.next() {
        if !opened {
            out.push_str("<p>")?;
        }
        opened = true;
        out.push_str(line)?;
        let Some(next) = lines.peek().filter(|_| !is_blank(line)) else { continue };
        opened = !is_blank(next);
        out.push_str(if opened { "<br />" } else { "</p>" })?;
    }
    if opened { out.push_str("</p>") } else { Ok(()) }
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::check_text;

    #[test]
    fn strips_all_tags() {
        for (input, expect) in [
            (json!(" <b>Tom</b> & <i\nclass='x'>é</i> "), "Tom & é"),
            (json!("<<b>x>"), "x>"),
            (json!("a < b"), "a < b"),
            (json!("a <b"), "a <b"),
            (json!("<>x</>"), "x"),
            (json!("<".repeat(100_000)), "<".repeat(100_000).as_str()),
            (json!(null), ""),
            (json!(3), "3"),
        ] {
            check_text("striptags", input, json!(null), expect);
        }
    }

    #[test]
    fn removes_named_tags() {
        for (input, argument, expect) in [
            (" <b>x</b><br/><i>y</i> ", json!("b,br"), "x<i>y</i>"),
            ("<b class='a'>x</b>", json!("b"), "<b class='a'>x"),
            ("<B>x</b>", json!("b"), "<B>x"),
            ("</b/>x", json!("b"), "x"),
            ("<b>x <b", json!("b"), "x <b"),
            ("<<b>i>", json!("b,i"), "<i>"),
            ("<>x</><//>", json!(null), "x"),
            ("<b>é</b>", json!(" b"), "<b>é</b>"),
        ] {
            check_text("removetags", json!(input), argument, expect);
        }
        check_text("removetags", json!(5), json!("b"), "5");
        let long = "<".repeat(100_000);
        check_text("removetags", json!(format!("{long}b>")), json!("b"), &long[1..]);
    }

    #[test]
    fn breaks_lines() {
        for (input, breaks, paragraphs) in [
            (json!("a\nb"), "a<br />b", "<p>a<br />b</p>"),
            (json!("a\n\nb"), "a<br /><br />b", "<p>a</p><p>b</p>"),
            (json!("a"), "a", "<p>a</p>"),
            (json!("a\n"), "a<br />", "<p>a</p><p></p>"),
            (json!("\na"), "<br />a", "<p>a</p>"),
            (json!("a\n \nb\n"), "a<br /> <br />b<br />", "<p>a</p><p> b</p><p></p>"),
            (json!(""), "", ""),
            (json!(12), "12", "12"),
            (json!(null), "", ""),
        ] {
            check_text("linebreaksbr", input.clone(), json!(null), breaks);
            check_text("linebreaks", input, json!(null), paragraphs);
        }
    }
}
