//! What the rendered prompt of a persona lacks of what its contract requires.
//!
//! It owns the checks of the final text and their short codes. It refuses to check templates by themselves: what is rendered
//! counts.

use std::fmt;

use cuebook_template::{Diagnostic, nearest};
use cuebook_wire::ErrorCode;

use crate::headings::{Heading, HeadingMatch, headings, missing_headings};
use crate::persona::Persona;

/// Something that a rendered prompt lacks; shown as its short code, such as `missing_heading:## Tools`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A required heading.
    MissingHeading {
        /// The heading, as the contract has it.
        heading: String,
        /// The heading of the text that is most like it, with its level.
        nearest: Option<String>,
    },
    /// A text that must stand in it.
    MissingSubstring(String),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingHeading { heading, .. } => write!(f, "missing_heading:{heading}"),
            Self::MissingSubstring(text) => write!(f, "missing_substring:{text}"),
        }
    }
}

impl Violation {
    /// The error for the prompt of the agent `id`.
    pub fn diagnostic(&self, id: &str) -> Diagnostic {
        match self {
            Self::MissingHeading { heading, nearest } => lacks_heading(id, heading, nearest.as_deref()),
            Self::MissingSubstring(text) => {
                let message = format!("the prompt of {id} does not say `{text}`");
                let hint = "say it letter for letter, or change `must_substrings_rendered` of the contract";
                Diagnostic::error(ErrorCode::PersonaSubstringMissing.as_str(), message).with_hint(hint)
            }
        }
    }
}

fn lacks_heading(id: &str, heading: &str, nearest: Option<&str>) -> Diagnostic {
    let message = format!("the prompt of {id} lacks the heading `{heading}`");
    let problem = Diagnostic::error(ErrorCode::PersonaHeadingMissing.as_str(), message);
    match nearest {
        Some(there) => problem
            .with_nearest(there)
            .with_hint(format!("it has `{there}`; level and words must be the same")),
        None => problem.with_hint("write it on a line of its own, outside code, quotes and lists"),
    }
}

impl Persona {
    /// What `text`, its rendered prompt, lacks: headings first, then texts, in the order of the contract.
    pub fn violations(&self, text: &str) -> Vec<Violation> {
        let missing = missing_headings(text, &self.headings, self.heading_match);
        let there = if missing.is_empty() { Vec::new() } else { headings(text) };
        let headings = missing.into_iter().map(|heading| Violation::MissingHeading {
            heading: heading.trim().to_owned(),
            nearest: self.nearest_heading(heading, &there),
        });
        let unsaid = self.substrings.iter().filter(|wanted| !text.contains(wanted.as_str()));
        headings.chain(unsaid.cloned().map(Violation::MissingSubstring)).collect()
    }

    /// The heading that was probably meant: of the same words, else of like words.
    fn nearest_heading(&self, wanted: &str, there: &[Heading]) -> Option<String> {
        let wanted = Heading::parse(wanted).filter(|_| self.heading_match == HeadingMatch::Markdown)?;
        let text = nearest(&wanted.text, there.iter().map(|heading| heading.text.as_str()));
        let begins = |heading: &&Heading| heading.text.starts_with(&wanted.text);
        let found = there.iter().find(|heading| Some(heading.text.as_str()) == text);
        found.or_else(|| there.iter().find(begins)).map(Heading::written)
    }
}

#[cfg(test)]
mod tests {
    use cuebook_template::Source;

    use super::*;
    use crate::trouble::shown;
    use crate::{AgentRow, Contract, PersonaCaps, PersonaParts, Playbooks, Roster};

    fn persona(how: &str) -> Persona {
        let text = format!(
            "version: 1\nrequired_headings_rendered: ['## Tools', '## Finish']\nheading_match: {how}\n\
             archetypes: {{plain: {{shell: agents/_shell.md}}}}\n\
             agents: {{a: {{archetype: plain, must_substrings_rendered: [plain words, end]}}}}\n"
        );
        let row = AgentRow::read(&Source::new("a.yaml", "{id: a, description: d}")).expect("a row");
        let parts = PersonaParts {
            agents: &[row],
            contract: &Contract::read(&Source::new("c.yaml", text)).expect("a contract"),
            playbooks: &Playbooks::default(),
            units: &[],
            roster: &Roster::default(),
            caps: PersonaCaps::default(),
        };
        Persona::new("a", &parts).expect("a persona")
    }

    #[track_caller]
    fn check(how: &str, text: &str, codes: &[&str]) {
        let found = persona(how).violations(text);
        assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), codes, "{text:?}");
    }

    #[test]
    fn all_that_is_missing_is_told() {
        check("markdown", "## Tools\nplain words\n## Finish\nend", &[]);
        check(
            "markdown",
            "```\n## Tools\n```\n## Finishing\n",
            &[
                "missing_heading:## Tools",
                "missing_heading:## Finish",
                "missing_substring:plain words",
                "missing_substring:end",
            ],
        );
        check("contains", "```\n## Tools\n```\n## Finishing\nplain words end", &[]);
        check("contains", "## Finish plain words end", &["missing_heading:## Tools"]);
    }

    #[test]
    fn errors_name_what_is_there_instead() {
        let found = persona("markdown").violations("### Tools\n\n## Finish (soon)\n\nplain words");
        assert_eq!(
            shown(&found.iter().map(|violation| violation.diagnostic("a")).collect::<Vec<_>>()),
            [
                "the prompt of a lacks the heading `## Tools` (it has `### Tools`; level and words must be the same)",
                "the prompt of a lacks the heading `## Finish` (it has `## Finish (soon)`; level and words must be the same)",
                "the prompt of a does not say `end` (say it letter for letter, or change `must_substrings_rendered` of the contract)",
            ]
        );
    }
}
