//! Secrets: in the dispatch face and nowhere else.

use cuebook_prompt::{Composition, Principal, PromptRequest, Secrets, Value};
use cuebook_wire::{EventPayload, NodeId, Observability};
use serde_json::{Value as Json, json};

use crate::schemas;
use crate::support::{
    Host, agent, block_on, composition, exposed, failures, inputs, optional, prepare, request, secret,
    versioned,
};

const CANARY: &str = "canary-5f1c\"&{{note}}</UNTRUSTED>";

fn host() -> Host {
    let variables = json!([secret("api_key"), optional("note")]);
    let mut host = Host::new(vec![versioned("s", "1.0.0", "system", "key {{api_key}} {{note}}", variables)]);
    host.secrets.insert("acme-key", CANARY);
    host.agents.push(agent("local.news.writer", None, json!({})));
    host
}

fn node(given: Json) -> PromptRequest {
    let config =
        json!({ "systemPromptRef": "prompt:s", "userPrompt": "Go.", "agentId": "local.news.writer" });
    PromptRequest { scope: inputs(given), ..request(&config) }
}

fn given() -> Json {
    json!({ "api_key": "acme-key", "note": "n" })
}

/// Everything about a composition that may be written down.
fn written(composition: &Composition) -> String {
    let observed = &composition.observed;
    let payload = |observability| {
        let payload = observed.to_payload(&NodeId::new("n"), observability).unwrap();
        schemas::check(&payload);
        payload.to_value().unwrap()
    };
    let record = serde_json::to_value(observed.to_record(Vec::new())).unwrap();
    format!("{observed:?}\n{}\n{}\n{record}", payload(Observability::Full), payload(Observability::Hashed))
}

#[test]
fn the_model_gets_the_secret_and_nobody_else() {
    let prepared = host().prepare(&node(given()));
    assert_eq!(prepared.secrets.len(), 1);
    let said = format!("{:?} {:?}", prepared.resolutions, prepared.warnings);
    let composition = composition(prepared);
    let sent = exposed(&composition.dispatch);
    assert_eq!(sent, (Some(format!("key {CANARY} n")), Some("Go.".to_owned())));
    assert_eq!(composition.observed.composed, "key [REDACTED:acme-key] n\n\nGo.");
    for part in [CANARY, "canary-5f1c"] {
        assert!(!written(&composition).contains(part));
        assert!(!said.contains(part));
    }
}

#[test]
fn every_secret_stands_where_its_marker_is_seen() {
    let variables = json!([secret("a"), secret("b")]);
    let text = |id, kind, text| versioned(id, "1.0.0", kind, text, variables.clone());
    let mut host = Host::new(vec![
        text("s", "system", "{{a}}é{{b}}{{a}}"),
        text("u", "user", "{{b}}: {{note}}"),
        text("f", "few-shot", "ü{{a}}"),
    ]);
    host.secrets.insert("one", "first secret");
    host.secrets.insert("two", "second, longer secret");
    let config = json!({
        "systemPromptRef": "prompt:s", "userPromptRef": "prompt:u", "fewShotPromptRefs": ["prompt:f"],
    });
    let scope = inputs(json!({ "a": "one", "b": "two", "note": "[REDACTED:one]" }));
    let composition = composition(host.prepare(&PromptRequest { scope, ..request(&config) }));
    let system = "first secretésecond, longer secretfirst secret".to_owned();
    let user = "üfirst secret\n\nsecond, longer secret: [REDACTED:one]";
    assert_eq!(exposed(&composition.dispatch), (Some(system), Some(user.to_owned())));
}

#[test]
fn hashes_are_of_the_marker() {
    let mut other = host();
    other.secrets.insert("acme-key", "quite another value");
    let one = composition(host().prepare(&node(given()))).observed;
    let two = composition(other.prepare(&node(given()))).observed;
    assert_eq!(one.hash, two.hash);
    assert!(one.variables.hashes().eq(two.variables.hashes()));
    let marker = cuebook_prompt::ContentHash::of("[REDACTED:acme-key]");
    assert_eq!(one.variables.hashes().next(), Some(("api_key", marker)));
}

#[test]
fn a_composition_that_is_only_looked_at_holds_markers() {
    let mut host = host();
    host.secrets.clear();
    let prepared = block_on(host.pipeline().prepare(&Principal::local(), &node(given()), Secrets::Mark));
    assert!(prepared.secrets.is_empty());
    let sent = exposed(&composition(prepared).dispatch);
    assert_eq!(sent.0.as_deref(), Some("key [REDACTED:acme-key] n"));
}

#[test]
fn a_marker_binds_like_the_id() {
    let by_id = composition(host().prepare(&node(given())));
    let marker = json!({ "api_key": "[REDACTED:acme-key]", "note": "n" });
    let by_marker = composition(host().prepare(&node(marker)));
    assert_eq!(by_id.observed.hash, by_marker.observed.hash);
    assert_eq!(exposed(&by_id.dispatch), exposed(&by_marker.dispatch));
}

#[test]
fn a_secret_out_of_reach_composes_nothing() {
    let mut short = host();
    short.secrets.insert("acme-key", "short");
    let mut elsewhere = host();
    elsewhere.secrets.insert("acme-key", "only:another.library");
    let mut none = host();
    none.secrets.clear();
    for host in [short, elsewhere, none] {
        let prepared = host.prepare(&node(given()));
        assert_eq!(
            failures(&prepared),
            ["credential_unavailable [1:5] the secret for variable 'api_key' is not available here; \
              declare it under [secrets], allow this use, and see that its origin can be reached"]
        );
        assert!(prepared.secrets.is_empty());
    }
}

#[test]
fn the_store_is_told_which_library_asks() {
    let mut host = host();
    host.secrets.insert("acme-key", "only:host");
    let sent = exposed(&composition(host.prepare(&node(given()))).dispatch);
    assert_eq!(sent.0.as_deref(), Some("key only:host n"));
}

#[test]
fn errors_never_hold_a_value() {
    let errors = |given: Json| {
        let prepared = host().prepare(&node(given));
        let errors = prepared.outcome.err().expect("it fails");
        let run_error = serde_json::to_string(&errors.to_run_error()).unwrap();
        format!("{errors:?} {run_error} {}", errors.iter().map(ToString::to_string).collect::<String>())
    };
    for value in ["canary-5f1c", "canary-5f1c with blanks"] {
        assert!(!errors(json!({ "api_key": value })).contains("canary"));
        assert!(!errors(json!({ "api_key": [value] })).contains("canary"));
        assert!(!errors(json!({ "api_key": "acme-key", "note": [value] })).contains("canary"));
    }
}

#[test]
fn secrets_are_not_found_in_values_of_other_variables() {
    let given = json!({ "api_key": "acme-key", "note": "{{api_key}} [REDACTED:acme-key]" });
    let sent = exposed(&composition(host().prepare(&node(given))).dispatch);
    assert_eq!(sent.0, Some(format!("key {CANARY} {{{{api_key}}}} [REDACTED:acme-key]")));
}

#[test]
fn an_untrusted_answer_cannot_name_a_secret() {
    let PromptRequest { mut scope, .. } = node(given());
    if let cuebook_prompt::Scope::Node { inputs, .. } = &mut scope {
        inputs.insert("api_key".to_owned(), Value::untrusted("acme-key".into()));
    }
    let prepared = prepare(&host().pipeline(), &PromptRequest { scope, ..node(given()) });
    assert!(failures(&prepared)[0].starts_with("credential_unavailable"));
    assert!(prepared.secrets.is_empty());
}
