//! The contract of personas: the headings that every prompt has, the archetypes, and what is particular to each agent.
//!
//! It owns the file `agents/prompts/_persona-contract.yaml` and how those of several packs become one. It refuses two
//! packs that say the same thing.

use cuebook_template::{Diagnostic, Source};
use cuebook_wire::{Document, ErrorCode, Fault};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::contract_merge::Merge;
use crate::headings::{Heading, HeadingMatch};
use crate::reference::TemplateRef;
use crate::words::{NAME, NAME_FORM, named};

/// What the prompts of agents must have, and what is particular to each.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, title = "PersonaContract")]
pub struct Contract {
    /// The version of the contract, from 1 on, and the same in all packs.
    #[schemars(range(min = 1))]
    pub version: u32,
    /// The headings of every rendered prompt, as in `## Tools`; one pack says them.
    #[serde(default)]
    #[schemars(inner(length(min = 1)), extend("uniqueItems" = true))]
    pub required_headings_rendered: Vec<String>,
    /// How headings are looked for.
    #[serde(default)]
    pub heading_match: HeadingMatch,
    /// The archetypes by name.
    #[serde(default)]
    #[schemars(schema_with = "named::<Archetype>")]
    pub archetypes: IndexMap<String, Archetype>,
    /// The agents by id.
    #[serde(default)]
    #[schemars(schema_with = "named::<AgentContract>")]
    pub agents: IndexMap<String, AgentContract>,
}

/// A frame that agents of one sort share.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Archetype {
    /// The template around all of it.
    pub shell: TemplateRef,
    /// The partials that the prompt of each of its agents includes.
    #[serde(default)]
    #[schemars(extend("uniqueItems" = true))]
    pub required_partials: Vec<TemplateRef>,
}

/// What is particular to one agent.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AgentContract {
    /// The name of its archetype.
    #[schemars(regex(pattern = NAME), extend("x-form" = NAME_FORM))]
    pub archetype: String,
    /// Whether it only advises.
    #[serde(default)]
    pub advisory: bool,
    /// The playbooks that it follows, by id.
    #[serde(default)]
    #[schemars(inner(length(min = 1)), extend("uniqueItems" = true))]
    pub playbook_ids: Vec<String>,
    /// What its rendered prompt says somewhere, letter for letter.
    #[serde(default)]
    #[schemars(inner(length(min = 1)), extend("uniqueItems" = true))]
    pub must_substrings_rendered: Vec<String>,
    /// The facts that its templates read.
    #[serde(default)]
    pub delta: Delta,
}

/// What tells an agent from others of its archetype.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Delta {
    /// Its role in a few words.
    pub role_title: Option<String>,
    /// What it attends to.
    pub focus: Option<String>,
    /// Its steps, in order.
    #[serde(default)]
    #[schemars(inner(length(min = 1)))]
    pub process: Vec<String>,
}

impl Contract {
    /// Reads the contract of one pack.
    ///
    /// # Errors
    ///
    /// `persona_contract_invalid` for everything that is wrong with it, each with its place.
    pub fn read(source: &Source) -> Result<Self, Vec<Diagnostic>> {
        cuebook_yaml::read(source).map(|(contract, _)| contract)
    }

    /// The one contract of several packs, each by its id and with the file that it was read from.
    ///
    /// # Errors
    ///
    /// `persona_contract_invalid` for every version that differs from the first pack's, every second list of headings, every
    /// archetype and agent that two packs have, and every agent whose archetype none has.
    pub fn merge(parts: Vec<(String, Self, Source)>) -> Result<Self, Vec<Diagnostic>> {
        let mut merge = Merge::default();
        for (pack, contract, source) in parts {
            merge.take(pack, contract, source);
        }
        merge.finish()
    }
}

impl Document for Contract {
    const CODE: ErrorCode = ErrorCode::PersonaContractInvalid;

    fn rules(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if self.heading_match != HeadingMatch::Markdown && self.required_headings_rendered.is_empty() {
            let message = "`heading_match` says how headings are looked for, and none are required here";
            faults.push(
                Fault::new("/heading_match", Self::CODE, message)
                    .hint("the pack that requires headings says how"),
            );
        }
        if self.heading_match == HeadingMatch::Markdown {
            let headings = self.required_headings_rendered.iter().enumerate();
            faults.extend(headings.filter_map(|(at, heading)| no_heading(at, heading)));
        }
        faults
    }
}

/// The fault of a required heading that is no Markdown heading.
fn no_heading(at: usize, heading: &str) -> Option<Fault> {
    if Heading::parse(heading).is_some() {
        return None;
    }
    let words = heading.trim().trim_start_matches('#').trim();
    let nearest = Some(format!("## {words}")).filter(|written| Heading::parse(written).is_some());
    let fault = Fault::new(
        format!("/required_headings_rendered/{at}"),
        Contract::CODE,
        "this is no Markdown heading",
    );
    Some(fault.hint("write number signs, a space and the words").nearest(nearest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trouble::shown;

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let read = Contract::read(&Source::new("c.yaml", text));
        assert_eq!(shown(&read.err().unwrap_or_default()), expect, "{text}");
    }

    #[test]
    fn a_contract_is_read_whole() {
        let text = "version: 2\nrequired_headings_rendered: ['## Tools', '## Finish']\n\
            archetypes:\n  plain:\n    shell: agents/_shell\n    required_partials: [shared/partials/finish.md]\n\
            agents:\n  writer:\n    archetype: plain\n    advisory: true\n    playbook_ids: [prose]\n\
            \x20   must_substrings_rendered: [plain words]\n    delta: {role_title: Writer, focus: Prose, process: [Read, Write]}\n";
        let contract = Contract::read(&Source::new("c.yaml", text)).expect("a contract");
        assert_eq!(contract.archetypes["plain"].shell.as_str(), "agents/_shell.md");
        assert_eq!(contract.archetypes["plain"].required_partials[0].as_str(), "partials/finish.md");
        let writer = &contract.agents["writer"];
        assert!(writer.advisory);
        assert_eq!(
            (&*writer.playbook_ids, &*writer.delta.process),
            (&["prose".to_owned()][..], &["Read".to_owned(), "Write".to_owned()][..])
        );
        assert_eq!(contract.heading_match, HeadingMatch::Markdown);
    }

    #[test]
    fn every_fault_has_its_place() {
        check("version: 0\n", &["c.yaml:1:10 expected at least 1, found 0 (at /version)"]);
        check(
            "version: 1\nheading_match: contain\n",
            &[
                "c.yaml:2:16 `contain` is not one of markdown, contains (at /heading_match) (did you mean 'contains'?)",
            ],
        );
        check(
            "version: 1\nheading_match: contains\n",
            &[
                "c.yaml:2:16 `heading_match` says how headings are looked for, and none are required here (at /heading_match) (the pack that requires headings says how)",
            ],
        );
        check(
            "version: 1\nrequired_headings_rendered: [Tools, '##', '## Tools']\n",
            &[
                "c.yaml:2:30 this is no Markdown heading (at /required_headings_rendered/0) (did you mean '## Tools'?)",
                "c.yaml:2:37 this is no Markdown heading (at /required_headings_rendered/1) (write number signs, a space and the words)",
            ],
        );
        check(
            "version: 1\nagents:\n  writer: {archetyp: plain}\narchetypes:\n  plain: {shell: ../x.md}\n",
            &[
                "c.yaml:3:3 `archetype` is missing (at /agents/writer) (The name of its archetype)",
                "c.yaml:3:12 unknown key `archetyp` (at /agents/writer/archetyp) (did you mean 'archetype'?)",
                "c.yaml:5:18 `../x.md` is not a template's name: a prefix and a path, as in partials/tone.md, no slash first, no `..` (at /archetypes/plain/shell)",
            ],
        );
    }
}
