//! Agent manifests from files.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use cuebook_prompt::{SharedPin, StaticPlace, pin_intrinsic};
use cuebook_template::{Diagnostic, Source};
use cuebook_wire::{AgentManifest, ErrorCode, Fault, ManifestOrigin};

use crate::agents::LoadedAgent;
use crate::document::Document;
use crate::files::{contained, list, read_text, shown};
use crate::report::Problems;

/// Reads every manifest of `directory`.
pub(crate) fn load(directory: &Path) -> Result<Vec<LoadedAgent>, Problems> {
    let mut problems = Problems::new();
    let files = list(directory, &["json"])?;
    let agents = files.iter().filter_map(|path| problems.collect(load_file(directory, path))).collect();
    problems.or(agents)
}

fn load_file(directory: &Path, path: &Path) -> Result<LoadedAgent, Problems> {
    let document = Document::json(read_text(path)?)?;
    let manifest = AgentManifest::read(document.value(), ManifestOrigin::Local)
        .map_err(|faults| document.problems(faults))?;
    let read = |path: &str| contained(directory, path).map(|file| read_text(&file));
    let intrinsic = read_intrinsic(&manifest, ("", &document), directory, read)?;
    Ok(LoadedAgent { manifest, intrinsic, origin: shown(path).to_string(), pack: None, is_listed: true })
}

/// Fixes a manifest's own prompt. `place` is the pointer to the manifest within its document; `read` gives the text of a
/// file below `root`, if there is one.
pub(crate) fn read_intrinsic(
    manifest: &AgentManifest,
    (pointer, document): (&str, &Document),
    root: &Path,
    read: impl FnOnce(&str) -> Option<Result<Source, Problems>>,
) -> Result<Option<SharedPin>, Problems> {
    let id = &manifest.agent_id;
    if let Some(text) = &manifest.system_prompt {
        let name = format!("{id} systemPrompt");
        return Ok(Some(Arc::new(pin_intrinsic(id, &name, text, StaticPlace::Field))));
    }
    let Some(reference) = &manifest.system_prompt_ref else { return Ok(None) };
    let source = read(reference).ok_or_else(|| {
        let message = format!("'{reference}' is not a file below {}", shown(root));
        let place = format!("{pointer}/systemPromptRef");
        document.problems(vec![Fault::new(place, ErrorCode::AgentManifestInvalid, message)])
    })??;
    Ok(Some(Arc::new(pin_intrinsic(id, reference, source.text(), StaticPlace::File))))
}

/// Reports ids that two manifests claim.
pub(super) fn refuse_doubles(agents: &[LoadedAgent], problems: &mut Problems) {
    let mut seen = BTreeMap::new();
    for agent in agents {
        if let Some(first) = seen.insert(&agent.manifest.agent_id, &agent.origin) {
            let message =
                format!("agent '{}' is in {} and in {first}", agent.manifest.agent_id, agent.origin);
            problems.push(Diagnostic::error(ErrorCode::AgentManifestInvalid.as_str(), message));
        }
    }
}
