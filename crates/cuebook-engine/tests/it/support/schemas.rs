//! Events held against the schemas: ours always, the published ones when their folder is there.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex};

use cuebook_wire::{RunEvent, RunSnapshot, payload, schema};
use jsonschema::{Retrieve, Uri, Validator};
use serde_json::{Value, json};

const BASE: &str = "https://openwop.dev/spec/v1/";

/// The folder `path` of the shared material, if it is there.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("CUEBOOK_SHARED").map_or(beside, PathBuf::from);
    Some(shared.join(path)).filter(|folder| folder.is_dir())
}

/// Reads a JSON file.
pub(crate) fn read_json(path: &std::path::Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The validators used so far: by name of the schema and of what it is for.
static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

static PUBLISHED: LazyLock<Option<Published>> = LazyLock::new(|| {
    let folder = shared("openwop/schemas")?;
    let files = fs::read_dir(folder).unwrap().map(|entry| read_json(&entry.unwrap().path()));
    let by_id = files.filter_map(|schema| Some((schema["$id"].as_str()?.to_owned(), schema)));
    Some(Published(Arc::new(by_id.collect())))
});

/// The published schemas by their `$id`.
#[derive(Clone)]
struct Published(Arc<HashMap<String, Value>>);

impl Retrieve for Published {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        self.0.get(uri.as_str()).cloned().ok_or_else(|| format!("no schema {uri}").into())
    }
}

/// Holds an event and its payload against every schema there is for them.
#[track_caller]
pub(crate) fn check(event: &RunEvent) {
    let document = serde_json::to_value(event).unwrap();
    let event_type = event.event_type.as_str();
    let index = format!("#/$defs/_typeIndex/properties/{event_type}");
    hold("our event", &document, || build(schema::of::<RunEvent>()));
    hold(&format!("our payload {event_type}"), &event.payload, || {
        let mut ours = payload::schema();
        ours["$ref"] = json!(index);
        build(ours)
    });
    if let Some(published) = PUBLISHED.as_ref() {
        let reference = |path: &str| build_published(published, path);
        hold("the published event", &document, || reference("run-event.schema.json"));
        hold(&format!("the published payload {event_type}"), &event.payload, || {
            reference(&format!("run-event-payloads.schema.json{index}"))
        });
    }
}

/// Holds a snapshot against every schema there is for it.
#[track_caller]
pub(crate) fn check_snapshot(snapshot: &RunSnapshot) {
    let document = serde_json::to_value(snapshot).unwrap();
    hold("our snapshot", &document, || build(schema::of::<RunSnapshot>()));
    if let Some(published) = PUBLISHED.as_ref() {
        hold("the published snapshot", &document, || build_published(published, "run-snapshot.schema.json"));
    }
}

#[track_caller]
fn hold(name: &str, document: &Value, build: impl FnOnce() -> Validator) {
    let mut validators = VALIDATORS.lock().unwrap();
    let validator = validators.entry(name.to_owned()).or_insert_with(|| Arc::new(build())).clone();
    drop(validators);
    let faults: Vec<String> = validator.iter_errors(document).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{name}: {document:#}: {faults:#?}");
}

fn build(schema: Value) -> Validator {
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
}

fn build_published(published: &Published, path: &str) -> Validator {
    let schema = json!({ "$ref": format!("{BASE}{path}") });
    let options = jsonschema::options().should_validate_formats(true).with_retriever(published.clone());
    options.build(&schema).unwrap()
}
