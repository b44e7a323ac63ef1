//! Owns the identifiers of the protocol as types of their own, so that no two kinds of id can be confused.
//!
//! Most ids are opaque and are taken as they come. Template and library ids have a published pattern: only those have
//! `parse`, and reading one from a document refuses anything outside the pattern.

use std::borrow::{Borrow, Cow};
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;

/// The published pattern of template and library ids.
pub const NAME_PATTERN: &str = "^[a-z0-9][a-z0-9._-]{0,127}$";

/// The most characters a template or library id may have.
pub const NAME_MAX_CHARS: usize = 128;

/// Why a text is no template or library id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// The id has no characters.
    #[error("the id is empty, expected 1 to 128 of a-z 0-9 . _ -")]
    Empty,
    /// The id has more than [`NAME_MAX_CHARS`] characters.
    #[error("the id has {chars} characters, at most 128 are allowed")]
    TooLong {
        /// How many characters it has.
        chars: usize,
    },
    /// The id has a character outside the pattern.
    #[error("character {found:?} at position {position} is not allowed, expected {expected}")]
    BadChar {
        /// The first character that is not allowed.
        found: char,
        /// Its place in the id, counted in characters from 1.
        position: usize,
        /// What is allowed at that place.
        expected: &'static str,
        /// The nearest valid id, when the text has one.
        suggestion: Option<String>,
    },
}

impl IdError {
    /// The nearest valid id, when there is one.
    pub fn suggestion(&self) -> Option<&str> {
        match self {
            Self::BadChar { suggestion, .. } => suggestion.as_deref(),
            Self::Empty | Self::TooLong { .. } => None,
        }
    }
}

/// Holds `given` against [`NAME_PATTERN`].
fn check_name(given: &str) -> Result<(), IdError> {
    if given.is_empty() {
        return Err(IdError::Empty);
    }
    if let Some((index, found)) = given.chars().enumerate().find(|(index, char)| !allowed_at(*index, *char)) {
        let expected = if index == 0 { "a lower-case letter or digit" } else { "one of a-z 0-9 . _ -" };
        return Err(IdError::BadChar {
            found,
            position: index + 1,
            expected,
            suggestion: nearest_name(given),
        });
    }
    match given.len() {
        chars if chars > NAME_MAX_CHARS => Err(IdError::TooLong { chars }),
        _ => Ok(()),
    }
}

fn allowed_at(index: usize, char: char) -> bool {
    char.is_ascii_lowercase() || char.is_ascii_digit() || (index > 0 && matches!(char, '.' | '_' | '-'))
}

/// The valid id most like `given`: lower case, other characters as one hyphen.
fn nearest_name(given: &str) -> Option<String> {
    let mut name = String::new();
    for char in given.chars().flat_map(char::to_lowercase).take(NAME_MAX_CHARS) {
        if allowed_at(name.len(), char) {
            name.push(char);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_end_matches('-');
    (!name.is_empty()).then(|| name.to_owned())
}

/// What every id type has in common.
macro_rules! id_common {
    ($name:ident) => {
        impl $name {
            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

/// Declares an opaque id: any text, with the bounds its schema states.
macro_rules! opaque_id {
    ($(#[doc = $doc:literal])+ $name:ident, $bounds:tt) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        id_common!($name);

        impl $name {
            /// Takes `id` as it is.
            pub fn new(id: impl Into<String>) -> Self {
                Self(id.into())
            }
        }

        impl From<&str> for $name {
            fn from(id: &str) -> Self {
                Self::new(id)
            }
        }

        impl From<String> for $name {
            fn from(id: String) -> Self {
                Self(id)
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let mut schema = json_schema!({ "type": "string" });
                if let serde_json::Value::Object(bounds) = json!($bounds) {
                    schema.ensure_object().extend(bounds);
                }
                schema
            }
        }
    };
}

/// Declares an id with the published pattern.
macro_rules! named_id {
    ($(#[doc = $doc:literal])+ $name:ident) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        id_common!($name);

        impl $name {
            /// Reads `id`: 1 to 128 of `a-z 0-9 . _ -`, the first a letter or digit.
            ///
            /// # Errors
            ///
            /// [`IdError`] when `id` is empty, has another character, or has more than 128.
            pub fn parse(id: &str) -> Result<Self, IdError> {
                check_name(id).map(|()| Self(id.to_owned()))
            }
        }

        impl std::str::FromStr for $name {
            type Err = IdError;

            fn from_str(id: &str) -> Result<Self, IdError> {
                Self::parse(id)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let id = String::deserialize(deserializer)?;
                Self::parse(&id).map_err(serde::de::Error::custom)
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": NAME_PATTERN })
            }
        }
    };
}

opaque_id! {
    /// The id of one run of a workflow.
    RunId, { "minLength": 1, "maxLength": 128 }
}
opaque_id! {
    /// The id of one event in a run's log.
    EventId, { "minLength": 1, "maxLength": 128 }
}
opaque_id! {
    /// The id of a node within its workflow.
    NodeId, { "minLength": 1 }
}
opaque_id! {
    /// The id of a workflow definition.
    WorkflowId, { "minLength": 1 }
}
opaque_id! {
    /// The id of an agent: `<tier>.<org>.<pack>.<agent>`, `core.<name>` or `host:<id>` (RFC 0002 §A).
    AgentId, { "minLength": 3, "maxLength": 256 }
}
opaque_id! {
    /// The id of one interrupt of a run.
    InterruptId, { "minLength": 1 }
}
named_id! {
    /// The id of a prompt template (RFC 0027 §A).
    TemplateId
}
named_id! {
    /// The id of a prompt library or the name of the pack that carries it (RFC 0028 §C).
    LibraryId
}

impl LibraryId {
    /// The id of a host's own library when nobody gave it another: `host`.
    pub fn host() -> Self {
        Self("host".to_owned())
    }

    /// The id of the library that users write at run time: `user`.
    pub fn user() -> Self {
        Self("user".to_owned())
    }
}

/// The place of an event in its run's log, dense from 0.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Sequence(pub u64);

impl Sequence {
    /// The place after this one.
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
