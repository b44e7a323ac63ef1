//! Agents whose own prompt is another than a run knew: how they are found, told and read back.
//!
//! It owns the shape of `agent_prompt_changed`. It refuses to show any text: hashes stand for it.

use cuebook_prompt::{ContentHash, IntrinsicHashes};
use cuebook_wire::payload::{LogAppended, LogLevel};
use cuebook_wire::{AgentId, ErrorCode};
use serde_json::{Map, Value as Json};

/// What is known of an agent's own prompt: nothing of an agent that nobody knows, an empty hash of one without any.
type Known = Option<Option<ContentHash>>;

/// An agent with the prompt that a run knew and the one that is there now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgentChange {
    agent: AgentId,
    before: Known,
    now: Known,
}

impl AgentChange {
    /// The agents that differ, in the order of their ids.
    pub(crate) fn between(known: &IntrinsicHashes, present: &IntrinsicHashes) -> Vec<Self> {
        let of = |agent: &AgentId| Self {
            agent: agent.clone(),
            before: known.get(agent).cloned(),
            now: present.get(agent).cloned(),
        };
        let added = present.keys().filter(|agent| !known.contains_key(*agent));
        let mut changes: Vec<Self> = known.keys().chain(added).map(of).collect();
        changes.retain(|change| change.before != change.now);
        changes.sort_by(|left, right| left.agent.cmp(&right.agent));
        changes
    }

    /// The event that tells of it: `before` and `now` are null for an agent without a prompt of its own, and missing for one
    /// that nobody knows.
    pub(crate) fn to_log(&self) -> LogAppended {
        let mut fields = Map::from_iter([("agentId".to_owned(), Json::from(self.agent.as_str()))]);
        for (key, known) in [("before", &self.before), ("now", &self.now)] {
            if let Some(hash) = known {
                fields.insert(key.to_owned(), hash.as_ref().map(ContentHash::as_str).into());
            }
        }
        LogAppended {
            level: LogLevel::Warn,
            message: format!("agent '{}' {}", self.agent, self.summary()),
            code: Some(ErrorCode::AgentPromptChanged.as_str().to_owned()),
            node_id: None,
            fields: Some(fields),
        }
    }

    fn summary(&self) -> &'static str {
        match (&self.before, &self.now) {
            (_, None) => "is not known any more",
            (None, Some(_)) => "is known now, as it was not before",
            (Some(_), Some(None)) => "has no prompt of its own any more",
            (Some(None), Some(Some(_))) => "has a prompt of its own now",
            (Some(Some(_)), Some(Some(_))) => "has another prompt of its own than before",
        }
    }

    /// Reads it back; none when the event tells of something else.
    pub(crate) fn of_log(log: &LogAppended) -> Option<Self> {
        let is_told = log.code.as_deref() == Some(ErrorCode::AgentPromptChanged.as_str());
        let fields = log.fields.as_ref().filter(|_| is_told)?;
        let known = |key: &str| fields.get(key).map(|hash| hash.as_str().and_then(ContentHash::parse));
        let agent = AgentId::new(fields.get("agentId")?.as_str()?);
        Some(Self { agent, before: known("before"), now: known("now") })
    }

    /// Takes note of what is there now.
    pub(crate) fn note(self, known: &mut IntrinsicHashes) {
        match self.now {
            Some(hash) => drop(known.insert(self.agent, hash)),
            None => drop(known.remove(&self.agent)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENT: &str = "local.press.critic";

    /// Nothing for an agent that nobody knows, an empty text for one without a prompt.
    fn hashes(text: Option<&str>) -> IntrinsicHashes {
        let hash = |text: &str| (!text.is_empty()).then(|| ContentHash::of(text));
        text.map(|text| (AgentId::new(AGENT), hash(text))).into_iter().collect()
    }

    #[track_caller]
    fn check(before: Option<&str>, now: Option<&str>, expect: Option<&str>) {
        let (mut known, present) = (hashes(before), hashes(now));
        let changes = AgentChange::between(&known, &present);
        let messages: Vec<String> = changes.iter().map(|change| change.to_log().message).collect();
        assert_eq!(
            messages,
            expect.map(|it| format!("agent '{AGENT}' {it}")).into_iter().collect::<Vec<_>>()
        );
        for change in changes {
            let read = AgentChange::of_log(&change.to_log());
            assert_eq!(read.as_ref(), Some(&change));
            change.note(&mut known);
        }
        assert_eq!(known, present, "what was told is known");
        assert!(AgentChange::between(&known, &present).is_empty(), "and not told again");
    }

    #[test]
    fn every_way_a_prompt_can_change() {
        check(None, None, None);
        check(Some(""), Some(""), None);
        check(Some("a"), Some("a"), None);
        check(Some("a"), Some("b"), Some("has another prompt of its own than before"));
        check(Some("a"), Some(""), Some("has no prompt of its own any more"));
        check(Some(""), Some("a"), Some("has a prompt of its own now"));
        check(Some("a"), None, Some("is not known any more"));
        check(Some(""), None, Some("is not known any more"));
        check(None, Some("a"), Some("is known now, as it was not before"));
        check(None, Some(""), Some("is known now, as it was not before"));
    }

    #[test]
    fn the_event_has_both_hashes() {
        let changes = AgentChange::between(&hashes(Some("a")), &hashes(Some("b")));
        let log = changes[0].to_log();
        let expect = serde_json::json!({"agentId": AGENT, "before": ContentHash::of("a"), "now": ContentHash::of("b")});
        assert_eq!(log.fields.map(Json::Object), Some(expect));
    }

    #[test]
    fn other_events_are_none() {
        let told = AgentChange::between(&hashes(Some("a")), &hashes(None))[0].to_log();
        assert!(AgentChange::of_log(&LogAppended { code: None, ..told.clone() }).is_none());
        assert!(AgentChange::of_log(&LogAppended { fields: None, ..told }).is_none());
    }
}
