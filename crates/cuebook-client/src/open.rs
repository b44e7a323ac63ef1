//! Owns names from sets that later protocols may enlarge. Refuses nothing: an unknown name is kept as written.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A name of the set `T`, or one that this version does not know.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Open<T> {
    /// A known name.
    Known(T),
    /// Any other, as written.
    Other(String),
}

impl<T: Copy> Open<T> {
    /// The known name, if it is one.
    pub fn known(&self) -> Option<T> {
        match self {
            Self::Known(name) => Some(*name),
            Self::Other(_) => None,
        }
    }
}

impl<T: FromStr> From<&str> for Open<T> {
    fn from(name: &str) -> Self {
        name.parse().map_or_else(|_| Self::Other(name.to_owned()), Self::Known)
    }
}

impl<T: fmt::Display> fmt::Display for Open<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(name) => name.fmt(f),
            Self::Other(name) => f.pad(name),
        }
    }
}

impl<T: fmt::Display> Serialize for Open<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, T: FromStr> Deserialize<'de> for Open<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|name| Self::from(name.as_str()))
    }
}
