//! What must hold of a run that has ended, whatever happened to it.

use std::collections::BTreeSet;
use std::sync::Arc;

use cuebook_engine::{Plan, RunState};
use cuebook_log::{Checkpoint, Record};
use cuebook_prompt::Trust;
use cuebook_wire::EventType;
use serde_json::Value as Json;

use crate::flow::TAINT;
use crate::prompts::CANARY;

/// Everything that a run left behind.
#[derive(Debug)]
pub struct Remains {
    /// The plan that it ran.
    pub plan: Arc<Plan>,
    /// Its log.
    pub records: Vec<Record>,
    /// The records whose writers were told that they are durable.
    pub acknowledged: Vec<Record>,
    /// The state in memory when it ended.
    pub live: Option<RunState>,
    /// Its last checkpoint.
    pub checkpoint: Option<Checkpoint>,
    /// The bytes of its store, apart from the records.
    pub bytes: Vec<u8>,
}

/// Every promise that `remains` break; none when all is well.
pub fn broken(remains: &Remains) -> Vec<String> {
    let mut found = Vec::new();
    let mut hold = |holds: bool, what: &str| {
        if !holds {
            found.push(what.to_owned());
        }
    };
    hold(is_dense(&remains.records), "the sequence is not dense from 0");
    hold(ends_once(&remains.records), "there is not exactly one terminal event, or it is not the last");
    hold(keeps(remains), "a record that was acknowledged is lost or changed");
    hold(answers_once(&remains.records), "a node ended or an attempt began twice");
    hold(tells_agents_once(&remains.records), "a prompt of an agent was told twice, or as it was not");
    hold(is_in_order(&remains.records), "the time of the run goes back");
    hold(is_silent(remains), "the secret was written down");
    match RunState::of_log(&remains.records, Arc::clone(&remains.plan)) {
        Ok(Some(folded)) => {
            hold(is_tainted(&folded), "taint was lost");
            let same = |live: &RunState| live.checkpoint() == folded.checkpoint();
            hold(remains.live.as_ref().is_none_or(same), "the fold of the log is not the live state");
        }
        _ => hold(false, "the log cannot be folded"),
    }
    hold(is_fold(remains), "the checkpoint is not the fold of the records before it");
    found
}

fn is_dense(records: &[Record]) -> bool {
    records.iter().zip(0..).all(|(record, expected)| record.event.sequence.0 == expected)
}

fn ends_once(records: &[Record]) -> bool {
    let terminal = |record: &Record| record.event.event_type.is_terminal();
    records.iter().filter(|record| terminal(record)).count() == 1 && records.last().is_some_and(terminal)
}

fn keeps(remains: &Remains) -> bool {
    let at = |record: &Record| usize::try_from(record.event.sequence.0).unwrap_or(usize::MAX);
    remains.acknowledged.iter().all(|record| remains.records.get(at(record)) == Some(record))
}

/// No node ends twice, and no attempt of one begins twice.
fn answers_once(records: &[Record]) -> bool {
    let mut seen = BTreeSet::new();
    let mut once = |key: String| seen.insert(key);
    records.iter().all(|record| {
        let event = &record.event;
        let node = event.node_id.as_ref().map(ToString::to_string).unwrap_or_default();
        let attempt = event.payload.get("attempt").map(Json::to_string).unwrap_or_default();
        match event.event_type {
            EventType::NodeCompleted | EventType::NodeFailed | EventType::NodeCancelled => {
                once(format!("end of {node}"))
            }
            EventType::NodeStarted => once(format!("attempt {attempt} of {node}")),
            _ => true,
        }
    })
}

/// What is told of an agent's prompt begins with what was told of it last, at first with the facts of the run, and is
/// something new.
fn tells_agents_once(records: &[Record]) -> bool {
    let facts = records.first().and_then(|record| record.private.as_json());
    let known = facts.and_then(|facts| facts.get("agent_prompts")).and_then(Json::as_object);
    let mut known = known.cloned().unwrap_or_default();
    let told = records.iter().filter(|record| record.event.payload["code"] == "agent_prompt_changed");
    told.map(|record| &record.event.payload["fields"]).all(|fields| {
        let agent = fields["agentId"].as_str().unwrap_or_default();
        let (before, now) = (fields.get("before"), fields.get("now"));
        let holds = known.get(agent) == before && before != now;
        match now {
            Some(now) => drop(known.insert(agent.to_owned(), now.clone())),
            None => drop(known.remove(agent)),
        }
        holds
    })
}

fn is_in_order(records: &[Record]) -> bool {
    records.iter().map(|record| record.event.timestamp).is_sorted()
}

/// The secret is nowhere, neither as it is nor as JSON spells it.
fn is_silent(remains: &Remains) -> bool {
    let spelled = Json::from(CANARY).to_string();
    let forms = [CANARY.as_bytes(), spelled.trim_matches('"').as_bytes()];
    let records = format!("{:?}{:?}", remains.records, remains.checkpoint);
    let texts: Vec<String> = remains
        .records
        .iter()
        .map(|record| format!("{}{}", record.event.payload, record.private.as_json().unwrap_or(&Json::Null)))
        .collect();
    let has = |bytes: &[u8]| forms.iter().any(|form| bytes.windows(form.len()).any(|part| part == *form));
    !has(records.as_bytes()) && !has(&remains.bytes) && !texts.iter().any(|text| has(text.as_bytes()))
}

/// Whatever holds untrusted text is untrusted.
fn is_tainted(state: &RunState) -> bool {
    let values = state.nodes.iter().flat_map(|node| node.inputs.values().chain(node.outputs.values()));
    values
        .filter(|value| value.json().to_string().contains(TAINT))
        .all(|value| value.trust() == Trust::Untrusted)
}

fn is_fold(remains: &Remains) -> bool {
    let Some(checkpoint) = &remains.checkpoint else { return true };
    let length = usize::try_from(checkpoint.next.0).unwrap_or(usize::MAX);
    let Some(before) = remains.records.get(..length) else { return false };
    let folded = RunState::of_log(before, Arc::clone(&remains.plan)).ok().flatten();
    folded.is_some_and(|state| state.checkpoint() == *checkpoint)
}
