//! A library as a pack of prompts, held to what a pack must be before anything is written.

use cuebook_template::{Diagnostic, Source};
use cuebook_wire::{ErrorCode, PromptTemplate, Version};
use serde_json::{Value as Json, json};

use super::form::authored;
use crate::document::Document;
use crate::packs::check_manifest;
use crate::report::Problems;

/// What a pack is called: `<name>@<version>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackName {
    name: String,
    version: Version,
}

impl PackName {
    /// Reads `<name>@<version>`; whether the name is one for packs is found when the manifest is checked.
    ///
    /// # Errors
    ///
    /// What it must look like.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = || "write NAME@VERSION, as in vendor.acme.phrases@1.0.0".to_owned();
        let (name, version) = text.split_once('@').ok_or_else(expected)?;
        let version = Version::parse(version).map_err(|_| expected())?;
        Ok(Self { name: name.to_owned(), version })
    }
}

/// The `pack.json` of a pack that holds `templates`.
///
/// # Errors
///
/// Everything that keeps it from being a pack, with places in the manifest: a name that no pack may have, no templates at
/// all, placeholders that nothing fills.
pub fn pack_document(pack: &PackName, templates: &[PromptTemplate]) -> Result<String, Problems> {
    if templates.is_empty() {
        let problem =
            Diagnostic::error(ErrorCode::PackInvalid.as_str(), "a pack holds at least one template");
        return Err(problem.with_hint("name the refs to be exported, or another library").into());
    }
    let prompts: Vec<Json> = templates.iter().map(|template| json!(authored(template))).collect();
    let manifest = json!({
        "name": pack.name, "version": pack.version, "kind": "prompt",
        "engines": { "openwop": ">=1.0.0 <2.0.0" }, "prompts": prompts,
    });
    let text = format!("{manifest:#}\n");
    check_manifest(&Document::json(Source::new("pack.json", text.as_str()))?)?;
    Ok(text)
}
