//! Owns the protocol's instants: UTC, written with exactly three fractional digits. Refuses local times; finer digits are
//! cut when written.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text that is no instant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not an RFC 3339 date and time, expected the form 2026-01-31T12:00:00.000Z")]
pub struct TimestampError {
    given: String,
}

/// An instant in UTC, to the millisecond on the wire (RFC 3339).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

impl Timestamp {
    /// The instant `millis` milliseconds after 1970-01-01T00:00:00Z, held within the years -9999 to 9999.
    pub fn from_millis(millis: i64) -> Self {
        let edge = if millis < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
        Self(jiff::Timestamp::from_millisecond(millis).unwrap_or(edge))
    }

    /// Milliseconds since 1970-01-01T00:00:00Z, rounded toward zero.
    pub fn as_millis(self) -> i64 {
        self.0.as_millisecond()
    }

    /// The instant `duration` later, held at the end of the year 9999.
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration).unwrap_or(jiff::Timestamp::MAX))
    }

    /// Whole milliseconds from `earlier` to this instant; 0 when `earlier` is in fact later.
    pub fn millis_since(self, earlier: Self) -> u64 {
        u64::try_from(self.as_millis().saturating_sub(earlier.as_millis())).unwrap_or(0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(given: &str) -> Result<Self, TimestampError> {
        given.parse().map(Self).map_err(|_| TimestampError { given: crate::text::shorten(given) })
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Timestamp {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}
