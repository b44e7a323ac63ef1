//! All playbooks of a host together.
//!
//! It owns how their lists become one. It refuses ids that lead nowhere or in a circle, and any number of fallbacks but one.

use std::collections::BTreeSet;

use cuebook_template::{Diagnostic, Source, nearest};
use cuebook_wire::Document;
use indexmap::IndexMap;

use crate::playbook::Playbook;

/// The playbooks of a host by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Playbooks(IndexMap<String, Playbook>);

impl Playbooks {
    /// The playbooks `all`, each with the file that it was read from; none at all are fine.
    ///
    /// # Errors
    ///
    /// `playbook_invalid` for every id that two have, every `extends` that names none or leads back to itself, and when not
    /// exactly one is the fallback.
    pub fn of(all: Vec<(Source, Playbook)>) -> Result<Self, Vec<Diagnostic>> {
        let fallbacks = fallbacks(&all);
        let mut known = Self::default();
        let mut sources: IndexMap<String, Source> = IndexMap::new();
        let mut problems = Vec::new();
        for (source, playbook) in all {
            if let Some(first) = sources.get(&playbook.id) {
                problems.push(doubled(&source, first, &playbook));
                continue;
            }
            sources.insert(playbook.id.clone(), source);
            known.0.insert(playbook.id.clone(), playbook);
        }
        let read = known.0.values().zip(sources.values());
        problems.extend(read.filter_map(|(playbook, source)| known.bad_extends(source, playbook)));
        problems.extend(fallbacks);
        if problems.is_empty() { Ok(known) } else { Err(problems) }
    }

    /// The playbook of that id.
    pub fn get(&self, id: &str) -> Option<&Playbook> {
        self.0.get(id)
    }

    /// Their ids, in order of reading.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The points of the fallback and of all it extends, then those of each of `ids` whose triggers fit; each text once.
    ///
    /// Ids that name no playbook add nothing; see [`Self::unknown`].
    pub fn checklist(&self, ids: &[String], topology: Option<&str>, phase: Option<&str>) -> Vec<String> {
        let listed = ids.iter().filter_map(|id| self.get(id)).filter(|it| it.triggers.fit(topology, phase));
        let mut seen = BTreeSet::new();
        let points = self.fallback_line().into_iter().chain(listed).flat_map(|it| &it.checklist);
        points.filter(|point| seen.insert(point.as_str())).cloned().collect()
    }

    /// The error for each of `ids` that names no playbook, with the nearest that there is.
    pub fn unknown(&self, ids: &[String]) -> Vec<Diagnostic> {
        let unknown = ids.iter().filter(|id| self.get(id).is_none());
        unknown.map(|id| self.hinted(id, error(format!("there is no playbook `{id}`")))).collect()
    }

    /// The fallback below all that it extends, the outermost first.
    fn fallback_line(&self) -> Vec<&Playbook> {
        let fallback = self.0.values().find(|it| it.fallback);
        let above = |it: &&Playbook| it.extends.as_ref().and_then(|id| self.get(id));
        // Circles are refused on entry; the bound holds whatever comes.
        let mut line: Vec<&Playbook> = std::iter::successors(fallback, above).take(self.0.len()).collect();
        line.reverse();
        line
    }

    /// What is wrong with the playbook that `playbook` extends.
    fn bad_extends(&self, source: &Source, playbook: &Playbook) -> Option<Diagnostic> {
        let wanted = playbook.extends.as_deref()?;
        if self.get(wanted).is_none() {
            let problem = at(source, "/extends", format!("there is no playbook `{wanted}` to extend"));
            return Some(self.hinted(wanted, problem));
        }
        let circle = self.circle(playbook)?;
        let message = format!("playbooks extend each other in a circle: {}", circle.join(" -> "));
        Some(at(source, "/extends", message).with_hint("leave one `extends` of the circle out"))
    }

    /// The ids from `first` back to itself, when it is the first in order of those that lie on the circle.
    fn circle<'p>(&'p self, first: &'p Playbook) -> Option<Vec<&'p str>> {
        let mut ids = vec![first.id.as_str()];
        let mut at = first;
        loop {
            at = self.get(at.extends.as_deref()?)?;
            if at.id == first.id {
                ids.push(&first.id);
                let place = |id: &str| self.0.get_index_of(id);
                return ids.iter().all(|id| place(id) >= place(&first.id)).then_some(ids);
            }
            if ids.contains(&at.id.as_str()) {
                return None;
            }
            ids.push(&at.id);
        }
    }

    fn hinted(&self, wanted: &str, problem: Diagnostic) -> Diagnostic {
        match nearest(wanted, self.ids()) {
            Some(id) => problem.with_nearest(id).with_hint(format!("did you mean '{id}'?")),
            None => problem.with_hint("playbooks are files of the `playbooks` directories of packs"),
        }
    }
}

/// What is wrong when not exactly one of `all` is the fallback.
fn fallbacks(all: &[(Source, Playbook)]) -> Vec<Diagnostic> {
    let mut found = all.iter().filter(|(_, playbook)| playbook.fallback);
    let Some((_, first)) = found.next() else { return none_is_fallback(all) };
    let others = found.map(|(source, _)| {
        let message = format!("playbook `{}` is the fallback already", first.id);
        at(source, "/fallback", message).with_hint("one playbook of all is the fallback")
    });
    others.collect()
}

fn none_is_fallback(all: &[(Source, Playbook)]) -> Vec<Diagnostic> {
    let first = all.first().map(|(source, _)| {
        at(source, "/id", "no playbook is the fallback".to_owned())
            .with_hint("say `fallback: true` in one of them")
    });
    first.into_iter().collect()
}

fn doubled(source: &Source, first: &Source, playbook: &Playbook) -> Diagnostic {
    let message = format!("playbook `{}` is in {} already", playbook.id, first.name());
    at(source, "/id", message).with_hint("give one of them another id")
}

fn error(message: String) -> Diagnostic {
    Diagnostic::error(Playbook::CODE.as_str(), message)
}

/// The error `message` at a pointer of a file that was read before.
fn at(source: &Source, pointer: &str, message: String) -> Diagnostic {
    match cuebook_yaml::parse(source, Playbook::CODE) {
        Ok(tree) => {
            let place = tree.locate(pointer);
            error(message).at(&place.source, place.span)
        }
        Err(_) => error(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trouble::shown;

    fn read(texts: &[&str]) -> Result<Playbooks, Vec<Diagnostic>> {
        let read = |(at, text): (usize, &&str)| {
            let source = Source::new(format!("{at}.yaml"), *text);
            let playbook = Playbook::read(&source).expect("a playbook");
            (source, playbook)
        };
        Playbooks::of(texts.iter().enumerate().map(read).collect())
    }

    const BASE: &str = "{id: base, checklist: [read, think]}";
    const DEFAULT: &str = "{id: default, extends: base, fallback: true, checklist: [write, read]}";
    const PROSE: &str = "{id: prose, extends: extra, checklist: [think, aloud]}";
    const EXTRA: &str = "{id: extra, checklist: [more], triggers: {phase_ids: [Build]}}";

    #[track_caller]
    fn check(ids: &[&str], phase: Option<&str>, expect: &[&str]) {
        let playbooks = read(&[EXTRA, PROSE, DEFAULT, BASE]).expect("playbooks");
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        assert_eq!(playbooks.checklist(&ids, None, phase), expect, "{ids:?}");
    }

    #[test]
    fn lists_add_up_in_order_each_point_once() {
        check(&[], None, &["read", "think", "write"]);
        check(&["prose"], None, &["read", "think", "write", "aloud"]);
        check(&["extra", "prose"], None, &["read", "think", "write", "aloud"]);
        check(&["extra", "prose"], Some("build"), &["read", "think", "write", "more", "aloud"]);
        check(&["prose", "extra"], Some("BUILD"), &["read", "think", "write", "aloud", "more"]);
        check(&["default", "no"], None, &["read", "think", "write"]);
    }

    #[track_caller]
    fn refused(texts: &[&str], expect: &[&str]) {
        assert_eq!(shown(&read(texts).err().unwrap_or_default()), expect);
    }

    #[test]
    fn what_does_not_fit_together_is_told_at_once() {
        refused(&[], &[]);
        refused(&[BASE], &["0.yaml:1:6 no playbook is the fallback (say `fallback: true` in one of them)"]);
        refused(
            &[BASE, DEFAULT, "{id: bose, extends: bas, fallback: true}", BASE],
            &[
                "3.yaml:1:6 playbook `base` is in 0.yaml already (give one of them another id)",
                "2.yaml:1:21 there is no playbook `bas` to extend (did you mean 'base'?)",
                "2.yaml:1:36 playbook `default` is the fallback already (one playbook of all is the fallback)",
            ],
        );
    }

    #[test]
    fn a_circle_is_told_once() {
        refused(
            &[
                "{id: x, fallback: true, extends: a}",
                "{id: a, extends: b}",
                "{id: b, extends: a}",
                "{id: c, extends: c}",
            ],
            &[
                "1.yaml:1:18 playbooks extend each other in a circle: a -> b -> a (leave one `extends` of the circle out)",
                "3.yaml:1:18 playbooks extend each other in a circle: c -> c (leave one `extends` of the circle out)",
            ],
        );
    }

    #[test]
    fn unknown_ids_have_their_nearest() {
        let playbooks = read(&[BASE, DEFAULT]).expect("playbooks");
        let unknown = playbooks.unknown(&["base".to_owned(), "defualt".to_owned()]);
        assert_eq!(shown(&unknown), ["there is no playbook `defualt` (did you mean 'default'?)"]);
    }
}
