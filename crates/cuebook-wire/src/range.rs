//! Owns ranges of versions as packs write them: comparators joined by blanks, alternatives joined by `||`. Refuses whatever is
//! no range; which version is picked from a range is not decided here.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use semver::VersionReq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::text::shorten;
use crate::version::Version;

/// Why a text is no range of versions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not a range of versions: {reason}")]
pub struct RangeError {
    /// What was given.
    pub given: String,
    /// What is wrong with it.
    pub reason: String,
}

/// A range of versions, such as `>=1.1.0 <2.0.0`, `^1.2`, `1.x || 2.x` or `1.2.0 - 1.4.0`.
///
/// A bare version means itself, a bare `1.2` means `1.2.x`. A pre-release is in a range only when a comparator names a
/// pre-release of the same three numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRange {
    written: String,
    alternatives: Vec<VersionReq>,
}

impl VersionRange {
    /// Reads a range.
    ///
    /// # Errors
    ///
    /// [`RangeError`] when the text is empty or one of its alternatives is no list of comparators.
    pub fn parse(given: &str) -> Result<Self, RangeError> {
        let read = |alternative| {
            read_alternative(alternative)
                .map_err(|reason| RangeError { given: shorten(given), reason: shorten(&reason) })
        };
        let alternatives = given.split("||").map(read).collect::<Result<_, _>>()?;
        Ok(Self { written: given.to_owned(), alternatives })
    }

    /// Whether `version` is in the range.
    pub fn contains(&self, version: &Version) -> bool {
        self.alternatives.iter().any(|alternative| version.matches(alternative))
    }
}

/// Reads what stands between two `||`.
fn read_alternative(text: &str) -> Result<VersionReq, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("it is empty; `*` means any version".to_owned());
    }
    let comparators = match text.split_once(" - ") {
        Some((low, high)) => format!(">={}, <={}", low.trim(), high.trim()),
        None => comparators(text).join(", "),
    };
    VersionReq::parse(&comparators).map_err(|error| error.to_string())
}

/// The comparators of `text`, each with the operator that it means.
fn comparators(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        match found.last_mut() {
            Some(operator) if is_operator(operator) => operator.push_str(word),
            _ => found.push(word.to_owned()),
        }
    }
    found.into_iter().map(|comparator| meant(&comparator)).collect()
}

/// Whether `text` is an operator that still waits for its version.
fn is_operator(text: &str) -> bool {
    text.chars().all(|char| matches!(char, '<' | '>' | '=' | '^' | '~'))
}

/// A bare version means itself, a bare short version all that begin with it.
fn meant(comparator: &str) -> String {
    let is_bare = comparator.starts_with(|char: char| char.is_ascii_digit());
    let is_wild = comparator.split('.').any(|part| matches!(part, "x" | "X" | "*"));
    match (is_bare, comparator.split('.').count()) {
        (true, 1 | 2) if !is_wild => format!("{comparator}.*"),
        (true, _) if !is_wild => format!("={comparator}"),
        _ => comparator.to_owned(),
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.written)
    }
}

impl FromStr for VersionRange {
    type Err = RangeError;

    fn from_str(given: &str) -> Result<Self, RangeError> {
        Self::parse(given)
    }
}

impl Serialize for VersionRange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.written)
    }
}

impl<'de> Deserialize<'de> for VersionRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for VersionRange {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "VersionRange".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}
