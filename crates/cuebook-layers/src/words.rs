//! The words of pack files: closed sets, names, and the names of templates as documents have them.
//!
//! It owns what a fault calls them and which form each has. It refuses words outside their set, with the nearest one.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::reference::TemplateRef;

/// The pattern of the names of agents, archetypes and playbooks.
pub(crate) const NAME: &str = "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$";
/// The same in plain words.
pub(crate) const NAME_FORM: &str =
    "a name: letters, digits, `_` and `-`, at most 64, a letter or digit first";

/// What [`TemplateRef::parse`] takes, but for the length.
const REFERENCE: &str =
    r"^(?!\s*/)(?!\s*[A-Za-z]:/)(?!(?:.*/|\s*)\.\.(?:/|\s*$))[^\\\x00-\x1f\x7f]*[^\\\x00-\x1f\x7f/\s]\s*$";
const REFERENCE_FORM: &str =
    "a template's name: a prefix and a path, as in partials/tone.md, no slash first, no `..`";

/// Declares a closed set of words as a `Copy` enum with `ALL`, `as_str`, `Display`, serde and a schema.
macro_rules! words {
    ($(#[$doc:meta])+ pub enum $name:ident { $( $(#[$word_doc:meta])+ $variant:ident = $word:literal, )+ }) => {
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $( $(#[$word_doc])+ #[serde(rename = $word)] $variant, )+
        }

        impl $name {
            /// Every one, in order.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// The word.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
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

pub(crate) use words;

words! {
    /// Who is told: the one that leads a run, or one that does a part.
    pub enum Host {
        /// The one that leads.
        Coordinator = "coordinator",
        /// One that does a part.
        Worker = "worker",
    }
}

words! {
    /// What a turn is for.
    pub enum Mode {
        /// Finding out.
        Investigate = "investigate",
        /// Having work done.
        Orchestrate = "orchestrate",
        /// Coming to an end.
        Wrapup = "wrapup",
    }
}

/// The schema of a mapping from names to what `T` describes.
pub(crate) fn named<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let values = generator.subschema_for::<T>();
    json_schema!({
        "type": "object",
        "propertyNames": { "pattern": NAME, "x-form": NAME_FORM },
        "additionalProperties": values,
        "maxProperties": 4096,
    })
}

impl<'de> Deserialize<'de> for TemplateRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl JsonSchema for TemplateRef {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "TemplateRef".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "maxLength": 512, "pattern": REFERENCE, "x-form": REFERENCE_FORM })
    }
}

#[cfg(test)]
mod tests {
    use cuebook_wire::{Document, ErrorCode, strict};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    struct Sheet {
        template: TemplateRef,
    }

    impl Document for Sheet {
        const CODE: ErrorCode = ErrorCode::AgentRowInvalid;
    }

    #[track_caller]
    fn check(name: &str) {
        let read = strict::read::<Sheet>(&json!({ "template": name })).map(|sheet| sheet.template);
        assert_eq!(read.ok(), TemplateRef::parse(name).ok(), "{name:?}");
    }

    #[test]
    fn documents_name_templates_as_people_do() {
        for name in
            ["partials/a.md", "agents/a", " a.md ", "./a", "a..b", "", ".", "..", "../a", "a/..", "/a"]
        {
            check(name);
        }
        for name in ["a/../b", "a/", "C:/a", "a\\b", "a\u{0}b", "a/. ./b", "kicks/x.y.z"] {
            check(name);
        }
    }

    proptest! {
        #[test]
        fn no_text_is_read_in_two_ways(name in "[a./\\\\ :\u{7f}C-]{0,12}") {
            check(&name);
        }
    }
}
