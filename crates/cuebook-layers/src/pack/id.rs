//! The ids of packs: a vendor and a leaf.
//!
//! It owns their one form. It refuses upper case, dots and further slashes.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

/// The pattern of ids, as in `acme/reviews`.
pub(super) const PATTERN: &str = "^[a-z0-9][a-z0-9-]{0,62}/[a-z0-9][a-z0-9-]{0,62}$";
/// The same in words.
pub(super) const FORM: &str =
    "a pack's id: vendor and leaf of a-z 0-9 -, with a slash between them, as in `acme/reviews`";

/// The id of a pack, such as `acme/reviews`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackId(Arc<str>);

/// A text that is no pack's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadPackId;

impl PackId {
    /// Reads an id.
    ///
    /// # Errors
    ///
    /// [`BadPackId`] when the text is not two parts of 1 to 63 of a-z, 0-9 and hyphen, with a slash between them.
    pub fn parse(text: &str) -> Result<Self, BadPackId> {
        let (vendor, leaf) = text.split_once('/').ok_or(BadPackId)?;
        if is_part(vendor) && is_part(leaf) { Ok(Self(text.into())) } else { Err(BadPackId) }
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether `text` is 1 to 63 of the characters allowed, no hyphen first.
fn is_part(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.len() <= 63
        && text.bytes().next().is_some_and(is_plain)
        && text.bytes().all(|byte| is_plain(byte) || byte == b'-')
}

impl fmt::Display for PackId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Display for BadPackId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it is not {FORM}")
    }
}

impl std::error::Error for BadPackId {}

impl FromStr for PackId {
    type Err = BadPackId;

    fn from_str(text: &str) -> Result<Self, BadPackId> {
        Self::parse(text)
    }
}

impl<'de> Deserialize<'de> for PackId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for PackId {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "PackId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": PATTERN, "x-form": FORM })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_two_plain_parts() {
        for good in ["acme/reviews", "a/b", "a-1/2-b-"] {
            assert_eq!(PackId::parse(good).map(|id| id.to_string()).as_deref(), Ok(good));
        }
        let long = format!("a/{}", "x".repeat(64));
        for bad in ["", "acme", "/a", "a/", "a/b/c", "A/b", "-a/b", "a.b/c", "a /b", &long] {
            assert_eq!(PackId::parse(bad), Err(BadPackId), "{bad:?}");
        }
    }
}
