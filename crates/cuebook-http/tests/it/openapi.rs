//! The OpenAPI document, the table of routes and the router say the same.

use std::collections::BTreeSet;
use std::path::Path;

use cuebook_host::wire::ErrorCode;
use cuebook_http::ROUTES;
use serde_json::{Value as Json, json};

use crate::routes::request;
use crate::support::{Call, TestHost};

#[tokio::test]
async fn the_document_is_openapi_3_1_and_for_everybody() {
    let host = TestHost::new();
    let answer = host.send(Call::get("/v1/openapi.json").anonymous()).await;
    let document = answer.gives(200);
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let mut described: Vec<(String, String)> = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        described.extend(methods.as_object().unwrap().keys().map(|it| (it.to_uppercase(), path.clone())));
    }
    let mut routes = ROUTES.map(|route| (route.method.to_owned(), route.path.to_owned()));
    described.sort();
    routes.sort();
    assert_eq!(described, routes);
}

#[test]
fn operations_are_complete_and_named_once() {
    let document = cuebook_http::openapi_document();
    let mut ids = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id.to_owned()), "{id} names two operations");
            assert!(operation["summary"].as_str().unwrap().ends_with('.'), "{method} {path}");
            let is_public = operation["security"] == json!([]);
            assert_eq!(operation["responses"]["401"].is_null(), is_public, "{method} {path}");
            assert!(!operation["responses"]["default"].is_null(), "{method} {path}");
        }
    }
}

#[test]
fn every_reference_leads_somewhere() {
    let document = cuebook_http::openapi_document();
    let mut found = 0;
    visit(&document, &mut |reference| {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
        found += 1;
    });
    assert!(found > 50, "{found}");
}

fn visit(value: &Json, each: &mut dyn FnMut(&str)) {
    match value {
        Json::Object(map) => {
            if let Some(reference) = map.get("$ref").and_then(Json::as_str) {
                each(reference);
            }
            map.values().for_each(|value| visit(value, each));
        }
        Json::Array(list) => list.iter().for_each(|value| visit(value, each)),
        _ => {}
    }
}

#[test]
fn the_published_document_is_this_one() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let document = format!("{:#}\n", cuebook_http::openapi_document());
    if std::env::var_os("UPDATE_OPENAPI").is_some() {
        std::fs::write(&file, &document).unwrap();
    }
    let published = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(published == document, "docs/openapi.json is not up to date: run with UPDATE_OPENAPI=1");
}

#[tokio::test]
async fn every_route_is_answered_by_the_router() {
    let host = TestHost::builder().test_seams().open();
    let (run, _) = host.run("conformance-noop", &json!({})).await;
    for route in ROUTES {
        let answer = host.send(request(&route, &run)).await;
        assert_ne!(answer.status, 405, "{route:?}");
        assert!(!answer.text.contains("there is no such route\""), "{route:?}: {}", answer.text);
    }
}

#[tokio::test]
async fn no_path_answers_a_method_that_is_not_in_the_table() {
    let host = TestHost::builder().test_seams().open();
    // `{runId}:fork` and its like are one path for the router, and a run's id may hold a colon.
    for route in ROUTES.into_iter().filter(|route| !route.path.contains("}:")) {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            if !ROUTES.iter().any(|known| (known.method, known.path) == (method, route.path)) {
                let other = cuebook_http::Route { method, ..route };
                host.send(request(&other, "r")).await.refuses(ErrorCode::MethodNotAllowed);
            }
        }
    }
}

/// A path of the router as the table writes it.
fn as_in_table(path: &str) -> String {
    let mut table = String::new();
    let mut after_underscore = false;
    for letter in path.chars() {
        match letter {
            '_' => after_underscore = true,
            letter if after_underscore => {
                table.push(letter.to_ascii_uppercase());
                after_underscore = false;
            }
            letter => table.push(letter),
        }
    }
    table
}

#[test]
fn every_path_of_the_router_is_in_the_table() {
    let source = include_str!("../../src/routes.rs");
    let router = source.split_once("fn routes()").unwrap().1;
    let quoted = router.split('"').skip(1).step_by(2).filter(|text| text.starts_with('/'));
    let paths: BTreeSet<String> = quoted.map(as_in_table).collect();
    // `{runId}:fork` and its like are one path for the router.
    let table = ROUTES.iter().map(|route| route.path).filter(|path| !path.contains("}:"));
    assert_eq!(paths, table.map(str::to_owned).collect());
}
