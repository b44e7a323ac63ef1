//! What a version breaks of the one before: variables removed, renamed or retyped, and a new kind, under one major version.

use cuebook_template::{Diagnostic, nearest};
use cuebook_wire::{ErrorCode, PromptTemplate, PromptVariable, Version};

use super::{Finding, warning};
use crate::diff::{TemplateDiff, VariableChange};

/// What breaks those who use `old` when they get `new`, unless the major version tells them.
pub fn changes(old: &PromptTemplate, new: &PromptTemplate) -> Vec<Finding> {
    if old.version.major() != new.version.major() {
        return Vec::new();
    }
    let diff = TemplateDiff::of(old, new);
    let broken: Vec<&VariableChange> = diff.unannounced(&old.version, &new.version).collect();
    let renamed: Vec<(&str, &str)> = renamed(&diff);
    let is_renamed = |change: &VariableChange| renamed.iter().any(|(_, now)| *now == change.name);
    let kind = (old.kind != new.kind).then(|| {
        Finding::at("/kind", unannounced(old, new, &format!("the kind was {} and is {}", old.kind, new.kind)))
    });
    let variables = broken.into_iter().filter(|change| !is_renamed(change)).map(|change| {
        let now = renamed.iter().find(|(was, _)| *was == change.name).map(|(_, now)| *now);
        variable(old, new, change, now)
    });
    kind.into_iter().chain(variables).collect()
}

/// The version that `version` follows: the highest of `versions` below it.
pub fn predecessor<'v>(
    version: &Version,
    versions: impl IntoIterator<Item = &'v Version>,
) -> Option<&'v Version> {
    versions.into_iter().filter(|other| other.precedence(version).is_lt()).max()
}

/// The finding of a variable, which is called `now` if it was renamed.
fn variable(
    old: &PromptTemplate,
    new: &PromptTemplate,
    change: &VariableChange,
    now: Option<&str>,
) -> Finding {
    let name = &change.name;
    let what = match now {
        Some(now) => format!("variable '{name}' is called '{now}'"),
        None => format!("variable '{name}' {}", change.breaks().unwrap_or_default()),
    };
    let problem = unannounced(old, new, &what);
    let problem = now.into_iter().fold(problem, Diagnostic::with_nearest);
    let found = |it: &PromptVariable| it.name == *name || now == Some(it.name.as_str());
    let at = new.variables.iter().position(found);
    Finding::at(at.map_or_else(|| "/version".to_owned(), |at| format!("/variables/{at}/name")), problem)
}

fn unannounced(old: &PromptTemplate, new: &PromptTemplate, what: &str) -> Diagnostic {
    let message = format!("{what}, but {} and {} have one major version", old.version, new.version);
    let next = new.version.major() + 1;
    warning(ErrorCode::PromptBreakingChange, message)
        .with_hint(format!("call it {next}.0.0, or keep what its users rely on"))
}

/// The variables that were given another name: one is gone, and one like it in name, or the only one, has come.
fn renamed(diff: &TemplateDiff) -> Vec<(&str, &str)> {
    let gone: Vec<&PromptVariable> = one_sided(diff, |it| (it.old.as_ref(), it.new.as_ref()));
    let come: Vec<&PromptVariable> = one_sided(diff, |it| (it.new.as_ref(), it.old.as_ref()));
    let only = gone.len() == 1 && come.len() == 1;
    let pairs = gone.into_iter().filter_map(|was| {
        let alike = come.iter().filter(|it| it.value_type == was.value_type && it.source == was.source);
        let names: Vec<&str> = alike.map(|it| it.name.as_str()).collect();
        let found = nearest(&was.name, names.iter().copied());
        let now = found.or_else(|| names.first().copied().filter(|_| only))?;
        Some((was.name.as_str(), now))
    });
    pairs.collect()
}

/// The variables that are on the first of two sides alone.
fn one_sided<'d>(
    diff: &'d TemplateDiff,
    sides: impl Fn(&'d VariableChange) -> (Option<&'d PromptVariable>, Option<&'d PromptVariable>),
) -> Vec<&'d PromptVariable> {
    let changes = diff.variables.iter().map(sides);
    changes.filter_map(|(here, there)| here.filter(|_| there.is_none())).collect()
}
