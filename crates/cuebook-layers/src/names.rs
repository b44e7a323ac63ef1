//! Closed sets of names that documents use.
//!
//! It owns the pattern that such sets follow: an enum, its names, and a schema that lists them, so that a stranger is told
//! the nearest one. It refuses names in any other spelling.

/// Makes an enum of names with its conversions.
macro_rules! closed_set {
    (
        $(#[doc = $doc:literal])+
        pub enum $name:ident {
            $( $(#[doc = $variant_doc:literal])+ $variant:ident = $text:literal, )+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $( $(#[doc = $variant_doc])+ $variant, )+
        }

        impl $name {
            /// Every value, in declared order.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            /// The name in documents.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = cuebook_wire::names::UnknownName;

            fn from_str(given: &str) -> Result<Self, Self::Err> {
                Self::ALL.into_iter().find(|value| value.as_str() == given).ok_or_else(|| {
                    let allowed = Self::ALL.map(Self::as_str).to_vec();
                    cuebook_wire::names::UnknownName::new(stringify!($name), given, allowed)
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
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": Self::ALL.map(Self::as_str) })
            }
        }
    };
}

pub(crate) use closed_set;
