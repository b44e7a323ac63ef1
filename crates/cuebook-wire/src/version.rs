//! Owns versions of templates and packs by Semantic Versioning 2.0.0. Refuses ranges and short forms such as `1.2`.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The published pattern of versions; [`Version`] is narrower where Semantic Versioning is (no leading zeros).
pub const VERSION_PATTERN: &str = r"^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$";

/// Why a text is no version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    /// Fewer than three numbers, as in `1` or `1.2`.
    #[error("`{given}` is not a version: a version has three numbers, major.minor.patch")]
    Short {
        /// What was given.
        given: String,
        /// The same numbers filled up with zeros.
        suggestion: Option<String>,
    },
    /// A range such as `^1.2.0` or `1.x`, or a name such as `latest`.
    #[error("`{given}` is not one version: ranges and names are not allowed")]
    Range {
        /// What was given.
        given: String,
    },
    /// Anything else that Semantic Versioning 2.0.0 refuses.
    #[error("`{given}` is not a version: {reason}")]
    Malformed {
        /// What was given.
        given: String,
        /// What Semantic Versioning says is wrong.
        reason: String,
        /// The same version without leading zeros or letters.
        suggestion: Option<String>,
    },
}

impl VersionError {
    /// The nearest valid version, when there is one.
    pub fn suggestion(&self) -> Option<&str> {
        match self {
            Self::Short { suggestion, .. } | Self::Malformed { suggestion, .. } => suggestion.as_deref(),
            Self::Range { .. } => None,
        }
    }

    fn of(text: &str, error: &semver::Error) -> Self {
        let given = crate::text::shorten(text);
        let suggestion = nearest_version(text);
        if suggestion.is_some() && text.split('.').count() < 3 {
            Self::Short { given, suggestion }
        } else if is_range(text) {
            Self::Range { given }
        } else {
            Self::Malformed { given, reason: error.to_string(), suggestion }
        }
    }
}

/// Whether `text` means any of several versions.
fn is_range(text: &str) -> bool {
    let is_wildcard = |part: &str| matches!(part, "x" | "X" | "*" | "latest");
    text.starts_with(['^', '~', '>', '<', '=']) || text.split('.').any(is_wildcard)
}

/// The version with the numbers of `text`, of which there are one to three, behind at most a `v`.
fn nearest_version(text: &str) -> Option<String> {
    let numbers = text.strip_prefix(['v', 'V']).unwrap_or(text).split('.');
    let mut numbers = numbers.map(str::parse).collect::<Result<Vec<u64>, _>>().ok()?;
    if numbers.len() > 3 {
        return None;
    }
    numbers.resize(3, 0);
    Some(format!("{}.{}.{}", numbers[0], numbers[1], numbers[2]))
}

/// A version by Semantic Versioning 2.0.0.
///
/// `Ord` is the standard's precedence, then the build metadata as text, so that `Ord` agrees with `Eq`, which is exact.
/// Use [`Version::precedence`] where versions that differ in build metadata alone must count as the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(semver::Version);

impl Version {
    /// The version `major.minor.patch`.
    pub const fn new(major: u64, minor: u64, patch: u64) -> Self {
        Self(semver::Version::new(major, minor, patch))
    }

    /// Reads a version.
    ///
    /// # Errors
    ///
    /// [`VersionError`] when the text is not exactly one version by Semantic Versioning 2.0.0.
    pub fn parse(given: &str) -> Result<Self, VersionError> {
        semver::Version::parse(given).map(Self).map_err(|error| VersionError::of(given, &error))
    }

    /// Precedence by Semantic Versioning 2.0.0 §11: build metadata does not count.
    pub fn precedence(&self, other: &Self) -> Ordering {
        self.0.cmp_precedence(&other.0)
    }

    /// Whether the standard's comparators of `requirement` hold for this version.
    pub(crate) fn matches(&self, requirement: &semver::VersionReq) -> bool {
        requirement.matches(&self.0)
    }

    /// The first number; a change of it announces what breaks.
    pub fn major(&self) -> u64 {
        self.0.major
    }

    /// Whether this is a pre-release such as `1.0.0-rc.1`.
    pub fn is_prerelease(&self) -> bool {
        !self.0.pre.is_empty()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(given: &str) -> Result<Self, VersionError> {
        Self::parse(given)
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Version {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Version".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": VERSION_PATTERN })
    }
}
