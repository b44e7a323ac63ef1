//! Payloads held against our own schema and, where it is there, the published one.

use std::collections::HashMap;
use std::error::Error;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use cuebook_wire::EventPayload;
use jsonschema::{Retrieve, Uri, Validator};
use serde_json::{Value as Json, json};

/// The published schemas by their `$id`.
#[derive(Clone)]
struct Published(Arc<HashMap<String, Json>>);

impl Retrieve for Published {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Json, Box<dyn Error + Send + Sync>> {
        self.0.get(uri.as_str()).cloned().ok_or_else(|| format!("no schema {uri}").into())
    }
}

/// Our validator of each event type asked for, and the published one.
static VALIDATORS: LazyLock<HashMap<&'static str, Vec<Validator>>> = LazyLock::new(|| {
    let types = ["agent.promptResolved", "prompt.composed"];
    types
        .into_iter()
        .map(|name| (name, [Some(ours(name)), theirs(name)].into_iter().flatten().collect()))
        .collect()
});

/// A file or folder of the shared material, if it is there.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("CUEBOOK_SHARED").map_or_else(beside, PathBuf::from);
    Some(folder.join(path)).filter(|path| path.exists())
}

pub(crate) fn read(path: PathBuf) -> Json {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Holds a payload against every schema there is for it.
#[track_caller]
pub(crate) fn check<P: EventPayload>(payload: &P) {
    let json = payload.to_value().unwrap();
    for validator in &VALIDATORS[P::TYPE.as_str()] {
        assert!(validator.is_valid(&json), "{json}: {:?}", validator.validate(&json));
    }
}

fn ours(event_type: &str) -> Validator {
    let mut schema = cuebook_wire::payload::schema();
    schema["$ref"] = json!(format!("#/$defs/_typeIndex/properties/{event_type}"));
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
}

fn theirs(event_type: &str) -> Option<Validator> {
    let files =
        std::fs::read_dir(shared("openwop/schemas")?).unwrap().map(|entry| read(entry.unwrap().path()));
    let by_id = files.filter_map(|schema| Some((schema["$id"].as_str()?.to_owned(), schema))).collect();
    let base = "https://openwop.dev/spec/v1/run-event-payloads.schema.json";
    let schema = json!({ "$ref": format!("{base}#/$defs/_typeIndex/properties/{event_type}") });
    let options =
        jsonschema::options().should_validate_formats(true).with_retriever(Published(Arc::new(by_id)));
    Some(options.build(&schema).unwrap())
}
