//! Other engines, each as its manual says it is used: templates are compiled once, data is converted once.

use serde_json::Value as Json;

use crate::workload;

/// tera 2, with its fast feature.
pub(crate) struct Tera {
    engine: tera::Tera,
    context: tera::Context,
}

impl Tera {
    pub(crate) fn new() -> Self {
        let context = tera::Context::from_serialize(&workload::data()).expect("the data converts");
        let contestant = Self { engine: Self::new_unchecked(), context };
        workload::check(&contestant.render());
        contestant
    }

    /// The engine with its templates, not compared with anything.
    pub(crate) fn new_unchecked() -> tera::Tera {
        let mut engine = tera::Tera::default();
        engine.autoescape_on(Vec::<&'static str>::new());
        let partials =
            workload::PARTIALS.map(|name| (format!("partials/{name}.md"), workload::partial("tera", name)));
        let files = partials.into_iter().chain([("main.md".to_owned(), workload::prompt("tera"))]);
        engine.add_raw_templates(files.collect::<Vec<_>>()).expect("the templates compile");
        engine
    }

    pub(crate) fn render(&self) -> String {
        self.engine.render("main.md", &self.context).expect("the prompt renders")
    }
}

/// minijinja 3.
pub(crate) struct MiniJinja {
    engine: minijinja::Environment<'static>,
    data: minijinja::Value,
}

impl MiniJinja {
    pub(crate) fn new() -> Self {
        let data = minijinja::Value::from(minijinja::value::Serde(workload::data()));
        let contestant = Self { engine: Self::new_unchecked(), data };
        workload::check(&contestant.render());
        contestant
    }

    /// The engine with its templates, not compared with anything.
    pub(crate) fn new_unchecked() -> minijinja::Environment<'static> {
        let mut engine = minijinja::Environment::new();
        engine.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        let syntax = minijinja::syntax::SyntaxConfig::builder().keep_trailing_newline(true).build();
        engine.set_syntax(syntax.expect("the usual delimiters"));
        for name in workload::PARTIALS {
            let partial = workload::partial("jinja", name);
            engine.add_template_owned(format!("partials/{name}.md"), partial).expect("a partial compiles");
        }
        engine.add_template_owned("main.md", workload::prompt("jinja")).expect("the prompt compiles");
        engine
    }

    pub(crate) fn render(&self) -> String {
        let template = self.engine.get_template("main.md").expect("the prompt is there");
        template.render(&self.data).expect("the prompt renders")
    }
}

/// handlebars 6, with helpers for what its language leaves to the host.
pub(crate) struct Handlebars {
    engine: handlebars::Handlebars<'static>,
    data: Json,
}

handlebars::handlebars_helper!(capfirst: |text: str| {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect::<String>()).unwrap_or_default()
});
handlebars::handlebars_helper!(upper: |text: str| text.to_uppercase());
handlebars::handlebars_helper!(lower: |text: str| text.to_lowercase());
handlebars::handlebars_helper!(or_else: |text: str, other: str| if text.is_empty() { other } else { text }.to_owned());
handlebars::handlebars_helper!(both: |left: bool, right: bool| left && right);
handlebars::handlebars_helper!(big: |number: i64, than: i64| number > than);
handlebars::handlebars_helper!(size: |items: array| items.len());
handlebars::handlebars_helper!(inc: |number: i64| number + 1);
handlebars::handlebars_helper!(differ: |left: str, right: str| left != right);
handlebars::handlebars_helper!(join: |items: array, between: str| {
    items.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(between)
});

impl Handlebars {
    pub(crate) fn new() -> Self {
        let mut engine = handlebars::Handlebars::new();
        engine.register_escape_fn(handlebars::no_escape);
        let helpers: [(&str, Box<dyn handlebars::HelperDef + Send + Sync>); 10] = [
            ("capfirst", Box::new(capfirst)),
            ("upper", Box::new(upper)),
            ("lower", Box::new(lower)),
            ("or_else", Box::new(or_else)),
            ("both", Box::new(both)),
            ("big", Box::new(big)),
            ("size", Box::new(size)),
            ("inc", Box::new(inc)),
            ("differ", Box::new(differ)),
            ("join", Box::new(join)),
        ];
        for (name, helper) in helpers {
            engine.register_helper(name, helper);
        }
        for name in workload::PARTIALS {
            engine
                .register_template_string(name, workload::partial("handlebars", name))
                .expect("a partial compiles");
        }
        engine.register_template_string("main", workload::prompt("handlebars")).expect("the prompt compiles");
        let contestant = Self { engine, data: workload::data() };
        workload::check_words(&contestant.render());
        contestant
    }

    pub(crate) fn render(&self) -> String {
        self.engine.render("main", &self.data).expect("the prompt renders")
    }
}
