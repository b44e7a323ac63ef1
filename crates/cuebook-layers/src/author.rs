//! What an author's check finds about the names of a template.
//!
//! It owns the names that nobody gives and the values that nobody reads: either may be a slip of the pen. It refuses to
//! complain about a name that a test just asks for, unless it is nearly one that is given.

use std::collections::BTreeMap;

use cuebook_prompt::{Layered, UNITS};
use cuebook_template::pongo::{RootName, code, undefined_names};
use cuebook_template::{Diagnostic, Location, nearest};
use cuebook_wire::ErrorCode;

/// Every name that is read and has no value, and every value of `given` that is not read.
pub fn check_names<'g>(layered: &Layered, given: impl IntoIterator<Item = &'g str>) -> Vec<Diagnostic> {
    let given: Vec<&str> = given.into_iter().collect();
    let read = read_names(layered);
    let is_fact = |name: &str| layered.facts.contains_key(name) || (layered.is_fact)(name);
    let is_unused = |name: &&str| is_fact(name) || !read.contains_key(*name);
    let unused: Vec<&str> = given.iter().copied().filter(is_unused).collect();
    let unknown = read.values().filter(|root| !is_known(layered, &given, &root.name));
    let mut findings: Vec<Diagnostic> =
        unknown.filter_map(|root| unknown_name(layered, root, &given, &unused)).collect();
    findings.extend(unused.iter().map(|name| unused_value(layered, name, &read)));
    findings
}

/// The names that the template and its units read, each with all places.
fn read_names(layered: &Layered) -> BTreeMap<String, RootName> {
    let mut names: BTreeMap<String, RootName> = BTreeMap::new();
    for root in layered.programs().flat_map(undefined_names) {
        match names.get_mut(&root.name) {
            Some(known) => {
                known.is_needed &= root.is_needed;
                known.places.extend(root.places);
            }
            None => drop(names.insert(root.name.clone(), root)),
        }
    }
    names
}

fn is_known(layered: &Layered, given: &[&str], name: &str) -> bool {
    given.contains(&name)
        || layered.facts.contains_key(name)
        || layered.defaults.contains_key(name)
        || (layered.is_fact)(name)
        || (name == UNITS && !layered.slots.is_empty())
}

/// The finding about a name without a value; none where a test just asks for it and nothing is like it.
fn unknown_name(layered: &Layered, root: &RootName, given: &[&str], unused: &[&str]) -> Option<Diagnostic> {
    let host = layered.facts.keys().chain(layered.defaults.keys()).map(String::as_str);
    let known: Vec<&str> = given.iter().copied().chain(host).collect();
    let candidates = if root.is_needed { known.as_slice() } else { unused };
    let near = nearest(&root.name, candidates.iter().copied());
    if !root.is_needed && near.is_none() {
        return None;
    }
    let problem = Diagnostic::error(code::UNDEFINED, format!("'{}' has no value", root.name));
    let problem = placed(problem, &root.places);
    Some(match near {
        Some(name) => problem.with_nearest(name).with_hint(format!("did you mean '{name}'?")),
        None => problem.with_hint(format!("give it one with --var {}=…, or write a default", root.name)),
    })
}

fn placed(problem: Diagnostic, places: &[Location]) -> Diagnostic {
    let Some(first) = places.first() else { return problem };
    let times = if places.len() > 1 { format!(" (read in {} places)", places.len()) } else { String::new() };
    let message = format!("{}{times}", problem.message);
    Diagnostic { message, ..problem }.at(&first.source, first.span)
}

fn unused_value(layered: &Layered, name: &str, read: &BTreeMap<String, RootName>) -> Diagnostic {
    let code = ErrorCode::TemplateValueUnused.as_str();
    if layered.facts.contains_key(name) || (layered.is_fact)(name) {
        let problem = Diagnostic::error(code, format!("'{name}' is a fact of the host, which nobody gives"));
        return problem.with_hint("leave it out");
    }
    let problem = Diagnostic::error(code, format!("nothing reads '{name}'"));
    match nearest(name, read.keys().map(String::as_str)) {
        Some(near) => problem.with_nearest(near).with_hint(format!("did you mean '{near}'?")),
        None => problem.with_hint("leave it out, or read it in a file of the template"),
    }
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
        let shown: Vec<String> = check_names(&layered, given.iter().copied())
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
