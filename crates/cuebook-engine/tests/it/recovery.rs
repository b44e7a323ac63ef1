//! What becomes of a run whose host died: what is asked again, what never is, and what waits.

use cuebook_engine::{EngineError, InvocationId, Residence, Rest, SignalBody, offer};
use cuebook_log::{Agenda, Append, Due, LogError, Open, Record, RunIndex, RunLog};
use cuebook_prompt::{Principal, Trust};
use cuebook_wire::{NodeId, Observability, RunId, RunStatus};
use serde_json::{Value, json};

use crate::support::clock::at;
use crate::support::{Asked, Flow, Gate, Log, Reply, TestHost};

const CANARY: &str = "canary-4711-secret";

fn run_id() -> RunId {
    RunId::new("run_test")
}

/// A host whose models answer only behind the gate, except for prompts that say `now`.
fn gated(gate: &Gate) -> TestHost {
    let gate = gate.clone();
    TestHost::answering(move |asked| {
        let reply = Reply::text(&asked.user);
        if asked.user.contains("now") { reply } else { reply.behind(&gate) }
    })
}

fn agent(text: &str) -> Value {
    json!({"agentId": "local.press.critic", "persona": "Critic", "modelClass": "general", "systemPrompt": text})
}

/// A node that speaks as the critic, whose own prompt is live.
fn critic(id: &str) -> Flow {
    let config = json!({"config": {"agentId": "local.press.critic", "userPrompt": "read it"}});
    Flow::new("interrupted").node(id, "core.ai.callPrompt", config)
}

fn invocations(asked: &[Asked]) -> Vec<InvocationId> {
    asked.iter().map(|asked| asked.invocation.clone()).collect()
}

/// Lets a run come to its `calls`th model call, dies, and goes on to the end; gives the log and the length it had.
async fn interrupt(
    host: &TestHost,
    gate: &Gate,
    flow: &Flow,
    between: impl FnOnce(&TestHost),
) -> (Log, usize) {
    let run = host.start(flow, json!({})).await;
    host.models.reached(1).await;
    let before = run.records().await;
    between(host);
    let again = host.take_up(flow).await;
    gate.open();
    let log = again.end().await;
    assert_eq!(log.records[..before.len()], before, "what was written stands");
    let stale = run.outcome().await.unwrap_err();
    assert!(matches!(stale, EngineError::Log(LogError::StaleWriter { .. })), "{stale}");
    (log, before.len())
}

#[tokio::test]
async fn a_call_without_outcome_is_sent_again_under_its_id_and_without_an_event() {
    for observability in Observability::ALL {
        let gate = Gate::new();
        let host = gated(&gate).agent(&agent("Be kind.")).observability(observability);
        let (log, length) = interrupt(&host, &gate, &critic("a"), |_| {}).await;
        let asked = host.models.asked();
        assert_eq!(invocations(&asked)[0], invocations(&asked)[1]);
        assert_eq!(
            (asked.len(), &asked[0].system, &asked[1].system),
            (2, &asked[1].system, &asked[0].system)
        );
        let types: Vec<&str> = log.events().skip(length).map(|event| event.event_type.as_str()).collect();
        assert_eq!(types, ["provider.usage", "node.completed", "run.completed"], "{observability}");
    }
}

#[tokio::test]
async fn a_prompt_that_was_edited_meanwhile_is_announced_and_sent_under_another_id() {
    for observability in Observability::ALL {
        let gate = Gate::new();
        let host = gated(&gate).agent(&agent("Be kind.")).observability(observability);
        let edit = |host: &TestHost| host.cast.add(&agent("Be stern."));
        let (log, length) = interrupt(&host, &gate, &critic("a"), edit).await;
        let asked = host.models.asked();
        assert_eq!((asked[0].system.as_str(), asked[1].system.as_str()), ("Be kind.", "Be stern."));
        assert_ne!(asked[0].invocation, asked[1].invocation);
        let codes: Vec<_> =
            log.events().skip(length).take(2).map(|event| event.payload["code"].clone()).collect();
        assert_eq!(codes, ["agent_prompt_changed", "prompt_changed_on_resume"]);
        let changed = &log.records[length + 1].event;
        let fields = &changed.payload["fields"];
        assert_ne!(fields["before"], fields["now"]);
        assert_eq!(
            log.node("a").composed.as_ref().unwrap().hash.to_string(),
            fields["now"].as_str().unwrap()
        );
        assert_eq!(log.node("a").compositions, 2);
    }
}

#[tokio::test]
async fn a_version_stays_pinned_over_a_restart() {
    for observability in Observability::ALL {
        let gate = Gate::new();
        let house = |version: &str, text: &str| json!({"templateId": "house", "version": version, "kind": "system", "text": text});
        let host = gated(&gate).template(&house("1.0.0", "One.")).observability(observability);
        let flow = Flow::new("pinned").node(
            "a",
            "core.ai.callPrompt",
            json!({"config": {"systemPromptRef": "prompt:house", "userPrompt": "x"}}),
        );
        let edit = |host: &TestHost| host.shelf.add(&house("2.0.0", "Two."));
        let (log, _) = interrupt(&host, &gate, &flow, edit).await;
        let systems: Vec<String> = host.models.asked().into_iter().map(|asked| asked.system).collect();
        assert_eq!(systems, ["One.", "One."], "{observability}");
        assert_eq!(log.end(), "run.completed");
    }
}

/// A node called `a` that uses the secret, with `more` in its user prompt.
fn with_secret(text: &str) -> (Flow, Value) {
    let template = json!({"templateId": "key", "version": "1.0.0", "kind": "user", "text": text,
        "variables": [{"name": "key", "type": "string", "required": true, "source": "secret"}]});
    let node = json!({"config": {"userPromptRef": "prompt:key"}, "inputs": {"key": {"type": "static", "value": "press-key"}}});
    (Flow::new("secret").node("a", "core.ai.callPrompt", node), template)
}

#[tokio::test]
async fn without_its_secret_nothing_is_sent_again() {
    let gate = Gate::new();
    let (flow, template) = with_secret("Key {{key}}");
    let host = gated(&gate).template(&template).secret("press-key", CANARY);
    let (log, _) = interrupt(&host, &gate, &flow, |host| host.vault.remove("press-key")).await;
    assert_eq!((log.error().0, host.models.asked().len()), ("credential_unavailable", 1));
    assert!(!log.everything().contains(CANARY));
}

#[tokio::test]
async fn the_secrets_of_earlier_nodes_are_masked_after_a_restart() {
    let gate = Gate::new();
    let (flow, template) = with_secret("now with {{key}}");
    let flow = flow.ask("b", "tell").edge("a", "b");
    let behind = gate.clone();
    let host = TestHost::answering(move |asked| match asked.user.as_str() {
        "tell" => Reply::text(format!("it is {CANARY}")).behind(&behind),
        _ => Reply::text("fine"),
    });
    let host = host.template(&template).secret("press-key", CANARY);
    let run = host.start(&flow, json!({})).await;
    host.models.reached(2).await;
    let again = host.take_up(&flow).await;
    gate.open();
    let log = again.end().await;
    drop(run);
    assert_eq!(log.output("b", "text").0, "it is [REDACTED:press-key]");
    assert!(!log.everything().contains(CANARY));
}

#[tokio::test]
async fn a_secret_of_an_earlier_node_that_is_out_of_reach_stops_what_comes_after() {
    let gate = Gate::new();
    let (flow, template) = with_secret("now with {{key}}");
    let flow = flow.ask("b", "tell").edge("a", "b");
    let host = gated(&gate).template(&template).secret("press-key", CANARY);
    let run = host.start(&flow, json!({})).await;
    host.models.reached(2).await;
    host.vault.remove("press-key");
    let log = host.take_up(&flow).await.end().await;
    gate.open();
    assert_eq!((log.error().0, host.models.asked().len()), ("credential_unavailable", 2));
    assert!(run.outcome().await.is_err());
}

#[tokio::test]
async fn an_outcome_in_the_log_is_never_asked_for_again() {
    let gate = Gate::new();
    let host = gated(&gate);
    let flow = Flow::new("half").ask("a", "now").ask("b", "later").edge("a", "b");
    let run = host.start(&flow, json!({})).await;
    host.models.reached(2).await;
    let again = host.take_up(&flow).await;
    gate.open();
    let log = again.end().await;
    assert!(run.outcome().await.is_err());
    let asked: Vec<String> = host.models.asked().into_iter().map(|asked| asked.user).collect();
    assert_eq!(asked, ["now", "later", "later"]);
    assert_eq!(log.lines_of("node.completed"), ["node.completed a", "node.completed b"]);
}

#[tokio::test]
async fn a_run_of_which_only_the_start_is_durable_begins() {
    let host = TestHost::echoing();
    let flow = Flow::new("begun").noop("a");
    let whole = host.run(&flow, json!({})).await;
    let second = TestHost::echoing();
    let first: Vec<Record> = whole.records[..1].to_vec();
    let entry = host.store.entry(&Principal::local(), &run_id()).await.unwrap();
    let epoch = second.store.open(&Principal::local(), &run_id(), Open::New).await.unwrap();
    let batch = Append {
        run_id: run_id(),
        epoch,
        records: first,
        consumed: Vec::new(),
        holds: Vec::new(),
        entry,
        due: Due::Now,
    };
    second.store.append(&Principal::local(), batch).await.unwrap();
    assert_eq!(second.take_up(&flow).await.end().await.records, whole.records);
}

#[tokio::test]
async fn timers_go_on_from_where_they_were() {
    let host = TestHost::echoing();
    let flow = Flow::new("delay").delay("a", 9_000);
    let run = host.start(&flow, json!({})).await;
    run.until("node.started", "a").await;
    host.clock.advance_to(8_000);
    let again = host.take_up(&flow).await;
    host.clock.ring(9_000).await;
    let log = again.end().await;
    assert_eq!(log.payload("run.completed")["durationMs"], 9_000);
    assert!(run.outcome().await.is_err());
}

#[tokio::test]
async fn a_pause_between_attempts_survives() {
    let host =
        TestHost::answering(
            |asked| {
                if asked.call == 0 { Reply::failure("busy", true) } else { Reply::text("done") }
            },
        );
    let flow = Flow::new("retry").ask("a", "x").with(json!({"settings": {"maxRetries": 1}}));
    let run = host.start(&flow, json!({})).await;
    run.until("node.retried", "a").await;
    let again = host.take_up(&flow).await;
    host.clock.ring(500).await;
    let log = again.end().await;
    assert_eq!(log.node("a").attempt, 1);
    assert_eq!(host.models.asked().len(), 2);
    assert!(run.outcome().await.is_err());
}

#[tokio::test]
async fn an_attempt_whose_time_is_over_is_not_sent_again() {
    let gate = Gate::new();
    let host = gated(&gate);
    let flow = Flow::new("late").node(
        "a",
        "core.ai.callPrompt",
        json!({"config": {"userPrompt": "x"}, "settings": {"timeout": 100}}),
    );
    let run = host.start(&flow, json!({})).await;
    host.models.reached(1).await;
    host.store.open(&Principal::local(), &run_id(), Open::TakeOver).await.unwrap();
    host.clock.advance_to(5_000);
    assert!(run.outcome().await.is_err());
    let log = host.take_up(&flow).await.end().await;
    assert_eq!((log.error().0, host.models.asked().len()), ("node_timeout", 1));
}

#[tokio::test]
async fn a_clock_set_back_an_hour_lengthens_no_wait_and_no_time_goes_back() {
    let hour = 3_600_000;
    let host = TestHost::echoing();
    host.clock.advance_to(hour);
    let flow = Flow::new("back").delay("a", 2_000).noop("b").edge("a", "b");
    let run = host.start(&flow, json!({})).await;
    run.until("node.started", "a").await;
    host.clock.set_back_to(0);
    let again = host.take_up(&flow).await;
    host.clock.ring(2_000).await;
    let log = again.end().await;
    let times: Vec<_> = log.events().map(|event| event.timestamp).collect();
    assert!(times.is_sorted(), "{times:?}");
    let entry = host.store.entry(&Principal::local(), &run_id()).await.unwrap();
    assert!(entry.updated_at >= entry.started_at && entry.started_at == at(hour));
    drop(run);
}

#[tokio::test]
async fn a_signal_that_waits_is_heard_before_anything_is_sent() {
    let gate = Gate::new();
    let host = gated(&gate);
    let flow = Flow::new("cancelled").ask("a", "x");
    let run = host.start(&flow, json!({})).await;
    host.models.reached(1).await;
    let cancel = SignalBody::Cancel { reason: None, by: None };
    offer(&*host.store, &Principal::local(), &run_id(), "cancel", &cancel).await.unwrap();
    let log = host.take_up(&flow).await.end().await;
    assert_eq!((log.end(), host.models.asked().len()), ("run.cancelled", 1));
    drop(run);
}

#[tokio::test]
async fn an_ended_run_stays_as_it_is() {
    let host = TestHost::echoing();
    let flow = Flow::new("over").ask("a", "now");
    let before = host.run(&flow, json!({})).await;
    let again = host.take_up(&flow).await.end().await;
    assert_eq!((again.records, host.models.asked().len()), (before.records, 1));
}

fn unsure() -> Flow {
    let config = json!({"config": {"mockDecision": {"decision": "go", "confidence": 0.2}}});
    Flow::new("conformance-unsure").node("agent", "core.conformance.mock-agent", config)
}

#[tokio::test]
async fn a_run_that_waits_for_a_person_is_a_row_until_somebody_answers() {
    let host = TestHost::echoing();
    let run = host.start(&unsure(), json!({})).await;
    run.until("interrupt.requested", "agent").await;
    let parked = host.take_up_for(&unsure(), Residence::WhileBusy).await.rest().await;
    assert!(matches!(parked, Rest::Parked));
    let waiting = host.store.unfinished(None, 10).await.unwrap();
    assert_eq!((waiting.len(), waiting[0].due), (1, Due::OnSignal));
    let answer = SignalBody::Resolve { node: NodeId::new("agent"), value: json!("yes"), by: None };
    offer(&*host.store, &Principal::local(), &run_id(), "answer", &answer).await.unwrap();
    let log = host.take_up(&unsure()).await.end().await;
    assert_eq!(log.state.status, RunStatus::Completed);
    assert!(host.store.unfinished(None, 10).await.unwrap().is_empty());
    drop(run);
}

#[tokio::test]
async fn only_a_long_wait_is_parked() {
    for (millis, is_parked) in [(4_999, false), (5_001, true), (20_000, true)] {
        let host = TestHost::echoing();
        let flow = Flow::new("wait").delay("a", millis);
        let run = host.start(&flow, json!({})).await;
        run.until("node.started", "a").await;
        assert_eq!(run.state(&flow).await.due(), Due::At(at(millis)));
        let rest = host.take_up_for(&flow, Residence::WhileBusy).await;
        if !is_parked {
            host.clock.ring(millis).await;
        }
        assert_eq!(matches!(rest.rest().await, Rest::Parked), is_parked, "{millis}");
        drop(run);
    }
}

#[tokio::test]
async fn taint_survives_a_restart() {
    let gate = Gate::new();
    let tagged = json!({"value": "they say", "meta": {"contentTrust": "untrusted"}});
    let template = json!({"templateId": "said", "version": "1.0.0", "kind": "user", "text": "{{what}}",
        "variables": [{"name": "what", "type": "string", "required": true, "source": "input"}]});
    let flow = Flow::new("taint").node(
        "a",
        "core.ai.callPrompt",
        json!({"config": {"userPromptRef": "prompt:said"}, "inputs": {"what": {"type": "static", "value": tagged}}}),
    );
    let host = gated(&gate).template(&template);
    let (log, _) = interrupt(&host, &gate, &flow, |_| {}).await;
    assert_eq!(log.output("a", "text").1, Trust::Untrusted);
}

#[tokio::test]
async fn a_log_of_a_newer_engine_is_refused_by_name() {
    let host = TestHost::echoing();
    let flow = Flow::new("newer").delay("a", 9_000);
    let run = host.start(&flow, json!({})).await;
    run.until("node.started", "a").await;
    let epoch = host.store.open(&Principal::local(), &run_id(), Open::TakeOver).await.unwrap();
    let mut record = run.records().await.remove(1);
    record.event.sequence = run.state(&flow).await.next;
    record.event.engine_version = Some("99".to_owned());
    let entry = host.store.entry(&Principal::local(), &run_id()).await.unwrap();
    let sequence = record.event.sequence;
    let batch = Append {
        run_id: run_id(),
        epoch,
        records: vec![record],
        consumed: Vec::new(),
        holds: Vec::new(),
        entry,
        due: Due::Now,
    };
    host.store.append(&Principal::local(), batch).await.unwrap();
    let error = host.engine().claim(&Principal::local(), &run_id()).await.unwrap_err();
    let expect = format!("record {sequence} was written by engine version 99, this is version 1");
    assert_eq!(error.to_string(), expect);
}

#[tokio::test]
async fn an_attempt_goes_on_as_the_one_it_was() {
    let gate = Gate::new();
    let behind = gate.clone();
    let host = TestHost::answering(move |asked| match asked.call {
        0 => Reply::failure("busy", true),
        _ => Reply::text("done").behind(&behind),
    });
    let flow = Flow::new("attempts").ask("a", "x").with(json!({"settings": {"maxRetries": 2}}));
    let run = host.start(&flow, json!({})).await;
    host.clock.ring(500).await;
    host.models.reached(2).await;
    let again = host.take_up(&flow).await;
    gate.open();
    let log = again.end().await;
    assert_eq!((log.node("a").attempt, log.lines_of("node.retried").len()), (1, 1));
    drop(run);
}
