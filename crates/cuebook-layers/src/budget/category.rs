//! What a budget is for: categories of rendered texts.
//!
//! It owns which category a template falls in by its name. It refuses to weigh parts: what others include has no budget of
//! its own.

use crate::reference::{RefKind, TemplateRef};
use crate::words::words;

words! {
    /// A sort of rendered text with a budget.
    pub enum Category {
        /// The prompts of agents that do work.
        WorkerPersonas = "worker_personas",
        /// The whole prompt of an agent that leads others.
        CoordinatorTripartite = "coordinator_tripartite",
        /// What is put around the history of an agent that leads others.
        CoordinatorInjects = "coordinator_injects",
        /// Templates of agents, by themselves.
        AgentTemplates = "agent_templates",
        /// Guidance that is said at a moment of a run.
        Kicks = "kicks",
        /// The descriptions of tools.
        ToolSurfaces = "tool_surfaces",
    }
}

impl Category {
    /// The category of rendered personas.
    pub const PERSONA: Self = Self::WorkerPersonas;

    /// The category of a template that is rendered by itself; `None` for parts.
    pub fn of(reference: &TemplateRef) -> Option<Self> {
        match reference.kind() {
            RefKind::Agent if !reference.is_reserved() => Some(Self::AgentTemplates),
            RefKind::Guidance => Some(Self::Kicks),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_no_category() {
        for (name, expect) in [
            ("agents/writer.md", Some(Category::AgentTemplates)),
            ("agents/_shell.md", None),
            ("kicks/leg", Some(Category::Kicks)),
            ("guidance/reject/_reject", Some(Category::Kicks)),
            ("partials/tone.md", None),
            ("units/read.md", None),
            ("archetypes/gate.md", None),
            ("other.md", None),
        ] {
            assert_eq!(Category::of(&TemplateRef::parse(name).expect("a name")), expect, "{name}");
        }
    }
}
