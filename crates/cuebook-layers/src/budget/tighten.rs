//! Making grandfathered caps smaller.
//!
//! It owns that they only shrink, and that a cap which the category's limit covers goes. Rewriting a file it changes the
//! numbers alone and keeps comments and layout; it refuses a rewrite that would not read back as meant.

use std::collections::BTreeMap;

use cuebook_template::{Diagnostic, Source, Span};
use cuebook_wire::ErrorCode;
use cuebook_yaml::Node;
use serde::Serialize;

use super::category::Category;
use super::document::BudgetFile;
use super::merge::Budgets;

/// The bytes of rendered texts, by category and id.
pub type Measured = BTreeMap<(Category, String), usize>;

/// A grandfathered cap that gets smaller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CapChange {
    /// The category.
    pub category: Category,
    /// The id in the category.
    pub id: String,
    /// The cap as it was.
    pub before: usize,
    /// The cap as it is; `None` when the category's limit covers it.
    pub after: Option<usize>,
}

/// The grandfathered caps of `budgets` that get smaller by what was `measured`; what was not measured stays.
pub fn tighten(budgets: &Budgets, measured: &Measured) -> Vec<CapChange> {
    let caps = budgets.grandfathered.iter();
    caps.filter_map(|(key, &before)| {
        let (category, id) = key;
        let bytes = *measured.get(key)?;
        let cap = before.min(bytes);
        let is_covered = budgets.limits.get(category).is_some_and(|it| cap <= it.limit);
        let after = (!is_covered).then_some(cap);
        let change = CapChange { category: *category, id: id.clone(), before, after };
        (after != Some(before)).then_some(change)
    })
    .collect()
}

/// The text of the budgets `source` after `changes`, of which those that it does not hold are passed over.
///
/// # Errors
///
/// `budget_invalid` when the file cannot be read, or when its layout, such as an alias in place of a number, does not let
/// the numbers alone be changed.
pub fn rewrite(source: &Source, changes: &[CapChange]) -> Result<String, Vec<Diagnostic>> {
    let (mut expected, tree) = BudgetFile::read(source)?;
    let mut edits: Vec<(Span, String)> =
        changes.iter().filter_map(|change| edit(source, &tree, &expected, change)).collect();
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut text = source.text().to_string();
    for (span, replacement) in edits {
        text.replace_range(span.range(), &replacement);
    }
    for change in changes {
        apply(&mut expected, change);
    }
    let found = BudgetFile::read(&Source::new(source.name().clone(), text.as_str()));
    let is_meant = found.is_ok_and(|(found, _)| caps(&found) == caps(&expected));
    if is_meant { Ok(text) } else { Err(vec![not_editable(source)]) }
}

/// The bytes that a change replaces, and by what.
fn edit(source: &Source, tree: &Node, file: &BudgetFile, change: &CapChange) -> Option<(Span, String)> {
    let CapChange { category, id, after, .. } = change;
    let held = *file.caps_of(*category)?.get(id)?;
    let entry = tree.at(&format!("/sizes/grandfathered/{category}"))?.map()?.get(id)?;
    let (key, value) = (entry.key.span, entry.node.place.span);
    match after {
        Some(cap) if held > *cap => Some((value, cap.to_string())),
        Some(_) => None,
        None => Some((without_entry(source.text(), Span::new(key.start, value.end)), String::new())),
    }
}

/// What goes with an entry: its line where it stands alone, else the comma beside it.
fn without_entry(text: &str, entry: Span) -> Span {
    let line_start = text[..entry.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[entry.end..].find('\n').map_or(text.len(), |at| entry.end + at + 1);
    let (ahead, behind) = (&text[line_start..entry.start], text[entry.end..line_end].trim());
    if ahead.trim().is_empty() && (behind.is_empty() || behind.starts_with('#')) {
        return Span::new(line_start, line_end);
    }
    let rest = text[entry.end..].trim_start();
    if let Some(rest) = rest.strip_prefix(',') {
        return Span::new(entry.start, text.len() - rest.trim_start().len());
    }
    let before = text[..entry.start].trim_end();
    Span::new(before.strip_suffix(',').map_or(entry.start, |before| before.trim_end().len()), entry.end)
}

/// The same change on the document.
fn apply(file: &mut BudgetFile, change: &CapChange) {
    let Some(caps) = file.caps_of_mut(change.category) else { return };
    let Some(held) = caps.get_mut(&change.id) else { return };
    match change.after {
        Some(cap) => *held = cap.min(*held),
        None => drop(caps.remove(&change.id)),
    }
}

/// All grandfathered caps of a file.
fn caps(file: &BudgetFile) -> Vec<(Category, &str, usize)> {
    let all = file.sizes.grandfathered.iter();
    all.flat_map(|(category, caps)| caps.iter().map(move |(id, cap)| (category, id.as_str(), *cap))).collect()
}

fn not_editable(source: &Source) -> Diagnostic {
    let message = format!("the caps in {} cannot be changed without changing more", source.name());
    Diagnostic::error(ErrorCode::BudgetInvalid.as_str(), message)
        .with_hint("write each cap as a plain number, one a line, without anchors")
}

impl BudgetFile {
    fn caps_of(&self, category: Category) -> Option<&BTreeMap<String, usize>> {
        self.sizes.grandfathered.get(category)
    }

    fn caps_of_mut(&mut self, category: Category) -> Option<&mut BTreeMap<String, usize>> {
        self.sizes.grandfathered.get_mut(category)
    }
}

#[cfg(test)]
mod tests {
    use super::super::merge::tests::parts;
    use super::*;

    const FILE: &str = "# Ours.\nversion: 1\nsizes:\n  limits:\n    kicks: {warn: 4, limit: 6}   # tight\n  \
        grandfathered:\n    kicks:\n      a: 20 # since spring\n      b:   30\n\n      'c:d': 12\n      e: 40\n";

    fn change(id: &str, before: usize, after: Option<usize>) -> CapChange {
        CapChange { category: Category::Kicks, id: id.to_owned(), before, after }
    }

    fn measured(sizes: &[(&str, usize)]) -> Measured {
        sizes.iter().map(|(id, bytes)| ((Category::Kicks, (*id).to_owned()), *bytes)).collect()
    }

    #[test]
    fn caps_only_shrink() {
        let budgets = Budgets::of(&parts(&[FILE])).0;
        let found = tighten(&budgets, &measured(&[("a", 15), ("b", 31), ("c:d", 6), ("z", 1)]));
        assert_eq!(found, [change("a", 20, Some(15)), change("c:d", 12, None)]);
        assert_eq!(tighten(&budgets, &Measured::new()), []);
    }

    #[track_caller]
    fn check(text: &str, changes: &[CapChange], expect: &str) {
        let found = rewrite(&Source::new("b.yaml", text), changes);
        assert_eq!(found.as_deref(), Ok(expect));
    }

    #[test]
    fn a_rewrite_keeps_everything_else() {
        let changes = [
            change("a", 20, Some(15)),
            change("b", 30, Some(7)),
            change("c:d", 12, None),
            change("z", 9, None),
        ];
        let expect =
            FILE.replace("a: 20", "a: 15").replace("b:   30", "b:   7").replace("      'c:d': 12\n", "");
        check(FILE, &changes, &expect);
        check(FILE, &[change("a", 20, Some(21))], FILE);
    }

    #[test]
    fn entries_in_one_line_are_taken_out_with_a_comma() {
        let flow = |inner: &str| format!("version: 1\nsizes: {{grandfathered: {{kicks: {{{inner}}}}}}}\n");
        let text = flow("a: 20, b: 30 , c: 40");
        check(&text, &[change("a", 20, None)], &flow("b: 30 , c: 40"));
        check(&text, &[change("c", 40, None)], &flow("a: 20, b: 30"));
        check(&text, &[change("b", 30, None), change("a", 20, Some(9))], &flow("a: 9, c: 40"));
        check(&flow("a: 20"), &[change("a", 20, None)], &flow(""));
    }

    #[test]
    fn the_last_cap_of_a_category_leaves_an_empty_one() {
        let text = "version: 1\nsizes:\n  grandfathered:\n    kicks:\n      a: 20\n";
        check(text, &[change("a", 20, None)], "version: 1\nsizes:\n  grandfathered:\n    kicks:\n");
    }

    #[test]
    fn a_cap_that_is_an_alias_is_refused() {
        let text = "version: 1\nsizes:\n  grandfathered:\n    kicks:\n      a: &cap 20\n      b: *cap\n";
        let found = rewrite(&Source::new("b.yaml", text), &[change("a", 20, None)]);
        assert!(found.is_err(), "{found:?}");
    }
}
