//! Which tags and filters a template may use.
//!
//! It owns the two closed lists of the layered templates' sandbox, and the names that it knows. It refuses to check
//! anything itself: the parser asks at each tag and filter.

use super::limits::Limits;

/// How much of the dialect a template may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// All of pongo2 6.0.0.
    Full,
    /// Prompts made of files: literal includes, and nothing that buffers, repeats, draws lots or reads a clock.
    #[default]
    Composed,
    /// Single texts: as [`Profile::Composed`], without includes.
    Isolated,
}

/// The tags that both sandboxed profiles refuse.
const BANNED_TAGS: [&str; 11] = [
    "block",
    "cycle",
    "extends",
    "filter",
    "ifchanged",
    "import",
    "lorem",
    "macro",
    "now",
    "spaceless",
    "ssi",
];

/// The filters that both sandboxed profiles refuse.
const BANNED_FILTERS: [&str; 7] =
    ["center", "ljust", "make_list", "random", "rjust", "split", "stringformat"];

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 3] = [Self::Full, Self::Composed, Self::Isolated];

    /// The word for it: `full`, `composed` or `isolated`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Composed => "composed",
            Self::Isolated => "isolated",
        }
    }

    /// Reads the word; `None` for any other.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.as_str() == word)
    }

    /// The limits that go with it.
    pub const fn limits(self) -> Limits {
        match self {
            Self::Full => Limits::FULL,
            Self::Composed | Self::Isolated => Limits::COMPOSED,
        }
    }

    pub(super) fn allows_tag(self, tag: &str) -> bool {
        match self {
            Self::Full => true,
            Self::Composed => !BANNED_TAGS.contains(&tag),
            Self::Isolated => tag != "include" && !BANNED_TAGS.contains(&tag),
        }
    }

    pub(super) fn allows_filter(self, filter: &str) -> bool {
        self == Self::Full || !BANNED_FILTERS.contains(&filter)
    }

    /// Whether an include may name its file by an expression, or give it values.
    pub(super) fn allows_include_options(self) -> bool {
        self == Self::Full
    }
}
