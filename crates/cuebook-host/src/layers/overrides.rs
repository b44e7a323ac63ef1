//! Which file wins a name, what lies under it, and how overrides stand to what they cover.

use cuebook_layers::{Locks, OverrideStatus, Own, Snapshot, TemplateRef, Tier, missing_owned, status};
use cuebook_prompt::ContentHash;
use cuebook_template::{Diagnostic, Severity, Source};
use cuebook_wire::ErrorCode;
use serde::Serialize;
use similar::TextDiff;

use crate::host::Host;
use crate::report::Problems;

/// A file that a name stands for in one layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LayerFact {
    /// The name in its one form.
    pub reference: String,
    /// The rank of the layer.
    pub tier: Tier,
    /// What the layer is called.
    pub layer: String,
    /// The file below the root of its layer.
    pub path: String,
    /// The hash of its bytes; none when it cannot be had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<ContentHash>,
    /// Why it cannot be had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// How the overrides of a project stand.
#[derive(Clone, Debug)]
pub struct LayersStatus {
    /// Each file of each overlay.
    pub overrides: Vec<OverrideStatus>,
    /// What is wrong: held paths without a file, files that cannot be had, refused overlays.
    pub findings: Problems,
    /// The hash of everything that a render may draw on.
    pub revision: ContentHash,
}

impl Host {
    /// The files of a name in all layers, the one that wins first.
    ///
    /// # Errors
    ///
    /// `template_not_found` with the nearest name.
    pub fn which(&self, name: &str) -> Result<Vec<LayerFact>, Problems> {
        let snapshot = self.layered.layers().snapshot();
        let reference = find(&snapshot, name)?;
        Ok(snapshot.stack(&reference).map(|found| LayerFact::of(&found)).collect())
    }

    /// The lines in which the file that wins a name differs from the bundled one; none when they are the same.
    ///
    /// # Errors
    ///
    /// `template_not_found` when no layer has the name or no pack does; `template_unreadable` for a file that cannot be had.
    pub fn diff_layers(&self, name: &str) -> Result<Option<String>, Problems> {
        let snapshot = self.layered.layers().snapshot();
        let reference = find(&snapshot, name)?;
        let bundled = snapshot.stack(&reference).find(|found| found.tier == Tier::Bundled);
        let (Some(winner), Some(bundled)) = (snapshot.find(&reference), bundled) else {
            let message = format!("no pack brings {reference}: there is nothing to compare with");
            return Err(Diagnostic::error(ErrorCode::TemplateNotFound.as_str(), message).into());
        };
        let text = |found: &cuebook_layers::Found| {
            found.source().cloned().map_err(|problem| Problems::from(*problem))
        };
        let (old, new) = (text(&bundled)?, text(&winner)?);
        Ok(unified(&old, &bundled.layer, &new, &winner.layer))
    }

    /// How each override stands; with `recorded`, the bundled bytes below overrides without a record, and below those named,
    /// are recorded first, in the record of each project.
    ///
    /// # Errors
    ///
    /// When the record of a project cannot be read or written, or a name is none.
    pub fn layers_status(&self, recorded: Option<&[String]>) -> Result<LayersStatus, Problems> {
        let snapshot = self.layered.layers().snapshot();
        let mut locks = Locks::load(self.overlay_roots.iter().cloned()).map_err(Problems::from_iter)?;
        if let Some(names) = recorded {
            let names: Result<Vec<TemplateRef>, Problems> =
                names.iter().map(|name| find(&snapshot, name)).collect();
            locks.record(&snapshot, &names?);
            locks.save().map_err(|(directory, error)| unwritten(directory, &error))?;
        }
        let owns = self.owned();
        let overrides = status(&snapshot, &locks, &owns);
        let mut findings: Problems = self.layer_remarks(&snapshot).into_iter().collect();
        findings.extend(overrides.iter().filter_map(faulty));
        Ok(LayersStatus { overrides, findings, revision: snapshot.revision().clone() })
    }

    /// What is wrong with the layers as a whole: packs that contribute nothing, held paths without a file, overlays that cannot
    /// be read or that take no part.
    pub(crate) fn layer_remarks(&self, snapshot: &Snapshot) -> Vec<Diagnostic> {
        let of_packs = self.layer_findings.iter().cloned();
        let closed = snapshot.layers().filter_map(closed);
        let refused = snapshot.refused().iter().map(refused);
        of_packs.chain(missing_owned(&self.owned(), snapshot)).chain(closed).chain(refused).collect()
    }

    /// The same as warnings, for those who asked for something else.
    pub fn layer_warnings(&self) -> Problems {
        let remarks = self.layer_remarks(&self.layered.layers().snapshot()).into_iter();
        remarks
            .map(|remark| {
                let severity = remark.severity.min(Severity::Warning);
                remark.with_severity(severity)
            })
            .collect()
    }

    /// What the projects and the configuration hold at their own bytes.
    fn owned(&self) -> Vec<Own> {
        let projects = self.projects.projects();
        let of_projects = projects.iter().flat_map(|project| project.owns().to_vec());
        let all = of_projects.chain(self.config.layers.owns.iter().cloned());
        all.filter_map(|own| Own::parse(&own).ok()).collect()
    }
}

impl LayerFact {
    fn of(found: &cuebook_layers::Found) -> Self {
        Self {
            reference: found.reference.to_string(),
            tier: found.tier,
            layer: found.layer.to_string(),
            path: found.file.path.clone(),
            hash: found.file.hash(),
            fault: found.file.source.as_ref().err().map(ToString::to_string),
        }
    }
}

fn find(snapshot: &Snapshot, name: &str) -> Result<TemplateRef, Problems> {
    let found = snapshot.resolve(name).ok().flatten();
    found.map(|found| found.reference).ok_or_else(|| snapshot.not_found(name).into())
}

fn unified(old: &Source, old_layer: &str, new: &Source, new_layer: &str) -> Option<String> {
    if old.text() == new.text() {
        return None;
    }
    let diff = TextDiff::from_lines(&**old.text(), &**new.text());
    let names = (format!("{} ({old_layer})", old.name()), format!("{} ({new_layer})", new.name()));
    Some(diff.unified_diff().header(&names.0, &names.1).to_string())
}

fn faulty(file: &OverrideStatus) -> Option<Diagnostic> {
    let fault = file.fault.as_ref()?;
    let message =
        format!("{} cannot be had: in layer {}, {}: {fault}", file.reference, file.layer, file.path);
    let problem = Diagnostic::error(ErrorCode::TemplateUnreadable.as_str(), message);
    Some(problem.with_hint("mend or remove the file: a layer that has a name is never passed over"))
}

/// The error of an overlay that cannot be read at all.
fn closed(layer: &cuebook_layers::Layer) -> Option<Diagnostic> {
    let (_, fault) = layer.blocked().find(|(path, _)| path.is_empty())?;
    let message = format!("{} cannot be read: {fault}", layer.label);
    let problem = Diagnostic::error(ErrorCode::TemplateUnreadable.as_str(), message);
    Some(problem.with_hint("mend or remove it: a layer that is there is never passed over"))
}

fn refused(layer: &cuebook_layers::Layer) -> Diagnostic {
    let files = layer.files().count();
    let message =
        format!("{} takes no part: the host does not trust its project ({files} files)", layer.label);
    let problem = Diagnostic::warning(ErrorCode::LayerRefused.as_str(), message);
    problem.with_hint("trust it under [projects] of the host's configuration, or leave the bundled files")
}

fn unwritten(directory: &std::path::Path, error: &std::io::Error) -> Problems {
    let message = format!("the record of {} cannot be written: {error}", directory.display());
    Diagnostic::error(ErrorCode::FileUnreadable.as_str(), message).into()
}
