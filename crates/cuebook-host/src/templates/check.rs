//! One template checked: what is wrong, what is doubtful, what it reads, what it takes.

use cuebook_template::pongo::{Context, undefined_names};
use cuebook_template::{Diagnostic, Location, Source, flat};
use serde_json::{Map, Value as Json, json};

use super::data::Data;
use super::renderer::{Renderer, split};
use super::usage::{LimitUse, of_program};
use super::{mustache, pongo};
use crate::report::{Problems, place};

/// What a check found.
#[derive(Clone, Debug, Default)]
pub struct TemplateCheck {
    /// What keeps it from being rendered.
    pub problems: Problems,
    /// What works and is probably not as meant.
    pub warnings: Problems,
    /// The names it reads from its context, in the order in which they are first read.
    pub names: Vec<NameRead>,
    /// What it takes of each limit; empty when it does not compile.
    pub limits: Vec<LimitUse>,
}

/// A name that a template reads from its context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameRead {
    /// The name.
    pub name: String,
    /// Where it is read.
    pub places: Vec<Location>,
    /// Whether the context has it; `None` without a context.
    pub given: Option<bool>,
    /// The name of the context that was probably meant, when it lacks this one.
    pub nearest: Option<String>,
}

impl NameRead {
    fn to_json(&self) -> Json {
        let places: Vec<Map<String, Json>> = self.places.iter().map(place).collect();
        let mut facts = json!({ "name": self.name, "places": places });
        if let Some(given) = self.given {
            facts["given"] = given.into();
        }
        if let Some(nearest) = &self.nearest {
            facts["nearest"] = nearest.as_str().into();
        }
        facts
    }
}

impl TemplateCheck {
    /// As JSON: `problems`, `warnings`, `names`, and `limits` by name.
    pub fn to_json(&self) -> Json {
        let limits: Map<String, Json> =
            self.limits.iter().map(|limit| (limit.name.to_owned(), limit.to_json())).collect();
        json!({
            "problems": self.problems.to_json(),
            "warnings": self.warnings.to_json(),
            "names": self.names.iter().map(NameRead::to_json).collect::<Vec<_>>(),
            "limits": limits,
        })
    }
}

impl Renderer {
    /// Checks a template; with a context it is rendered too, and what fails then is a problem.
    pub fn check(&self, source: Source) -> TemplateCheck {
        match &self.data {
            Data::Pongo(context) => self.check_pongo(source, context),
            Data::Mustache(_) => self.check_mustache(source),
        }
    }

    fn check_pongo(&self, source: Source, context: &Context) -> TemplateCheck {
        let program = match pongo::compile(self, source) {
            Ok(program) => program,
            Err(problems) => return TemplateCheck { problems, ..TemplateCheck::default() },
        };
        let mut check = TemplateCheck {
            warnings: program.warnings().iter().cloned().collect(),
            names: undefined_names(&program)
                .into_iter()
                .map(|read| self.name_read(read.name, read.places))
                .collect(),
            limits: of_program(&program),
            ..TemplateCheck::default()
        };
        if self.has_context {
            check.problems.collect(pongo::run(self, &program, context));
        }
        check
    }

    fn check_mustache(&self, source: Source) -> TemplateCheck {
        let program = flat::Program::parse(source);
        let declared = self.data.names();
        let unused = declared.iter().filter_map(|name| program.unused(name));
        let found: Vec<Diagnostic> =
            mustache::findings(self, &program, &declared).into_iter().chain(unused).collect();
        let (problems, warnings) = split(found);
        let names = program.names().iter().map(|name| {
            let places = program.placeholders().filter(|placeholder| placeholder.name == *name);
            let place = |span| Location { source: program.source().clone(), span };
            self.name_read(name.to_string(), places.map(|placeholder| place(placeholder.span)).collect())
        });
        TemplateCheck { problems, warnings, names: names.collect(), limits: Vec::new() }
    }

    fn name_read(&self, name: String, places: Vec<Location>) -> NameRead {
        let given = self.has_context.then(|| self.data.names().contains(&name.as_str()));
        let nearest = if given == Some(false) { self.data.nearest(&name) } else { None };
        NameRead { name, places, given, nearest }
    }
}
