//! A pack as it is shown to people and programs.

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
    /// `prompt` or `node`, as the manifest says it.
    pub kind: &'static str,
    /// The refs of its templates, or the ids of its agents.
    pub holds: Vec<String>,
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
            Content::Prompts(library) => ("prompt", library.entries().map(reference).collect()),
            Content::Agents(agents) => {
                ("node", agents.iter().map(|agent| agent.manifest.agent_id.to_string()).collect())
            }
        };
        Self {
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
        let Self { name, version, kind, holds, signed_by, integrity, directory } = self;
        json!({
            "name": name, "version": version, "kind": kind, "holds": holds,
            "signedBy": signed_by, "integrity": integrity, "directory": directory,
        })
    }
}

fn reference(entry: &cuebook_prompt::Entry) -> String {
    format!("prompt:{}@{}", entry.template.template_id, entry.template.version)
}
