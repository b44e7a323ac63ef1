//! Owns the pattern every closed set of wire names follows: one macro that makes the enum, its table of names and its
//! conversions. Refuses names outside the set, naming the nearest one.

use std::fmt;

/// A name outside a closed set of wire names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// What the set holds, such as `PromptKind`.
    pub what: &'static str,
    /// The name that was given, shortened to 80 characters.
    pub given: String,
    /// The closest name of the set, when one is close enough to be a likely slip.
    pub nearest: Option<&'static str>,
    /// Every name of the set, in declared order.
    pub allowed: Vec<&'static str>,
}

impl UnknownName {
    /// Describes `given` as a stranger to the set `allowed`.
    pub fn new(what: &'static str, given: &str, allowed: Vec<&'static str>) -> Self {
        let nearest = nearest(given, allowed.iter().copied());
        Self { what, given: crate::text::shorten(given), nearest, allowed }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} `{}`, expected one of {}", self.what, self.given, self.allowed.join(", "))?;
        match self.nearest {
            Some(name) => write!(f, " (did you mean `{name}`?)"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownName {}

/// The candidate most like `given`, if it is like enough to be a slip of the same word.
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    candidates
        .into_iter()
        .map(|name| (likeness(&given, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness >= 0.6)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, name)| name)
}

/// How alike two words are, 0 to 1; a word and its beginning are just alike enough.
fn likeness(left: &str, right: &str) -> f64 {
    let (short, long) = if left.len() < right.len() { (left, right) } else { (right, left) };
    let floor = if short.len() >= 3 && long.starts_with(short) { 0.6 } else { 0.0 };
    strsim::normalized_damerau_levenshtein(left, right).max(floor)
}

/// Declares a closed set of wire names as a `Copy` enum with `ALL`, `as_str`, `Display`, `FromStr`, serde and a schema.
macro_rules! wire_enum {
    (
        $(#[doc = $doc:literal])+
        $(#[derive($($extra:ident),+)])?
        pub enum $name:ident {
            $( $(#[doc = $variant_doc:literal])+ $(#[$attribute:ident])* $variant:ident = $wire:literal, )+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash $(, $($extra),+)?)]
        pub enum $name {
            $( $(#[doc = $variant_doc])+ $(#[$attribute])* $variant, )+
        }

        impl $name {
            /// Every value, in declared order.
            pub const ALL: [Self; [$($wire),+].len()] = [$(Self::$variant),+];

            /// The name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $wire),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::names::UnknownName;

            fn from_str(given: &str) -> Result<Self, Self::Err> {
                Self::ALL.into_iter().find(|value| value.as_str() == given).ok_or_else(|| {
                    let allowed = Self::ALL.map(Self::as_str).to_vec();
                    $crate::names::UnknownName::new(stringify!($name), given, allowed)
                })
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(deserializer)?;
                name.parse().map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "description": concat!($($doc),+).trim(),
                    "enum": Self::ALL.map(Self::as_str),
                })
            }
        }
    };
}

pub(crate) use wire_enum;
