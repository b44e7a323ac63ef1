//! What the files of a pack are, by their paths.
//!
//! It owns the layout of packs. It refuses to look into files.

use super::manifest::MANIFEST_FILE;
use crate::budget::BUDGET_FILE;

/// The path of the contract of a pack's personas.
pub const CONTRACT_FILE: &str = "agents/prompts/_persona-contract.yaml";

/// The folders whose files are templates.
const TEMPLATES: [&str; 5] =
    ["agents/prompts/", "shared/archetypes/", "shared/partials/", "shared/units/", "guidance/"];

/// What a file of a pack is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The manifest.
    Manifest,
    /// The contract of personas.
    Contract,
    /// The budgets.
    Budgets,
    /// An agent.
    Agent,
    /// A playbook.
    Playbook,
    /// A template.
    Template,
    /// A file for people, or one that tools left behind.
    Beside,
    /// A file that has no meaning here.
    Other,
}

impl Place {
    /// What the file at `path` is.
    pub(super) fn of(path: &str) -> Self {
        match path {
            MANIFEST_FILE => Self::Manifest,
            CONTRACT_FILE => Self::Contract,
            BUDGET_FILE => Self::Budgets,
            _ if !path.contains('/') || path.split('/').any(|step| step.starts_with('.')) => Self::Beside,
            _ if is_document(path, "agents/") => Self::Agent,
            _ if is_document(path, "playbooks/") => Self::Playbook,
            _ if TEMPLATES.iter().any(|folder| path.starts_with(folder)) => Self::Template,
            _ => Self::Other,
        }
    }
}

/// The folder that a note names: the first two steps of `host`, else the first.
pub(super) fn folder(path: &str) -> &str {
    let steps = if path.starts_with("host/") || path.starts_with("shared/") { 2 } else { 1 };
    let end = path.match_indices('/').map(|(at, _)| at).nth(steps - 1);
    end.or_else(|| path.rfind('/')).map_or(path, |end| &path[..end])
}

/// Whether `path` is a YAML file in `folder` itself.
fn is_document(path: &str, folder: &str) -> bool {
    let stem = path.strip_prefix(folder).and_then(|rest| rest.strip_suffix(".yaml"));
    stem.is_some_and(|stem| !stem.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_say_what_files_are() {
        for (path, expect) in [
            ("extension.yaml", Place::Manifest),
            ("agents/prompts/_persona-contract.yaml", Place::Contract),
            ("host/prompt-budgets.yaml", Place::Budgets),
            ("agents/writer.yaml", Place::Agent),
            ("agents/more/writer.yaml", Place::Other),
            ("agents/writer.md", Place::Other),
            ("agents/prompts/writer.md", Place::Template),
            ("playbooks/review.yaml", Place::Playbook),
            ("shared/partials/deep/x.md", Place::Template),
            ("shared/other/x.md", Place::Other),
            ("guidance/reject/_reject.md", Place::Template),
            ("guidance/.keep", Place::Beside),
            ("README.md", Place::Beside),
            ("host/anchors/catalog.yaml", Place::Other),
        ] {
            assert_eq!(Place::of(path), expect, "{path}");
        }
    }

    #[test]
    fn notes_name_folders() {
        for (path, expect) in [
            ("host/anchors/a.yaml", "host/anchors"),
            ("host/a.yaml", "host"),
            ("workflows/a/workflow.yaml", "workflows"),
            ("agents/a.md", "agents"),
        ] {
            assert_eq!(folder(path), expect, "{path}");
        }
    }
}
