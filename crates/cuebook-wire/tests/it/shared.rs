//! The published schemas and public fixtures, when their folder is there.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use jsonschema::{Retrieve, Uri, Validator};
use serde_json::{Value, json};

const BASE: &str = "https://openwop.dev/spec/v1/";

/// The folder `path` of the shared material, if it is there.
pub(crate) fn folder(path: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("CUEBOOK_SHARED").map_or(beside, PathBuf::from);
    Some(shared.join(path)).filter(|folder| folder.is_dir())
}

/// Every JSON file below `folder`, with its path.
pub(crate) fn json_files(folder: &std::path::Path) -> Vec<(PathBuf, Value)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(json_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "json") {
            files.push((path.clone(), serde_json::from_slice(&fs::read(&path).unwrap()).unwrap()));
        }
    }
    files.sort_by(|left, right| left.0.cmp(&right.0));
    files
}

/// The published schemas by their `$id`.
#[derive(Clone)]
struct Published(Arc<HashMap<String, Value>>);

impl Retrieve for Published {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        self.0.get(uri.as_str()).cloned().ok_or_else(|| format!("no schema {uri}").into())
    }
}

fn published() -> Option<Published> {
    let files = json_files(&folder("openwop/schemas")?);
    let by_id =
        files.into_iter().filter_map(|(_, schema)| Some((schema["$id"].as_str()?.to_owned(), schema)));
    Some(Published(Arc::new(by_id.collect())))
}

/// The validator of the published schema `name`, or of the definition behind `#`.
pub(crate) fn validator(reference: &str) -> Option<Validator> {
    let schema = json!({ "$ref": format!("{BASE}{reference}") });
    let options = jsonschema::options().should_validate_formats(true).with_retriever(published()?);
    Some(options.build(&schema).unwrap())
}
