//! The budgets of several packs as one.
//!
//! It owns who may say what: a category should have its limit from one pack, caps by id come from any. It refuses to depend on
//! the order of the packs: of two limits, caps or ceilings the lower one holds.

use std::collections::BTreeMap;

use cuebook_template::{Diagnostic, Location};
use cuebook_wire::ErrorCode;
use cuebook_yaml::Node;

use super::category::Category;
use super::document::{BudgetFile, Exception, Limit};

/// The budgets that hold on a host.
#[derive(Clone, Debug, Default)]
pub struct Budgets {
    pub(super) limits: BTreeMap<Category, Limit>,
    pub(super) grandfathered: BTreeMap<(Category, String), usize>,
    pub(super) exceptions: BTreeMap<(Category, String), Exception>,
    ceiling: Option<usize>,
}

impl Budgets {
    /// The budgets of `parts` together; that two of them limit a category is a fault, and the lower limit holds.
    pub fn of(parts: &[(BudgetFile, Node)]) -> (Self, Vec<Diagnostic>) {
        let mut merged = Self::default();
        let mut places: BTreeMap<Category, Vec<Location>> = BTreeMap::new();
        for (file, tree) in parts {
            merged.take_caps(file);
            for (category, limit) in file.sizes.limits.iter() {
                let known = merged.limits.entry(category).or_insert(*limit);
                *known = Limit { warn: known.warn.min(limit.warn), limit: known.limit.min(limit.limit) };
                places
                    .entry(category)
                    .or_default()
                    .push(tree.locate_key(&format!("/sizes/limits/{category}")));
            }
        }
        let contested = places.into_iter().filter(|(_, places)| places.len() > 1);
        let problems = contested.flat_map(|(category, places)| limited_twice(category, &places)).collect();
        (merged, problems)
    }

    /// The most bytes of any rendered prompt at run time.
    pub const fn render_ceiling(&self) -> Option<usize> {
        self.ceiling
    }

    fn take_caps(&mut self, file: &BudgetFile) {
        self.ceiling = self.ceiling.into_iter().chain(file.render_ceiling).min();
        for (category, caps) in file.sizes.grandfathered.iter() {
            for (id, cap) in caps {
                let known = self.grandfathered.entry((category, id.clone())).or_insert(*cap);
                *known = (*known).min(*cap);
            }
        }
        for (category, exceptions) in file.sizes.exceptions.iter() {
            for (id, exception) in exceptions {
                let known =
                    self.exceptions.entry((category, id.clone())).or_insert_with(|| exception.clone());
                *known = (*known).clone().min(exception.clone());
            }
        }
    }
}

/// The errors of a category that several packs limit, one a place.
fn limited_twice(category: Category, places: &[Location]) -> Vec<Diagnostic> {
    let mut shown: Vec<String> = places.iter().map(ToString::to_string).collect();
    shown.sort();
    let message = format!("several packs limit {category}, and the lowest limit holds: {}", shown.join(", "));
    let mut problems: Vec<Diagnostic> = places
        .iter()
        .map(|place| {
            Diagnostic::error(ErrorCode::BudgetInvalid.as_str(), message.clone())
                .at(&place.source, place.span)
                .with_hint("keep the limit in one pack; caps by id may stand in any")
        })
        .collect();
    problems.sort_by_key(ToString::to_string);
    problems
}

#[cfg(test)]
pub(super) mod tests {
    use cuebook_template::Source;

    use super::*;

    pub(in super::super) fn parts(texts: &[&str]) -> Vec<(BudgetFile, Node)> {
        let read = |(index, text): (usize, &&str)| {
            BudgetFile::read(&Source::new(format!("{index}.yaml"), *text)).expect("budgets")
        };
        texts.iter().enumerate().map(read).collect()
    }

    const ONE: &str = "version: 1\nrender_ceiling: 900\nsizes:\n  limits: {kicks: {warn: 1, limit: 2}}\n  grandfathered: {kicks: {a: 9}}\n";
    const OTHER: &str = "version: 1\nrender_ceiling: 800\nsizes:\n  limits: {agent_templates: {warn: 3, limit: 4}}\n  grandfathered: {kicks: {a: 8, b: 7}}\n";

    #[test]
    fn packs_add_up_in_any_order() {
        for texts in [[ONE, OTHER], [OTHER, ONE]] {
            let (merged, problems) = Budgets::of(&parts(&texts));
            assert_eq!(problems, []);
            assert_eq!(merged.render_ceiling(), Some(800));
            assert_eq!(merged.limits.len(), 2);
            let caps: Vec<_> =
                merged.grandfathered.iter().map(|((_, id), cap)| (id.as_str(), *cap)).collect();
            assert_eq!(caps, [("a", 8), ("b", 7)]);
        }
    }

    #[test]
    fn a_category_has_its_limit_from_one_pack() {
        let (merged, problems) = Budgets::of(&parts(&[ONE, ONE]));
        let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(shown.len(), 2);
        assert!(
            shown[0].starts_with("0.yaml:4:12: error[budget_invalid]: several packs limit kicks"),
            "{shown:?}"
        );
        assert!(shown[1].ends_with("0.yaml:4:12, 1.yaml:4:12"), "{shown:?}");
        assert_eq!(merged.limits[&Category::Kicks], Limit { warn: 1, limit: 2 });
        let loose = ONE.replace("warn: 1, limit: 2", "warn: 900, limit: 900");
        let (merged, _) = Budgets::of(&parts(&[&loose, ONE]));
        assert_eq!(merged.limits[&Category::Kicks], Limit { warn: 1, limit: 2 });
    }
}
