//! Compound texts: files put together in order, each trimmed, a blank line between them (ADR-0037).
//!
//! Pure. It owns the rule and nothing else: `contents.map(trim).join("\n\n")`, with the white space that ECMAScript trims. It
//! refuses to read a brace: the bytes between the ends of a file are left as they are.

use cuebook_template::{Source as TextSource, Span};

/// What stands between two files.
pub(crate) const JOINT: &str = "\n\n";

/// Texts of files, trimmed and in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compound {
    parts: Vec<CompoundPart>,
}

/// A file of a compound text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompoundPart {
    source: TextSource,
    span: Span,
}

impl Compound {
    /// Puts `files` together; the one place where the rule stands.
    pub fn of(files: Vec<TextSource>) -> Self {
        Self { parts: files.into_iter().map(CompoundPart::trimmed).collect() }
    }

    /// The files in order.
    pub fn parts(&self) -> &[CompoundPart] {
        &self.parts
    }

    /// The whole text.
    pub fn text(&self) -> String {
        self.parts.iter().map(CompoundPart::text).collect::<Vec<_>>().join(JOINT)
    }

    /// Whether a file with this content takes no part: it has white space only, or nothing.
    pub fn is_blank_file(content: &str) -> bool {
        content.trim_start_matches(is_white_space).is_empty()
    }

    /// Whether no file has any text.
    pub fn is_blank(&self) -> bool {
        self.parts.iter().all(|part| part.text().is_empty())
    }
}

impl CompoundPart {
    fn trimmed(source: TextSource) -> Self {
        let text: &str = source.text();
        let start = text.len() - text.trim_start_matches(is_white_space).len();
        let end = text.trim_end_matches(is_white_space).len();
        let span = Span::new(start.min(end), end);
        Self { source, span }
    }

    /// The file, whole.
    pub fn source(&self) -> &TextSource {
        &self.source
    }

    /// What of the file takes part.
    pub fn text(&self) -> &str {
        self.source.slice(self.span).unwrap_or_default()
    }

    /// The 1-based line of the file where the text begins.
    pub fn line(&self) -> usize {
        self.source.position(self.span.start).line
    }
}

/// The white space and line terminators of ECMAScript: U+FEFF is among them, U+0085 is not.
fn is_white_space(char: char) -> bool {
    matches!(
        char,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn compound(files: &[&str]) -> Compound {
        Compound::of(files.iter().map(|text| TextSource::new("f", *text)).collect())
    }

    #[track_caller]
    fn check(files: &[&str], expect: &str) {
        assert_eq!(compound(files).text(), expect, "of {files:?}");
    }

    #[test]
    fn files_are_trimmed_and_joined_by_a_blank_line() {
        check(&["a"], "a");
        check(&["  a\n", "\n\nb\n"], "a\n\nb");
        check(&["a", "a"], "a\n\na");
        check(&["a", "", "b"], "a\n\n\n\nb");
        check(&["a\r\nb\r\n", "c"], "a\r\nb\n\nc");
        check(&["\u{feff}a\u{feff}"], "a");
        check(&["\u{85}a\u{85}"], "\u{85}a\u{85}");
        check(&["\u{a0}\u{3000}\u{2028}a"], "a");
        check(&["\u{200b}a"], "\u{200b}a");
        check(
            &["---\n{{ x }} {% if %} {# {\"a\": [1]}\n---\n"],
            "---\n{{ x }} {% if %} {# {\"a\": [1]}\n---",
        );
    }

    #[test]
    fn only_white_space_is_blank() {
        assert!(compound(&[" \n", "\u{feff}"]).is_blank());
        assert!(!compound(&[" \n", "."]).is_blank());
        for (content, expect) in [("", true), (" \n\u{feff}", true), ("\u{85}", false), (" a ", false)] {
            assert_eq!(Compound::is_blank_file(content), expect, "of {content:?}");
            assert_eq!(compound(&[content]).is_blank(), expect, "of {content:?}");
        }
    }

    #[test]
    fn lines_are_those_of_the_file() {
        assert_eq!(compound(&["\n\n a\nb"]).parts()[0].line(), 3);
        assert_eq!(compound(&[" \n"]).parts()[0].text(), "");
    }

    proptest! {
        #[test]
        fn one_file_is_its_own_trimmed_text(text in any::<String>()) {
            let whole = compound(&[&text]).text();
            prop_assert!(text.contains(&whole));
            prop_assert_eq!(&compound(&[&whole]).text(), &whole);
            prop_assert_eq!(compound(&[&text, &text]).text(), format!("{whole}\n\n{whole}"));
        }
    }
}
