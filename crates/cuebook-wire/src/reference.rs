//! Owns references to prompt templates in their two forms, `prompt:<id>[@<version>]` and the object (RFC 0027 §B).
//! Refuses ranges, other schemes and unknown keys; which template a reference means is not decided here.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::id::{IdError, LibraryId, NAME_PATTERN, TemplateId};
use crate::kind::PromptKind;
use crate::version::{VERSION_PATTERN, Version, VersionError};

/// The scheme every stringy reference starts with.
pub const REF_SCHEME: &str = "prompt:";

/// The published pattern of the stringy form.
pub const REF_PATTERN: &str =
    r"^prompt:[a-z0-9][a-z0-9._-]{0,127}(@\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)?$";

/// Why a text is no prompt reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefError {
    /// The text does not start with `prompt:`.
    #[error("a prompt reference starts with `prompt:`")]
    NoScheme {
        /// The reference the text would be with the scheme, when it would be valid.
        suggestion: Option<String>,
    },
    /// The template id is missing or malformed.
    #[error("template id: {error}")]
    Id {
        /// What is wrong with the id.
        error: IdError,
        /// The nearest valid reference, when there is one.
        suggestion: Option<String>,
    },
    /// The part after `@` is no version.
    #[error("version: {error}")]
    Version {
        /// What is wrong with the version.
        error: VersionError,
        /// The nearest valid reference, when there is one.
        suggestion: Option<String>,
    },
}

impl RefError {
    /// The nearest valid reference, when there is one.
    pub fn suggestion(&self) -> Option<&str> {
        match self {
            Self::NoScheme { suggestion }
            | Self::Id { suggestion, .. }
            | Self::Version { suggestion, .. } => suggestion.as_deref(),
        }
    }

    fn no_scheme(given: &str) -> Self {
        Self::NoScheme { suggestion: if_valid(format!("{REF_SCHEME}{given}")) }
    }

    fn id(error: IdError, version: Option<&str>) -> Self {
        let suggestion = error.suggestion().and_then(|id| match version {
            Some(version) => if_valid(format!("{REF_SCHEME}{id}@{version}")),
            None => if_valid(format!("{REF_SCHEME}{id}")),
        });
        Self::Id { error, suggestion }
    }

    fn version(error: VersionError, id: &TemplateId) -> Self {
        let suggestion = error.suggestion().map(|version| format!("{REF_SCHEME}{id}@{version}"));
        Self::Version { error, suggestion }
    }
}

/// The reference itself when it is valid, else the nearest one to it.
fn if_valid(reference: String) -> Option<String> {
    match PromptRef::parse(&reference) {
        Ok(_) => Some(reference),
        Err(error) => error.suggestion().map(str::to_owned),
    }
}

/// A reference to a prompt template (RFC 0027 §B).
///
/// `Display` is the stringy projection: it drops the library and the overrides. Serialising keeps everything and chooses
/// the stringy form when nothing but id and version is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptRef {
    /// The library to look in; any library when absent.
    pub library_id: Option<LibraryId>,
    /// The template's id.
    pub template_id: TemplateId,
    /// The exact version; the highest when absent.
    pub version: Option<Version>,
    /// Values that take precedence over every other binding.
    pub variable_overrides: Map<String, Value>,
}

impl PromptRef {
    /// A reference to the highest version of `template_id` in any library.
    pub fn new(template_id: TemplateId) -> Self {
        Self { library_id: None, template_id, version: None, variable_overrides: Map::new() }
    }

    /// The same reference fixed at `version`.
    pub fn at(self, version: Version) -> Self {
        Self { version: Some(version), ..self }
    }

    /// Reads the stringy form `prompt:<templateId>[@<version>]`.
    ///
    /// # Errors
    ///
    /// [`RefError`] when the scheme is missing, the id is outside its pattern, or the version is not one SemVer version.
    ///
    /// # Example
    ///
    /// ```
    /// use cuebook_wire::PromptRef;
    ///
    /// let reference = PromptRef::parse("prompt:writer@1.2.0")?;
    /// assert_eq!(reference.template_id.as_str(), "writer");
    ///
    /// let error = PromptRef::parse("prompt:writer@1").unwrap_err();
    /// assert_eq!(error.suggestion(), Some("prompt:writer@1.0.0"));
    /// # Ok::<(), cuebook_wire::RefError>(())
    /// ```
    pub fn parse(given: &str) -> Result<Self, RefError> {
        let Some(rest) = given.strip_prefix(REF_SCHEME) else {
            return Err(RefError::no_scheme(given));
        };
        let (id, version) = match rest.split_once('@') {
            Some((id, version)) => (id, Some(version)),
            None => (rest, None),
        };
        let template_id = TemplateId::parse(id).map_err(|error| RefError::id(error, version))?;
        let version = version.map(Version::parse).transpose();
        let version = version.map_err(|error| RefError::version(error, &template_id))?;
        Ok(Self { version, ..Self::new(template_id) })
    }

    /// Whether id and version say everything, so that the stringy form loses nothing.
    pub fn is_stringy(&self) -> bool {
        self.library_id.is_none() && self.variable_overrides.is_empty()
    }
}

impl fmt::Display for PromptRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{REF_SCHEME}{}", self.template_id)?;
        match &self.version {
            Some(version) => write!(f, "@{version}"),
            None => Ok(()),
        }
    }
}

impl FromStr for PromptRef {
    type Err = RefError;

    fn from_str(given: &str) -> Result<Self, RefError> {
        Self::parse(given)
    }
}

/// The object form.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ObjectForm {
    #[serde(skip_serializing_if = "Option::is_none")]
    library_id: Option<LibraryId>,
    template_id: TemplateId,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<Version>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    variable_overrides: Map<String, Value>,
}

impl From<ObjectForm> for PromptRef {
    fn from(object: ObjectForm) -> Self {
        let ObjectForm { library_id, template_id, version, variable_overrides } = object;
        Self { library_id, template_id, version, variable_overrides }
    }
}

impl Serialize for PromptRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_stringy() {
            return serializer.collect_str(self);
        }
        let Self { library_id, template_id, version, variable_overrides } = self.clone();
        ObjectForm { library_id, template_id, version, variable_overrides }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PromptRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EitherForm)
    }
}

struct EitherForm;

impl<'de> Visitor<'de> for EitherForm {
    type Value = PromptRef;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a prompt reference: `prompt:<id>[@<version>]` or an object with `templateId`")
    }

    fn visit_str<E: de::Error>(self, given: &str) -> Result<PromptRef, E> {
        PromptRef::parse(given).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PromptRef, A::Error> {
        ObjectForm::deserialize(MapAccessDeserializer::new(map)).map(PromptRef::from)
    }
}

impl JsonSchema for PromptRef {
    fn schema_name() -> Cow<'static, str> {
        "PromptRef".into()
    }

    /// String rules bind strings alone and object rules objects alone, so both forms fit in one schema without `oneOf`.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A reference to a prompt template, as text or as an object (RFC 0027 §B).",
            "type": ["string", "object"],
            "pattern": REF_PATTERN,
            "properties": {
                "libraryId": { "type": "string", "pattern": NAME_PATTERN },
                "templateId": { "type": "string", "pattern": NAME_PATTERN },
                "version": { "type": "string", "pattern": VERSION_PATTERN },
                "variableOverrides": { "type": "object" },
            },
            "required": ["templateId"],
            "additionalProperties": false,
        })
    }
}

/// At most one reference for each kind: `promptOverrides`, `defaults.promptRefs`, `capabilities.prompts.defaults`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct PromptRefs {
    /// The system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<PromptRef>,
    /// The user prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<PromptRef>,
    /// The worked examples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub few_shot: Option<PromptRef>,
    /// The description of the structured output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_hint: Option<PromptRef>,
}

impl PromptRefs {
    /// The reference for `kind`, if there is one.
    pub fn get(&self, kind: PromptKind) -> Option<&PromptRef> {
        match kind {
            PromptKind::System => self.system.as_ref(),
            PromptKind::User => self.user.as_ref(),
            PromptKind::FewShot => self.few_shot.as_ref(),
            PromptKind::SchemaHint => self.schema_hint.as_ref(),
        }
    }

    /// The place of the reference for `kind`, to set or clear it.
    pub fn get_mut(&mut self, kind: PromptKind) -> &mut Option<PromptRef> {
        match kind {
            PromptKind::System => &mut self.system,
            PromptKind::User => &mut self.user,
            PromptKind::FewShot => &mut self.few_shot,
            PromptKind::SchemaHint => &mut self.schema_hint,
        }
    }

    /// Whether no kind has a reference.
    pub fn is_empty(&self) -> bool {
        PromptKind::ALL.into_iter().all(|kind| self.get(kind).is_none())
    }
}
