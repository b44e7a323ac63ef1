//! What a reader could take a text for, found by another way than the product's.
//!
//! The whole text is normalised again and again, all disguises at once, until it stays the same. The fuzz target
//! `neutralise` uses this file too.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// References with their `;`; the ones without it are a matter of taste and so not asserted.
const REFERENCES: [(&str, &str); 10] = [
    ("&lt;", "<"),
    ("&amp;", "&"),
    ("&sol;", "/"),
    ("&tab;", " "),
    ("&newline;", " "),
    ("&nbsp;", " "),
    ("&shy;", ""),
    ("&zwj;", ""),
    ("&zwnj;", ""),
    ("&zerowidthspace;", ""),
];

fn plain(text: &str) -> String {
    let mut text = text.to_owned();
    loop {
        let next = decode(&unfold(&text));
        if next == text {
            return text;
        }
        text = next;
    }
}

fn unfold(text: &str) -> String {
    let hidden = |c: &char| matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}');
    let control = |c: &char| c.is_control() && !c.is_whitespace();
    text.nfkd()
        .flat_map(char::to_lowercase)
        .filter(|c| !is_combining_mark(*c) && !hidden(c) && !control(c))
        .collect()
}

fn decode(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (read, length) = reference(rest).unwrap_or_else(|| (c.to_string(), c.len_utf8()));
        out.push_str(&read);
        rest = &rest[length..];
    }
    out
}

fn reference(text: &str) -> Option<(String, usize)> {
    if let Some((name, read)) = REFERENCES.iter().find(|(name, _)| text.starts_with(name)) {
        return Some(((*read).to_owned(), name.len()));
    }
    let body = text.strip_prefix("&#")?;
    let (body, radix) = body.strip_prefix('x').map_or((body, 10), |hex| (hex, 16));
    let end = body.find(|c: char| !c.is_digit(radix))?;
    let read = u32::from_str_radix(&body[..end], radix).ok().and_then(char::from_u32)?;
    let rest = body[end..].strip_prefix(';')?;
    Some((read.to_string(), text.len() - rest.len()))
}

/// Whether a marker can be read out of `text`.
pub(crate) fn holds_marker(text: &str) -> bool {
    plain(text)
        .split('<')
        .skip(1)
        .any(|rest| rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/').starts_with("untrusted"))
}
