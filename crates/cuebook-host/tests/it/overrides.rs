//! `configurable.promptOverrides`: the top layer, off by default.

use cuebook_host::prompt::Principal;
use cuebook_host::wire::Configurable;
use serde_json::{Value as Json, json};

use crate::support::{Project, about_tea, messages, run, template};

fn overlay(overrides: &Json) -> Configurable {
    serde_json::from_value(json!({ "promptOverrides": overrides })).unwrap()
}

const ON: &str = "[prompts]\nrun_overrides = true\nobservability = \"full\"\n";

#[track_caller]
fn check_refused(config: &str, overrides: &Json, expect: &[&str]) {
    let project = Project::new().with("cuebook.toml", config);
    let host = project.host().unwrap();
    let workflow = host.workflow(None).unwrap();
    let principal = Principal::local();
    let problems = host.facts(&about_tea(&principal, &workflow, Some(overlay(overrides)))).unwrap_err();
    assert_eq!(messages(&problems), expect);
}

#[test]
fn a_host_that_does_not_honour_them_says_so() {
    let says = "validation_error: configurable.promptOverrides is not honoured by this host";
    check_refused("", &json!({ "user": "prompt:question" }), &[says]);
}

#[test]
fn keys_are_kinds_and_values_are_refs() {
    check_refused(
        ON,
        &json!({ "sytem": "prompt:a", "user": "prompt:A", "few-shot": 7 }),
        &[
            "prompt_ref_invalid: expected text or an object, found a number (at /configurable/promptOverrides/few-shot)",
            "prompt_ref_invalid: unknown key `sytem` (at /configurable/promptOverrides/sytem)",
            "prompt_ref_invalid: template id: character 'A' at position 1 is not allowed, expected a lower-case letter or \
             digit (at /configurable/promptOverrides/user)",
        ],
    );
}

#[test]
fn no_overrides_are_no_problem() {
    let project = Project::new();
    let host = project.host().unwrap();
    let workflow = host.workflow(None).unwrap();
    let principal = Principal::local();
    host.facts(&about_tea(&principal, &workflow, Some(overlay(&json!({}))))).unwrap();
}

#[tokio::test]
async fn a_run_override_goes_before_the_node() {
    let project = Project::new()
        .with("cuebook.toml", ON)
        .with("prompts/other.md", &template("other", "1.0.0", "Praise {{topic}}."));
    let host = project.host().unwrap();
    let workflow = host.workflow(None).unwrap();
    let principal = Principal::local();
    let start = about_tea(&principal, &workflow, Some(overlay(&json!({ "user": "prompt:other@1.0.0" }))));
    let (_, records) = run(&host, start).await;
    let payload = |event_type: &str| {
        let record = records.iter().find(|record| record.event.event_type.as_str() == event_type).unwrap();
        json!(record.event.payload)
    };
    assert_eq!(payload("prompt.composed")["composed"], "Praise tea.");
    let chain = payload("agent.promptResolved")["chain"].clone();
    assert_eq!(chain.as_array().unwrap().len(), 5);
    assert_eq!(
        chain[0],
        json!({ "layer": "run-configurable", "source": "prompt:other@1.0.0", "applied": true })
    );
}

#[test]
fn a_limit_of_the_run_does_not_raise_that_of_the_host() {
    let project = Project::new().with("cuebook.toml", "[limits]\nmax_node_executions = 5\n");
    let host = project.host().unwrap();
    let workflow = host.workflow(None).unwrap();
    let principal = Principal::local();
    for (asked, expect) in [(None, 5), (Some(2), 2), (Some(9), 5)] {
        let overlay: Configurable =
            serde_json::from_value(json!({ "recursionLimit": asked.unwrap_or(100) })).unwrap();
        let facts = host.facts(&about_tea(&principal, &workflow, asked.map(|_| overlay))).unwrap();
        assert_eq!(facts.max_node_executions, expect, "asked for {asked:?}");
    }
}
