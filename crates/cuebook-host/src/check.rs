//! Checking a whole project before anything runs.
//!
//! It owns what only the parts together show: refs that no library has, and nodes bound to agents that nobody knows;
//! and what is doubtful about a template. What is wrong within one file is found when it is read.

use cuebook_engine::{NodeType, PlanNode};
use cuebook_prompt::{NodePrompts, PromptError};
use cuebook_template::{Diagnostic, Severity};
use cuebook_wire::{AgentId, ErrorCode, LibraryId, PromptKind, PromptRef, PromptRefs};

use crate::host::Host;
use crate::load::{WorkflowFile, doubtful};
use crate::report::Problems;

/// What a check found.
#[derive(Clone, Debug, Default)]
pub struct ProjectCheck {
    /// The ids of the workflows.
    pub workflows: Vec<String>,
    /// How many agents there are.
    pub agents: usize,
    /// How many templates there are.
    pub templates: usize,
    /// What would make a run fail.
    pub problems: Problems,
    /// What is doubtful.
    pub warnings: Problems,
}

impl Host {
    /// Checks every workflow, and every ref that a workflow, an agent or the configuration names.
    pub fn check(&self) -> ProjectCheck {
        let mut check = ProjectCheck {
            workflows: self.workflows.ids(),
            agents: self.agents.ids().len(),
            templates: self.libraries.iter().map(|library| library.entries().count()).sum(),
            warnings: self.doubts(),
            ..ProjectCheck::default()
        };
        self.check_host_defaults(&mut check.problems);
        self.agents.ids().iter().for_each(|id| self.check_agent(id, &mut check.problems));
        for id in self.workflows.ids() {
            if let Some(workflow) = check.problems.collect(self.workflows.load(&id)) {
                self.check_workflow(&workflow, &mut check);
            }
        }
        check
    }

    /// What is doubtful about templates and packs. It reads every template once more, so a start tells of it afterwards.
    pub fn doubts(&self) -> Problems {
        let templates = doubtful(&self.directories.prompts).into_iter();
        templates.chain(self.warnings.iter().cloned()).collect()
    }

    fn check_host_defaults(&self, problems: &mut Problems) {
        let library = &self.config.prompts.library;
        for (kind, reference) in each(&self.config.prompts.defaults) {
            if let Err(error) = self.find(reference, Some(library)) {
                problems.push(said_by(&error, &format!("prompts.defaults.{kind} of the configuration")));
            }
        }
    }

    fn check_agent(&self, id: &AgentId, problems: &mut Problems) {
        let Some(binding) = self.agents.get(id) else { return };
        let origin = self.agents.origin(id).unwrap_or_default();
        for (kind, reference) in each(&binding.manifest.prompt_overrides) {
            if let Err(error) = self.find(reference, None) {
                problems.push(said_by(&error, &format!("promptOverrides.{kind} of '{id}' in {origin}")));
            }
        }
    }

    fn check_workflow(&self, workflow: &WorkflowFile, check: &mut ProjectCheck) {
        workflow.warnings.iter().for_each(|warning| check.warnings.push(warning.clone()));
        for (path, reference) in refs_of(workflow) {
            if let Err(error) = self.find(reference, None) {
                let place = workflow.document.locate(&path);
                check.problems.push(error.diagnostic().clone().at(workflow.document.source(), place));
            }
        }
        for (at, node) in workflow.plan.nodes.iter().enumerate() {
            check.warnings.extend(self.unknown_agent(workflow, at, node));
        }
    }

    fn unknown_agent(&self, workflow: &WorkflowFile, at: usize, node: &PlanNode) -> Option<Diagnostic> {
        let id = node.agent_id.as_ref().filter(|id| self.agents.get(id).is_none())?;
        let place = workflow.document.locate(&format!("/nodes/{at}/config/agentId"));
        let message = format!("no agent is called '{id}': the agent layer is skipped");
        let warning = Diagnostic::error(ErrorCode::AgentBindingUnresolvable.as_str(), message)
            .with_severity(Severity::Warning)
            .at(workflow.document.source(), place);
        Some(match self.agents.nearest(id.as_str()) {
            Some(near) => warning.with_hint(format!("did you mean '{near}'?")),
            None => warning,
        })
    }

    fn find(&self, reference: &PromptRef, within: Option<&LibraryId>) -> Result<(), PromptError> {
        if self.has_project_prompt(reference) {
            return Ok(());
        }
        self.libraries.find(reference, within).map(drop)
    }
}

/// The refs of `refs` with their kinds.
fn each(refs: &PromptRefs) -> impl Iterator<Item = (PromptKind, &PromptRef)> {
    PromptKind::ALL.into_iter().filter_map(|kind| Some((kind, refs.get(kind)?)))
}

/// Every ref of a workflow with the JSON pointer to it.
fn refs_of(workflow: &WorkflowFile) -> Vec<(String, &PromptRef)> {
    let plan = &workflow.plan;
    let defaults = each(&plan.definition.defaults.prompt_refs);
    let mut refs: Vec<(String, &PromptRef)> =
        defaults.map(|(kind, reference)| (format!("/defaults/promptRefs/{kind}"), reference)).collect();
    for (at, node) in plan.nodes.iter().enumerate() {
        if let NodeType::Prompt(prompt) = &node.node_type {
            refs.extend(
                refs_of_node(&prompt.prompts)
                    .map(|(key, reference)| (format!("/nodes/{at}/config/{key}"), reference)),
            );
        }
    }
    refs
}

fn refs_of_node(prompts: &NodePrompts) -> impl Iterator<Item = (String, &PromptRef)> {
    let single = [
        ("systemPromptRef", &prompts.system),
        ("userPromptRef", &prompts.user),
        ("schemaHintPromptRef", &prompts.schema_hint),
    ];
    let lists = [("fewShotPromptRefs", &prompts.few_shot), ("additionalPromptRefs", &prompts.additional)];
    let single =
        single.into_iter().filter_map(|(key, reference)| Some((key.to_owned(), reference.as_ref()?)));
    let listed = lists.into_iter().flat_map(|(key, list)| {
        list.iter().enumerate().map(move |(at, reference)| (format!("{key}/{at}"), reference))
    });
    single.chain(listed)
}

fn said_by(error: &PromptError, layer: &str) -> Diagnostic {
    let problem = error.diagnostic().clone();
    Diagnostic { message: format!("{} (named by {layer})", problem.message), ..problem }
}
