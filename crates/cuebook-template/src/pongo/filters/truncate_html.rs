//! Filters that shorten markup and close what was open.
//!
//! It owns the scanner of tags and the stack of open ones. It refuses to know HTML: a tag that needs no end is closed
//! as well, and entities count as the characters they are written with, as in the original.

use std::collections::BTreeSet;

use super::{Buffer, Data, Env, Fault, amount};

/// At most three characters less than the argument says, tags not counted, then dots when something was cut off.
pub(super) fn chars<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    argument: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    let most = amount(argument.integer().saturating_sub(3));
    let text = env.text_of(input)?;
    let mut scanner = Scanner::new(text, out);
    let mut seen = 0;
    while seen < most {
        match scanner.tag()? {
            Scanned::Tag => {}
            Scanned::End => break,
            Scanned::Text => {
                scanner.copy_character()?;
                seen += 1;
            }
        }
    }
    scanner.finish(seen >= most && seen < text.len())
}

/// At most as many words as the argument says, tags not counted, then dots when there are as many; a word ends at a
/// space, a full stop, a comma, a semicolon or the end of the text.
pub(super) fn words<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    argument: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    let most = amount(argument.integer());
    let mut scanner = Scanner::new(env.text_of(input)?, out);
    let mut seen = 0;
    while seen < most {
        match scanner.tag()? {
            Scanned::Tag => {}
            Scanned::End => break,
            Scanned::Text => seen += usize::from(scanner.copy_word()?),
        }
    }
    scanner.finish(seen >= most)
}

/// What a scanner found and copied.
enum Scanned {
    Tag,
    /// A character that is no tag and is still to be copied.
    Text,
    End,
}

/// Copies markup piece by piece.
struct Scanner<'t, 'o> {
    rest: &'t str,
    open: OpenTags<'t>,
    out: &'o mut Buffer,
}

impl<'t, 'o> Scanner<'t, 'o> {
    fn new(text: &'t str, out: &'o mut Buffer) -> Self {
        Self { rest: text, open: OpenTags::default(), out }
    }

    /// Copies a tag when one comes next.
    fn tag(&mut self) -> Result<Scanned, Fault> {
        // The original takes this character for a decoding error and drops it.
        self.rest = self.rest.trim_start_matches(char::REPLACEMENT_CHARACTER);
        let Some(inside) = self.rest.strip_prefix('<') else {
            return Ok(if self.rest.is_empty() { Scanned::End } else { Scanned::Text });
        };
        self.out.push('<')?;
        self.rest = inside;
        // A single byte after the bracket makes no tag.
        if inside.len() > 1 {
            match inside.strip_prefix('/') {
                Some(name) => self.end_tag(name)?,
                None => self.start_tag(inside)?,
            }
        }
        Ok(Scanned::Tag)
    }

    fn end_tag(&mut self, inside: &'t str) -> Result<(), Fault> {
        let (name, rest) = inside.split_once('>').unwrap_or((inside, ""));
        self.rest = rest;
        self.open.close(name);
        self.out.push('/')?;
        self.copy(name)?;
        self.out.push('>')
    }

    fn start_tag(&mut self, inside: &'t str) -> Result<(), Fault> {
        let len = inside.find('>').unwrap_or(inside.len());
        let (tag, rest) = inside.split_at(len);
        let (bracket, rest) = rest.split_at(rest.len().min(1));
        self.rest = rest;
        self.open.open(tag.split_once(' ').map_or(tag, |(name, _)| name));
        self.copy(tag)?;
        self.out.push_str(bracket)
    }

    fn copy_character(&mut self) -> Result<(), Fault> {
        let mut characters = self.rest.chars();
        if let Some(character) = characters.next() {
            self.out.push(character)?;
        }
        self.rest = characters.as_str();
        Ok(())
    }

    /// Copies up to the end of a word or the next tag. Whether a word ended: as in the original one that a tag follows
    /// did not.
    fn copy_word(&mut self) -> Result<bool, Fault> {
        let len = self.rest.find(['<', ' ', '.', ',', ';']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(len);
        self.copy(word)?;
        if rest.starts_with('<') {
            self.rest = rest;
            return Ok(false);
        }
        let (end, rest) = rest.split_at(rest.len().min(1));
        self.rest = rest;
        self.out.push_str(end)?;
        Ok(!word.is_empty())
    }

    /// Writes a text without the characters that the original drops.
    fn copy(&mut self, text: &str) -> Result<(), Fault> {
        text.split(char::REPLACEMENT_CHARACTER).try_for_each(|part| self.out.push_str(part))
    }

    /// Writes dots where text was cut off, and the ends of all open tags.
    fn finish(self, dots: bool) -> Result<(), Fault> {
        self.out.push_str(if dots { "..." } else { "" })?;
        for name in self.open.stack.iter().rev() {
            self.out.push_str("</")?;
            name.split(char::REPLACEMENT_CHARACTER).try_for_each(|part| self.out.push_str(part))?;
            self.out.push('>')?;
        }
        Ok(())
    }
}

/// Tags without an end so far, with their places, so that an end finds its tag without a walk.
#[derive(Default)]
struct OpenTags<'t> {
    stack: Vec<&'t str>,
    places: BTreeSet<(&'t str, usize)>,
}

impl<'t> OpenTags<'t> {
    fn open(&mut self, name: &'t str) {
        self.places.insert((name, self.stack.len()));
        self.stack.push(name);
    }

    /// Takes out the last tag of that name, if any; the newest tag moves to its place, as in the original.
    fn close(&mut self, name: &'t str) {
        let Some(&(_, place)) = self.places.range((name, 0)..=(name, usize::MAX)).next_back() else { return };
        self.places.remove(&(name, place));
        if place + 1 < self.stack.len()
            && let Some(&newest) = self.stack.last()
        {
            self.places.remove(&(newest, self.stack.len() - 1));
            self.places.insert((newest, place));
        }
        self.stack.swap_remove(place);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::check_text;

    #[test]
    fn cuts_characters_between_tags() {
        for (input, argument, expect) in [
            (json!("<b>Tom & Jerry</b> x"), json!(6), "<b>Tom...</b>"),
            (json!("<b>Tom</b>"), json!(6), "<b>Tom...</b>"),
            (json!("<b>Tom</b>"), json!(7), "<b>Tom</b>"),
            (json!("<p class='a'><i>héé</i></p>"), json!(5), "<p class='a'><i>hé...</i></p>"),
            (json!("<br/>abc"), json!(4), "<br/>a...</br/>"),
            (json!("<a><b><c></a>xyz"), json!(4), "<a><b><c></a>x...</b></c>"),
            (json!("abc"), json!(3), "..."),
            (json!("abc"), json!(-9), "..."),
            (json!("abc"), json!(6), "abc"),
            (json!("abcd"), json!(i64::MAX), "abcd"),
            (json!("\u{fffd}a\u{fffd}b"), json!(9), "ab"),
            (json!("a <"), json!(9), "a <"),
            (json!("a <b"), json!(9), "a <b"),
            (json!("a <b>"), json!(9), "a <b></b>"),
            (json!("a <bc"), json!(9), "a <bc</bc>"),
            (json!("x</b"), json!(9), "x</b>"),
            (json!(""), json!(9), ""),
            (json!(null), json!(0), ""),
        ] {
            check_text("truncatechars_html", input, argument, expect);
        }
    }

    #[test]
    fn cuts_words_between_tags() {
        for (input, argument, expect) in [
            (json!("<b>Tom & Jerry</b> x"), json!(2), "<b>Tom & ...</b>"),
            (json!("one, two; three"), json!(2), "one, two;..."),
            (json!("a<i>b</i> c d e"), json!(2), "a<i>b</i> c d ..."),
            (json!("<b>\"J\"</b> 'x'"), json!(1), "<b>\"J\"</b> 'x'..."),
            (json!("a"), json!(0), "..."),
            (json!("a"), json!(-1), "..."),
            (json!("a b"), json!(2), "a b..."),
            (json!("a b"), json!(3), "a b"),
            (json!("你 好"), json!(1), "你 ..."),
            (json!(null), json!(1), ""),
        ] {
            check_text("truncatewords_html", input, argument, expect);
        }
    }

    #[test]
    fn many_open_tags_take_no_square_time() {
        let many = 20_000;
        let text = format!("{}{}{}", "<b>".repeat(many), "<a>".repeat(many), "</b>".repeat(many));
        check_text("truncatewords_html", json!(text), json!(1), &format!("{text}{}", "</a>".repeat(many)));
    }
}
