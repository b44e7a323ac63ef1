//! Owns the step from a JSON value to a typed one, with the place of whatever is wrong. Refuses to quote the key: a document
//! that cannot be read is scrubbed and read once more, and only that second reading is reported.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::key::Scrubber;

/// Where a document is wrong, and what is wrong there.
pub(crate) struct Fault {
    pub(crate) path: String,
    pub(crate) problem: String,
}

/// Reads `value` as `T`.
pub(crate) fn read<T: DeserializeOwned>(value: Value, scrubber: Scrubber<'_>) -> Result<T, Fault> {
    if let Ok(read) = serde_path_to_error::deserialize(&value) {
        return Ok(read);
    }
    match serde_path_to_error::deserialize::<_, T>(&scrubber.value(value)) {
        Ok(_) => {
            Err(Fault { path: ".".to_owned(), problem: "the key stands where it cannot be read".to_owned() })
        }
        Err(error) => Err(Fault { path: error.path().to_string(), problem: error.inner().to_string() }),
    }
}
