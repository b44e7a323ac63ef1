//! What a run that is taken up tells of its agents' own prompts.

use cuebook_engine::{Residence, Rest, RunFacts, RunState};
use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::RunId;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::support::{Flow, TestHost};

const CRITIC: &str = "local.press.critic";

fn agent(text: &str) -> Value {
    let mut manifest = json!({"agentId": CRITIC, "persona": "Critic", "modelClass": "general"});
    if !text.is_empty() {
        manifest["systemPrompt"] = text.into();
    }
    manifest
}

/// A run that waits for a while, then speaks as the critic, twice.
fn waiting() -> Flow {
    let critic = json!({"config": {"agentId": CRITIC, "userPrompt": "read it"}});
    Flow::new("waiting")
        .delay("wait", 20_000)
        .node("a", "core.ai.callPrompt", critic.clone())
        .node("b", "core.ai.callPrompt", critic)
        .edge("wait", "a")
        .edge("a", "b")
}

/// Starts the run, which is parked at once.
async fn park(host: &TestHost, spoil: impl FnOnce(&mut RunFacts)) {
    let plan = Arc::new(waiting().plan());
    let mut facts = host.facts(&plan, &json!({}));
    spoil(&mut facts);
    let handle = host.engine().start(facts, plan, Residence::WhileBusy).await.unwrap();
    assert!(matches!(handle.rest().await.unwrap(), Rest::Parked));
}

/// Takes the run up until it is parked again; gives the fields of every change that its log tells of.
async fn told(host: &TestHost) -> Vec<Value> {
    let rest = host.take_up_for(&waiting(), Residence::WhileBusy).await.rest().await;
    assert!(matches!(rest, Rest::Parked));
    let records = host.records(&RunId::new("run_test")).await;
    let told = records.iter().filter(|record| record.event.payload["code"] == "agent_prompt_changed");
    told.map(|record| record.event.payload["fields"].clone()).collect()
}

fn fields(before: &str, now: &str) -> Value {
    json!({"agentId": CRITIC, "before": ContentHash::of(before), "now": ContentHash::of(now)})
}

#[tokio::test]
async fn a_change_is_told_once_however_often_the_run_is_taken_up() {
    let host = TestHost::echoing().agent(&agent("Be kind."));
    park(&host, |_| {}).await;
    assert_eq!(told(&host).await, Vec::<Value>::new());
    host.cast.add(&agent("Be stern."));
    let first = fields("Be kind.", "Be stern.");
    assert_eq!(told(&host).await, std::slice::from_ref(&first));
    assert_eq!(told(&host).await, std::slice::from_ref(&first));
    host.cast.add(&agent("Be kind."));
    let second = fields("Be stern.", "Be kind.");
    assert_eq!(told(&host).await, [first.clone(), second.clone()]);
    assert_eq!(told(&host).await, [first, second]);
}

#[tokio::test]
async fn an_agent_that_goes_and_comes_has_no_hash_meanwhile() {
    let host = TestHost::echoing().agent(&agent("Be kind."));
    park(&host, |_| {}).await;
    let kind = ContentHash::of("Be kind.");
    host.cast.remove(CRITIC);
    let gone = json!({"agentId": CRITIC, "before": kind});
    assert_eq!(told(&host).await, std::slice::from_ref(&gone));
    host.cast.add(&agent(""));
    let silent = json!({"agentId": CRITIC, "now": null});
    assert_eq!(told(&host).await, [gone.clone(), silent.clone()]);
    host.cast.add(&agent("Be kind."));
    let back = json!({"agentId": CRITIC, "before": null, "now": kind});
    assert_eq!(told(&host).await, [gone, silent, back]);
}

#[tokio::test]
async fn a_run_of_an_older_log_tells_nothing() {
    let host = TestHost::echoing().agent(&agent("Be kind."));
    park(&host, |facts| facts.agent_prompts = None).await;
    host.cast.add(&agent("Be stern."));
    assert_eq!(told(&host).await, Vec::<Value>::new());
}

#[tokio::test]
async fn what_was_told_is_in_the_checkpoint() {
    let host = TestHost::echoing().agent(&agent("Be kind."));
    park(&host, |_| {}).await;
    host.cast.add(&agent("Be stern."));
    told(&host).await;
    let plan = Arc::new(waiting().plan());
    let records = host.records(&RunId::new("run_test")).await;
    let folded = RunState::of_log(&records, Arc::clone(&plan)).unwrap().unwrap();
    let kept = RunState::of_checkpoint(folded.checkpoint(), plan).unwrap();
    let present = host.pipeline().intrinsic_hashes(&Principal::local(), kept.plan.agents());
    assert_eq!(kept.agent_prompts, Some(present));
}
