//! A record: one wire event with the part of it that stays inside.

use cuebook_wire::RunEvent;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

/// One entry of a run's log: what the wire shows, and what only this host may read; stored in one transaction.
///
/// A store gives back exactly what it took, values as deep as [`Record::MAX_DEPTH`] included. What it cannot give back it
/// refuses to take.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The event as served.
    pub event: RunEvent,
    /// What the closed payloads cannot hold; never served raw.
    pub private: Private,
}

impl Record {
    /// How deep arrays and objects within payload and private part may be nested in any store, in levels.
    pub const MAX_DEPTH: usize = 100;
}

/// The private part of a record; the engine knows its shapes, the log keeps it as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Private(Option<Json>);

impl Private {
    /// No private part.
    pub const NONE: Self = Self(None);

    /// Keeps `part`.
    ///
    /// # Errors
    ///
    /// When `part` has no JSON form, for instance a map whose keys are no strings.
    pub fn of(part: &impl Serialize) -> Result<Self, serde_json::Error> {
        serde_json::to_value(part).map(|json| Self(Some(json)))
    }

    /// Takes a part as it was stored.
    pub fn from_json(json: Option<Json>) -> Self {
        Self(json)
    }

    /// The part for storing.
    pub fn as_json(&self) -> Option<&Json> {
        self.0.as_ref()
    }

    /// The part for scrubbing before it is stored.
    pub fn as_json_mut(&mut self) -> Option<&mut Json> {
        self.0.as_mut()
    }

    /// Reads the part; `None` when there is none.
    ///
    /// # Errors
    ///
    /// When the part is not of the shape `T`: the log was written by another version or is damaged.
    pub fn read<T: DeserializeOwned>(&self) -> Result<Option<T>, serde_json::Error> {
        self.0.as_ref().map(T::deserialize).transpose()
    }
}
