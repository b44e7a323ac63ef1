//! The OpenAPI 3.1 document, made from the table of routes and the schemas of the wire types.

mod operations;

use cuebook_host::wire::ErrorCode;
use serde_json::{Map, Value, json};

use crate::routes::{ROUTES, Route};
use operations::{Operation, operation};

/// The whole document.
pub fn document() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for route in ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.to_lowercase()] = describe(&route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Cuebook, an OpenWOP v1 host",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Prompts, agents, workflows and runs. Errors are flat: error, message and details.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": cuebook_host::wire::schema::components(),
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    })
}

fn describe(route: &Route) -> Value {
    let operation = operation(route);
    let mut described = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "responses": responses(route, &operation),
        "security": if route.public { json!([]) } else { json!([{"bearer": []}]) },
    });
    let parameters = parameters(route, &operation);
    if !parameters.is_empty() {
        described["parameters"] = parameters.into();
    }
    if let Some(schema) = &operation.body {
        described["requestBody"] =
            json!({"required": true, "content": {"application/json": {"schema": schema}}});
    }
    described
}

fn parameters(route: &Route, operation: &Operation) -> Vec<Value> {
    let names = route.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let in_path = names.map(|name| {
        let schema = json!({"type": "string", "minLength": 1});
        json!({"name": name, "in": "path", "required": true, "schema": schema})
    });
    let in_query = operation
        .query
        .iter()
        .map(|(name, schema)| json!({"name": name, "in": "query", "required": false, "schema": schema}));
    in_path.chain(in_query).collect()
}

fn responses(route: &Route, operation: &Operation) -> Value {
    let mut responses = Map::new();
    if let Some((status, content, schema)) = &operation.answer {
        let mut described = json!({"description": operation.summary});
        if !content.is_empty() {
            described["content"] = json!({*content: {"schema": schema}});
        }
        responses.insert(status.to_string(), described);
    }
    let keyed = if route.public { &[][..] } else { &[401, 403][..] };
    for status in operation.errors.iter().chain(keyed) {
        responses.entry(status.to_string()).or_insert_with(|| error(*status));
    }
    let other = json!({"description": "Another error.", "content": envelope()});
    responses.insert("default".to_owned(), other);
    Value::Object(responses)
}

fn error(status: u16) -> Value {
    let codes = ErrorCode::ALL.iter().filter(|code| code.status() == Some(status)).map(|code| code.as_str());
    let codes = codes.collect::<Vec<_>>().join(", ");
    if status == 304 {
        return json!({"description": "The caller has it already."});
    }
    json!({"description": format!("One of: {codes}."), "content": envelope()})
}

fn envelope() -> Value {
    json!({"application/json": {"schema": {"$ref": "#/components/schemas/ErrorEnvelope"}}})
}
