//! Filters that make links of addresses in a text.
//!
//! It owns two scanners, which find what the original's two patterns find: addresses of pages, then addresses of mail
//! in the text that the first one made. It refuses to check an address.

use super::escape::{encode_iri, escape_markup};
use super::{Buffer, Data, Env, Fault, amount};

/// Addresses as links; the argument `false` leaves the markup in their titles as it is.
pub(super) fn urlize<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    argument: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    let escapes = !matches!(argument, Data::Bool(false));
    link(env, input, Titles { escapes, most: usize::MAX }, out)
}

/// Addresses as links with titles of at most as many bytes as the argument says, when that is more than three.
pub(super) fn urlizetrunc<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    argument: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    let asked = amount(argument.integer());
    link(env, input, Titles { escapes: true, most: if asked > 3 { asked } else { usize::MAX } }, out)
}

fn link<'a>(env: &Env<'a>, input: Data<'a>, titles: Titles, out: &mut Buffer) -> Result<(), Fault> {
    let text = env.text_of(input)?;
    let pages = env.text(|out| link_pages(text, titles, out))?;
    link_mail(pages, titles, out)
}

/// How the titles of links are made.
#[derive(Clone, Copy)]
struct Titles {
    escapes: bool,
    /// The most bytes of a title; more than three.
    most: usize,
}

impl Titles {
    fn write(self, address: &str, escapes: bool, out: &mut Buffer) -> Result<(), Fault> {
        let cut = address.len() > self.most;
        let end = if cut { address.floor_char_boundary(self.most - 3) } else { address.len() };
        let shown = &address[..end];
        if escapes {
            escape_markup(shown, out)?;
        } else {
            out.push_str(shown)?;
        }
        out.push_str(if cut { "..." } else { "" })
    }
}

fn link_pages(text: &str, titles: Titles, out: &mut Buffer) -> Result<(), Fault> {
    let mut pages = Pages { text, at: 0, stop: 0 };
    let mut copied = 0;
    while let Some((start, end)) = pages.next_page() {
        out.push_str(&text[copied..start])?;
        link_page(&text[start..end], titles, out)?;
        copied = end;
    }
    out.push_str(&text[copied..])
}

/// Writes a link; of the spaces around the address one stays on each side.
fn link_page(found: &str, titles: Titles, out: &mut Buffer) -> Result<(), Fault> {
    let address = found.trim();
    out.push_str(if found.starts_with(' ') { " " } else { "" })?;
    out.push_str("<a href=\"")?;
    out.push_str(if address.starts_with("http") { "" } else { "http://" })?;
    encode_iri(address, out)?;
    out.push_str("\" rel=\"nofollow\">")?;
    titles.write(address, titles.escapes, out)?;
    out.push_str(if found.ends_with(' ') { "</a> " } else { "</a>" })
}

/// Finds the addresses of pages. One begins with a scheme, with `www.`, or, at the beginning of the text or after a
/// space, with a name under a well-known domain; it goes up to the next space, with all spaces there, or to the end of
/// the text, and not over the end of a line.
struct Pages<'t> {
    text: &'t str,
    at: usize,
    /// The first space, line end or end of the text from an earlier place on; kept, so that none is looked for twice.
    stop: usize,
}

impl Pages<'_> {
    fn next_page(&mut self) -> Option<(usize, usize)> {
        for at in self.at..self.text.len() {
            if let Some(head) = head(self.text, at)
                && let Some(end) = self.end_after(at + head)
            {
                self.at = end;
                return Some((at, end));
            }
        }
        self.at = self.text.len();
        None
    }

    fn end_after(&mut self, from: usize) -> Option<usize> {
        if self.stop < from {
            self.stop = self.text[from..].find([' ', '\n']).map_or(self.text.len(), |len| from + len);
        }
        let rest = &self.text[self.stop..];
        let spaces = rest.len() - rest.trim_start_matches(' ').len();
        (spaces > 0 || rest.is_empty()).then_some(self.stop + spaces)
    }
}

/// The bytes by which an address is known when one begins at `at`.
fn head(text: &str, at: usize) -> Option<usize> {
    let rest = &text.as_bytes()[at..];
    if let Some(scheme) = ["http://", "https://", "www."].iter().find(|it| rest.starts_with(it.as_bytes())) {
        return Some(scheme.len());
    }
    let named = if at == 0 { domain(rest) } else { None };
    named.or_else(|| rest.strip_prefix(b" ").and_then(domain).map(|len| len + 1))
}

/// The bytes of a name and its top-level domain.
fn domain(text: &[u8]) -> Option<usize> {
    const TOP_LEVEL: [&str; 6] = [".com", ".net", ".org", ".info", ".biz", ".de"];
    let name = text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte)).count();
    let top = TOP_LEVEL.iter().find(|it| text[name..].starts_with(it.as_bytes()))?;
    (name > 0).then_some(name + top.len())
}

fn link_mail(text: &str, titles: Titles, out: &mut Buffer) -> Result<(), Fault> {
    let mut copied = 0;
    for (at, _) in text.match_indices('@') {
        let Some((start, end)) = mail_around(text, at, copied) else { continue };
        out.push_str(&text[copied..start])?;
        let address = &text[start..end];
        out.push_str("<a href=\"mailto:")?;
        out.push_str(address)?;
        out.push_str("\">")?;
        titles.write(address, false, out)?;
        out.push_str("</a>")?;
        copied = end;
    }
    out.push_str(&text[copied..])
}

/// Where the address of mail around the `@` at `at` lies; it begins not before `from`.
fn mail_around(text: &str, at: usize, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let name = bytes.get(from..at)?.iter().rev().take_while(|&&byte| is_word(byte)).count();
    let host = bytes[at + 1..].iter().take_while(|&&byte| is_word(byte)).count();
    let top = bytes[at + 1 + host..].strip_prefix(b".")?;
    let top = top.iter().take(4).take_while(|&&byte| is_word(byte)).count();
    (name > 0 && host > 0 && top > 1).then_some((at - name, at + 1 + host + 1 + top))
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::testing::check_text;

    #[track_caller]
    fn check(input: &str, argument: Json, expect: &str) {
        let name = if argument.is_i64() { "urlizetrunc" } else { "urlize" };
        check_text(name, json!(input), argument, expect);
    }

    #[test]
    fn pages() {
        for (input, expect) in [
            ("http://a.b", r#"<a href="http://a.b" rel="nofollow">http://a.b</a>"#),
            (
                "see https://a.b/?c=d&e  now",
                r#"see <a href="https://a.b/?c=d&e" rel="nofollow">https://a.b/?c=d&amp;e</a> now"#,
            ),
            ("www.x", r#"<a href="http://www.x" rel="nofollow">www.x</a>"#),
            ("go x.com/é", r#"go <a href="http://x.com/%C3%A9" rel="nofollow">x.com/é</a>"#),
            ("x-y_1.dev a", r#"<a href="http://x-y_1.dev" rel="nofollow">x-y_1.dev</a> a"#),
            (" x.org y.net", r#" <a href="http://x.org" rel="nofollow">x.org</a> y.net"#),
            ("(x.com)", "(x.com)"),
            (".com x.fr é.com", ".com x.fr é.com"),
            ("www.x\nwww.y", "www.x\n<a href=\"http://www.y\" rel=\"nofollow\">www.y</a>"),
            ("", ""),
        ] {
            check(input, json!(null), expect);
        }
        check("www.x?\"", json!(false), "<a href=\"http://www.x?%22\" rel=\"nofollow\">www.x?\"</a>");
        let long = format!("{}\n", "www.".repeat(50_000));
        check(&long, json!(null), &long);
        check_text("urlize", json!(5), json!(null), "5");
    }

    #[test]
    fn mail() {
        for (input, expect) in [
            ("me@x.org!", r#"<a href="mailto:me@x.org">me@x.org</a>!"#),
            ("a@b@c.de", r#"a@<a href="mailto:b@c.de">b@c.de</a>"#),
            ("a@b.museum", r#"<a href="mailto:a@b.muse">a@b.muse</a>um"#),
            ("é@b.de a@b.c @b.de a@.de", "é@b.de a@b.c @b.de a@.de"),
            ("a@b.de@c.de", r#"<a href="mailto:a@b.de">a@b.de</a>@c.de"#),
        ] {
            check(input, json!(null), expect);
        }
    }

    #[test]
    fn titles_are_cut() {
        for (most, expect) in [
            (10, r#"<a href="http://www.abcdefgh.com" rel="nofollow">www.abc...</a>"#),
            (3, r#"<a href="http://www.abcdefgh.com" rel="nofollow">www.abcdefgh.com</a>"#),
            (-1, r#"<a href="http://www.abcdefgh.com" rel="nofollow">www.abcdefgh.com</a>"#),
            (16, r#"<a href="http://www.abcdefgh.com" rel="nofollow">www.abcdefgh.com</a>"#),
        ] {
            check("www.abcdefgh.com", json!(most), expect);
        }
        check("www.ééé", json!(8), "<a href=\"http://www.%C3%A9%C3%A9%C3%A9\" rel=\"nofollow\">www....</a>");
        check("abcdef@gh.com", json!(6), "<a href=\"mailto:abcdef@gh.com\">abc...</a>");
    }
}
