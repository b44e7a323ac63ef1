//! The agents of a pack: who can be sent to work.
//!
//! It owns the files `agents/<id>.yaml`. It refuses to grant: the tools that a row names are those an agent may be offered,
//! and which of them are there is the host's.

use cuebook_template::{Diagnostic, Source};
use cuebook_wire::{Document, ErrorCode, ModelClass};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::reference::TemplateRef;
use crate::words::{Host, Mode, NAME, NAME_FORM};

/// One agent of a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentRow {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: Option<String>,
    /// One line about it.
    pub description: String,
    /// Its prompt; `agents/<id>.md` unless the row says.
    pub template: TemplateRef,
    /// The tools it may be offered, by name.
    pub tools: Vec<String>,
    /// The class of model it asks for.
    pub model_class: Option<ModelClass>,
    /// The playbooks it follows besides those of the contract, by id.
    pub playbooks: Vec<String>,
    /// Whether it leads or does a part.
    pub host: Host,
    /// The mode it works in, when it is always the same.
    pub mode: Option<Mode>,
}

/// The row as it is written.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, title = "AgentRow")]
struct Written {
    /// The agent's id.
    #[schemars(regex(pattern = NAME), extend("x-form" = NAME_FORM))]
    id: String,
    /// What people call it.
    #[schemars(length(min = 1, max = 80))]
    name: Option<String>,
    /// One line about it.
    #[schemars(length(min = 1, max = 280))]
    description: String,
    /// Its prompt.
    template: Option<TemplateRef>,
    /// The tools it may be offered, by name.
    #[serde(default)]
    #[schemars(inner(length(min = 1)), extend("uniqueItems" = true))]
    tools: Vec<String>,
    /// The class of model it asks for.
    model_class: Option<ModelClass>,
    /// The playbooks it follows, by id.
    #[serde(default)]
    #[schemars(inner(length(min = 1)), extend("uniqueItems" = true))]
    playbooks: Vec<String>,
    /// Whether it leads or does a part.
    host: Option<Host>,
    /// The mode it works in.
    mode: Option<Mode>,
}

impl Document for Written {
    const CODE: ErrorCode = ErrorCode::AgentRowInvalid;
}

impl AgentRow {
    /// Reads the row of one agent.
    ///
    /// # Errors
    ///
    /// `agent_row_invalid` for everything that is wrong with it, each with its place.
    pub fn read(source: &Source) -> Result<Self, Vec<Diagnostic>> {
        let (written, tree) = cuebook_yaml::read::<Written>(source)?;
        let own = format!("agents/{}.md", written.id);
        let template = written.template.clone().map_or_else(|| TemplateRef::parse(&own), Ok);
        let template = template.map_err(|bad| {
            let place = tree.locate("/id");
            vec![Diagnostic::error(Written::CODE.as_str(), bad.to_string()).at(&place.source, place.span)]
        })?;
        Ok(Self::of(written, template))
    }

    fn of(written: Written, template: TemplateRef) -> Self {
        let Written { id, name, description, tools, model_class, playbooks, host, mode, .. } = written;
        let host = host.unwrap_or(Host::Worker);
        Self { id, name, description, template, tools, model_class, playbooks, host, mode }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trouble::shown;

    fn read(text: &str) -> Result<AgentRow, Vec<Diagnostic>> {
        AgentRow::read(&Source::new("a.yaml", text))
    }

    #[test]
    fn what_is_left_out_has_its_value() {
        let row = read("id: writer\ndescription: Writes.\n").expect("a row");
        assert_eq!((row.template.as_str(), row.host, row.mode), ("agents/writer.md", Host::Worker, None));
        assert!(row.tools.is_empty() && row.playbooks.is_empty() && row.model_class.is_none());
    }

    #[test]
    fn a_row_is_read_whole() {
        let text = "id: lead\nname: Lead\ndescription: Leads.\ntemplate: agents/prompts/core\ntools: [read, task]\n\
            model_class: reasoning\nplaybooks: [lead]\nhost: coordinator\nmode: orchestrate\n";
        let row = read(text).expect("a row");
        assert_eq!((row.template.as_str(), row.model_class), ("agents/core.md", Some(ModelClass::Reasoning)));
        assert_eq!((row.host, row.mode), (Host::Coordinator, Some(Mode::Orchestrate)));
        assert_eq!(
            (&*row.tools, &*row.playbooks),
            (&["read".to_owned(), "task".to_owned()][..], &["lead".to_owned()][..])
        );
    }

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        assert_eq!(shown(&read(text).err().unwrap_or_default()), expect, "{text}");
    }

    #[test]
    fn every_fault_has_its_place() {
        check("id: a\n", &["a.yaml:1:1 `description` is missing (One line about it)"]);
        check(
            "id: a/b\ndescription: d\nhost: workers\ntools: [read, read]\ntool: []\n",
            &[
                "a.yaml:3:7 `workers` is not one of coordinator, worker (at /host) (did you mean 'worker'?)",
                "a.yaml:1:5 `a/b` is not a name: letters, digits, `_` and `-`, at most 64, a letter or digit first (at /id)",
                "a.yaml:5:1 unknown key `tool` (at /tool) (did you mean 'tools'?)",
                "a.yaml:4:1 the same entry is there twice (at /tools)",
            ],
        );
    }
}
