//! One contract of the contracts of several packs.
//!
//! It owns who may say what: headings come from one pack, archetypes and agents from one each. It refuses to let an order of
//! packs decide.

use cuebook_template::{Diagnostic, Source, nearest};
use cuebook_wire::pointer::step;
use cuebook_wire::{Document, ErrorCode};
use indexmap::IndexMap;
use indexmap::map::Entry;

use crate::contract::Contract;

/// A merge under way.
#[derive(Default)]
pub(crate) struct Merge {
    whole: Contract,
    /// The packs so far, each with its file.
    origins: Vec<Origin>,
    /// Whose the headings are.
    headings_of: Option<usize>,
    /// Whose each archetype and agent is, by pointer.
    owners: IndexMap<String, usize>,
    problems: Vec<Diagnostic>,
}

/// A pack and its contract file.
struct Origin {
    pack: String,
    source: Source,
}

impl Origin {
    /// The error `message` at the key that `pointer` ends in.
    fn error(&self, pointer: &str, message: String) -> Diagnostic {
        let problem = Diagnostic::error(Contract::CODE.as_str(), message);
        match cuebook_yaml::parse(&self.source, ErrorCode::PersonaContractInvalid) {
            Ok(tree) => {
                let place = tree.locate_key(pointer);
                problem.at(&place.source, place.span)
            }
            Err(_) => problem,
        }
    }
}

impl Merge {
    /// Adds what a pack says.
    pub(crate) fn take(&mut self, pack: String, part: Contract, source: Source) {
        self.origins.push(Origin { pack, source });
        self.version(part.version);
        self.headings(&part);
        let Contract { archetypes, agents, .. } = part;
        for (name, archetype) in archetypes {
            if self.owns("archetypes", "archetype", &name) {
                self.whole.archetypes.insert(name, archetype);
            }
        }
        for (id, agent) in agents {
            if self.owns("agents", "agent", &id) {
                self.whole.agents.insert(id, agent);
            }
        }
    }

    /// The pack that is being taken.
    fn current(&self) -> usize {
        self.origins.len() - 1
    }

    fn report(&mut self, pointer: &str, message: String, hint: &str) {
        let problem = self.origins[self.current()].error(pointer, message);
        self.problems.push(problem.with_hint(hint));
    }

    fn version(&mut self, version: u32) {
        if self.current() == 0 {
            self.whole.version = version;
        } else if version != self.whole.version {
            let Self { whole, origins, .. } = self;
            let message =
                format!("version {version}, and that of pack {} is {}", origins[0].pack, whole.version);
            self.report("/version", message, "the contracts of all packs have one version");
        }
    }

    fn headings(&mut self, part: &Contract) {
        if part.required_headings_rendered.is_empty() {
            return;
        }
        if let Some(owner) = self.headings_of {
            let message = format!("pack {} says which headings are required", self.origins[owner].pack);
            self.report(
                "/required_headings_rendered",
                message,
                "leave it to that pack, or disable one of the two",
            );
            return;
        }
        self.headings_of = Some(self.current());
        self.whole.required_headings_rendered.clone_from(&part.required_headings_rendered);
        self.whole.heading_match = part.heading_match;
    }

    /// Whether the current pack is the first with that name; if not, that is an error.
    fn owns(&mut self, map: &str, what: &str, name: &str) -> bool {
        let pointer = format!("/{map}{}", step(name));
        let current = self.current();
        let owner = match self.owners.entry(pointer.clone()) {
            Entry::Vacant(free) => {
                free.insert(current);
                return true;
            }
            Entry::Occupied(taken) => *taken.get(),
        };
        let message = format!("pack {} has an {what} `{name}` too", self.origins[owner].pack);
        self.report(&pointer, message, "give one of them another name, or disable one of the two packs");
        false
    }

    /// The whole, when nothing is wrong with it.
    pub(crate) fn finish(mut self) -> Result<Contract, Vec<Diagnostic>> {
        let lost: Vec<Diagnostic> = self.agents_without_archetype().collect();
        self.problems.extend(lost);
        if self.problems.is_empty() { Ok(self.whole) } else { Err(self.problems) }
    }

    fn agents_without_archetype(&self) -> impl Iterator<Item = Diagnostic> {
        let known = &self.whole.archetypes;
        let lost = self.whole.agents.iter().filter(|(_, agent)| !known.contains_key(&agent.archetype));
        lost.filter_map(|(id, agent)| {
            let pointer = format!("/agents{}", step(id));
            let origin = &self.origins[*self.owners.get(&pointer)?];
            let message = format!("agent `{id}` is of archetype `{}`, which no pack has", agent.archetype);
            let problem = origin.error(&format!("{pointer}/archetype"), message);
            Some(match nearest(&agent.archetype, known.keys().map(String::as_str)) {
                Some(name) => problem.with_nearest(name).with_hint(format!("did you mean '{name}'?")),
                None => problem.with_hint("name one of the archetypes, or add it to a contract"),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headings::HeadingMatch;
    use crate::trouble::shown;

    const BASE: &str = "version: 2\nrequired_headings_rendered: ['## Tools']\nheading_match: contains\n\
        archetypes:\n  plain: {shell: agents/_shell.md, required_partials: [partials/finish]}\n";
    const WRITER: &str = "version: 2\nagents:\n  writer: {archetype: plain}\n";

    fn part(pack: &str, text: &str) -> (String, Contract, Source) {
        let source = Source::new(format!("{pack}.yaml"), text);
        (pack.to_owned(), Contract::read(&source).expect("a contract"), source)
    }

    #[track_caller]
    fn check(packs: &[(&str, &str)], expect: &[&str]) {
        let merged = Contract::merge(packs.iter().map(|(pack, text)| part(pack, text)).collect());
        assert_eq!(shown(&merged.err().unwrap_or_default()), expect);
    }

    #[test]
    fn packs_add_up() {
        let merged = Contract::merge(vec![part("writer", WRITER), part("base", BASE)]).expect("one contract");
        assert_eq!(merged.required_headings_rendered, ["## Tools"]);
        assert_eq!((merged.version, merged.heading_match), (2, HeadingMatch::Contains));
        assert_eq!(merged.archetypes["plain"].required_partials[0].as_str(), "partials/finish.md");
        assert_eq!(merged.agents["writer"].archetype, "plain");
        assert_eq!(Contract::merge(Vec::new()), Ok(Contract::default()));
    }

    #[test]
    fn everything_said_twice_is_told_at_its_place() {
        check(&[("base", BASE), ("writer", WRITER)], &[]);
        let again = BASE.replace("version: 2", "version: 3");
        check(
            &[("base", BASE), ("writer", WRITER), ("again", &again), ("more", WRITER)],
            &[
                "again.yaml:1:1 version 3, and that of pack base is 2 (the contracts of all packs have one version)",
                "again.yaml:2:1 pack base says which headings are required (leave it to that pack, or disable one of the two)",
                "again.yaml:5:3 pack base has an archetype `plain` too (give one of them another name, or disable one of the two packs)",
                "more.yaml:3:3 pack writer has an agent `writer` too (give one of them another name, or disable one of the two packs)",
            ],
        );
    }

    #[test]
    fn an_agent_needs_its_archetype() {
        let lost = WRITER.replace("plain", "plan");
        check(
            &[("base", BASE), ("writer", &lost)],
            &[
                "writer.yaml:3:12 agent `writer` is of archetype `plan`, which no pack has (did you mean 'plain'?)",
            ],
        );
        check(
            &[("writer", WRITER)],
            &[
                "writer.yaml:3:12 agent `writer` is of archetype `plain`, which no pack has (name one of the archetypes, or add it to a contract)",
            ],
        );
    }
}
