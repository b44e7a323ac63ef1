//! Owns the manifests of packs, `pack.json`: packs of prompts (RFC 0028 §B) and packs of nodes, of which only the agents are of
//! interest here (RFC 0003). Refuses two templates of one id and version in a pack; the files beside a manifest are not
//! looked at.

use std::collections::{BTreeMap, HashSet};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::ErrorCode;
use crate::manifest::AgentManifest;
use crate::names::wire_enum;
use crate::range::VersionRange;
use crate::strict::{Document, Fault};
use crate::template::PromptTemplate;
use crate::version::Version;

/// The name of the manifest at the root of a pack.
pub const PACK_FILE: &str = "pack.json";

/// The published pattern of pack names: a tier and at least two more segments.
pub const PACK_NAME_PATTERN: &str =
    r"^(core|vendor|community|private)\.[a-z][a-z0-9_-]*(\.[a-z][a-zA-Z0-9_-]*)+$";

const PACK_NAME_FORM: &str = "a pack's name: core, vendor, community or private, then at least two more parts, as in \
    `vendor.acme.phrases`";

wire_enum! {
    /// How a pack was signed.
    pub enum SigningMethod {
        /// Ed25519, with key and signature as files of the pack.
        Manual = "manual",
        /// A Sigstore bundle.
        Sigstore = "sigstore",
    }
}

wire_enum! {
    /// The marker of a pack of prompts.
    pub enum PromptPackKind {
        /// A pack of prompts.
        Prompt = "prompt",
    }
}

/// Who vouches for a pack's manifest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct PackSigning {
    /// The Ed25519 public key, PEM-encoded, as a file within the pack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_key_ref: Option<String>,
    /// The detached signature over `pack.json`, as a file within the pack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature_ref: Option<String>,
    /// The method; `manual` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<SigningMethod>,
}

/// What a pack asks of the host that takes it; keys besides `openwop` are read over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PackEngines {
    /// The versions of the protocol that the pack works with.
    pub openwop: VersionRange,
}

/// The manifest of a pack of prompts (RFC 0028 §B).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct PromptPackManifest {
    /// The pack's name, which is also the id of its library.
    #[schemars(regex(pattern = PACK_NAME_PATTERN), length(min = 1, max = 256), extend("x-form" = PACK_NAME_FORM))]
    pub name: String,
    /// The pack's version.
    pub version: Version,
    /// Always `prompt`.
    pub kind: PromptPackKind,
    /// What the pack is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub description: Option<String>,
    /// Who made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Its licence, as an SPDX identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// Its page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
    /// Where its sources are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// Words to find it by, at most 50 of at most 64 characters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 50), inner(length(max = 64)))]
    pub keywords: Vec<String>,
    /// What it asks of the host.
    pub engines: PackEngines,
    /// The packs it needs, each with the versions that will do.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dependencies: BTreeMap<String, VersionRange>,
    /// Its templates, at least one.
    #[schemars(length(min = 1))]
    pub prompts: Vec<PromptTemplate>,
    /// Who vouches for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signing: Option<PackSigning>,
}

impl Document for PromptPackManifest {
    const CODE: ErrorCode = ErrorCode::PromptTemplateInvalid;

    fn rules(&self) -> Vec<Fault> {
        let mut seen = HashSet::new();
        let mut faults = Vec::new();
        for (at, template) in self.prompts.iter().enumerate() {
            let place = format!("/prompts/{at}");
            if !seen.insert((&template.template_id, &template.version)) {
                let message = format!("`{}@{}` is in the pack twice", template.template_id, template.version);
                faults.push(Fault::new(format!("{place}/version"), Self::CODE, message));
            }
            faults.extend(template.rules().into_iter().map(|fault| fault.below(&place)));
        }
        faults
    }
}

/// The manifest of a pack of nodes, of which only the agents are of interest here; other members are read over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentPackManifest {
    /// The pack's name.
    #[schemars(regex(pattern = PACK_NAME_PATTERN), length(min = 1, max = 256), extend("x-form" = PACK_NAME_FORM))]
    pub name: String,
    /// The pack's version.
    pub version: Version,
    /// What it asks of the host.
    pub engines: PackEngines,
    /// The packs it needs, each with the versions that will do.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dependencies: BTreeMap<String, VersionRange>,
    /// The agents it ships; a `role`, which later packs state and the published manifest lacks, is read over.
    #[serde(default)]
    #[schemars(schema_with = "pack_agents")]
    pub agents: Vec<AgentManifest>,
    /// Who vouches for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signing: Option<PackSigning>,
}

impl Document for AgentPackManifest {
    const CODE: ErrorCode = ErrorCode::AgentManifestInvalid;
}

/// Manifests as published, with `role` allowed.
fn pack_agents(generator: &mut SchemaGenerator) -> Schema {
    let mut manifest = AgentManifest::json_schema(generator);
    if let Some(Value::Object(properties)) = manifest.get_mut("properties") {
        properties.insert("role".to_owned(), json!({ "type": "string" }));
    }
    json_schema!({ "type": "array", "items": manifest })
}
