//! Playbooks: procedures that agents share, as lists of points to check.
//!
//! It owns the files `playbooks/*.yaml` and when a playbook applies. It refuses templates: playbooks are data.

use cuebook_template::{Diagnostic, Source};
use cuebook_wire::{Document, ErrorCode};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::words::{NAME, NAME_FORM};

/// What stands for any topology or phase.
const ANY: &str = "*";

/// A procedure that agents share.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, title = "Playbook")]
pub struct Playbook {
    /// Its id.
    #[schemars(regex(pattern = NAME), extend("x-form" = NAME_FORM))]
    pub id: String,
    /// The playbook that it adds to, by id.
    #[schemars(regex(pattern = NAME), extend("x-form" = NAME_FORM))]
    pub extends: Option<String>,
    /// One line about it.
    #[schemars(length(max = 280))]
    pub description: Option<String>,
    /// Whether it applies to every agent; one playbook of all does.
    #[serde(default)]
    pub fallback: bool,
    /// When it applies.
    #[serde(default)]
    pub triggers: Triggers,
    /// The points to check, in order.
    #[serde(default)]
    #[schemars(inner(length(min = 1)))]
    pub checklist: Vec<String>,
}

/// When a playbook applies: each list fits any when it is empty or has `*`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Triggers {
    /// Names of topologies, in any case.
    #[serde(default)]
    #[schemars(inner(length(min = 1)))]
    pub topology_patterns: Vec<String>,
    /// Ids of phases, in any case.
    #[serde(default)]
    #[schemars(inner(length(min = 1)))]
    pub phase_ids: Vec<String>,
}

impl Playbook {
    /// Reads one playbook.
    ///
    /// # Errors
    ///
    /// `playbook_invalid` for everything that is wrong with it, each with its place.
    pub fn read(source: &Source) -> Result<Self, Vec<Diagnostic>> {
        cuebook_yaml::read(source).map(|(playbook, _)| playbook)
    }
}

impl Document for Playbook {
    const CODE: ErrorCode = ErrorCode::PlaybookInvalid;
}

impl Triggers {
    /// Whether they fit a topology and a phase; what is not known fits only lists that fit any.
    pub fn fit(&self, topology: Option<&str>, phase: Option<&str>) -> bool {
        fits(&self.topology_patterns, topology) && fits(&self.phase_ids, phase)
    }
}

fn fits(patterns: &[String], given: Option<&str>) -> bool {
    let fits = |pattern: &String| {
        let pattern = pattern.trim();
        pattern == ANY || given.is_some_and(|given| pattern.to_lowercase() == given.trim().to_lowercase())
    };
    patterns.is_empty() || patterns.iter().any(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trouble::shown;

    #[track_caller]
    fn check(patterns: &[&str], given: Option<&str>, expect: bool) {
        let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
        let by_topology = Triggers { topology_patterns: patterns.clone(), ..Triggers::default() };
        let by_phase = Triggers { phase_ids: patterns, ..Triggers::default() };
        assert_eq!(by_topology.fit(given, Some("build")), expect, "{given:?}");
        assert_eq!(by_phase.fit(Some("fan-out"), given), expect, "{given:?}");
    }

    #[test]
    fn triggers_fit_by_name_or_any() {
        check(&[], None, true);
        check(&[], Some("x"), true);
        check(&["*"], None, true);
        check(&["a", " X "], Some("x"), true);
        check(&["a", "b"], Some("x"), false);
        check(&["a"], None, false);
        check(&["É"], Some("é"), true);
    }

    #[test]
    fn both_triggers_must_fit() {
        let triggers = Triggers { topology_patterns: vec!["a".into()], phase_ids: vec!["b".into()] };
        assert!(triggers.fit(Some("A"), Some("B")));
        assert!(!triggers.fit(Some("a"), Some("a")));
    }

    #[test]
    fn every_fault_has_its_place() {
        let read =
            |text: &str| shown(&Playbook::read(&Source::new("p.yaml", text)).err().unwrap_or_default());
        assert_eq!(read("id: prose\nchecklist: [Read it aloud]\n"), [""; 0]);
        assert_eq!(
            read("id: 'a b'\nfallback: maybe\ncheckist: []\nchecklist: ['']\n"),
            [
                "p.yaml:3:1 unknown key `checkist` (at /checkist) (did you mean 'checklist'?)",
                "p.yaml:4:13 expected some text, found an empty one (at /checklist/0)",
                "p.yaml:2:11 expected true or false, found text (at /fallback)",
                "p.yaml:1:5 `a b` is not a name: letters, digits, `_` and `-`, at most 64, a letter or digit first (at /id)",
            ]
        );
    }
}
