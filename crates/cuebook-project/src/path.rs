//! Paths of prompt files as a project file names them (ADR-0015, ADR-0037).
//!
//! It owns the prefixes and what a path may look like. It refuses whatever leads out of the project by its form alone; links
//! are the business of [`crate::root`].

use std::fmt;

use cuebook_template::nearest;

/// Prefixes of places outside a project; none of them can be read.
const EXTERNAL: [&str; 5] = ["git:", "https:", "http:", "ssh:", "file:"];

/// Where a path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Base {
    /// The project's root: a bare path, or `project:/`.
    Project,
    /// The directory that holds the project file: `config:/`.
    Config,
}

/// A path that stays below its base, as far as its form tells.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PromptPath {
    /// Where it begins.
    pub base: Base,
    /// The steps below the base, joined by `/`.
    pub relative: String,
}

/// Why a text is no path of a prompt file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPath {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl PromptPath {
    /// Reads a path as a project file writes it.
    ///
    /// # Errors
    ///
    /// When it is empty, has a NUL, has a prefix other than `project:/` and `config:/`, is absolute, or leads out of its base by
    /// `..`.
    pub fn parse(text: &str) -> Result<Self, BadPath> {
        let (base, relative) = match split_prefix(text) {
            None => (Base::Project, text),
            Some(("project:", rest)) => (Base::Project, rest),
            Some(("config:", rest)) => (Base::Config, rest),
            Some((prefix, _)) => return Err(bad_prefix(prefix)),
        };
        check_form(text, relative)?;
        let steps = walk(relative).ok_or_else(|| leads_out(text, base))?;
        if steps.is_empty() {
            return Err(bad(format!("'{text}' names no file"), "name a file below the project's root"));
        }
        Ok(Self { base, relative: steps.join("/") })
    }

    /// The variant that takes a file's place on one machine: `role.local.md` for `config:/role.md`.
    ///
    /// Only files below `config:/` have one.
    pub fn local_variant(&self) -> Option<Self> {
        if self.base != Base::Config {
            return None;
        }
        let (directory, name) =
            self.relative.rsplit_once('/').map_or(("", &*self.relative), |(at, name)| (at, name));
        let name = match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => format!("{stem}.local.{extension}"),
            _ => format!("{name}.local"),
        };
        let relative = if directory.is_empty() { name } else { format!("{directory}/{name}") };
        Some(Self { base: self.base, relative })
    }
}

/// As a project file writes it; bare at the root.
impl fmt::Display for PromptPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.base {
            Base::Project => f.write_str(&self.relative),
            Base::Config => write!(f, "config:/{}", self.relative),
        }
    }
}

/// The prefix up to its colon and what follows its slash; a colon further in is part of a name.
fn split_prefix(text: &str) -> Option<(&str, &str)> {
    let at = text.find(":/")?;
    let (prefix, rest) = text.split_at(at + 1);
    let is_prefix = !prefix.contains('/') && prefix.starts_with(|first: char| first.is_ascii_alphabetic());
    is_prefix.then(|| (prefix, rest.trim_start_matches('/')))
}

fn bad(message: String, hint: &str) -> BadPath {
    BadPath { message, hint: Some(hint.to_owned()) }
}

fn bad_prefix(prefix: &str) -> BadPath {
    if EXTERNAL.contains(&prefix) {
        return bad(
            format!("a prompt cannot be read from '{prefix}/': its files lie in the project"),
            "copy the file into the project and name it there",
        );
    }
    let hint = match nearest(prefix, ["project:", "config:"]) {
        Some(near) => format!("did you mean '{near}/'?"),
        None => "write a path below the project's root, `project:/…` or `config:/…`".to_owned(),
    };
    BadPath { message: format!("there is no prefix '{prefix}/'"), hint: Some(hint) }
}

fn check_form(text: &str, relative: &str) -> Result<(), BadPath> {
    let hint = "name a file below the project's root";
    if text.is_empty() {
        return Err(bad("a path is empty".to_owned(), hint));
    }
    if text.contains('\0') {
        return Err(bad("a path holds a NUL".to_owned(), hint));
    }
    if relative.starts_with('/') || relative.starts_with('~') {
        return Err(bad(format!("'{text}' is not below the project's root"), hint));
    }
    Ok(())
}

/// The steps that remain when `.` and inner `..` are taken out; `None` when they lead above the start.
fn walk(relative: &str) -> Option<Vec<&str>> {
    let mut steps = Vec::new();
    for step in relative.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()?),
            name => steps.push(name),
        }
    }
    Some(steps)
}

fn leads_out(text: &str, base: Base) -> BadPath {
    let place = match base {
        Base::Project => "the project's root",
        Base::Config => "the directory of the project file",
    };
    bad(
        format!("'{text}' leads out of {place}"),
        "copy the file into the project, or include the project it belongs to",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let found = match PromptPath::parse(text) {
            Ok(path) => format!("{path} ({:?})", path.base),
            Err(bad) => bad.message,
        };
        assert_eq!(found, expect, "of {text:?}");
    }

    #[test]
    fn paths_stay_below_their_base() {
        check("prompts/role.md", "prompts/role.md (Project)");
        check("project:/prompts/role.md", "prompts/role.md (Project)");
        check("project://prompts/role.md", "prompts/role.md (Project)");
        check("config:/prompts/role.md", "config:/prompts/role.md (Config)");
        check("./a//b/../c.md", "a/c.md (Project)");
        check("yes", "yes (Project)");
        check("0x10", "0x10 (Project)");
        check("a:b.md", "a:b.md (Project)");
        check("dir/x:/y.md", "dir/x:/y.md (Project)");
        check("..md", "..md (Project)");
    }

    #[test]
    fn what_leads_out_is_refused() {
        check("", "a path is empty");
        check(".", "'.' names no file");
        check("project:/", "'project:/' names no file");
        check("a\0b", "a path holds a NUL");
        check("/etc/passwd", "'/etc/passwd' is not below the project's root");
        check("~/x.md", "'~/x.md' is not below the project's root");
        check("../x.md", "'../x.md' leads out of the project's root");
        check("a/../../x.md", "'a/../../x.md' leads out of the project's root");
        check("config:/../x.md", "'config:/../x.md' leads out of the directory of the project file");
        check("git:/x.md", "a prompt cannot be read from 'git:/': its files lie in the project");
        check(
            "https://example.org/x.md",
            "a prompt cannot be read from 'https:/': its files lie in the project",
        );
        check("projekt:/x.md", "there is no prefix 'projekt:/'");
    }

    #[test]
    fn local_variants_stand_beside_files_of_the_config_directory() {
        let variant = |text: &str| PromptPath::parse(text).ok()?.local_variant().map(|it| it.to_string());
        assert_eq!(variant("config:/prompts/role.md").as_deref(), Some("config:/prompts/role.local.md"));
        assert_eq!(variant("config:/role").as_deref(), Some("config:/role.local"));
        assert_eq!(variant("config:/.hidden").as_deref(), Some("config:/.hidden.local"));
        assert_eq!(variant("prompts/role.md"), None);
    }
}
