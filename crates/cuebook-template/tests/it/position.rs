//! Lines and columns.

use cuebook_template::{LineIndex, Position, Source, Span};
use proptest::prelude::*;

#[track_caller]
fn check(text: &str, offset: usize, line: usize, column: usize) {
    assert_eq!(LineIndex::new(text).position(offset), Position { line, column }, "{offset} in {text:?}");
}

#[test]
fn ascii() {
    check("", 0, 1, 1);
    check("ab\ncd", 0, 1, 1);
    check("ab\ncd", 1, 1, 2);
    check("ab\ncd", 2, 1, 3);
    check("ab\ncd", 3, 2, 1);
    check("ab\ncd", 5, 2, 3);
}

#[test]
fn line_ends() {
    check("a\r\nb", 1, 1, 2);
    check("a\r\nb", 2, 1, 3);
    check("a\r\nb", 3, 2, 1);
    check("a\rb", 2, 1, 3);
    check("\n\n", 1, 2, 1);
    check("\n\n", 2, 3, 1);
    check("a\u{2028}b", 4, 1, 3);
    check("a\u{85}b", 3, 1, 3);
}

#[test]
fn columns_count_scalar_values() {
    check("é{{x}}", 2, 1, 2);
    check("😀x", 4, 1, 2);
    check("a😀\né名x", 6, 2, 1);
    check("a😀\né名x", 8, 2, 2);
    check("a😀\né名x", 11, 2, 3);
    check("e\u{301}x", 3, 1, 3);
}

#[test]
fn an_offset_within_a_character_means_the_character() {
    check("a😀b", 2, 1, 2);
    check("a😀b", 4, 1, 2);
    check("a😀b", 5, 1, 3);
}

#[test]
fn a_leading_byte_order_mark_takes_no_column() {
    check("\u{FEFF}ab", 0, 1, 1);
    check("\u{FEFF}ab", 2, 1, 1);
    check("\u{FEFF}ab", 3, 1, 1);
    check("\u{FEFF}ab", 4, 1, 2);
    check("\u{FEFF}\nab", 5, 2, 2);
    check("a\u{FEFF}b", 4, 1, 3);
}

#[test]
fn an_offset_past_the_end_means_the_end() {
    check("ab", 2, 1, 3);
    check("ab", usize::MAX, 1, 3);
    check("ab\n", 99, 2, 1);
}

#[test]
fn lines_are_counted() {
    for (text, lines) in [("", 1), ("a", 1), ("a\n", 2), ("a\r\nb", 2), ("a\rb", 1)] {
        assert_eq!(LineIndex::new(text).line_count(), lines, "{text:?}");
    }
}

#[test]
fn a_source_slices_only_on_characters() {
    let source = Source::new("t", "a😀b");
    assert_eq!(source.slice(Span::new(1, 5)), Some("😀"));
    assert_eq!(source.slice(Span::new(1, 3)), None);
    assert_eq!(source.slice(Span::new(5, 7)), None);
    assert_eq!(source.slice(Span::new(5, 1)), None);
}

#[test]
fn a_source_shows_no_text_in_debug_output() {
    let shown = format!("{:?}", Source::new("a.md", "very private"));
    assert_eq!(shown, "Source { name: \"a.md\", bytes: 12, .. }");
}

#[test]
fn sources_are_equal_by_name_and_text() {
    let source = Source::new("a", "x");
    assert_eq!(source.position(1), Position { line: 1, column: 2 });
    assert_eq!(source, source.clone());
    assert_eq!(source, Source::new("a", "x"));
    assert_ne!(source, Source::new("b", "x"));
    assert_ne!(source, Source::new("a", "y"));
}

#[test]
fn span_lengths() {
    assert_eq!(Span::from(2..5).len(), 3);
    assert!(Span::new(4, 4).is_empty());
    assert_eq!(Span::new(5, 2).len(), 0);
}

/// Counts by reading the text from its start.
fn position_by_definition(text: &str, offset: usize) -> Position {
    let before: Vec<char> = text.char_indices().take_while(|&(at, _)| at < offset).map(|(_, c)| c).collect();
    let line = 1 + before.iter().filter(|&&c| c == '\n').count();
    let column = 1 + before.iter().rev().take_while(|&&c| c != '\n').count();
    let hidden = usize::from(line == 1 && before.first() == Some(&'\u{FEFF}'));
    Position { line, column: column - hidden }
}

proptest! {
    #[test]
    fn positions_follow_the_definition(text in "[a\n\r\u{FEFF}é名😀]{0,30}") {
        let index = LineIndex::new(&text);
        for (offset, _) in text.char_indices() {
            prop_assert_eq!(index.position(offset), position_by_definition(&text, offset));
        }
        prop_assert_eq!(index.position(text.len()), position_by_definition(&text, text.len()));
    }
}
