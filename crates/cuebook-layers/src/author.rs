//! What an author's check finds about the names of a template.
//!
//! It owns the names that nobody gives and the values that nobody reads: either may be a slip of the pen. It refuses to
//! complain about a name that a test just asks for, unless it is nearly one that is given.

use std::collections::{BTreeMap, BTreeSet};

use cuebook_prompt::{Layered, PLACE_NAMES, UNITS, is_run_fact};
use cuebook_template::pongo::{Miss, RootName, code, undefined_names};
use cuebook_template::{Diagnostic, Location, nearest};
use cuebook_wire::ErrorCode;
use strsim::damerau_levenshtein;

use crate::roster::{HAS, Roster};

/// Every name that is read and has no value, and every value of `given` that is not read; `missed` is what a render came upon.
///
/// A name that only tests ask for is told of when it is nearly one that has a value.
pub fn check_names<'g>(
    layered: &Layered,
    given: impl IntoIterator<Item = &'g str>,
    missed: &[Miss],
) -> Vec<Diagnostic> {
    let check = Check { layered, given: given.into_iter().collect(), read: read_names(layered) };
    let mut findings: Vec<Diagnostic> = check.unknown().collect();
    findings.extend(check.missed(missed));
    findings.extend(check.unused().into_iter().map(|name| check.unused_value(name)));
    findings
}

/// The names that the template and its units read, each with all places.
fn read_names(layered: &Layered) -> BTreeMap<String, RootName> {
    let mut names: BTreeMap<String, RootName> = BTreeMap::new();
    for root in layered.programs().flat_map(undefined_names) {
        match names.get_mut(&root.name) {
            Some(known) => {
                known.is_needed |= root.is_needed;
                known.places.extend(root.places);
            }
            None => drop(names.insert(root.name.clone(), root)),
        }
    }
    names
}

/// What is read, and what there is.
struct Check<'c> {
    layered: &'c Layered,
    given: Vec<&'c str>,
    read: BTreeMap<String, RootName>,
}

impl<'c> Check<'c> {
    fn is_fact(&self, name: &str) -> bool {
        let has_units = name == UNITS && !self.layered.slots.is_empty();
        self.layered.facts.contains_key(name) || (self.layered.is_fact)(name) || has_units
    }

    fn is_known(&self, name: &str) -> bool {
        self.given.contains(&name)
            || self.is_fact(name)
            || is_run_fact(name)
            || self.layered.defaults.contains_key(name)
    }

    /// The values that nothing reads.
    fn unused(&self) -> Vec<&'c str> {
        let places = |name: &str| self.layered.placed.is_some() && PLACE_NAMES.contains(&name);
        let is_used = |name: &str| !self.is_fact(name) && (self.read.contains_key(name) || places(name));
        self.given.iter().copied().filter(|name| !is_used(name)).collect()
    }

    /// The findings about names without a value.
    fn unknown(&self) -> impl Iterator<Item = Diagnostic> {
        let unused = self.unused();
        self.read.values().filter_map(move |root| {
            let name = root.name.as_str();
            let near = match () {
                () if name.starts_with(HAS) => return self.unknown_tool(root),
                () if self.is_known(name) => return None,
                () if root.is_needed => self.nearest(name),
                () => Some(self.slip(name, &unused)?),
            };
            Some(self.without_value(root, near))
        })
    }

    /// The finding about `profile_has_…` of what is no tool, but nearly one that is offered.
    fn unknown_tool(&self, root: &RootName) -> Option<Diagnostic> {
        let facts = &self.layered.facts;
        let tool = root.name.strip_prefix(HAS)?;
        if facts.is_empty() || facts.contains_key(&root.name) || Roster::is_well_known(tool) {
            return None;
        }
        let offered = facts.keys().map(String::as_str).filter(|name| name.starts_with(HAS));
        let near = offered.filter(|fact| is_slip(tool, &fact[HAS.len()..])).min()?;
        Some(self.without_value(root, Some(near)))
    }

    /// The findings about names that a render missed and that are not told of before.
    fn missed<'m>(&'m self, missed: &'m [Miss]) -> impl Iterator<Item = Diagnostic> + 'm {
        let told: BTreeSet<&str> =
            self.read.values().filter(|it| it.is_needed).map(|it| it.name.as_str()).collect();
        let mut seen = BTreeSet::new();
        missed.iter().filter_map(move |miss| {
            let name = miss.name.as_deref()?;
            let is_told = told.contains(name) && !self.is_known(name);
            let is_new = !is_told && !is_run_fact(name) && !(self.layered.is_fact)(name) && seen.insert(name);
            is_new.then(|| self.hinted(name, miss.problem.clone(), self.nearest(name)))
        })
    }

    fn without_value(&self, root: &RootName, near: Option<&str>) -> Diagnostic {
        let problem = Diagnostic::error(code::UNDEFINED, format!("'{}' has no value", root.name));
        self.hinted(&root.name, placed(problem, &root.places), near)
    }

    fn hinted(&self, name: &str, problem: Diagnostic, near: Option<&str>) -> Diagnostic {
        match near {
            Some(near) => problem.with_nearest(near).with_hint(format!("did you mean '{near}'?")),
            None if self.given.contains(&name) => {
                problem.with_hint("null is no value: give it one, or write a default")
            }
            None => problem.with_hint(format!("give it one with --var {name}=…, or write a default")),
        }
    }

    /// Everything that has a value.
    fn known(&self) -> impl Iterator<Item = &str> {
        let host = self.layered.facts.keys().chain(self.layered.defaults.keys()).map(String::as_str);
        self.given.iter().copied().chain(host)
    }

    fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.known().filter(|known| *known != name))
    }

    /// What a name in a test was probably meant to be.
    fn slip<'s>(&'s self, name: &str, unused: &[&'s str]) -> Option<&'s str> {
        nearest(name, unused.iter().copied()).or_else(|| self.known().find(|known| is_slip(name, known)))
    }

    fn unused_value(&self, name: &str) -> Diagnostic {
        let code = ErrorCode::TemplateValueUnused.as_str();
        if self.is_fact(name) {
            let message = format!("'{name}' is a fact of the host, which nobody gives");
            return Diagnostic::error(code, message).with_hint("leave it out");
        }
        let problem = Diagnostic::error(code, format!("nothing reads '{name}'"));
        match nearest(name, self.read.keys().map(String::as_str)) {
            Some(near) => problem.with_nearest(near).with_hint(format!("did you mean '{near}'?")),
            None => problem.with_hint("leave it out, or read it in a file of the template"),
        }
    }
}

/// Whether one name is the other with a slip of the pen: one letter of it, or two of a long name.
fn is_slip(name: &str, known: &str) -> bool {
    let most = if name.len() >= 8 { 2 } else { 1 };
    name != known && name.len() >= 4 && damerau_levenshtein(name, known) <= most
}

fn placed(problem: Diagnostic, places: &[Location]) -> Diagnostic {
    let Some(first) = places.first() else { return problem };
    let times = if places.len() > 1 { format!(" (read in {} places)", places.len()) } else { String::new() };
    let message = format!("{}{times}", problem.message);
    Diagnostic { message, ..problem }.at(&first.source, first.span)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cuebook_prompt::Value;
    use cuebook_template::Source;
    use cuebook_template::pongo::{Options, Profile, Program};
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, given: &[&str], expect: &[&str]) {
        let program = Program::compile(Source::new("a.md", text), &(), &Options::of(Profile::Composed));
        let fact = Value::trusted(json!(true));
        let layered = Layered {
            facts: [("profile_has_read".to_owned(), fact.clone())].into_iter().collect(),
            is_fact: |name| name.starts_with("profile_has_"),
            defaults: [("role_title".to_owned(), fact)].into_iter().collect(),
            ..Layered::plain(Arc::new(program.expect("it compiles")))
        };
        let shown: Vec<String> = check_names(&layered, given.iter().copied(), &[])
            .iter()
            .map(|it| format!("{} ({})", it.message, it.hint.as_deref().unwrap_or_default()))
            .collect();
        assert_eq!(shown, expect, "{text}");
    }

    #[test]
    fn names_without_a_value_are_found() {
        check("{{ focus }}", &["focus"], &[]);
        check("{{ role_title }}{% if profile_has_grep %}g{% endif %}", &[], &[]);
        check(
            "{{ focus }}{{ focus }}",
            &[],
            &["'focus' has no value (read in 2 places) (give it one with --var focus=…, or write a default)"],
        );
        check("{{ rol_title }}", &[], &["'rol_title' has no value (did you mean 'role_title'?)"]);
        check("{% if note %}{{ note }}{% endif %}", &[], &[]);
        check("{% if note %}{{ note|default:\"-\" }}{% endif %}{{ x|default:\"-\" }}", &[], &[]);
    }

    #[test]
    fn values_that_nobody_reads_are_found() {
        check(
            "text",
            &["focus"],
            &["nothing reads 'focus' (leave it out, or read it in a file of the template)"],
        );
        check(
            "{% if focus %}f{% endif %}",
            &["focsu"],
            &[
                "'focus' has no value (did you mean 'focsu'?)",
                "nothing reads 'focsu' (did you mean 'focus'?)",
            ],
        );
        check(
            "{% if profile_has_read %}r{% endif %}",
            &["profile_has_read"],
            &["'profile_has_read' is a fact of the host, which nobody gives (leave it out)"],
        );
    }
}
