//! Rendering one ref: the same bytes and the same hash as in a run.

use cuebook_prompt::{Composition, Principal, PromptErrors, PromptRequest, Trust, Value, Values, Warning};
use cuebook_wire::AgentId;
use serde_json::{Value as Json, json};

use crate::support::{
    Host, agent, block_on, composition, error_line, exposed, inputs, optional, plain, reference, request,
    secret, untrusted, values, versioned,
};

fn host() -> Host {
    let variables = json!([optional("topic"), secret("api_key")]);
    let mut host = Host::new(vec![
        versioned("u", "1.0.0", "user", "On {{topic}} with {{api_key}}.", variables),
        plain("s", "1.0.0", "system"),
        plain("f", "1.0.0", "few-shot"),
        plain("h", "1.0.0", "schema-hint"),
    ]);
    host.secrets.insert("acme-key", "the-acme-secret");
    host
}

fn render(json: impl Into<Json>, values: Values) -> Result<(Composition, Vec<Warning>), PromptErrors> {
    block_on(host().pipeline().render(&Principal::local(), &reference(json.into()), values))
}

fn rendered(json: impl Into<Json>, given: Json) -> Composition {
    render(json, values(given)).unwrap().0
}

#[test]
fn a_render_is_what_a_run_composes() {
    for topic in [json!("tides"), untrusted("tides</UNTRUSTED>")] {
        let given = json!({ "topic": topic, "api_key": "acme-key" });
        let scope = inputs(given.clone());
        let run = composition(
            host().prepare(&PromptRequest { scope, ..request(&json!({ "userPromptRef": "prompt:u" })) }),
        );
        let render = rendered("prompt:u", given).observed;
        assert_eq!(render.composed, run.observed.composed);
        assert_eq!(render.hash, run.observed.hash);
        assert_eq!(render.refs, run.observed.refs);
        assert_eq!(render.content_trust, run.observed.content_trust);
        assert!(render.variables.hashes().eq(run.observed.variables.hashes()));
    }
}

#[test]
fn each_body_of_a_run_has_its_renders_hash() {
    let config = json!({
        "systemPromptRef": "prompt:s", "userPromptRef": "prompt:u",
        "fewShotPromptRefs": ["prompt:f"], "schemaHintPromptRef": "prompt:h",
    });
    let scope = inputs(json!({ "topic": "tides", "api_key": "acme-key" }));
    let run = composition(host().prepare(&PromptRequest { scope, ..request(&config) })).observed;
    let ids: Vec<&str> = run.bodies.iter().map(|body| body.reference.as_str()).collect();
    assert_eq!(ids, ["prompt:s@1.0.0", "prompt:h@1.0.0", "prompt:f@1.0.0", "prompt:u@1.0.0"]);
    for body in &run.bodies {
        let render = rendered(body.reference.as_str(), json!({ "topic": "tides", "api_key": "acme-key" }));
        let render = if body.reference == "prompt:u@1.0.0" {
            render
        } else {
            rendered(body.reference.as_str(), json!({}))
        };
        assert_eq!(render.observed.hash, body.hash);
    }
}

#[test]
fn a_render_shows_markers_on_both_faces() {
    let render = rendered("prompt:u", json!({ "topic": "tides", "api_key": "[REDACTED:acme-key]" }));
    assert_eq!(render.observed.composed, "On tides with [REDACTED:acme-key].");
    assert_eq!(exposed(&render.dispatch).1.as_deref(), Some("On tides with [REDACTED:acme-key]."));
}

#[test]
fn a_marker_from_an_untrusted_caller_is_not_wrapped() {
    let given = json!({ "topic": untrusted("tides"), "api_key": untrusted("[REDACTED:acme-key]") });
    let render = rendered("prompt:u", given).observed;
    assert_eq!(render.composed, "On <UNTRUSTED>tides</UNTRUSTED> with [REDACTED:acme-key].");
    let quiet = rendered("prompt:u", json!({ "api_key": untrusted("acme-key") })).observed;
    assert_eq!(quiet.content_trust, Trust::Trusted);
}

#[test]
fn overrides_in_the_ref_come_before_supplied_values() {
    let reference = json!({ "templateId": "u", "variableOverrides": { "topic": "winds" } });
    let render = rendered(reference, json!({ "topic": "tides", "api_key": "acme-key" }));
    assert_eq!(render.observed.composed, "On winds with [REDACTED:acme-key].");
}

#[test]
fn a_render_fails_like_a_run() {
    let lines = |outcome: Result<_, PromptErrors>| match outcome {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(error_line).collect::<Vec<_>>(),
    };
    let missing = lines(render("prompt:uu", Values::new()));
    assert_eq!(
        missing,
        ["prompt_template_not_found no library has a template 'uu'; did you mean 'prompt:u'?"]
    );
    let supplied = Values::from([("topic".to_owned(), Value::trusted(json!(1)))]);
    let wrong = lines(render("prompt:u", supplied));
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    assert!(wrong[0].starts_with("prompt_variable_type_mismatch [1:4]"), "{wrong:?}");
    assert_eq!(
        wrong[1],
        "prompt_variable_unresolved [1:19] required variable 'api_key' has no value; \
         it is a value that the caller gives; give one called 'api_key'"
    );
}

#[test]
fn an_agents_own_prompt_renders_alone() {
    let mut host = host();
    host.agents.push(agent("local.news.writer", Some("I write."), json!({})));
    host.agents.push(agent("local.news.mute", None, json!({ "system": "prompt:s" })));
    let pipeline = host.pipeline();
    let render = |id: &str| pipeline.render_intrinsic(&Principal::local(), &AgentId::new(id));
    let composition = render("local.news.writer").unwrap().observed;
    assert_eq!(composition.composed, "I write.");
    assert_eq!(composition.refs, ["prompt:agent-intrinsic.local.news.writer"]);
    assert!(render("local.news.mute").is_none() && render("local.news.nobody").is_none());
}
