//! Templates by themselves, for their authors: render one, check one, render many.
//!
//! It owns what the template languages leave to a host: files below roots, a context from a file, and what comes back.
//! It refuses prompts: nothing here has a ref, a secret, a marker or a hash, and no run ever comes this way.
//!
//! [`Renderer`] holds the options and the context; [`Roots`] finds the files that templates name.

mod batch;
mod check;
mod data;
mod input;
mod mustache;
mod pongo;
mod rendered;
mod renderer;
mod roots;
mod usage;

pub use batch::BatchSummary;
pub use check::{NameRead, TemplateCheck};
pub use cuebook_template::pongo::{Civil, Profile};
pub use input::{is_stream, open_batch, read_context};
pub use rendered::{RenderedTemplate, segment_line};
pub use renderer::{Dialect, Renderer, TemplateOptions};
pub use roots::Roots;
pub use usage::LimitUse;

#[cfg(test)]
mod tests {
    use cuebook_template::Source;
    use cuebook_template::flat::Program;
    use cuebook_template::pongo::code;
    use cuebook_wire::ErrorCode;

    #[track_caller]
    fn check(code: &str) {
        assert!(code.parse::<ErrorCode>().is_ok(), "'{code}' is not in the table");
    }

    #[test]
    fn the_codes_of_both_languages_are_in_the_table() {
        for code in [
            code::SYNTAX,
            code::UNCLOSED,
            code::UNKNOWN_TAG,
            code::UNKNOWN_FILTER,
            code::BANNED,
            code::NOT_FOUND,
            code::UNREADABLE,
            code::CYCLE,
            code::LIMIT,
            code::UNDEFINED,
            code::TYPE,
            code::FILTER,
            code::DIVISION,
            code::MACRO,
            code::NONDETERMINISTIC,
        ] {
            check(code);
        }
        let every_slip =
            "{{}} {{{a}}} {{#if a}} {{a.b}} {{a|b}} {{1}} {{ 7*7 }} {a} {% if a %} {# a #} {{a} {{a}}";
        let program = Program::parse(Source::new("t", every_slip));
        let found: Vec<_> =
            program.lints().into_iter().chain(program.undeclared(&[])).chain(program.unused("b")).collect();
        for finding in &found {
            check(&finding.code);
        }
        let codes: std::collections::BTreeSet<&str> = found.iter().map(|finding| &*finding.code).collect();
        assert_eq!(codes.len(), 13, "each kind of finding is there: {codes:?}");
    }
}
