//! What only the whole of a project file shows: names that lead nowhere, steps that wait for themselves, keys without meaning.
//!
//! It owns these rules and reports all that are broken. It refuses to repeat what the schema says.

use std::sync::Arc;

use cuebook_layers::TemplateRef;
use cuebook_template::{Diagnostic, Location, Severity, nearest};
use cuebook_wire::ErrorCode;
use cuebook_wire::pointer::step;
use indexmap::IndexMap;
use serde_json::Map;

use crate::agents::enabled;
use crate::names::PRIMARY;
use crate::project::Project;
use crate::spec::{AgentSpec, ProjectFile, WorkflowSpec};
use crate::steps;
use cuebook_yaml::Node;

/// Keys that other programs read and this host keeps.
const WITHOUT_MEANING: [&str; 4] = ["plugins", "tasks", "cage", "max_steps"];

/// Everything that is wrong or doubtful about `spec`, which was read from `tree`.
pub(crate) fn check(
    spec: &ProjectFile,
    tree: &Node,
    includes: &IndexMap<String, Arc<Project>>,
) -> Vec<Diagnostic> {
    let mut rules = Rules { spec, tree, includes, found: Vec::new() };
    rules.reserved_names();
    rules.templates(&spec.primary, "/primary");
    for (name, workflow) in &spec.workflows {
        let pointer = format!("/workflows{}", step(name));
        rules.tools(workflow, &pointer);
        rules.step_templates(workflow, &pointer);
        steps::check(&mut rules, workflow, &pointer);
    }
    rules.keys_without_meaning();
    rules.found
}

pub(crate) struct Rules<'s> {
    pub(crate) spec: &'s ProjectFile,
    tree: &'s Node,
    includes: &'s IndexMap<String, Arc<Project>>,
    found: Vec<Diagnostic>,
}

impl Rules<'_> {
    /// Takes note of what is wrong at a pointer.
    pub(crate) fn report(&mut self, pointer: &str, message: String, hint: Option<String>) {
        let place = self.place(pointer);
        self.report_at(&place, message, hint);
    }

    pub(crate) fn report_at(&mut self, place: &Location, message: String, hint: Option<String>) {
        let problem = Diagnostic::error(ErrorCode::ProjectInvalid.as_str(), message);
        self.found.push(problem.at(&place.source, place.span).with_advice(hint));
    }

    pub(crate) fn place(&self, pointer: &str) -> Location {
        self.tree.locate(pointer)
    }

    /// The paths of all agents that a step may name.
    pub(crate) fn agent_paths(&self) -> Vec<String> {
        let mut paths = vec![PRIMARY.to_owned()];
        collect_paths(&self.spec.primary, "", &mut paths);
        for (name, include) in self.includes {
            paths.extend(include.agents().into_iter().map(|agent| format!("{name}/{}", agent.path)));
        }
        paths
    }

    /// Whether a path names an agent; of an included project that could not be read nothing is known.
    pub(crate) fn may_be_agent(&self, path: &str, known: &[String]) -> bool {
        let unread = path.split_once('/').is_some_and(|(include, _)| {
            self.spec.projects.contains_key(include) && !self.includes.contains_key(include)
        });
        unread || known.iter().any(|agent| agent == path)
    }

    fn reserved_names(&mut self) {
        if self.spec.primary.subagents.contains_key(PRIMARY) {
            let message = format!("`{PRIMARY}` is the name of the agent at the root");
            self.report("/primary/subagents/primary", message, Some("give this one another name".to_owned()));
        }
    }

    fn templates(&mut self, agent: &AgentSpec, pointer: &str) {
        if let Some(template) = &agent.template {
            self.template(template, &format!("{pointer}/template"));
        }
        for (name, below) in &agent.subagents {
            self.templates(below, &format!("{pointer}/subagents{}", step(name)));
        }
    }

    fn step_templates(&mut self, workflow: &WorkflowSpec, pointer: &str) {
        for (at, step) in workflow.steps.iter().enumerate() {
            if let Some(template) = &step.template {
                self.template(template, &format!("{pointer}/steps/{at}/template"));
            }
        }
    }

    /// The name of a layered template; whether a layer has it is known by the host alone.
    fn template(&mut self, name: &str, pointer: &str) {
        if let Err(bad) = TemplateRef::parse(name) {
            self.report(pointer, format!("'{name}' names no template: {bad}"), None);
        }
    }

    /// A workflow may have fewer tools than the primary agent, never others.
    fn tools(&mut self, workflow: &WorkflowSpec, pointer: &str) {
        let Some(wanted) = &workflow.tools else { return };
        let none = Map::new();
        let own: Vec<&str> = enabled(self.spec.primary.tools.as_ref().unwrap_or(&none)).collect();
        if own.contains(&"*") {
            return;
        }
        let strangers: Vec<&str> = enabled(wanted).filter(|name| !own.contains(name)).collect();
        for name in strangers {
            let message = format!("tool `{name}` is none of the primary agent's");
            let hint = nearest(name, own.iter().copied()).map(|near| format!("did you mean '{near}'?"));
            self.report(&format!("{pointer}/tools{}", step(name)), message, hint);
        }
    }

    /// One note for each such key, however often it stands.
    fn keys_without_meaning(&mut self) {
        for key in WITHOUT_MEANING {
            let mut places = Vec::new();
            find_key(self.tree, key, &mut places);
            let Some(first) = places.first() else { continue };
            let times =
                if places.len() > 1 { format!(" (in {} places)", places.len()) } else { String::new() };
            let message = format!("`{key}` is kept and has no meaning on this host{times}");
            let note = Diagnostic::note(ErrorCode::ProjectKeyWithoutMeaning.as_str(), message);
            self.found.push(note.at(&first.source, first.span).with_severity(Severity::Note));
        }
    }
}

fn collect_paths(agent: &AgentSpec, above: &str, paths: &mut Vec<String>) {
    for (name, below) in &agent.subagents {
        let path = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
        paths.push(path.clone());
        collect_paths(below, &path, paths);
    }
}

/// The places of `key` at the levels where the schema has it: of the project and of its agents.
fn find_key(node: &Node, key: &str, places: &mut Vec<Location>) {
    let Some(map) = node.map() else { return };
    places.extend(map.get(key).filter(|entry| !entry.node.is_null()).map(|entry| entry.key.clone()));
    if let Some(primary) = node.get("primary") {
        find_key(primary, key, places);
    }
    for (_, entry) in node.get("subagents").and_then(Node::map).into_iter().flatten() {
        find_key(&entry.node, key, places);
    }
}
