//! Owns the compiled schemas, one for each type, made at first use and kept for the life of the process. Refuses remote
//! references: a schema holds all it needs.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::Value;

use super::explain::explain;
use super::{Document, Fault};
use crate::error::ErrorCode;

/// A compiled schema, or why it does not compile.
pub(super) type Entry = Result<Arc<Compiled>, Arc<str>>;

static COMPILED: LazyLock<Mutex<HashMap<TypeId, Entry>>> = LazyLock::new(Mutex::default);

/// A schema with its validator.
pub(super) struct Compiled {
    schema: Value,
    validator: Validator,
}

impl Compiled {
    /// Compiles a schema, or says why it does not compile.
    pub(super) fn of(schema: Value) -> Result<Self, String> {
        let validator = jsonschema::options().should_validate_formats(true).build(&schema);
        validator.map(|validator| Self { schema, validator }).map_err(|error| error.to_string())
    }

    /// Whether the schema has no objection to `value`.
    pub(super) fn allows(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }

    /// Every fault the schema finds in `value`.
    pub(super) fn faults(&self, value: &Value, code: ErrorCode) -> Vec<Fault> {
        self.validator.iter_errors(value).flat_map(|error| explain(&self.schema, &error, code)).collect()
    }
}

/// The compiled schema of `T`, or why it does not compile.
pub(super) fn compiled<T: Document>() -> Entry {
    let mut entries = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    entries.entry(TypeId::of::<T>()).or_insert_with(compile::<T>).clone()
}

fn compile<T: Document>() -> Entry {
    Compiled::of(crate::schema::of::<T>()).map(Arc::new).map_err(Into::into)
}
