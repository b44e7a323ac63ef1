//! `extension.yaml`: who a pack is, and what it needs.
//!
//! It owns the shape of that file and whether this host is one that the pack is made for. It refuses unknown keys, except of
//! a pack for another extension API, about which nothing else is said.

use std::collections::BTreeMap;

use cuebook_template::{Diagnostic, Source};
use cuebook_wire::strict::{Document, Fault};
use cuebook_wire::{ErrorCode, PackSigning, Version, VersionRange};
use cuebook_yaml::Node;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::id::{FORM, PATTERN, PackId};
use crate::words::words;

/// The name of the manifest at the root of a pack.
pub const MANIFEST_FILE: &str = "extension.yaml";

/// The version of the contract between packs and this host.
pub const EXTENSION_API: Version = Version::new(1, 1, 0);

const API_POINTER: &str = "/compatibility/extension_api";
const RANGE: &str =
    r"^\s*(?:(?:\^|~|>=|<=|>|<|=)?\s*[0-9xX*][0-9A-Za-z.+*-]*(?:\s*,\s*|\s*\|\|\s*|\s+-\s+|\s+|\s*$))+$";
const RANGE_FORM: &str = "a range of versions, as in `^1.0.0`, `~1.2` or `>=1.0, <2`";

words! {
    /// What a pack may ask of its host.
    pub enum Capability {
        /// Agents.
        Agents = "agents",
        /// Approvals.
        Approvals = "approvals",
        /// Guidance at moments of a run.
        Guidance = "guidance",
        /// Binding rules of the host.
        HostBindings = "host.bindings",
        /// Notices to users.
        HostUserNotices = "host.user_notices",
        /// Places for credentials.
        HostCredentialSlots = "host.credential_slots",
        /// Bindings of MCP servers.
        McpBindings = "mcp.bindings",
        /// Playbooks.
        Playbooks = "playbooks",
        /// Policies.
        Policy = "policy",
        /// Archetypes, partials and units.
        Shared = "shared",
        /// Skills.
        Skills = "skills",
        /// Profiles of tools.
        ToolsProfiles = "tools.profiles",
        /// Schemas of tools.
        ToolsSchemas = "tools.schemas",
        /// Workflows.
        Workflows = "workflows",
        /// Topologies of workflows.
        WorkflowsTopologies = "workflows.topologies",
    }
}

/// The manifest of a pack of templates.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, title = "ExtensionManifest")]
pub struct Manifest {
    /// The version of the manifest's form: 1.
    #[schemars(range(min = 1, max = 1), extend("x-hint" = "this host reads version 1"))]
    pub manifest_version: u8,
    /// The pack's id, vendor and leaf.
    pub id: PackId,
    /// Its name for people.
    #[schemars(length(min = 1, max = 120))]
    pub name: String,
    /// What it is for.
    #[schemars(length(max = 1024))]
    pub description: Option<String>,
    /// The pack's version.
    pub version: Version,
    /// The hosts it is made for.
    pub compatibility: Compatibility,
    /// The packs it needs.
    #[serde(default)]
    #[schemars(schema_with = "dependencies_schema")]
    pub dependencies: BTreeMap<PackId, Dependency>,
    /// Who vouches for the manifest, as in `pack.json`.
    pub signing: Option<PackSigning>,
    /// Scanners that it is made for; this host has none.
    #[serde(default)]
    pub requires_scanners: Vec<String>,
    /// The feature of another host that it is part of; it has no meaning here.
    pub feature: Option<String>,
}

/// The hosts that a pack is made for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Compatibility {
    /// The versions of the extension API that it works with.
    #[schemars(schema_with = "range_schema")]
    pub extension_api: VersionRange,
    /// What it needs of the host.
    #[serde(default)]
    pub requires_capabilities: Vec<Capability>,
}

/// A pack that another one needs.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Dependency {
    /// The versions that will do.
    #[schemars(schema_with = "range_schema")]
    pub version: VersionRange,
    /// Where it is to be had, for people.
    #[schemars(length(min = 1, max = 1024))]
    pub source: Option<String>,
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    ///
    /// `extension_api_unsupported` alone for a pack that is made for another extension API; else everything that is wrong.
    pub fn read(source: &Source) -> Result<Self, Vec<Diagnostic>> {
        let tree = cuebook_yaml::parse(source, Self::CODE)?;
        if let Some(problem) = unsupported(&tree) {
            return Err(vec![problem]);
        }
        cuebook_yaml::read(source).map(|(manifest, _)| manifest)
    }

    /// The keys that it has and that have no meaning on this host.
    pub(super) fn idle_keys(&self) -> impl Iterator<Item = &'static str> {
        let scanners = (!self.requires_scanners.is_empty()).then_some("requires_scanners");
        scanners.into_iter().chain(self.feature.as_ref().map(|_| "feature"))
    }

    /// Capabilities that stand twice.
    fn doubled(&self) -> impl Iterator<Item = Fault> + '_ {
        let wanted = &self.compatibility.requires_capabilities;
        let repeated = wanted.iter().enumerate().filter(|(index, it)| wanted[..*index].contains(it));
        repeated.map(|(index, capability)| {
            let path = format!("/compatibility/requires_capabilities/{index}");
            Fault::new(path, Self::CODE, format!("`{capability}` stands here again"))
                .hint("take one of them out")
        })
    }
}

impl Document for Manifest {
    const CODE: ErrorCode = ErrorCode::ExtensionInvalid;

    fn rules(&self) -> Vec<Fault> {
        let itself = self.dependencies.contains_key(&self.id).then(|| {
            let path = format!("/dependencies{}", cuebook_wire::pointer::step(self.id.as_str()));
            Fault::new(path, Self::CODE, "the pack needs itself").hint("take the entry out")
        });
        self.doubled().chain(itself).collect()
    }
}

/// The reason why a pack is none for this host.
fn unsupported(tree: &Node) -> Option<Diagnostic> {
    let range = VersionRange::parse(tree.at(API_POINTER)?.text()?).ok()?;
    if range.contains(&EXTENSION_API) {
        return None;
    }
    let code = ErrorCode::ExtensionApiUnsupported;
    let message = format!("the pack is made for extension API {range}, and this host has {EXTENSION_API}");
    let place = tree.locate(API_POINTER);
    let problem = Diagnostic::error(code.as_str(), message).at(&place.source, place.span);
    Some(problem.with_hint(code.hint()))
}

fn range_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "pattern": RANGE, "x-form": RANGE_FORM })
}

fn dependencies_schema(generator: &mut SchemaGenerator) -> Schema {
    let values = generator.subschema_for::<Dependency>();
    json_schema!({
        "type": "object",
        "propertyNames": { "pattern": PATTERN, "x-form": FORM },
        "additionalProperties": values,
        "maxProperties": 64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "manifest_version: 1\nid: acme/reviews\nname: Reviews\nversion: 1.2.0\n";

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let found = Manifest::read(&Source::new("extension.yaml", text)).map(drop).err().unwrap_or_default();
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), expect.len(), "{text}\n{found:#?}");
        for (found, expect) in found.iter().zip(expect) {
            assert!(found.contains(expect), "{found} lacks {expect}");
        }
    }

    #[track_caller]
    fn check_api(range: &str, expect: &[&str]) {
        check(&format!("{HEAD}compatibility: {{extension_api: '{range}'}}\n"), expect);
    }

    #[test]
    fn ranges_are_read_in_every_common_spelling() {
        for range in
            ["^1.0.0", "~1.1", ">=1.0, <2", ">= 1.0 , < 2", ">=1.0 <2", "1.x", "*", "^0.9 || ^1", "1.0 - 1.2"]
        {
            check_api(range, &[]);
        }
        for range in ["^2.0.0", ">=1.2, <2", "~1.0", "<1.1.0"] {
            let expect = format!(
                "extension.yaml:5:32: error[extension_api_unsupported]: the pack is made for extension API {range}, and this host has 1.1.0"
            );
            check_api(range, &[&expect]);
        }
        for range in ["", "latest", "^one"] {
            check_api(range, &["is not a range of versions"]);
        }
    }

    #[test]
    fn a_pack_for_another_api_may_have_keys_of_its_own() {
        let text = format!("{HEAD}compatibility:\n  extension_api: ^2\nsurfaces: []\n");
        check(&text, &["extension.yaml:6:18: error[extension_api_unsupported]"]);
    }

    #[test]
    fn everything_wrong_is_told_at_once() {
        let text = "manifest_version: 2\nid: Acme\nname: ''\nversion: '1.0'\nfeatur: x\n\
                    compatibility:\n  extension_api: ^1\n  requires_capabilities: [agents, playbook, agents]\n\
                    dependencies: {acme/base: {version: newest}}\n";
        check(
            text,
            &[
                "8:35: error[extension_invalid]: `playbook` is not one of",
                "9:37: error[extension_invalid]: `newest` is not a range of versions",
                "5:1: error[extension_invalid]: unknown key `featur`",
                "2:5: error[extension_invalid]: `Acme` is not a pack's id",
                "1:19: error[extension_invalid]: expected at most 1, found 2",
                "3:7: error[extension_invalid]: expected some text",
                "4:10: error[extension_invalid]: `1.0` is not a version",
            ],
        );
    }

    #[test]
    fn rules_beyond_the_schema_have_their_places() {
        let text = format!(
            "{HEAD}compatibility:\n  extension_api: ^1\n  requires_capabilities: [agents, shared, agents]\n\
             dependencies:\n  acme/reviews: {{version: ^1}}\n"
        );
        check(
            &text,
            &[
                "7:43: error[extension_invalid]: `agents` stands here again",
                "9:3: error[extension_invalid]: the pack needs itself",
            ],
        );
        check("[]", &["expected an object"]);
        check("", &["expected an object"]);
    }
}
