//! The names of layered templates, each in one form.
//!
//! It owns the spellings that mean the same file: `kicks/x` is `guidance/x.md`, `shared/partials/x.md` is `partials/x.md`.
//! It refuses what leads out of a layer: absolute names, `..`, and characters that no file name has.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use cuebook_prompt::synthetic_id;

/// The prefix of the synthetic refs of layered templates.
pub const PREFIX: &str = "layered.";

/// The longest name in bytes.
const MAX_BYTES: usize = 512;

/// Spellings of prefixes, the longer one of two first, with the prefix that is meant.
const SPELLINGS: [(&str, &str); 11] = [
    ("agents/prompts/", "agents/"),
    ("agents/", "agents/"),
    ("shared/partials/", "partials/"),
    ("partials/", "partials/"),
    ("shared/units/", "units/"),
    ("units/", "units/"),
    ("shared/archetypes/", "archetypes/"),
    ("archetypes/", "archetypes/"),
    ("guidance/", "guidance/"),
    ("kicks/", "guidance/"),
    ("inject/", "guidance/"),
];

/// The name of a layered template in its one form: a prefix, a path, an extension.
///
/// Names of no known prefix stay as they are; only overlays have files of such names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TemplateRef(Arc<str>);

/// What a template is for, by its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RefKind {
    /// The prompt of an agent.
    Agent,
    /// A part that templates include.
    Partial,
    /// Instructions that come with tools or modes.
    Unit,
    /// The frame that agents of one sort share.
    Archetype,
    /// What is said at a moment of a run.
    Guidance,
    /// A file of an overlay under a prefix of its own.
    Other,
}

/// Why a text names no template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadRef {
    /// It is empty, or names a directory.
    Empty,
    /// It begins with a slash or a drive.
    Absolute,
    /// It leads out of its layer by `..`.
    Escapes,
    /// It has a control character or a backslash.
    Character,
    /// It is longer than 512 bytes.
    TooLong,
}

impl fmt::Display for BadRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "a template is named by prefix and path, as in partials/tone.md",
            Self::Absolute => "a template's name is relative: no slash first",
            Self::Escapes => "a template's name stays in its layer: no '..'",
            Self::Character => "a template's name has no control characters and no backslash",
            Self::TooLong => "a template's name has at most 512 bytes",
        })
    }
}

impl std::error::Error for BadRef {}

impl TemplateRef {
    /// Reads a name in any of its spellings; one without an extension means the `.md` file.
    ///
    /// # Errors
    ///
    /// As [`BadRef`] says.
    pub fn parse(text: &str) -> Result<Self, BadRef> {
        Self::spellings(text).map(|(reference, _)| reference)
    }

    /// As [`Self::parse`]; beside it, for a name without an extension, the `.yaml` file that is meant where there is no `.md`.
    ///
    /// # Errors
    ///
    /// As [`Self::parse`].
    pub fn spellings(text: &str) -> Result<(Self, Option<Self>), BadRef> {
        let path = clean(text)?;
        let name = SPELLINGS
            .iter()
            .find_map(|(spelling, prefix)| path.strip_prefix(spelling).map(|rest| format!("{prefix}{rest}")))
            .unwrap_or(path);
        let (_, last) = name.rsplit_once('/').unwrap_or(("", &name));
        if last.contains('.') {
            return Ok((Self(name.into()), None));
        }
        Ok((Self(format!("{name}.md").into()), Some(Self(format!("{name}.yaml").into()))))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What it is for.
    pub fn kind(&self) -> RefKind {
        match self.0.split_once('/').map(|(prefix, _)| prefix) {
            Some("agents") => RefKind::Agent,
            Some("partials") => RefKind::Partial,
            Some("units") => RefKind::Unit,
            Some("archetypes") => RefKind::Archetype,
            Some("guidance") => RefKind::Guidance,
            _ => RefKind::Other,
        }
    }

    /// The last step without its extension.
    pub fn stem(&self) -> &str {
        let (_, last) = self.0.rsplit_once('/').unwrap_or(("", &self.0));
        last.rsplit_once('.').map_or(last, |(stem, _)| stem)
    }

    /// Whether it begins with `_`: such files are included, and are no units or agents by themselves.
    pub fn is_reserved(&self) -> bool {
        self.stem().starts_with('_')
    }

    /// The id of the template on the wire: `layered.`, the name with dots for slashes, without `.md`.
    pub fn template_id(&self) -> String {
        let name = self.0.strip_suffix(".md").unwrap_or(&self.0);
        let is_plain = !name.contains('.') && name.len() < self.0.len();
        let dotted = name.replace('/', ".");
        // An upper-case letter makes the mapping lossy, and so ends the id in digits of the name's hash.
        if is_plain { synthetic_id(PREFIX, &dotted) } else { synthetic_id(PREFIX, &self.0) }
    }
}

impl fmt::Display for TemplateRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Borrow<str> for TemplateRef {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl RefKind {
    /// The prefix of its names; empty for files under a prefix of their own.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Agent => "agents/",
            Self::Partial => "partials/",
            Self::Unit => "units/",
            Self::Archetype => "archetypes/",
            Self::Guidance => "guidance/",
            Self::Other => "",
        }
    }
}

/// The steps of a path without those that mean nothing.
fn clean(text: &str) -> Result<String, BadRef> {
    let text = text.trim();
    if text.len() > MAX_BYTES {
        return Err(BadRef::TooLong);
    }
    if text.chars().any(|char| char.is_control() || char == '\\') {
        return Err(BadRef::Character);
    }
    if text.starts_with('/') || text.get(1..3) == Some(":/") {
        return Err(BadRef::Absolute);
    }
    if text.is_empty() || text.ends_with('/') {
        return Err(BadRef::Empty);
    }
    let steps: Vec<&str> = text.split('/').filter(|step| !step.is_empty() && *step != ".").collect();
    match steps.as_slice() {
        [] => Err(BadRef::Empty),
        steps if steps.contains(&"..") => Err(BadRef::Escapes),
        steps => Ok(steps.join("/")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Result<&str, BadRef>) {
        let found = TemplateRef::parse(text);
        assert_eq!(found.as_ref().map(TemplateRef::as_str), expect.as_ref().copied(), "{text:?}");
    }

    #[test]
    fn every_spelling_has_one_form() {
        check("partials/tone.md", Ok("partials/tone.md"));
        check(" ./partials//tone ", Ok("partials/tone.md"));
        check("shared/partials/tone.md", Ok("partials/tone.md"));
        check("agents/prompts/writer.md", Ok("agents/writer.md"));
        check("agents/writer", Ok("agents/writer.md"));
        check("kicks/leg", Ok("guidance/leg.md"));
        check("inject/leg.md", Ok("guidance/leg.md"));
        check("guidance/reject/_reject", Ok("guidance/reject/_reject.md"));
        check("nested/leaf.md", Ok("nested/leaf.md"));
        check("_gate.md.tmpl", Ok("_gate.md.tmpl"));
    }

    #[test]
    fn what_leads_out_is_refused() {
        for (text, expect) in [
            ("", BadRef::Empty),
            (".", BadRef::Empty),
            ("partials/", BadRef::Empty),
            ("/etc/hostname", BadRef::Absolute),
            ("C:/x.md", BadRef::Absolute),
            ("..", BadRef::Escapes),
            ("../x.md", BadRef::Escapes),
            ("partials/../../x.md", BadRef::Escapes),
            ("partials/x\0.md", BadRef::Character),
            ("partials\\x.md", BadRef::Character),
        ] {
            check(text, Err(expect));
        }
        check(&format!("partials/{}", "x".repeat(600)), Err(BadRef::TooLong));
    }

    #[test]
    fn a_name_without_extension_may_mean_a_yaml_file() {
        let (first, second) = TemplateRef::spellings("guidance/x").expect("a name");
        assert_eq!((first.as_str(), second.expect("another").as_str()), ("guidance/x.md", "guidance/x.yaml"));
        assert_eq!(TemplateRef::spellings("guidance/x.txt").expect("a name").1, None);
    }

    #[test]
    fn ids_are_faithful_or_hashed() {
        let id = |text: &str| TemplateRef::parse(text).expect("a name").template_id();
        assert_eq!(id("agents/x.md"), "layered.agents.x");
        assert_eq!(id("guidance/reject/_reject"), "layered.guidance.reject._reject");
        for lossy in ["agents/X.md", "guidance/x.yaml", "agents/a.b.md"] {
            assert!(id(lossy).starts_with("layered.agents") || id(lossy).starts_with("layered.guidance"));
            assert_eq!(id(lossy).rsplit_once('-').expect("digits").1.len(), 8, "{}", id(lossy));
        }
        assert_ne!(id("agents/a.b.md"), id("agents/a/b.md"));
    }
}
