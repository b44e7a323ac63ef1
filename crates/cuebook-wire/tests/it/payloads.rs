//! Every payload struct, with all it can hold: read back as written, valid by our schema and by the published one.

use std::fmt::Debug;

use cuebook_wire::payload::*;
use cuebook_wire::{
    AgentId, AgentRef, ErrorCode, EventId, EventPayload, InterruptId, NodeId, PromptKind, RunError, RunId,
    Sequence, Timestamp, WorkflowId,
};
use serde_json::{Map, Value, json};

use crate::shared;

/// Writes `sample`, reads it back, and holds it against our schema and the published one of its event type.
#[track_caller]
fn check<P: EventPayload + PartialEq + Debug>(sample: &P) {
    let written = sample.to_value().unwrap();
    assert_eq!(&P::deserialize(&written).unwrap(), sample);
    let ours = ours(P::TYPE.as_str());
    assert!(ours.is_valid(&written), "{}: {written}: {:?}", P::TYPE, ours.validate(&written));
    let published = format!("run-event-payloads.schema.json#/$defs/_typeIndex/properties/{}", P::TYPE);
    if let Some(theirs) = shared::validator(&published) {
        assert!(theirs.is_valid(&written), "{}: {written}: {:?}", P::TYPE, theirs.validate(&written));
    }
}

fn ours(event_type: &str) -> jsonschema::Validator {
    let mut schema = schema();
    schema["$ref"] = json!(format!("#/$defs/_typeIndex/properties/{event_type}"));
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
}

fn node() -> NodeId {
    NodeId::new("writer")
}

fn agent() -> AgentId {
    AgentId::new("vendor.acme.team.writer")
}

fn map(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(members) => Some(members),
        _ => None,
    }
}

fn error() -> RunError {
    let details = map(json!({ "status": 500 }));
    RunError {
        details,
        retryable: Some(true),
        ..RunError::new(ErrorCode::ProviderError, "the provider failed")
    }
}

fn hash() -> String {
    format!("sha256:{}", "0".repeat(64))
}

#[test]
fn the_course_of_a_run() {
    check(&RunStarted {
        workflow_id: WorkflowId::new("w"),
        inputs: map(json!({ "topic": null })),
        transport: Some(Transport::Rest),
        engine_version: Some("1".into()),
        owner: Some(Owner { tenant: "t".into(), workspace: Some("w".into()), principal: None }),
        tags: vec!["a".into()],
        metadata: map(json!({})),
    });
    check(&RunCompleted { outputs: map(json!({ "text": "x" })), duration_ms: Some(5) });
    check(&RunCompleted::default());
    check(&RunFailed { error: error(), failed_node_id: Some(node()), duration_ms: Some(5) });
    check(&RunCancelled {
        reason: Some("asked".into()),
        cancelled_by: Some("me".into()),
        duration_ms: Some(5),
        parent_run_id: Some(RunId::new("p")),
    });
    check(&RunPaused { reason: Some("lunch".into()) });
    check(&RunResumed::default());
}

#[test]
fn facts_of_a_run() {
    let node_id = Some(node());
    check(&VariableChanged {
        name: "v".into(),
        previous: Some(Value::Null),
        next: None,
        node_id: node_id.clone(),
    });
    check(&LogAppended {
        level: LogLevel::Warn,
        message: "m".into(),
        code: Some("prompt_empty".into()),
        node_id: node_id.clone(),
        fields: map(json!({ "a": 1 })),
    });
    check(&VersionPinned { change_id: "template:a".into(), version: 3, node_id: node_id.clone() });
    check(&CapBreached { kind: CapKind::NodeExecutions, limit: 3.into(), observed: 4.into(), node_id });
}

#[test]
fn the_escalation_cap_is_ours_alone() {
    let kind = CapKind::ConfidenceEscalationSuppressed;
    let written =
        CapBreached { kind, limit: 1.into(), observed: 0.into(), node_id: None }.to_value().unwrap();
    assert!(ours("cap.breached").is_valid(&written));
    let published = shared::validator("run-event-payloads.schema.json#/$defs/capBreached");
    assert!(published.is_none_or(|published| !published.is_valid(&written)));
}

#[test]
fn the_course_of_a_node() {
    let agent = Some(AgentRef::new(agent()));
    check(&NodeStarted {
        node_id: node(),
        type_id: "core.noop".into(),
        attempt: Some(0),
        agent: agent.clone(),
    });
    check(&NodeCompleted { node_id: node(), outputs: map(json!({ "a": [] })), duration_ms: Some(1), agent });
    check(&NodeFailed { node_id: node(), error: error(), attempts: Some(1) });
    check(&NodeRetried { node_id: node(), attempt: 1, delay_ms: Some(100), last_error: Some(error()) });
    check(&NodeSkipped { node_id: node(), reason: Some("condition".into()) });
    check(&NodeCancelled { node_id: node(), reason: None });
}

#[test]
fn interrupts() {
    let interrupt_id = InterruptId::new("i");
    check(&NodeSuspended {
        node_id: node(),
        interrupt_id: interrupt_id.clone(),
        kind: InterruptKind::LowConfidence.in_node_events(),
        key: Some("r:writer:0".into()),
        reason: Some("low-confidence".into()),
        agent_id: Some(agent()),
        threshold: Some(0.7),
        observed: Some(0.5),
    });
    check(&InterruptRequested {
        kind: InterruptKind::LowConfidence,
        key: "r:writer:0".into(),
        data: map(json!({ "agentId": agent(), "threshold": 0.7, "observed": 0.5, "decision": {} })).unwrap(),
        resume_schema: map(json!({ "type": "object" })),
        timeout_ms: Some(1_000),
    });
    let kind = InterruptKind::Approval.in_node_events();
    let resume_value = Some(Value::Null);
    check(&InterruptResolved {
        node_id: node(),
        interrupt_id: interrupt_id.clone(),
        kind,
        resume_value: resume_value.clone(),
    });
    check(&NodeResumed { node_id: node(), interrupt_id: Some(interrupt_id), resume_value });
}

#[test]
fn compositions() {
    let refs = vec!["prompt:writer-user@1.0.0".to_owned()];
    let hashed = PromptComposed {
        variable_hashes: Some([("text".to_owned(), hash())].into()),
        content_trust: Some(ContentTrust::Untrusted),
        ..PromptComposed::new(node(), refs, CompositionKind::UserOnly, hash())
    };
    check(&hashed);
    check(&PromptComposed {
        composed: Some("hello".into()),
        system_prompt: Some("s".into()),
        user_prompt: Some("hello".into()),
        variable_bindings: map(json!({ "text": "hello" })),
        causation_host_id: Some("h".into()),
        ..hashed
    });
}

#[test]
fn resolutions() {
    let entry = |layer, source, applied, reason| ChainEntry { layer, source, applied, reason };
    let source = Some("prompt:experimental-writer@2.0.0".to_owned());
    check(&AgentPromptResolved {
        node_id: node(),
        kind: PromptKind::System,
        agent_id: Some(agent()),
        chain: vec![
            entry(ChainLayer::Node, source.clone(), true, None),
            entry(ChainLayer::HostDefaults, None, false, Some("no candidate at this layer".into())),
        ],
        resolved: source,
        causation_host_id: Some("h".into()),
    });
    let unresolved = AgentPromptResolved {
        node_id: node(),
        kind: PromptKind::User,
        agent_id: None,
        chain: vec![],
        resolved: None,
        causation_host_id: None,
    };
    check(&unresolved);
    assert_eq!(unresolved.to_value().unwrap()["resolved"], Value::Null);
    assert!(unresolved.to_value().unwrap().as_object().unwrap().contains_key("resolved"));
}

#[test]
fn what_agents_do() {
    check(&AgentReasoned {
        agent_id: agent(),
        reasoning: "because".into(),
        verbosity: Some(Verbosity::Summary),
        causation_host_id: None,
    });
    check(&AgentReasoningDelta {
        agent_id: agent(),
        delta: "be".into(),
        sequence: 0,
        verbosity: Some(Verbosity::Full),
    });
    check(&AgentToolCalled {
        args_hash: Some(hash()),
        principal: Some("me".into()),
        transport: Some(ToolTransport::Native),
        ..AgentToolCalled::new(agent(), "mcp:web.search".into(), "c1".into(), json!({ "q": "x" }))
    });
    check(&AgentToolReturned::new(agent(), "mcp:web.search".into(), "c1".into(), Ok(Value::Null)));
    check(&AgentToolReturned::new(agent(), "mcp:web.search".into(), "c1".into(), Err(error())));
    check(&AgentHandoff::new(AgentRef::new(agent()), AgentRef::new(AgentId::new("core.chat"))));
    check(&AgentDecided {
        agent_id: agent(),
        decision: json!({ "go": true }),
        confidence: Some(0.5),
        reasoning: Some("because".into()),
        causation_host_id: None,
    });
}

#[test]
fn tool_calls_carry_both_sets_of_names() {
    let called = AgentToolCalled::new(agent(), "t".into(), "c".into(), json!([1])).to_value().unwrap();
    assert_eq!((&called["toolName"], &called["inputs"]), (&called["toolId"], &called["arguments"]));
    let returned =
        AgentToolReturned::new(agent(), "t".into(), "c".into(), Ok(json!([1]))).to_value().unwrap();
    assert_eq!((&returned["toolName"], &returned["outcome"]), (&returned["toolId"], &returned["result"]));
    assert_eq!(returned["status"], "ok");
}

#[test]
fn what_a_run_puts_out() {
    let usage = TokenUsage { prompt_tokens: Some(1), completion_tokens: Some(2), total_tokens: Some(3) };
    let meta = ChunkMeta {
        finish_reason: Some(FinishReason::ToolCalls),
        usage: Some(usage),
        ..ChunkMeta::default()
    };
    check(&OutputChunk {
        node_id: node(),
        chunk: "x".into(),
        is_last: Some(true),
        channel: Some("text".into()),
        meta: Some(meta),
    });
    check(&ProviderUsage {
        provider: "scripted".into(),
        model: "m".into(),
        input_tokens: 1,
        output_tokens: 2,
        total_tokens: Some(3),
        cost_estimate_usd: serde_json::Number::from_f64(0.25),
        currency: Some("USD".into()),
        cache_hit: Some(false),
        node_id: Some(node()),
        trace_id: Some("t".into()),
    });
    check(&ChannelWritten {
        channel: "notes".into(),
        value: json!(["a"]),
        reducer: "append".into(),
        node_id: Some(node()),
        written_at: Timestamp::from_millis(0),
        schema_version: Some(1),
        source_engine_id: Some("e".into()),
        source_run_id: Some(RunId::new("r")),
    });
    check(&ArtifactCreated {
        artifact_id: "a".into(),
        artifact_type: "text".into(),
        node_id: Some(node()),
        version: Some("1".into()),
        summary: Some("s".into()),
        registered: Some(true),
        registration_source: Some(ArtifactRegistration::Host),
    });
}

#[test]
fn orchestration_and_replay() {
    let decisions = [
        OrchestratorDecision::NextWorker { next_worker_ids: vec!["w".into()], confidence: Some(0.9) },
        OrchestratorDecision::AskUser { prompt: "which?".into() },
        OrchestratorDecision::Terminate { reason: Some("done".into()), confidence: None },
    ];
    for decision in decisions {
        check(&RunOrchestratorDecided {
            agent_id: agent(),
            decision,
            iteration: Some(1),
            causation_host_id: None,
        });
    }
    check(&NodeDispatched {
        child_run_id: RunId::new("c"),
        child_workflow_id: WorkflowId::new("w"),
        child_status: Some("running".into()),
    });
    check(&ReplayDiverged {
        source_run_id: RunId::new("r"),
        at_sequence: Sequence(5),
        original_event_id: Some(EventId::new("a")),
        replay_event_id: Some(EventId::new("b")),
        divergence_kind: Some(DivergenceKind::Output),
        divergence_point: Some("prompt.composed".into()),
    });
}
