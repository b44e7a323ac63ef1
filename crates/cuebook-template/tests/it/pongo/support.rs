//! Templates in memory, and the checks that the tables are made of.

use std::collections::BTreeMap;

use cuebook_template::pongo::{Context, Options, Profile, Program, Rendered, Segment, Settings};
use cuebook_template::{Diagnostic, Source, Trust};
use serde_json::{Value as Json, json};

/// The name of the template that a check renders.
pub(crate) const ENTRY: &str = "main";

/// Templates by name.
pub(crate) type Files = BTreeMap<String, String>;

/// Templates by name, from pairs.
pub(crate) fn files(pairs: &[(&str, &str)]) -> Files {
    pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// A trusted context with the members of an object.
pub(crate) fn context(values: Json) -> Context {
    let Json::Object(members) = values else { panic!("a context is an object") };
    Context::from_json(members, Trust::Trusted)
}

/// The data of every table.
pub(crate) fn data() -> Json {
    json!({
        "name": "Ada", "empty": "", "zero": 0, "one": 1, "five": 5, "half": 0.5, "big": 2.5,
        "yes": true, "no": false, "nil": null, "text": "a <b> & \"c\"", "word": "größe",
        "xs": [1, 2, 3], "ys": ["b", "a", "c"], "none": [], "rows": [[1, 2], [3]],
        "user": {"name": "Bo", "tags": ["x", "y"], "home": {"city": "Ulm"}}, "map": {"z": 1, "a": 2},
        "file": "part", "absent": "nowhere",
    })
}

/// Full profile, nothing escaped.
pub(crate) fn full() -> Options {
    Options::of(Profile::Full)
}

/// Compiles the entry with the files it may name.
pub(crate) fn compile(source: &str, files: &Files, options: &Options) -> Result<Program, Vec<Diagnostic>> {
    Program::compile(Source::new(ENTRY, source), files, options)
}

/// What rendering gives: a text, or all that is wrong.
pub(crate) fn render_with(
    source: &str,
    files: &Files,
    values: Json,
    options: &Options,
    settings: &Settings<'_>,
) -> Result<Rendered, Vec<Diagnostic>> {
    let program = compile(source, files, options)?;
    let settings = Settings { loader: Some(files), ..*settings };
    program.render(&context(values), &settings).map_err(|fault| vec![*fault])
}

/// The text of a template in the full profile, with the data of the tables.
pub(crate) fn render(source: &str, files: &Files) -> Result<String, Vec<Diagnostic>> {
    render_with(source, files, data(), &full(), &Settings::default()).map(|rendered| rendered.text)
}

/// A template without other files shows `expect`.
#[track_caller]
pub(crate) fn shows(source: &str, expect: &str) {
    shows_with(source, &[], expect);
}

/// A template that may name `others` shows `expect`.
#[track_caller]
pub(crate) fn shows_with(source: &str, others: &[(&str, &str)], expect: &str) {
    match render(source, &files(others)) {
        Ok(text) => assert_eq!(text, expect, "{source}"),
        Err(faults) => panic!("{source}\n{}", faults[0]),
    }
}

/// A template without other files fails at `place`, a line and a column, with `code`.
#[track_caller]
pub(crate) fn fails(source: &str, code: &str, place: &str) {
    fails_with(source, &[], code, &format!("{ENTRY}:{place}"));
}

/// A template that may name `others` fails at `place`, a name, a line and a column, with `code`.
#[track_caller]
pub(crate) fn fails_with(source: &str, others: &[(&str, &str)], code: &str, place: &str) {
    let faults = match render(source, &files(others)) {
        Ok(text) => panic!("{source}\nshows {text:?}"),
        Err(faults) => faults,
    };
    let label = faults[0].label.as_ref().map(ToString::to_string);
    assert_eq!((&*faults[0].code, label.as_deref()), (code, Some(place)), "{source}\n{}", faults[0]);
}

/// The one fault of a template under `options`.
#[track_caller]
pub(crate) fn fault_under(options: &Options, source: &str, others: &[(&str, &str)]) -> Diagnostic {
    let rendered = render_with(source, &files(others), data(), options, &Settings::default());
    let faults = match rendered {
        Ok(rendered) => panic!("{source}\nshows {:?}", rendered.text),
        Err(faults) => faults,
    };
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults.into_iter().next().expect("one fault")
}

/// The text of a template with its segments.
#[track_caller]
pub(crate) fn origins(source: &str, files: &Files, context: &Context) -> (Rendered, Vec<Segment>) {
    let program = compile(source, files, &full()).expect("a template");
    let settings = Settings { loader: Some(files), seed: Some(1), ..Settings::default() };
    program.render_with_origins(context, &settings).expect("a text")
}
