//! Our own engine.

use std::collections::BTreeMap;

use cuebook_template::pongo::{Context, Options, Profile, Program, Settings};
use cuebook_template::{Source, Trust};
use serde_json::Value as Json;

use crate::workload;

/// The files of the prompt.
pub(crate) struct Sources {
    entry: String,
    partials: BTreeMap<String, String>,
}

impl Sources {
    pub(crate) fn new() -> Self {
        let partial = |name: &str| (format!("partials/{name}.md"), workload::partial("pongo2", name));
        Self { entry: workload::prompt("pongo2"), partials: workload::PARTIALS.map(partial).into() }
    }

    pub(crate) fn compile(&self) -> Program {
        let entry = Source::new("main.md", self.entry.as_str());
        Program::compile(entry, &self.partials, &Options::of(Profile::Composed)).expect("the prompt compiles")
    }
}

/// A compiled prompt with its data.
pub(crate) struct Prompt {
    program: Program,
    context: Context,
}

impl Prompt {
    pub(crate) fn new() -> Self {
        let Json::Object(members) = workload::data() else { panic!("the data is an object") };
        let context = Context::from_json(members, Trust::Trusted);
        let prompt = Self { program: Sources::new().compile(), context };
        workload::check(&prompt.render());
        prompt
    }

    pub(crate) fn render(&self) -> String {
        self.program.render(&self.context, &Settings::default()).expect("the prompt renders").text
    }

    pub(crate) fn render_with_origins(&self) -> String {
        let settings = Settings { strict: true, ..Settings::default() };
        self.program.render_with_origins(&self.context, &settings).expect("the prompt renders").0.text
    }
}
