//! A pack as it is shown to people and programs.

use cuebook_layers::{Pack as LayeredPack, RefKind};
use serde_json::{Value as Json, json};

use super::{Content, Pack};
use crate::files::shown;

/// The facts about a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackView {
    /// The pack's name.
    pub name: String,
    /// The pack's version.
    pub version: String,
    /// `prompt` or `node`, as the manifest says it; `template-pack` of a pack of templates, whose manifest says none.
    pub kind: &'static str,
    /// The refs of its templates, or the ids of its agents; of a pack of templates, the names of agents, playbooks and templates.
    pub holds: Vec<String>,
    /// The same for a person to read.
    pub summary: String,
    /// The key that signed it, in base64.
    pub signed_by: Option<String>,
    /// The hash of its files.
    pub integrity: String,
    /// Where it is.
    pub directory: String,
}

impl PackView {
    pub(super) fn of(pack: &Pack) -> Self {
        let (kind, holds) = match &pack.content {
            Content::Prompts(library) => ("prompt", library.entries().map(reference).collect::<Vec<_>>()),
            Content::Agents(agents) => {
                ("node", agents.iter().map(|agent| agent.manifest.agent_id.to_string()).collect())
            }
            Content::Layered(pack) => ("template-pack", names(pack)),
        };
        Self {
            summary: pack.layered().map_or_else(|| holds.join(", "), counts),
            name: pack.name.clone(),
            version: pack.version.to_string(),
            kind,
            holds,
            signed_by: pack.signed_by.map(|key| key.to_string()),
            integrity: pack.integrity.to_string(),
            directory: shown(&pack.directory).to_string(),
        }
    }

    /// The facts as JSON, with the wire's spelling.
    pub fn to_json(&self) -> Json {
        let Self { name, version, kind, holds, signed_by, integrity, directory, summary: _ } = self;
        json!({
            "name": name, "version": version, "kind": kind, "holds": holds,
            "signedBy": signed_by, "integrity": integrity, "directory": directory,
        })
    }
}

/// The names of agents, playbooks and templates.
fn names(pack: &LayeredPack) -> Vec<String> {
    pack.units().chain(pack.templates().cloned()).map(|name| name.to_string()).collect()
}

/// How many agents, playbooks and templates there are.
fn counts(pack: &LayeredPack) -> String {
    let (agents, playbooks): (Vec<_>, Vec<_>) = pack.units().partition(|name| name.kind() == RefKind::Agent);
    let parts =
        [("agent", agents.len()), ("playbook", playbooks.len()), ("template", pack.templates().count())];
    let counted = parts.iter().filter(|(_, count)| *count > 0);
    let words = counted.map(|(what, count)| format!("{count} {what}{}", if *count == 1 { "" } else { "s" }));
    let words: Vec<String> = words.collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}

fn reference(entry: &cuebook_prompt::Entry) -> String {
    format!("prompt:{}@{}", entry.template.template_id, entry.template.version)
}
