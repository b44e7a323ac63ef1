//! The values that the templates of a persona read.
//!
//! It owns their two sets, by what a caller may do about them: *defaults*, which give way to what is given, and *facts*, which
//! nothing overrides. It refuses to mix the two.

use cuebook_template::Value;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::contract::Delta;
use crate::roster::Roster;

/// The name of the checklist.
pub(crate) const CHECKLIST: &str = "playbook_checklist";

/// The values of a persona; rendered units come on top of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PersonaValues {
    /// What holds where a caller gives nothing of that name.
    pub defaults: IndexMap<String, Value>,
    /// What holds whatever a caller gives.
    pub facts: IndexMap<String, Value>,
}

/// Limits of the host that an agent is told of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PersonaCaps {
    /// The most rounds of tool calls.
    pub max_tool_loops: Option<u32>,
    /// The most agents at work at once.
    pub max_in_flight: Option<u32>,
    /// The most tool calls of one answer.
    pub max_concurrent_tool_calls: Option<u32>,
    /// The most lines of one reading of a file.
    pub worker_read_line_limit: Option<u32>,
    /// The most characters of what an agent hands back.
    pub worker_summary_max_chars: Option<u32>,
}

impl PersonaCaps {
    /// The limits that there are, by the names that templates read.
    fn given(&self) -> impl Iterator<Item = (&'static str, Json)> {
        let all = [
            ("max_tool_loops", self.max_tool_loops),
            ("max_in_flight", self.max_in_flight),
            ("max_concurrent_tool_calls", self.max_concurrent_tool_calls),
            ("worker_read_line_limit", self.worker_read_line_limit),
            ("worker_summary_max_chars", self.worker_summary_max_chars),
        ];
        all.into_iter().filter_map(|(name, limit)| Some((name, json!(limit?))))
    }
}

impl PersonaValues {
    /// The values made of what an agent's contract says, its checklist, the host's limits and what is offered.
    pub fn new(delta: &Delta, checklist: &[String], caps: &PersonaCaps, roster: &Roster) -> Self {
        let mut defaults = IndexMap::new();
        let mut put = |name: &str, value: Json| drop(defaults.insert(name.to_owned(), Value::trusted(value)));
        let texts = [("role_title", &delta.role_title), ("focus", &delta.focus)];
        for (name, text) in texts.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?))) {
            put(name, json!(text));
        }
        if !delta.process.is_empty() {
            put("process", json!(numbered(&delta.process)));
        }
        put(CHECKLIST, json!(checklist));
        put("web_search_enabled", json!(true));
        caps.given().for_each(|(name, limit)| put(name, limit));
        Self { defaults, facts: roster.facts() }
    }

    /// All values, with those that a caller gives between the defaults and the facts.
    ///
    /// What is given under the name of a fact of rosters is left out, also where this roster has no such fact.
    pub fn with(&self, given: impl IntoIterator<Item = (String, Value)>) -> IndexMap<String, Value> {
        let mut all = self.defaults.clone();
        all.extend(given.into_iter().filter(|(name, _)| !Roster::is_fact(name)));
        all.extend(self.facts.clone());
        all
    }
}

/// Steps as numbered lines.
fn numbered(steps: &[String]) -> String {
    let lines = steps.iter().zip(1..).map(|(step, number): (_, u32)| format!("{number}. {}", step.trim()));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> PersonaValues {
        let delta = Delta {
            role_title: Some("Writer".to_owned()),
            focus: None,
            process: vec!["Read.".to_owned(), " Write. ".to_owned()],
        };
        let caps = PersonaCaps { max_tool_loops: Some(8), ..PersonaCaps::default() };
        PersonaValues::new(&delta, &["check".to_owned()], &caps, &Roster::new(["read"]))
    }

    #[track_caller]
    fn check(given: &[(&str, Json)], name: &str, expect: Option<&Json>) {
        let given = given.iter().map(|(name, json)| ((*name).to_owned(), Value::untrusted(json.clone())));
        assert_eq!(values().with(given).get(name).map(Value::json), expect, "{name}");
    }

    #[test]
    fn defaults_hold_where_nothing_is_given() {
        check(&[], "role_title", Some(&json!("Writer")));
        check(&[], "focus", None);
        check(&[], "process", Some(&json!("1. Read.\n2. Write.")));
        check(&[], "playbook_checklist", Some(&json!(["check"])));
        check(&[], "web_search_enabled", Some(&json!(true)));
        check(&[], "max_tool_loops", Some(&json!(8)));
        check(&[], "max_in_flight", None);
    }

    #[test]
    fn what_is_given_overrides_defaults_alone() {
        let given = [
            ("role_title", json!("Editor")),
            ("web_search_enabled", json!(false)),
            ("max_tool_loops", json!(2)),
            ("query", json!("q")),
            ("agent_tool_names", json!(["write"])),
            ("profile_has_write", json!(true)),
            ("profile_has_read", json!(false)),
        ];
        check(&given, "role_title", Some(&json!("Editor")));
        check(&given, "web_search_enabled", Some(&json!(false)));
        check(&given, "max_tool_loops", Some(&json!(2)));
        check(&given, "query", Some(&json!("q")));
        check(&given, "agent_tool_names", Some(&json!(["read"])));
        check(&given, "profile_has_write", None);
        check(&given, "profile_has_read", Some(&json!(true)));
    }
}
