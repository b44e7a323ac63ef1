//! Prompt units: instructions that come with tools or modes.
//!
//! It owns the front matter of the files `shared/units/<stem>.md`. It refuses to read what stands below: that is a template.

use cuebook_template::{Diagnostic, Source, Span};
use cuebook_wire::{Document, ErrorCode, Fault};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::front_matter;
use crate::reference::TemplateRef;
use crate::words::{Host, Mode, words};

/// The most words of a description.
const MAX_WORDS: usize = 60;
/// The place of a unit that says none.
const ORDER: u32 = 100;

words! {
    /// Where in a prompt units stand.
    pub enum Slot {
        /// Where one is, and what there is.
        Orientation = "orientation",
        /// How to behave.
        Conduct = "conduct",
        /// What counts as known.
        Evidence = "evidence",
        /// How to work.
        Execution = "execution",
        /// How to use tools.
        Procedures = "procedures",
    }
}

/// A prompt unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The name of its template.
    pub reference: TemplateRef,
    /// What its front matter says.
    pub head: UnitHead,
    /// Whether a pack that comes with the host has it; such units stand before others of their order.
    pub from_bundled: bool,
}

/// The front matter of a prompt unit.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, title = "PromptUnit")]
pub struct UnitHead {
    /// What it is for, in at most 60 words and 480 characters.
    #[schemars(length(min = 1, max = 480))]
    pub description: String,
    /// Where it stands.
    pub slot: Slot,
    /// Its place in the slot; the least comes first.
    #[serde(default = "order")]
    pub order: u32,
    /// The tools it comes with: it is said when one of them is offered.
    #[serde(default)]
    #[schemars(inner(length(min = 1)), extend("uniqueItems" = true))]
    pub attaches: Vec<String>,
    /// Tools with which it is useful as well; for readers alone.
    #[serde(default)]
    #[schemars(inner(length(min = 1)), extend("uniqueItems" = true))]
    pub needed_with: Vec<String>,
    /// The modes in which it is said; none means all.
    #[serde(default)]
    #[schemars(extend("uniqueItems" = true))]
    pub modes: Vec<Mode>,
    /// Who is told; the coordinator, unless it says.
    #[serde(default = "hosts")]
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    pub hosts: Vec<Host>,
}

fn order() -> u32 {
    ORDER
}

fn hosts() -> Vec<Host> {
    vec![Host::Coordinator]
}

impl Unit {
    /// Reads the unit `reference` from its whole file, front matter included; it counts as none of the host's own.
    ///
    /// # Errors
    ///
    /// `prompt_unit_invalid` when the name is not lower-case words joined by hyphens, when there is no front matter, and for
    /// everything that is wrong with it, each with its place.
    pub fn read(reference: TemplateRef, source: &Source) -> Result<Self, Vec<Diagnostic>> {
        let mut problems = Vec::new();
        if !is_stem(reference.stem()) {
            problems.push(bad_stem(&reference, source));
        }
        match head(source) {
            Ok(head) if problems.is_empty() => return Ok(Self { reference, head, from_bundled: false }),
            Ok(_) => {}
            Err(found) => problems.extend(found),
        }
        Err(problems)
    }

    /// Its id: the stem of its name.
    pub fn id(&self) -> &str {
        self.reference.stem()
    }

    /// The same unit as one of the host's own.
    pub fn bundled(self) -> Self {
        Self { from_bundled: true, ..self }
    }
}

impl Document for UnitHead {
    const CODE: ErrorCode = ErrorCode::PromptUnitInvalid;

    fn rules(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let words = self.description.split_whitespace().count();
        if words == 0 {
            faults.push(Fault::new("/description", Self::CODE, "expected some words, found white space"));
        }
        if words > MAX_WORDS {
            let message = format!("expected at most {MAX_WORDS} words, found {words}");
            faults.push(Fault::new("/description", Self::CODE, message));
        }
        faults.extend(self.repeated().map(|(at, tool)| {
            let message = format!("`{tool}` is in `attaches` already");
            Fault::new(format!("/needed_with/{at}"), Self::CODE, message).hint("leave it out here")
        }));
        faults
    }
}

impl UnitHead {
    /// The tools that stand in both lists.
    fn repeated(&self) -> impl Iterator<Item = (usize, &String)> {
        self.needed_with.iter().enumerate().filter(|(_, tool)| self.attaches.contains(tool))
    }
}

fn head(source: &Source) -> Result<UnitHead, Vec<Diagnostic>> {
    let Some((head, _)) = front_matter::split(source) else {
        let hint = "begin with a line `---`, `description`, `slot`, and a line `---`";
        return Err(vec![at_top(source, "a unit begins with its front matter".to_owned()).with_hint(hint)]);
    };
    cuebook_yaml::read(&head).map(|(head, _)| head)
}

/// Whether it is lower-case words, digits among them, joined by single hyphens.
fn is_stem(stem: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    stem.starts_with(|first: char| first.is_ascii_lowercase()) && stem.split('-').all(is_word)
}

fn bad_stem(reference: &TemplateRef, source: &Source) -> Diagnostic {
    let message = format!("`{}` is no name of a unit: lower-case words joined by hyphens", reference.stem());
    at_top(source, message).with_hint("rename the file, as in read-before-edit.md")
}

/// The error `message` at the first line of a file.
fn at_top(source: &Source, message: String) -> Diagnostic {
    let top = source.first_line(Span::new(0, source.text().len()));
    Diagnostic::error(UnitHead::CODE.as_str(), message).at(source, top)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trouble::shown;

    fn read(name: &str, text: &str) -> Result<Unit, Vec<Diagnostic>> {
        Unit::read(TemplateRef::parse(name).expect("a name"), &Source::new("u.md", text))
    }

    #[track_caller]
    fn check(name: &str, text: &str, expect: &[&str]) {
        assert_eq!(shown(&read(name, text).err().unwrap_or_default()), expect, "{text}");
    }

    #[test]
    fn what_is_left_out_has_its_value() {
        let unit = read("units/web-2", "\u{feff}---\r\ndescription: d\r\nslot: conduct\r\n---\r\nbody")
            .expect("a unit");
        assert_eq!((unit.id(), unit.head.order, unit.from_bundled), ("web-2", 100, false));
        assert_eq!(unit.head.hosts, [Host::Coordinator]);
        assert!(unit.head.modes.is_empty() && unit.head.attaches.is_empty());
        assert!(unit.bundled().from_bundled);
    }

    #[test]
    fn every_fault_has_its_place() {
        check(
            "units/Read_It.md",
            "body\n",
            &[
                "u.md:1:1 `Read_It` is no name of a unit: lower-case words joined by hyphens (rename the file, as in read-before-edit.md)",
                "u.md:1:1 a unit begins with its front matter (begin with a line `---`, `description`, `slot`, and a line `---`)",
            ],
        );
        check(
            "units/a.md",
            "---\nslot: condukt\norder: -1\nneeded_with: [read]\nattaches: [read]\nhost: worker\n---\n",
            &[
                "u.md:2:1 `description` is missing (What it is for, in at most 60 words and 480 characters)",
                "u.md:6:1 unknown key `host` (at /host) (did you mean 'hosts'?)",
                "u.md:3:8 expected at least 0, found -1 (at /order)",
                "u.md:2:7 `condukt` is not one of orientation, conduct, evidence, execution, procedures (at /slot) (did you mean 'conduct'?)",
            ],
        );
        check(
            "units/a.md",
            "---\ndescription: d\nslot: conduct\nneeded_with: [grep, read]\nattaches: [read]\n---\n",
            &["u.md:4:21 `read` is in `attaches` already (at /needed_with/1) (leave it out here)"],
        );
        check(
            "units/a--b.md",
            "---\ndescription: d\nslot: conduct\n---\n",
            &[
                "u.md:1:1 `a--b` is no name of a unit: lower-case words joined by hyphens (rename the file, as in read-before-edit.md)",
            ],
        );
    }

    #[test]
    fn descriptions_have_two_bounds() {
        let with = |description: &str| format!("---\nslot: evidence\ndescription: \"{description}\"\n---\n");
        check("units/a", &with(&"a ".repeat(60)), &[]);
        check(
            "units/a",
            &with(&"a ".repeat(61)),
            &["u.md:3:14 expected at most 60 words, found 61 (at /description)"],
        );
        check("units/a", &with(&"é".repeat(480)), &[]);
        check(
            "units/a",
            &with(&"é".repeat(481)),
            &["u.md:3:14 expected at most 480 characters, found 481 (at /description)"],
        );
        check("units/a", &with(" "), &["u.md:3:14 expected some words, found white space (at /description)"]);
    }
}
