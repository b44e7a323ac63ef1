//! How a template is compiled and rendered.
//!
//! It owns the choices and their defaults. It refuses defaults for what a host must decide: without a clock there is
//! no `now`, without a seed no chance.

use super::cache::Cache;
use super::filters::Civil;
use super::limits::Limits;
use super::loader::Loader;
use super::misses::Misses;
use super::profile::Profile;

/// How a template is compiled; part of the identity of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Which tags and filters are allowed.
    pub profile: Profile,
    /// What it may use, while it is compiled and while it is rendered.
    pub limits: Limits,
    /// Whether values are escaped for HTML where no `autoescape` tag says otherwise.
    pub autoescape: bool,
}

impl Options {
    /// The options of a profile: its own limits, no escaping.
    pub const fn of(profile: Profile) -> Self {
        Self { profile, limits: profile.limits(), autoescape: false }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::of(Profile::default())
    }
}

/// How a program is rendered once.
#[derive(Clone, Copy, Default)]
pub struct Settings<'h> {
    /// Whether a name or key without value is an error.
    pub strict: bool,
    /// Where a strict render notes what is missing and goes on, in place of ending at the first.
    pub misses: Option<&'h Misses>,
    /// What the tag `now` shows.
    pub now: Option<Civil>,
    /// What `random` and `lorem random` draw from.
    pub seed: Option<u64>,
    /// Where an include finds a file that only the render can name.
    pub loader: Option<&'h dyn Loader>,
    /// Where the programs of such files are kept; without one each render compiles them anew.
    pub cache: Option<&'h Cache>,
}
