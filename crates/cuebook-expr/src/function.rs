//! The fixed set of functions: names, parameters, and what people call them elsewhere.
//!
//! Owns the table. Callers cannot add to it: a condition means the same in every host.

use cuebook_wire::names::nearest;

/// A built-in function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Size,
    StartsWith,
    EndsWith,
    Contains,
    Lower,
    Upper,
    Trim,
    Default,
    Exists,
    Text,
    Number,
}

/// Names from other languages, and the function that does the same here.
const ALIASES: [(&str, Function); 16] = [
    ("len", Function::Size),
    ("length", Function::Size),
    ("count", Function::Size),
    ("has", Function::Exists),
    ("defined", Function::Exists),
    ("coalesce", Function::Default),
    ("str", Function::Text),
    ("to_string", Function::Text),
    ("int", Function::Number),
    ("float", Function::Number),
    ("double", Function::Number),
    ("lowercase", Function::Lower),
    ("uppercase", Function::Upper),
    ("strip", Function::Trim),
    ("includes", Function::Contains),
    ("has_prefix", Function::StartsWith),
];

impl Function {
    pub(crate) const ALL: [Self; 11] = [
        Self::Size,
        Self::StartsWith,
        Self::EndsWith,
        Self::Contains,
        Self::Lower,
        Self::Upper,
        Self::Trim,
        Self::Default,
        Self::Exists,
        Self::Text,
        Self::Number,
    ];

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::StartsWith => "starts_with",
            Self::EndsWith => "ends_with",
            Self::Contains => "contains",
            Self::Lower => "lower",
            Self::Upper => "upper",
            Self::Trim => "trim",
            Self::Default => "default",
            Self::Exists => "exists",
            Self::Text => "string",
            Self::Number => "number",
        }
    }

    pub(crate) fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::StartsWith => &["text", "prefix"],
            Self::EndsWith => &["text", "suffix"],
            Self::Contains => &["container", "item"],
            Self::Default => &["value", "fallback"],
            Self::Exists => &["path"],
            Self::Lower | Self::Upper | Self::Trim => &["text"],
            Self::Size | Self::Text | Self::Number => &["value"],
        }
    }

    /// The call as the documentation writes it, such as `starts_with(text, prefix)`.
    pub(crate) fn signature(self) -> String {
        format!("{}({})", self.name(), self.parameters().join(", "))
    }
}

/// What to say to someone who called a function that does not exist.
pub(crate) fn unknown_hint(name: &str) -> String {
    let lower = name.to_lowercase();
    if matches!(lower.as_str(), "matches" | "match" | "regex") {
        return "expressions have no regular expressions; use a condition of type `regex`".to_owned();
    }
    let called = Function::ALL.map(|function| (function.name(), function)).into_iter().chain(ALIASES);
    let near = nearest(&lower, called.clone().map(|(name, _)| name));
    match called.into_iter().find(|(name, _)| Some(*name) == near) {
        Some((_, function)) => format!("did you mean `{}`?", function.name()),
        None => format!("the functions are {}", Function::ALL.map(Function::name).join(", ")),
    }
}
