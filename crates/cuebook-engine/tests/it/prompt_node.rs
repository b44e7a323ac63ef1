//! Nodes that compose a prompt and call a model: the order of their events, what they record, and how they fail.

use cuebook_engine::{ComposedPart, Phase};
use cuebook_prompt::Trust;
use cuebook_wire::Observability;
use serde_json::{Value, json};

use crate::support::{Flow, Gate, Log, Reply, TestHost};

/// A template without variables.
fn template(id: &str, version: &str, kind: &str, text: &str) -> Value {
    json!({"templateId": id, "version": version, "kind": kind, "text": text})
}

/// A template with one required string input called `text`.
fn filled(id: &str, text: &str) -> Value {
    json!({"templateId": id, "version": "1.0.0", "kind": "user", "text": text,
        "variables": [{"name": "text", "type": "string", "required": true, "source": "input"}]})
}

/// One prompt node called `writer` with this config.
fn writer(config: Value) -> Flow {
    Flow::new("press").node("writer", "core.ai.callPrompt", json!({ "config": config }))
}

/// A host with a system and a user template.
fn press() -> TestHost {
    TestHost::answering(|_| Reply::pieces(&["Ink ", "is ", "dry."]))
        .template(&template("house", "1.0.0", "system", "Write short."))
        .template(&template("task", "1.2.0", "user", "Write about ink."))
}

#[tokio::test]
async fn the_events_of_a_node_are_in_the_published_order() {
    let flow = writer(json!({
        "systemPromptRef": "prompt:house@1.0.0", "systemPrompt": "inline", "userPromptRef": "prompt:task",
    }));
    let log = press().run(&flow, json!({})).await;
    insta::assert_snapshot!("event_order", log.lines().join("\n"));
    let resolved: Vec<&Value> =
        log.payloads("agent.promptResolved").iter().map(|payload| &payload["kind"]).collect();
    assert_eq!(resolved, ["system", "user"]);
    insta::assert_json_snapshot!("prompt_composed", log.payload("prompt.composed"));
    insta::assert_json_snapshot!("provider_usage", log.payload("provider.usage"));
}

#[tokio::test]
async fn the_model_gets_the_two_bodies() {
    let host = press();
    let config = json!({"systemPromptRef": "prompt:house", "userPromptRef": "prompt:task"});
    host.run(&writer(config), json!({})).await;
    let asked = host.models.asked();
    assert_eq!((asked[0].system.as_str(), asked[0].user.as_str()), ("Write short.", "Write about ink."));
}

#[tokio::test]
async fn chunks_together_are_the_answer_and_the_last_says_so() {
    let log = press().run(&writer(json!({"userPrompt": "x"})), json!({})).await;
    let chunks = log.payloads("output.chunk");
    let text: String = chunks.iter().map(|chunk| chunk["chunk"].as_str().unwrap()).collect();
    assert_eq!(text, "Ink is dry.");
    let last: Vec<&Value> = chunks.iter().map(|chunk| &chunk["isLast"]).collect();
    assert_eq!(last.iter().filter(|is_last| **is_last == true).count(), 1);
    assert_eq!(*last.last().unwrap(), true);
    assert!(chunks.len() > 1, "{chunks:#?}");
}

#[tokio::test]
async fn an_answer_that_breaks_off_has_no_last_chunk() {
    let host = TestHost::answering(|_| Reply::failure("the line broke", false).after_pieces(&["Ink", " is"]));
    let log = host.run(&writer(json!({"userPrompt": "x"})), json!({})).await;
    let chunks = log.payloads("output.chunk");
    let text: String = chunks.iter().map(|chunk| chunk["chunk"].as_str().unwrap()).collect();
    assert_eq!(text, "Ink is");
    assert!(chunks.iter().all(|chunk| chunk["isLast"] == false), "{chunks:#?}");
    assert_eq!(log.error(), ("provider_error", "the line broke"));
}

#[tokio::test]
async fn json_that_was_asked_for_is_an_output_of_its_own() {
    let host = TestHost::answering(|_| Reply::text(" {\"b\": [1.0, 2], \"a\": null} "));
    let log = host.run(&writer(json!({"userPrompt": "x", "responseFormat": "json"})), json!({})).await;
    assert_eq!(log.output("writer", "json").0, &json!({"b": [1.0, 2], "a": null}));
    assert_eq!(log.output("writer", "text").0, " {\"b\": [1.0, 2], \"a\": null} ");
}

#[tokio::test]
async fn text_that_is_no_json_fails_the_node_that_asked_for_it() {
    let host = TestHost::answering(|_| Reply::text("{\"a\":\n 1,}"));
    let log = host.run(&writer(json!({"userPrompt": "x", "responseFormat": "json"})), json!({})).await;
    let expect = ("model_output_invalid", "the model was asked for JSON and gave none: line 2, column 4");
    assert_eq!(log.error(), expect);
    assert!(log.place("provider.usage writer") < log.place("node.failed writer"));
}

#[tokio::test]
async fn a_node_without_any_prompt_fails_before_a_model_is_called() {
    let host = press();
    let log = host.run(&writer(json!({})), json!({})).await;
    assert_eq!(log.error().0, "prompt_empty");
    assert_eq!(host.models.asked().len(), 0);
    assert_eq!(log.types_of("writer"), ["node.started", "node.failed"]);
}

#[tokio::test]
async fn the_sample_node_answers_from_its_variable_when_there_is_no_prompt() {
    let flow = Flow::new("sample").node("a", "local.sample.demo.mock-ai", json!({}));
    let with = flow.clone().variable("prompt", "string", json!({"defaultValue": "baseline"}));
    let host = press();
    let log = host.run(&with, json!({})).await;
    assert_eq!(log.output("a", "text"), (&json!("baseline"), Trust::Trusted));
    let tagged = json!({"prompt": {"value": "theirs", "meta": {"contentTrust": "untrusted"}}});
    let log = press().run(&with, tagged).await;
    assert_eq!(log.output("a", "text"), (&json!("theirs"), Trust::Untrusted));
    assert_eq!(press().run(&flow, json!({})).await.error().0, "prompt_empty");
    assert_eq!(host.models.asked().len(), 0);
}

#[tokio::test]
async fn a_missing_template_fails_the_node_naming_ref_and_layer_after_the_chain() {
    let log = press().run(&writer(json!({"systemPromptRef": "prompt:hose@1.0.0"})), json!({})).await;
    assert_eq!(log.types_of("writer"), ["node.started", "agent.promptResolved", "node.failed"]);
    assert_eq!(log.payload("agent.promptResolved")["resolved"], "prompt:hose@1.0.0");
    let error = &log.payload("node.failed")["error"];
    assert_eq!(error["code"], "prompt_template_not_found");
    assert_eq!(error["details"]["ref"], "prompt:hose@1.0.0");
    assert_eq!(error["details"]["hint"], "did you mean 'prompt:house'?");
    assert!(error["message"].as_str().unwrap().contains("node-config"), "{error}");
}

#[tokio::test]
async fn every_template_that_is_missing_is_named() {
    let config = json!({"systemPromptRef": "prompt:one", "additionalPromptRefs": ["prompt:two"]});
    let log = press().run(&writer(config), json!({})).await;
    let error = &log.payload("node.failed")["error"];
    assert_eq!(error["details"]["ref"], "prompt:one");
    assert!(error["details"]["also"][0].to_string().contains("two"), "{error}");
}

#[tokio::test]
async fn a_required_variable_without_value_fails_before_a_model_is_called() {
    let host = press().template(&filled("ask", "Say:\n{{text}}"));
    let log = host.run(&writer(json!({"userPromptRef": "prompt:ask"})), json!({})).await;
    let error = &log.payload("node.failed")["error"];
    assert_eq!(
        (&error["code"], &error["details"]["line"]),
        (&json!("prompt_variable_unresolved"), &json!(2))
    );
    assert_eq!(host.models.asked().len(), 0);
}

#[tokio::test]
async fn values_go_in_byte_for_byte_and_are_never_scanned_again() {
    for value in ["{{other}}", "{{7*7}}", "$1", "\\1", "&", "\"", "</UNTRUSTED>"] {
        let host = TestHost::echoing().template(&filled("ask", "<{{text}}> {\"a\": {}} }"));
        let inputs = json!({"text": {"type": "static", "value": value}});
        let node = json!({"config": {"userPromptRef": "prompt:ask"}, "inputs": inputs});
        let log = host.run(&Flow::new("bytes").node("a", "core.ai.callPrompt", node), json!({})).await;
        assert_eq!(log.output("a", "text").0, &json!(format!("<{value}> {{\"a\": {{}}}} }}")));
    }
}

#[tokio::test]
async fn an_unknown_agent_is_warned_about_and_passed_over() {
    let flow = writer(json!({"agentId": "local.press.nobody", "systemPromptRef": "prompt:house"}));
    let log = press().run(&flow, json!({})).await;
    assert_eq!(log.payload("log.appended")["code"], "agent_binding_unresolvable");
    assert_eq!(log.payload("log.appended")["level"], "warn");
    assert!(log.payload("agent.promptResolved").get("agentId").is_none());
    assert_eq!(log.end(), "run.completed");
}

#[tokio::test]
async fn refs_supersede_inline_bodies_with_one_warning_for_the_node() {
    let flow = writer(json!({
        "systemPromptRef": "prompt:house", "systemPrompt": "no", "userPromptRef": "prompt:task", "userPrompt": "no",
    }));
    let log = press().run(&flow, json!({})).await;
    let expect = json!({"level": "warn", "code": "prompt_ref_supersedes_inline", "nodeId": "writer",
        "message": log.payload("log.appended")["message"]});
    assert_eq!(log.payload("log.appended"), &expect);
    assert_eq!(log.payload("prompt.composed")["composed"], "Write short.\n\nWrite about ink.");
}

#[tokio::test]
async fn the_agent_override_gives_way_to_the_node_and_not_to_the_workflow() {
    let agent = json!({"agentId": "local.press.writer", "persona": "W", "modelClass": "writing",
        "promptOverrides": {"system": "prompt:house"}});
    let host = press().agent(&agent).template(&template("wild", "1.0.0", "system", "Write wild."));
    let config = |own: Value| json!({"config": own});
    let flow = Flow::new("newsroom")
        .node("critic", "core.ai.callPrompt", config(json!({"agentId": "local.press.writer"})))
        .node(
            "writer",
            "core.ai.callPrompt",
            config(json!({
                "agentId": "local.press.writer", "systemPromptRef": "prompt:wild",
            })),
        )
        .with(json!({"defaults": {"promptRefs": {"system": "prompt:other"}}}));
    let log = host.run(&flow, json!({})).await;
    let winners: Vec<(&Value, &Value)> = log
        .payloads("agent.promptResolved")
        .into_iter()
        .map(|payload| (&payload["nodeId"], &payload["resolved"]))
        .collect();
    assert_eq!(
        winners,
        [(&json!("critic"), &json!("prompt:house")), (&json!("writer"), &json!("prompt:wild")),]
    );
}

#[tokio::test]
async fn host_defaults_are_the_last_resort() {
    let host = press().host_defaults(json!({"user": "prompt:task"}));
    let log = host.run(&writer(json!({})), json!({})).await;
    assert_eq!(log.payload("prompt.composed")["refs"], json!(["prompt:task@1.2.0"]));
}

#[tokio::test]
async fn a_ref_without_version_keeps_its_version_for_the_whole_run() {
    let gate = Gate::new();
    let behind = gate.clone();
    let host = TestHost::answering(move |asked| match asked.call {
        0 => Reply::text("one").behind(&behind),
        _ => Reply::text("two"),
    });
    let host = host.template(&template("house", "1.9.0", "system", "Nine."));
    let ask = || json!({"config": {"systemPromptRef": "prompt:house"}});
    let flow =
        Flow::new("pins").node("a", "core.ai.callPrompt", ask()).node("b", "core.ai.callPrompt", ask());
    let flow = flow.edge("a", "b");
    let run = host.start(&flow, json!({})).await;
    host.models.reached(1).await;
    host.shelf.add(&template("house", "1.10.0", "system", "Ten."));
    gate.open();
    let log = run.end().await;
    assert_eq!(
        host.models.asked().iter().map(|asked| asked.system.as_str()).collect::<Vec<_>>(),
        ["Nine.", "Nine."]
    );
    let refs: Vec<&Value> = log.payloads("prompt.composed").iter().map(|payload| &payload["refs"]).collect();
    assert_eq!(refs, [&json!(["prompt:house@1.9.0"]), &json!(["prompt:house@1.9.0"])]);
    assert_eq!(log.payloads("agent.promptResolved")[1]["resolved"], "prompt:house");
    let pins: Vec<String> =
        log.state.pins.iter().map(|pin| format!("{}@{}", pin.reference, pin.version)).collect();
    assert_eq!(pins, ["prompt:house@1.9.0"]);
    let log = host.run_id("run_later").run(&flow, json!({})).await;
    assert_eq!(log.payloads("prompt.composed")[0]["refs"], json!(["prompt:house@1.10.0"]));
}

#[tokio::test]
async fn nodes_that_start_together_share_their_pins() {
    let host = press().template(&template("house", "2.0.0", "system", "Two."));
    let ask = || json!({"config": {"systemPromptRef": "prompt:house"}});
    let flow =
        Flow::new("pins").node("a", "core.ai.callPrompt", ask()).node("b", "core.ai.callPrompt", ask());
    let log = host.run(&flow, json!({})).await;
    let refs: Vec<&Value> = log.payloads("prompt.composed").iter().map(|payload| &payload["refs"]).collect();
    assert_eq!(refs, [&json!(["prompt:house@2.0.0"]), &json!(["prompt:house@2.0.0"])]);
}

/// Runs one node with a value that only the model should see in full.
async fn observed(observability: Observability) -> Log {
    let host = TestHost::answering(|_| Reply::text("ok")).template(&filled("ask", "Say {{text}}."));
    let inputs = json!({"text": {"type": "variable", "variableName": "text"}});
    let node = json!({"config": {"userPromptRef": "prompt:ask"}, "inputs": inputs});
    let flow =
        Flow::new("observed").node("a", "core.ai.callPrompt", node).variable("text", "string", json!({}));
    host.observability(observability).run(&flow, json!({"text": "one two three"})).await
}

fn composed_part(log: &Log, event_type: &str) -> ComposedPart {
    let record = log.records.iter().rfind(|record| record.event.event_type.as_str() == event_type).unwrap();
    record.private.read().unwrap().unwrap()
}

#[tokio::test]
async fn observability_decides_what_is_shown_and_never_what_is_known() {
    let full = observed(Observability::Full).await;
    let hashed = observed(Observability::Hashed).await;
    let off = observed(Observability::Off).await;
    let payload = full.payload("prompt.composed");
    assert_eq!(payload["composed"], "Say one two three.");
    assert_eq!(payload["variableBindings"], json!({"text": "one two three"}));
    let shown = hashed.payload("prompt.composed");
    let keys: Vec<&String> = shown.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["nodeId", "refs", "kind", "hash", "variableHashes", "contentTrust"]);
    assert_eq!(shown["hash"], payload["hash"]);
    assert_eq!(off.payloads("prompt.composed"), Vec::<&Value>::new());
    assert_eq!(off.payloads("agent.promptResolved").len(), 1);
    let part = composed_part(&full, "prompt.composed");
    assert_eq!(part.hash.as_str(), payload["hash"]);
    assert_eq!(composed_part(&hashed, "prompt.composed"), part);
    assert_eq!(composed_part(&off, "agent.promptResolved"), part);
}

#[tokio::test]
async fn no_private_part_of_a_prompt_holds_its_text() {
    for observability in Observability::ALL {
        let log = observed(observability).await;
        let records = log.records.iter().filter(|record| record.event.sequence.0 > 2);
        for record in records {
            let part = record.private.as_json().unwrap_or(&Value::Null).to_string();
            assert!(!part.contains("two") && !part.contains("Say"), "{part}");
        }
    }
}

#[tokio::test]
async fn a_composition_of_additional_refs_alone_is_durable_without_observability() {
    let flow = writer(json!({"additionalPromptRefs": ["prompt:task"]}));
    let log = press().observability(Observability::Off).run(&flow, json!({})).await;
    assert_eq!(log.end(), "run.completed");
    assert_eq!(composed_part(&log, "log.appended").record.bodies[0].reference, "prompt:task@1.2.0");
}

#[tokio::test]
async fn a_placeholder_that_nobody_declared_is_warned_about() {
    let host = press().template(&template("loose", "1.0.0", "user", "Hello {{nam}}!"));
    let log = host.run(&writer(json!({"userPromptRef": "prompt:loose"})), json!({})).await;
    assert_eq!(log.payload("log.appended")["code"], "prompt_placeholder_undeclared");
    assert_eq!(log.payload("prompt.composed")["composed"], "Hello !");
}

#[tokio::test]
async fn the_runs_overlay_goes_before_the_nodes_choice() {
    let host = press().configurable(json!({"model": "large", "temperature": 0.5, "maxTokens": 9}));
    host.run(
        &writer(json!({"userPrompt": "x", "model": "tiny", "provider": "p", "maxTokens": 5})),
        json!({}),
    )
    .await;
    let choice = &host.models.asked()[0].choice;
    assert_eq!((choice.model.as_deref(), choice.provider.as_deref()), (Some("large"), Some("p")));
    assert_eq!((choice.temperature, choice.max_tokens), (Some(0.5), Some(9)));
}

#[tokio::test]
async fn context_facts_are_those_of_the_run_and_the_node() {
    let variable =
        |name: &str| json!({"name": name, "type": "string", "required": true, "source": "context"});
    let names = ["runId", "workflowId", "workflowName", "nodeId", "tenantId", "now"];
    let text = names.map(|name| format!("{{{{{name}}}}}")).join(" | ");
    let facts = json!({"templateId": "facts", "version": "1.0.0", "kind": "user", "text": text,
        "variables": names.map(variable)});
    let flow = Flow::new("context").delay("wait", 1000).edge("wait", "writer");
    let node = json!({"config": {"userPromptRef": "prompt:facts"}});
    let host = TestHost::echoing().template(&facts);
    let run = host.start(&flow.node("writer", "core.ai.callPrompt", node), json!({})).await;
    host.clock.ring(1000).await;
    let log = run.end().await;
    let expect = "run_test | context | A test | writer | local | 2027-01-15T08:00:00.000Z";
    assert_eq!(log.output("writer", "text").0, expect);
    assert_eq!(log.node("writer").phase, Phase::Completed);
}
