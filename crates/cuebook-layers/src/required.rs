//! The partials that an archetype requires, in the program of an agent's prompt.
//!
//! It owns the check that they are included and say something. It refuses to ask what they say.

use cuebook_template::pongo::Program;
use cuebook_template::{Diagnostic, Source, Span};
use cuebook_wire::ErrorCode;

use crate::layer::Tier;
use crate::persona::Persona;
use crate::reference::TemplateRef;
use crate::snapshot::{Found, Snapshot};

impl Persona {
    /// What is wrong with the shell and the partials that its archetype requires, in the program of its prompt.
    ///
    /// Each is among the files of `program`, which was made from `snapshot`, and is not blank; otherwise there is an error that
    /// names layer and file.
    pub fn missing_partials(&self, snapshot: &Snapshot, program: &Program) -> Vec<Diagnostic> {
        let Some((name, archetype)) = &self.archetype else { return Vec::new() };
        let check = Required { archetype: name, snapshot, program };
        let required = std::iter::once(&archetype.shell).chain(&archetype.required_partials);
        required.filter_map(|reference| check.fault(reference)).collect()
    }
}

struct Required<'c> {
    archetype: &'c str,
    snapshot: &'c Snapshot,
    program: &'c Program,
}

impl Required<'_> {
    fn fault(&self, reference: &TemplateRef) -> Option<Diagnostic> {
        let Some(found) = self.snapshot.find(reference) else { return Some(self.nowhere(reference)) };
        let source = match found.source() {
            Ok(source) => source,
            Err(problem) => return Some(*problem),
        };
        if source.text().trim().is_empty() {
            return Some(self.blank(&found).at(source, Span::default()));
        }
        let is_included = self.program.files().iter().any(|file| **file.name() == *reference.as_str());
        (!is_included).then(|| self.left_out(&found))
    }

    fn error(&self, reference: &TemplateRef, what: &str) -> Diagnostic {
        let message = format!("archetype `{}` requires {reference}, {what}", self.archetype);
        Diagnostic::error(ErrorCode::PersonaPartialMissing.as_str(), message)
    }

    fn nowhere(&self, reference: &TemplateRef) -> Diagnostic {
        let nearest = self.snapshot.not_found(reference.as_str());
        let problem = self.error(reference, "which no layer has").with_advice(nearest.hint);
        Diagnostic { nearest: nearest.nearest, ..problem }
    }

    fn blank(&self, found: &Found) -> Diagnostic {
        let what = format!("which is blank in layer {}, {}", found.layer, found.file.path);
        self.error(&found.reference, &what)
            .with_hint("give it a text, or remove the file: the one below holds again")
    }

    /// The error for a partial that is there and that the program does not include.
    fn left_out(&self, found: &Found) -> Diagnostic {
        let entry = self.program.entry();
        let what = format!("which {} does not include", self.named(entry));
        let top = entry.first_line(Span::new(0, entry.text().len()));
        let problem = self.error(&found.reference, &what).at(entry, top);
        let overlays: Vec<String> = self.overlays().map(|file| self.named(file)).collect();
        problem.with_hint(match overlays.as_slice() {
            [] => "include it in the prompt, its archetype or its shell".to_owned(),
            overlays => format!(
                "include it again; these files stand above those of the pack: {}",
                overlays.join(", ")
            ),
        })
    }

    /// The files of the program that do not come from packs.
    fn overlays(&self) -> impl Iterator<Item = &Source> {
        let is_overlay = move |file: &&Source| {
            let reference = TemplateRef::parse(file.name()).ok();
            reference.and_then(|it| self.snapshot.find(&it)).is_some_and(|found| found.tier != Tier::Bundled)
        };
        self.program.files().iter().filter(is_overlay)
    }

    /// A file with its layer and its path there.
    fn named(&self, file: &Source) -> String {
        let found = TemplateRef::parse(file.name()).ok().and_then(|it| self.snapshot.find(&it));
        match found {
            Some(found) => format!("{} in layer {}, {}", file.name(), found.layer, found.file.path),
            None => file.name().to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::trouble::shown;
    use crate::{AgentRow, Catalog, Contract, FileTree, Layer, PersonaCaps, PersonaParts, Playbooks, Roster};

    const CONTRACT: &str = "version: 1\n\
        archetypes: {plain: {shell: agents/_shell.md, required_partials: [partials/tools.md, partials/finish.md]}}\n\
        agents: {a: {archetype: plain}}\n";
    const BUNDLED: [(&str, &str); 5] = [
        ("agents/prompts/a.md", "{% include \"archetypes/plain.md\" %}"),
        (
            "shared/archetypes/plain.md",
            "{% include \"agents/_shell.md\" %}{% include \"partials/finish.md\" %}",
        ),
        ("agents/prompts/_shell.md", "shell {% if never %}{% include \"partials/tools.md\" %}{% endif %}"),
        ("shared/partials/tools.md", "tools"),
        ("shared/partials/finish.md", "finish"),
    ];

    fn persona(contract: &str) -> Persona {
        let row = AgentRow::read(&Source::new("a.yaml", "{id: a, description: d}")).expect("a row");
        let parts = PersonaParts {
            agents: &[row],
            contract: &Contract::read(&Source::new("c.yaml", contract)).expect("a contract"),
            playbooks: &Playbooks::default(),
            units: &[],
            roster: &Roster::default(),
            caps: PersonaCaps::default(),
        };
        Persona::new("a", &parts).expect("a persona")
    }

    #[track_caller]
    fn check_with(contract: &str, overlay: &[(&str, &str)], expect: &[&str]) {
        let bundled = Layer::overlay(Tier::Bundled, "base", &FileTree::of(BUNDLED));
        let overlay = Layer::overlay(Tier::Project, "here", &FileTree::of(overlay.iter().copied()));
        let snapshot = Snapshot::new(vec![overlay], Arc::new(Catalog::new(bundled)), Vec::new());
        let program = snapshot.program("agents/a.md").expect("a program");
        assert_eq!(shown(&persona(contract).missing_partials(&snapshot, &program)), expect);
    }

    #[track_caller]
    fn check(overlay: &[(&str, &str)], expect: &[&str]) {
        check_with(CONTRACT, overlay, expect);
    }

    #[test]
    fn all_that_is_required_is_there() {
        check(&[], &[]);
        check(&[("partials/finish.md", "another finish")], &[]);
    }

    #[test]
    fn a_blank_partial_is_named_with_its_layer() {
        check(
            &[("partials/finish.md", " \n\t\n"), ("shared/partials/tools.md", "")],
            &[
                "partials/tools.md:1:1 archetype `plain` requires partials/tools.md, which is blank in layer here, shared/partials/tools.md (give it a text, or remove the file: the one below holds again)",
                "partials/finish.md:1:1 archetype `plain` requires partials/finish.md, which is blank in layer here, partials/finish.md (give it a text, or remove the file: the one below holds again)",
            ],
        );
    }

    #[test]
    fn a_partial_that_is_left_out_is_told_with_the_overlays() {
        check(
            &[("archetypes/plain.md", "{% include \"agents/_shell\" %}")],
            &[
                "agents/a.md:1:1 archetype `plain` requires partials/finish.md, which agents/a.md in layer base, agents/prompts/a.md does not include \
               (include it again; these files stand above those of the pack: archetypes/plain.md in layer here, archetypes/plain.md)",
            ],
        );
    }

    #[test]
    fn a_partial_that_no_layer_has_is_told_with_the_nearest() {
        check_with(
            &CONTRACT.replace("finish.md", "finis.md"),
            &[],
            &[
                "archetype `plain` requires partials/finis.md, which no layer has (did you mean 'partials/finish.md'?)",
            ],
        );
        check_with(
            &CONTRACT.replace("partials/finish.md", "archetypes/other.md"),
            &[("archetypes/other.md", "text")],
            &[
                "agents/a.md:1:1 archetype `plain` requires archetypes/other.md, which agents/a.md in layer base, agents/prompts/a.md does not include \
               (include it in the prompt, its archetype or its shell)",
            ],
        );
    }
}
