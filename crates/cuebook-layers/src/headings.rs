//! The headings that a rendered prompt must have, and which of them it lacks.
//!
//! It owns what counts as a heading: level and text, at the top of the document, as Markdown reads it. It refuses those in
//! code, quotes, lists and comments, and those that only begin alike.

use cuebook_template::Span;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::words::words;

words! {
    /// How required headings are looked for.
    pub enum HeadingMatch {
        /// As Markdown headings of the same level and text.
        Markdown = "markdown",
        /// As a run of characters, anywhere in the text.
        Contains = "contains",
    }
}

/// Headings are looked for as Markdown unless a contract says another way.
impl Default for HeadingMatch {
    fn default() -> Self {
        Self::Markdown
    }
}

/// A heading of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text without markup, white space in it as one space.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

impl Heading {
    /// The heading that `text` is, when it is one and nothing else.
    pub fn parse(text: &str) -> Option<Self> {
        let mut found = headings(text);
        let heading = found.pop().filter(|heading| found.is_empty() && !heading.text.is_empty())?;
        let around = [&text[..heading.span.start], &text[heading.span.end..]];
        around.iter().all(|rest| rest.trim().is_empty()).then_some(heading)
    }

    /// Whether `other` is of the same level and text.
    pub fn is_like(&self, other: &Self) -> bool {
        self.level == other.level && self.text == other.text
    }

    /// The heading as it is written with number signs.
    pub fn written(&self) -> String {
        format!("{} {}", "#".repeat(usize::from(self.level)), self.text)
    }
}

/// The headings of a Markdown text that stand in nothing else, in order.
pub fn headings(text: &str) -> Vec<Heading> {
    let mut found = Vec::new();
    let mut open: Option<Heading> = None;
    let mut depth = 0_usize;
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                open = Some(Heading { level: level as u8, text: String::new(), span: range.into() });
            }
            Event::End(TagEnd::Heading(_)) if depth == 0 => found.extend(open.take().map(tidy)),
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Text(part) | Event::Code(part) => say(open.as_mut(), &part),
            Event::SoftBreak | Event::HardBreak => say(open.as_mut(), " "),
            _ => {}
        }
    }
    found
}

fn say(heading: Option<&mut Heading>, part: &str) {
    if let Some(heading) = heading {
        heading.text.push_str(part);
    }
}

fn tidy(mut heading: Heading) -> Heading {
    let words: Vec<&str> = heading.text.split_whitespace().collect();
    heading.text = words.join(" ");
    heading
}

/// Those of `required` that `text` lacks, in their order.
pub fn missing_headings<'r>(text: &str, required: &'r [String], how: HeadingMatch) -> Vec<&'r str> {
    let there = match how {
        HeadingMatch::Markdown => headings(text),
        HeadingMatch::Contains => Vec::new(),
    };
    let has = |wanted: &str| match how {
        HeadingMatch::Contains => text.contains(wanted.trim()),
        HeadingMatch::Markdown => {
            Heading::parse(wanted).is_some_and(|wanted| there.iter().any(|heading| heading.is_like(&wanted)))
        }
    };
    required.iter().map(String::as_str).filter(|wanted| !has(wanted)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, how: HeadingMatch, lacks: &[&str]) {
        let required = ["## Tools".to_owned(), "## Finish".to_owned()];
        assert_eq!(missing_headings(text, &required, how), lacks, "{text:?}");
    }

    #[test]
    fn level_and_text_count() {
        use HeadingMatch::Markdown;
        check("## Tools\n\ntext\n\n## Finish\n", Markdown, &[]);
        check("Finish\n---\n\n   ##   Tools   ##\n", Markdown, &[]);
        check("## Tools (extra)\n## Finishing\n", Markdown, &["## Tools", "## Finish"]);
        check("### Tools\n# Finish\n", Markdown, &["## Tools", "## Finish"]);
        check("##Tools\n## finish\n", Markdown, &["## Tools", "## Finish"]);
        check("## `Tools`\n## **Finish**\n", Markdown, &[]);
        check("", Markdown, &["## Tools", "## Finish"]);
    }

    #[test]
    fn headings_inside_something_else_do_not_count() {
        for inside in [
            "```md\n## Tools\n```\n",
            "~~~\n## Tools\n",
            "    ## Tools\n",
            "> ## Tools\n",
            "- ## Tools\n",
            "<!--\n## Tools\n-->\n",
            "see `## Tools`\n",
            "\\## Tools\n",
        ] {
            check(&format!("## Finish\n\n{inside}"), HeadingMatch::Markdown, &["## Tools"]);
        }
    }

    #[test]
    fn contains_is_satisfied_by_characters_anywhere() {
        check("```\n## Tools (extra)\n```\n## Finishing", HeadingMatch::Contains, &[]);
        check("## Tools", HeadingMatch::Contains, &["## Finish"]);
    }

    #[test]
    fn a_heading_is_one_line_and_nothing_else() {
        for (text, expect) in [
            ("## Tools", Some((2, "Tools"))),
            (" ## Non-goals ", Some((2, "Non-goals"))),
            ("Tools", None),
            ("##", None),
            ("## A\n## B", None),
            ("## A\ntext", None),
            ("text\n\n## A", None),
        ] {
            let found = Heading::parse(text);
            assert_eq!(found.as_ref().map(|it| (it.level, it.text.as_str())), expect, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_heading_in_a_fence_never_counts(before in "[^`~]{0,40}", after in "[^`~]{0,40}", tilde: bool) {
            let fence = if tilde { "~~~" } else { "```" };
            let text = format!("{fence}\n{before}\n## Tools\n{after}\n{fence}\n## Finish\n");
            check(&text, HeadingMatch::Markdown, &["## Tools"]);
        }

        #[test]
        fn a_heading_reads_back_as_it_is_written(level in 1_u8..=6, text in "[A-Za-z][A-Za-z -]{0,20}[A-Za-z]") {
            let words: Vec<&str> = text.split_whitespace().collect();
            let heading = Heading { level, text: words.join(" "), span: Span::default() };
            prop_assert!(Heading::parse(&heading.written()).is_some_and(|it| it.is_like(&heading)));
        }
    }
}
