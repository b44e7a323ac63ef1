//! A prompt fixed for good: the text, the variables and the hash that a ref led to.

use std::sync::Arc;

use cuebook_template::Source as TextSource;
use cuebook_template::flat::Program;
use cuebook_template::pongo;
use cuebook_wire::{LibraryId, PromptKind, PromptTemplate, PromptVariable, Version};
use serde::{Deserialize, Serialize};

use crate::compound::Compound;
use crate::hash::ContentHash;
use crate::layered::Layered;

/// What a ref was fixed to; shared, never changed.
#[derive(Debug)]
pub struct Pinned {
    /// The ref with its version, as `prompt.composed.refs` carries it.
    pub reference: String,
    /// The library that had it; `None` for intrinsic and inline texts.
    pub library: Option<LibraryId>,
    /// The exact version; `None` for texts that have none.
    pub version: Option<Version>,
    /// The role the text was written for.
    pub kind: PromptKind,
    /// The text itself.
    pub body: Body,
    /// The declared variables; empty for static texts.
    pub variables: Vec<PromptVariable>,
    /// The hash of kind, text and variables.
    pub content_hash: ContentHash,
}

/// How a pinned text becomes prompt text.
#[derive(Debug)]
pub enum Body {
    /// A library template: placeholders are filled.
    Template(Program),
    /// A template of layered files: logic, includes and filters.
    Layered(Layered),
    /// Intrinsic and inline texts: no placeholder in them is filled.
    Static {
        /// The text with the name of where it stands.
        text: TextSource,
        /// Whether the name is a file's path.
        place: StaticPlace,
    },
    /// Files of a project, put together: no placeholder in them is filled.
    Compound(Compound),
    /// Data of a node, one named block an input port.
    Blocks(Blocks),
}

/// Blocks of data, in order: `<name>`, the value of the input port of that name, `</name>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// The field that lists them.
    pub field: String,
    /// The names of the ports.
    pub names: Vec<String>,
}

/// Where a static text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StaticPlace {
    /// In a file of its own.
    File,
    /// In a field of a manifest or a node's config.
    Field,
}

impl Pinned {
    /// Fixes a template of `library`.
    pub fn template(library: &LibraryId, template: &PromptTemplate) -> Self {
        let reference = format!("prompt:{}@{}", template.template_id, template.version);
        let source = TextSource::new(reference.as_str(), template.text.as_str());
        Self {
            content_hash: template_hash(template),
            reference,
            library: Some(library.clone()),
            version: Some(template.version.clone()),
            kind: template.kind,
            body: Body::Template(Program::parse(source)),
            variables: template.variables.clone(),
        }
    }

    /// Fixes a layered template that goes by the synthetic ref `reference`.
    pub fn layered(reference: String, kind: PromptKind, layered: Layered) -> Self {
        Self {
            content_hash: files_hash(&layered),
            reference,
            library: None,
            version: None,
            kind,
            body: Body::Layered(layered),
            variables: Vec::new(),
        }
    }

    /// Fixes a static text that stands at `name` and goes by the synthetic ref `reference`.
    pub fn fixed(reference: String, kind: PromptKind, name: &str, text: &str, place: StaticPlace) -> Self {
        Self {
            content_hash: ContentHash::of(text),
            reference,
            library: None,
            version: None,
            kind,
            body: Body::Static { text: TextSource::new(name, text), place },
            variables: Vec::new(),
        }
    }

    /// Fixes files of a project, put together, that go by the synthetic ref `reference`.
    pub fn compound(reference: String, kind: PromptKind, compound: Compound) -> Self {
        Self {
            content_hash: ContentHash::of(&compound.text()),
            reference,
            library: None,
            version: None,
            kind,
            body: Body::Compound(compound),
            variables: Vec::new(),
        }
    }

    /// Fixes named blocks of data, which `field` of a project file lists, that go by the synthetic ref `reference`.
    pub fn blocks(reference: String, kind: PromptKind, field: &str, names: Vec<String>) -> Self {
        Self {
            content_hash: ContentHash::of(&names.join("\n")),
            reference,
            library: None,
            version: None,
            kind,
            body: Body::Blocks(Blocks { field: field.to_owned(), names }),
            variables: Vec::new(),
        }
    }
}

/// The hash of every file's name, layer and text, the entry first, those of units last.
fn files_hash(layered: &Layered) -> ContentHash {
    let file = |source: &TextSource| serde_json::json!([**source.name(), source.layer(), **source.text()]);
    let files = layered.programs().flat_map(pongo::Program::files).map(file).collect();
    ContentHash::of(&cuebook_template::Value::trusted(serde_json::Value::Array(files)).text())
}

fn template_hash(template: &PromptTemplate) -> ContentHash {
    let facts = serde_json::json!({
        "kind": template.kind,
        "text": template.text,
        "variables": template.variables,
    });
    ContentHash::of(&cuebook_template::Value::trusted(facts).text())
}

/// A ref without version and the version it got at its first use in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    /// The ref as written, without version.
    pub reference: String,
    /// The library named by the ref, if it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<LibraryId>,
    /// The library that had it, in which alone it is looked for from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found_in: Option<LibraryId>,
    /// The version it is held to for the rest of the run.
    pub version: Version,
}

/// Shorthand for a pinned text that many may hold.
pub type SharedPin = Arc<Pinned>;
