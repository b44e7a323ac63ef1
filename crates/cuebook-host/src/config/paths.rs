//! `[paths]`: where the files of the project are.

use std::path::Path;

use cuebook_wire::{ErrorCode, Fault};
use schemars::JsonSchema;
use serde::Deserialize;

/// `[paths]`: directories relative to the file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PathsConfig {
    /// Workflow definitions, `*.json`.
    pub workflows: Vec<String>,
    /// Agent manifests, `*.json`.
    pub agents: Vec<String>,
    /// Prompt templates, `*.md` with front matter or `*.json`.
    pub prompts: Vec<String>,
    /// Packs, one directory each with a `pack.json`.
    pub packs: Vec<String>,
}

impl Default for PathsConfig {
    fn default() -> Self {
        let one = |name: &str| vec![name.to_owned()];
        Self {
            workflows: one("workflows"),
            agents: one("agents"),
            prompts: one("prompts"),
            packs: one("packs"),
        }
    }
}

impl PathsConfig {
    /// The same paths beside a project file: the default directory of prompts holds the project's plain files, no templates.
    pub(crate) fn beside_project_file(self) -> Self {
        let is_default = self.prompts == Self::default().prompts;
        if is_default { Self { prompts: Vec::new(), ..self } } else { self }
    }

    /// The directories that are named and are not there below `root`; the default ones may be missing.
    pub(crate) fn missing(&self, root: &Path) -> Vec<Fault> {
        let default = Self::default();
        let lists = [
            ("workflows", &self.workflows, default.workflows),
            ("agents", &self.agents, default.agents),
            ("prompts", &self.prompts, default.prompts),
            ("packs", &self.packs, default.packs),
        ];
        let named = lists.into_iter().filter(|(_, own, default)| *own != default);
        named.flat_map(|(key, own, _)| missing_of(key, own, root)).collect()
    }
}

fn missing_of(key: &str, paths: &[String], root: &Path) -> Vec<Fault> {
    let missing = paths.iter().enumerate().filter(|(_, path)| !root.join(path).is_dir());
    let fault = |(at, path): (usize, &String)| {
        let message = format!("there is no directory '{path}' beside the configuration");
        Fault::new(format!("/paths/{key}/{at}"), ErrorCode::ConfigInvalid, message)
    };
    missing.map(fault).collect()
}
