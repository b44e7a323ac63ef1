//! Rosters: the tools and agents that are really offered, and the facts that templates read of them.
//!
//! It owns what of these a template is told. It refuses anything from templates: a roster is made by the host, never changes,
//! and no text that is rendered reaches it. A template that sets `agent_tools` changes its own words and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use cuebook_template::Value;
use indexmap::IndexMap;
use serde_json::{Value as Json, json};

use crate::words::words;

/// The beginning of the names that say whether a tool is offered.
pub(crate) const HAS: &str = "profile_has_";
/// The facts whose names do not begin with [`HAS`].
const FACTS: [&str; 5] =
    ["agent_tools", "agent_tool_names", "allowed_agents", "tool_profile", "profile_mutation_capable"];

words! {
    /// What a tool does to the things that a host keeps.
    pub enum ToolEffect {
        /// It looks at them.
        Read = "read",
        /// It changes them.
        Write = "write",
        /// It runs something, which may change them.
        Run = "run",
    }
}

/// What well-known tools do, for hosts that do not say.
const WELL_KNOWN: [(&str, ToolEffect); 20] = [
    ("code_rewrite", ToolEffect::Write),
    ("command", ToolEffect::Run),
    ("create", ToolEffect::Write),
    ("delete", ToolEffect::Write),
    ("edit", ToolEffect::Write),
    ("find", ToolEffect::Read),
    ("git_commit", ToolEffect::Write),
    ("glob", ToolEffect::Read),
    ("grep", ToolEffect::Read),
    ("jq", ToolEffect::Read),
    ("jq_edit", ToolEffect::Write),
    ("list_dir", ToolEffect::Read),
    ("move", ToolEffect::Write),
    ("patch", ToolEffect::Write),
    ("read", ToolEffect::Read),
    ("read_file", ToolEffect::Read),
    ("survey_repo", ToolEffect::Read),
    ("terminal_send", ToolEffect::Run),
    ("write", ToolEffect::Write),
    ("write_file", ToolEffect::Write),
];

/// The tools and agents that are really offered to one agent.
///
/// There is no way from a template to a roster: only a host makes one, from what it has, and rendering borrows its facts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roster {
    tools: BTreeSet<String>,
    agents: Vec<String>,
    profile: String,
    effects: BTreeMap<String, ToolEffect>,
}

impl Roster {
    /// The roster of the tools called `tools`.
    pub fn new<T: Into<String>>(tools: impl IntoIterator<Item = T>) -> Self {
        Self { tools: tools.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// With the agents that may be sent to work, in the order in which they are told.
    pub fn with_agents<T: Into<String>>(self, agents: impl IntoIterator<Item = T>) -> Self {
        Self { agents: agents.into_iter().map(Into::into).collect(), ..self }
    }

    /// With the name that the host has for this choice of tools.
    pub fn with_profile(self, profile: impl Into<String>) -> Self {
        Self { profile: profile.into(), ..self }
    }

    /// With what a tool does, in place of what its name says.
    pub fn with_effect(mut self, tool: impl Into<String>, effect: ToolEffect) -> Self {
        self.effects.insert(tool.into(), effect);
        self
    }

    /// The part of it that has no tools but `tools`.
    pub fn narrowed(&self, tools: &[String]) -> Self {
        let kept = self.tools.iter().filter(|tool| tools.contains(tool));
        Self { tools: kept.cloned().collect(), ..self.clone() }
    }

    /// The tools, in order of their names.
    pub const fn tools(&self) -> &BTreeSet<String> {
        &self.tools
    }

    /// The agents that may be sent to work.
    pub fn agents(&self) -> &[String] {
        &self.agents
    }

    /// Whether a tool is offered.
    pub fn offers(&self, tool: &str) -> bool {
        self.tools.contains(tool)
    }

    /// Whether a tool of that name is one that many hosts have, or a group of them.
    pub(crate) fn is_well_known(tool: &str) -> bool {
        ["write_tools", "read_tools"].contains(&tool) || WELL_KNOWN.iter().any(|(name, _)| *name == tool)
    }

    /// Whether `name` is one of a fact about rosters, which callers cannot give.
    pub fn is_fact(name: &str) -> bool {
        FACTS.contains(&name) || name.starts_with(HAS)
    }

    /// What templates are told of it, by name.
    pub fn facts(&self) -> IndexMap<String, Value> {
        let tools: Json = self.tools.iter().map(|tool| json!({ "name": tool })).collect();
        let writes = self.has(ToolEffect::Write);
        let mut facts = IndexMap::from([
            ("agent_tools".to_owned(), tools),
            ("agent_tool_names".to_owned(), json!(self.tools)),
            ("allowed_agents".to_owned(), json!(self.agents)),
            ("tool_profile".to_owned(), json!(self.profile)),
            ("profile_mutation_capable".to_owned(), json!(writes || self.has(ToolEffect::Run))),
        ]);
        facts.extend(self.tools.iter().map(|tool| (has(tool), json!(true))));
        facts.insert(has("write_tools"), json!(writes));
        facts.insert(has("read_tools"), json!(self.has(ToolEffect::Read)));
        facts.into_iter().map(|(name, fact)| (name, Value::trusted(fact))).collect()
    }

    fn has(&self, effect: ToolEffect) -> bool {
        self.tools.iter().any(|tool| self.effect(tool) == Some(effect))
    }

    fn effect(&self, tool: &str) -> Option<ToolEffect> {
        let well_known = || WELL_KNOWN.iter().find(|(name, _)| *name == tool).map(|(_, effect)| *effect);
        self.effects.get(tool).copied().or_else(well_known)
    }
}

/// The name of the fact that a tool is offered.
fn has(tool: &str) -> String {
    let letter = |char: char| {
        let lower = char.to_ascii_lowercase();
        if lower.is_ascii_alphanumeric() { lower } else { '_' }
    };
    HAS.chars().chain(tool.chars().map(letter)).collect()
}

#[cfg(test)]
mod tests {
    use cuebook_template::Source;
    use cuebook_template::pongo::{Context, Options, Profile, Program, Settings};

    use super::*;
    use crate::{Catalog, FileTree, Layer, Snapshot, Tier};

    #[track_caller]
    fn check(roster: &Roster, name: &str, expect: &Json) {
        let facts = roster.facts();
        assert_eq!(facts.get(name).map(Value::json), Some(expect), "{name}");
        assert!(Roster::is_fact(name), "{name}");
    }

    #[test]
    fn facts_say_what_is_offered() {
        let roster = Roster::new(["read", "Fetch-URL"]).with_agents(["b", "a"]).with_profile("plain");
        check(&roster, "agent_tools", &json!([{ "name": "Fetch-URL" }, { "name": "read" }]));
        check(&roster, "agent_tool_names", &json!(["Fetch-URL", "read"]));
        check(&roster, "allowed_agents", &json!(["b", "a"]));
        check(&roster, "tool_profile", &json!("plain"));
        check(&roster, "profile_has_read", &json!(true));
        check(&roster, "profile_has_fetch_url", &json!(true));
        assert_eq!(roster.facts().get("profile_has_write"), None);
        assert!(Roster::is_fact("profile_has_write") && !Roster::is_fact("focus"));
    }

    #[test]
    fn what_tools_do_is_known_by_name_or_said() {
        let effects = |roster: &Roster, expect: [bool; 3]| {
            check(roster, "profile_has_read_tools", &json!(expect[0]));
            check(roster, "profile_has_write_tools", &json!(expect[1]));
            check(roster, "profile_mutation_capable", &json!(expect[2]));
        };
        effects(&Roster::default(), [false, false, false]);
        effects(&Roster::new(["read"]), [true, false, false]);
        effects(&Roster::new(["write", "grep"]), [true, true, true]);
        effects(&Roster::new(["command"]), [false, false, true]);
        effects(&Roster::new(["paint"]), [false, false, false]);
        effects(&Roster::new(["paint", "read"]).with_effect("paint", ToolEffect::Write), [true, true, true]);
        effects(&Roster::new(["read"]).with_effect("write", ToolEffect::Write), [true, false, false]);
        effects(&Roster::new(["write"]).with_effect("write", ToolEffect::Read), [true, false, false]);
    }

    #[test]
    fn narrowing_never_adds() {
        let roster = Roster::new(["read", "grep"]).with_agents(["a"]);
        let narrow = roster.narrowed(&["read".to_owned(), "write".to_owned()]);
        assert_eq!(
            (narrow.tools(), narrow.agents()),
            (&BTreeSet::from(["read".to_owned()]), roster.agents())
        );
        assert!(!narrow.offers("write"));
        assert_eq!(narrow.narrowed(&["read".to_owned()]), narrow);
    }

    #[test]
    fn no_template_changes_what_is_offered() {
        let roster = Roster::new(["read"]);
        let (offered, facts) = (roster.clone(), roster.facts());
        let context = |facts: &IndexMap<String, Value>| {
            let mut context = Context::new();
            facts.iter().for_each(|(name, fact)| context.insert(name.as_str(), fact.clone()));
            context
        };
        let nothing = Snapshot::new(
            Vec::new(),
            Catalog::new(Layer::overlay(Tier::Bundled, "none", &FileTree::default())).into(),
            Vec::new(),
        );
        for (text, expect) in [
            ("{% set profile_has_write = true %}{% if profile_has_write %}w{% endif %}", "w"),
            ("{% set agent_tool_names = \"write\" %}{{ agent_tool_names }}", "write"),
            ("{{ agent_tool_names|join:\",\" }}", "read"),
            ("{% if profile_has_write %}w{% endif %}", ""),
        ] {
            let program =
                Program::compile(Source::new("agents/a.md", text), &nothing, &Options::of(Profile::Composed))
                    .expect("a program");
            let rendered = program.render(&context(&roster.facts()), &Settings::default()).expect("a text");
            assert_eq!(rendered.text, expect);
            assert_eq!((&roster, roster.facts()), (&offered, facts.clone()));
        }
    }
}
