//! How much of each limit a template takes.
//!
//! It owns the measurement: what a program says of itself, and for the rest the smallest limit under which the compiler
//! still takes it. So the numbers are always those that the limits are held against.

use std::collections::BTreeMap;

use cuebook_template::Source;
use cuebook_template::pongo::{LimitKind, Limits, Options, Program};
use serde_json::{Value as Json, json};

/// What a template takes of one limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitUse {
    /// The name of the limit.
    pub name: &'static str,
    /// What is taken.
    pub used: usize,
    /// What is allowed.
    pub limit: usize,
}

impl LimitUse {
    fn new(kind: LimitKind, used: usize, limits: &Limits) -> Self {
        Self { name: kind.as_str(), used, limit: limits.get(kind) }
    }

    /// As JSON: `used` and `limit`.
    pub fn to_json(&self) -> Json {
        json!({ "used": self.used, "limit": self.limit })
    }
}

/// What `program` takes of each limit that compiling holds.
pub(super) fn of_program(program: &Program) -> Vec<LimitUse> {
    let limits = &program.options().limits;
    let Some(entry) = program.files().first() else { return Vec::new() };
    let largest = program.files().iter().map(|file| file.text().len()).max().unwrap_or(0);
    let files = files_of(program);
    let told = [
        (LimitKind::SourceBytes, largest),
        (LimitKind::Files, program.files().len()),
        (LimitKind::ProgramNodes, program.node_count()),
    ];
    let measured = [LimitKind::Tags, LimitKind::Nesting, LimitKind::LoopNesting, LimitKind::IncludeDepth]
        .map(|kind| (kind, smallest(kind, entry, &files, program.options())));
    told.into_iter().chain(measured).map(|(kind, used)| LimitUse::new(kind, used, limits)).collect()
}

/// The texts that the program was made of, so that a measurement reads no file again.
fn files_of(program: &Program) -> BTreeMap<String, String> {
    let found = program.dependencies().iter().filter_map(|dependency| {
        Some((dependency.name.to_string(), dependency.found.as_ref()?.text().to_string()))
    });
    found.collect()
}

/// The smallest limit of `kind` under which the compiler takes a template that it takes under `options`.
fn smallest(kind: LimitKind, entry: &Source, files: &BTreeMap<String, String>, options: &Options) -> usize {
    let fits = |limit: usize| {
        let options = Options { limits: options.limits.with(kind, limit), ..*options };
        Program::compile(entry.clone(), files, &options).is_ok()
    };
    let most = options.limits.get(kind);
    if fits(0) {
        return 0;
    }
    let (mut refused, mut taken) = (0, 1.min(most));
    while taken < most && !fits(taken) {
        (refused, taken) = (taken, taken.saturating_mul(2).min(most));
    }
    while taken - refused > 1 {
        let middle = refused + (taken - refused) / 2;
        if fits(middle) { taken = middle } else { refused = middle }
    }
    taken
}

#[cfg(test)]
mod tests {
    use cuebook_template::pongo::Profile;

    use super::*;

    #[track_caller]
    fn check(text: &str, files: &[(&str, &str)], expect: &[(&str, usize)]) {
        let files: BTreeMap<String, String> =
            files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let options = Options::of(Profile::Full);
        let program = Program::compile(Source::new("t", text), &files, &options).expect("it compiles");
        let used = of_program(&program);
        for (name, expect) in expect {
            let found = used.iter().find(|limit| limit.name == *name).expect("a limit");
            assert_eq!(found.used, *expect, "{name} of {text:?}");
        }
    }

    #[test]
    fn what_a_template_takes() {
        check("plain", &[], &[("source_bytes", 5), ("files", 1), ("tags", 0), ("loop_nesting", 0)]);
        check("{% if a %}{% for b in c %}{% endfor %}{% endif %}", &[], &[("tags", 4), ("loop_nesting", 1)]);
        let five = "{% set a = 1 %}".repeat(5);
        check(&five, &[], &[("tags", 5), ("source_bytes", 75)]);
    }

    #[test]
    fn what_its_files_take() {
        let include = |name: &str| format!("{{% include \"{name}\" %}}");
        let (b, c) = (include("b"), include("c"));
        let expect = [("files", 3), ("include_depth", 3), ("tags", 1), ("source_bytes", b.len())];
        check(&b, &[("b", &c), ("c", "end")], &expect);
    }
}
