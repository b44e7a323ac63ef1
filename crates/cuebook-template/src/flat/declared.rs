//! Placeholders against declarations: names that nobody declares, and declarations that no placeholder takes.
//!
//! It owns the findings and what was probably meant. It refuses to know what a declaration is: a variable of a library
//! template and a member of a context are both just names here.

use super::program::Program;
use crate::diagnostic::Diagnostic;
use crate::nearest::nearest;

/// The code of a placeholder that nobody declares.
const UNDECLARED: &str = "prompt_placeholder_undeclared";
/// The code of a declaration that no placeholder takes.
const UNUSED: &str = "placeholder_unused";

impl Program {
    /// Reports each name that is not among `declared` as a warning, where it first stands, in order of place.
    pub fn undeclared(&self, declared: &[&str]) -> Vec<Diagnostic> {
        let strangers = self.names().iter().filter(|name| !declared.contains(&&***name));
        strangers.filter_map(|name| self.report_undeclared(name, declared)).collect()
    }

    fn report_undeclared(&self, name: &str, declared: &[&str]) -> Option<Diagnostic> {
        let first = self.placeholders().find(|placeholder| &*placeholder.name == name)?;
        let warning = Diagnostic::warning(UNDECLARED, format!("nothing declares `{name}`"));
        let warning = warning.at(self.source(), first.span);
        Some(match nearest(name, declared.iter().copied()) {
            Some(near) => warning.with_nearest(near).with_hint(format!("did you mean `{near}`?")),
            None => warning.with_hint("declare it, or correct the name"),
        })
    }

    /// Reports the declared `name` as a warning when no placeholder has it; the place of the declaration is the caller's.
    pub fn unused(&self, name: &str) -> Option<Diagnostic> {
        if self.slot(name).is_some() {
            return None;
        }
        let warning = Diagnostic::warning(UNUSED, format!("`{name}` is declared, and no placeholder has it"));
        Some(match nearest(name, self.names().iter().map(|name| &**name)) {
            Some(near) => {
                warning.with_nearest(near).with_hint(format!("is it meant where `{{{{{near}}}}}` stands?"))
            }
            None => {
                warning.with_hint(format!("remove it, or write `{{{{{name}}}}}` where the value belongs"))
            }
        })
    }
}
