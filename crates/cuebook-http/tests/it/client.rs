//! The client library of this repository against a server that listens.

use cuebook_client::{
    BulkCancelled, ClientErrorKind, EventsOptions, PollOptions, PromptLookup, PromptQuery, RenderPrompt,
    StreamMode,
};
use cuebook_host::wire::{
    AgentId, CreateRun, NodeId, PromptRef, RunId, RunStatus, Sequence, TemplateId, WorkflowId,
};
use futures_util::{StreamExt as _, TryStreamExt as _};
use serde_json::json;

use crate::support::TestHost;

fn run_of(workflow: &str) -> CreateRun {
    CreateRun::new(WorkflowId::new(workflow))
}

#[tokio::test]
async fn a_run_is_created_followed_and_read() {
    let host = TestHost::builder().on_disk().open();
    let live = host.listen().await;
    let client = live.client();
    let run = run_of("conformance-multi-node");
    let created = client.runs().create(&run).idempotency_key("once").await.unwrap();
    let again = client.runs().create(&run).idempotency_key("once").await.unwrap();
    assert_eq!((again.run_id.clone(), again.is_replay), (created.run_id.clone(), true));
    let id = &created.run_id;
    let options = EventsOptions { mode: StreamMode::Debug, ..EventsOptions::default() };
    let events: Vec<_> = client.runs().events(id, options).try_collect().await.unwrap();
    assert_eq!(client.runs().wait(id).await.unwrap().status, RunStatus::Completed);
    assert_eq!(client.runs().list_events(id).await.unwrap(), events);
    let after = PollOptions { after: Some(Sequence(0)), ..PollOptions::default() };
    let polled = client.runs().poll(id, after).await.unwrap();
    assert_eq!(polled.events, events[1..]);
    let resumed = EventsOptions { after: Some(Sequence(2)), ..options };
    let rest: Vec<_> = client.runs().events(id, resumed).try_collect().await.unwrap();
    assert_eq!(rest, events[3..]);
    live.stop().await;
}

#[tokio::test]
async fn a_run_is_cancelled_while_it_is_followed() {
    let host = TestHost::new();
    let live = host.listen().await;
    let client = live.client();
    let id = client.runs().create(&run_of("conformance-cancellable")).await.unwrap().run_id;
    let mut events = client.runs().events(&id, EventsOptions::default());
    assert_eq!(events.next().await.unwrap().unwrap().event_type.as_str(), "run.started");
    let results = client.runs().bulk_cancel(std::slice::from_ref(&id), Some("enough")).await.unwrap();
    assert!(matches!(results.as_slice(), [BulkCancelled { ok: true, .. }]), "{results:?}");
    let last = events.try_fold(None, async |_, event| Ok(Some(event))).await.unwrap().unwrap();
    assert_eq!(last.event_type.as_str(), "run.cancelled");
    assert_eq!(client.runs().get(&id).await.unwrap().status, RunStatus::Cancelled);
    live.stop().await;
}

#[tokio::test]
async fn an_interrupt_is_answered() {
    let host = TestHost::new();
    let live = host.listen().await;
    let client = live.client();
    let id = client.runs().create(&run_of("conformance-agent-low-confidence")).await.unwrap().run_id;
    host.until_type(id.as_str(), "interrupt.requested").await;
    assert_eq!(client.runs().get(&id).await.unwrap().status, RunStatus::WaitingApproval);
    client.interrupts().resolve(&id, &NodeId::new("agent"), &json!({ "go": true })).await.unwrap();
    assert_eq!(client.runs().wait(&id).await.unwrap().status, RunStatus::Completed);
    live.stop().await;
}

#[tokio::test]
async fn prompts_agents_and_workflows_are_read() {
    let host = TestHost::new();
    let live = host.listen().await;
    let client = live.client();
    let capabilities = client.discovery().capabilities().await.unwrap();
    assert_eq!(capabilities.protocol_version, "1.0");
    assert_eq!(client.agents().list().await.unwrap().len(), 1);
    client.agents().get(&AgentId::new("local.desk.clerk")).await.unwrap();
    client.workflows().get(&WorkflowId::new("conformance-noop")).await.unwrap();
    let pages = client.prompts().pages(PromptQuery { limit: Some(3), ..PromptQuery::default() });
    let items: Vec<usize> = pages.map_ok(|page| page.items.len()).try_collect().await.unwrap();
    assert_eq!(items, [3, 3, 2]);
    let id = TemplateId::parse("topic-user").unwrap();
    let fetched = client.prompts().get(&id, &PromptLookup::default()).await.unwrap().unwrap();
    let known = PromptLookup { if_none_match: fetched.etag.clone(), ..PromptLookup::default() };
    assert!(client.prompts().get(&id, &known).await.unwrap().is_none());
    let variables = serde_json::Map::from_iter([("topic".to_owned(), "tea".into())]);
    let render = RenderPrompt::new(PromptRef::parse("prompt:topic-user@1.0.0").unwrap(), variables);
    let rendered = client.prompts().render(&render).await.unwrap();
    assert_eq!(rendered.composed.as_deref(), Some("Write about tea."));
    live.stop().await;
}

#[tokio::test]
async fn a_refusal_is_read_as_one() {
    let host = TestHost::new();
    let live = host.listen().await;
    let error = live.client().runs().get(&RunId::new("a/../b\u{0}")).await.unwrap_err();
    match error.kind() {
        ClientErrorKind::Api(api) => {
            assert_eq!((api.status, api.code.as_str()), (404, "not_found"));
            assert!(api.request_id.is_some());
        }
        other => panic!("{other:?}"),
    }
    live.stop().await;
}
