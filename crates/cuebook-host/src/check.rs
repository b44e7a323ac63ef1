//! Checking a whole project before anything runs.
//!
//! It owns what only the parts together show: refs that no library has, templates in places for another kind, and nodes
//! bound to agents that nobody knows; and what is doubtful about a template. What is wrong within one file is found when it is read.

use cuebook_engine::{NodeType, PlanNode};
use cuebook_prompt::lint::slot;
use cuebook_prompt::{NodePrompts, Principal, PromptError};
use cuebook_template::{Diagnostic, Severity};
use cuebook_wire::{AgentId, ErrorCode, PromptKind, PromptRef, PromptRefs};

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
    /// Checks every workflow, and every ref that a workflow, an agent or the configuration names, among the templates that
    /// `principal` sees.
    pub async fn check(&self, principal: &Principal) -> ProjectCheck {
        let mut check = ProjectCheck {
            workflows: self.workflows.ids(),
            agents: self.agents.ids().len(),
            templates: self.libraries.iter().map(|library| library.entries().count()).sum(),
            warnings: self.doubts(),
            ..ProjectCheck::default()
        };
        self.check_host_defaults(&mut check);
        for id in self.agents.ids() {
            self.check_agent(principal, &id, &mut check).await;
        }
        for id in self.workflows.ids() {
            if let Some(workflow) = check.problems.collect(self.workflows.load(&id)) {
                self.check_workflow(principal, &workflow, &mut check).await;
            }
        }
        check
    }

    /// What is doubtful about templates and packs. It reads every template once more, so a start tells of it afterwards.
    pub fn doubts(&self) -> Problems {
        let templates = doubtful(&self.directories.prompts).into_iter();
        templates.chain(self.warnings.iter().cloned()).chain(self.layer_warnings()).collect()
    }

    /// The workflow files that cannot be run, each with the first thing that is wrong with it.
    pub fn workflow_doubts(&self) -> Problems {
        let refused = |id| self.workflows.plan(id).err().map(|problems| (id, problems));
        let first = |(id, problems): (&str, Problems)| {
            let problem = problems.into_iter().next()?;
            let message = format!("workflow '{id}' cannot be run: {}", problem.message);
            Some(Diagnostic { message, ..problem }.with_severity(Severity::Warning))
        };
        self.workflows.of_files().filter_map(refused).filter_map(first).collect()
    }

    fn check_host_defaults(&self, check: &mut ProjectCheck) {
        let library = &self.config.prompts.library;
        for (kind, reference) in each(&self.config.prompts.defaults) {
            let found = if self.has_file_prompt(reference) {
                Ok(None)
            } else {
                self.libraries.find(reference, Some(library)).map(|it| Some(it.template.kind))
            };
            let by = format!("prompts.defaults.{kind} of the configuration");
            check.take(Named { reference, kind: Some(kind), found }, |problem| said_by(problem, &by));
        }
    }

    async fn check_agent(&self, principal: &Principal, id: &AgentId, check: &mut ProjectCheck) {
        let Some(manifest) = self.agents.manifest(id) else { return };
        let origin = self.agents.origin(id).unwrap_or_default();
        for (kind, reference) in each(&manifest.prompt_overrides) {
            let found = self.kind_of(principal, reference).await;
            let by = format!("promptOverrides.{kind} of '{id}' in {origin}");
            check.take(Named { reference, kind: Some(kind), found }, |problem| said_by(problem, &by));
        }
    }

    async fn check_workflow(&self, principal: &Principal, workflow: &WorkflowFile, check: &mut ProjectCheck) {
        workflow.warnings.iter().for_each(|warning| check.warnings.push(warning.clone()));
        for (path, kind, reference) in refs_of(workflow) {
            let found = self.kind_of(principal, reference).await;
            let place = workflow.document.locate(&path);
            let at = |problem: Diagnostic| problem.at(workflow.document.source(), place);
            check.take(Named { reference, kind, found }, at);
        }
        for (at, node) in workflow.plan.nodes.iter().enumerate() {
            check.warnings.extend(self.unknown_agent(workflow, at, node));
        }
    }

    /// The kind of the template that a ref means; none for a text of a project or of layers, which has no kind of its own.
    async fn kind_of(
        &self,
        principal: &Principal,
        reference: &PromptRef,
    ) -> Result<Option<PromptKind>, PromptError> {
        if self.has_file_prompt(reference) {
            return Ok(None);
        }
        self.catalog.find(principal, reference).await.map(|(_, entry)| Some(entry.template.kind))
    }

    fn unknown_agent(&self, workflow: &WorkflowFile, at: usize, node: &PlanNode) -> Option<Diagnostic> {
        let id = node.agent_id.as_ref().filter(|id| self.agents.manifest(id).is_none())?;
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
}

/// A ref in a place that may be for a kind, and the kind of what it means, if that has one.
struct Named<'r> {
    reference: &'r PromptRef,
    kind: Option<PromptKind>,
    found: Result<Option<PromptKind>, PromptError>,
}

impl ProjectCheck {
    /// Takes note of what is wrong with a ref; `placed` says where it stands.
    fn take(&mut self, named: Named<'_>, placed: impl Fn(Diagnostic) -> Diagnostic) {
        match named.found {
            Err(error) => self.problems.push(placed(error.diagnostic().clone())),
            Ok(found) => {
                let kinds = found.zip(named.kind);
                let told =
                    kinds.and_then(|(found, wanted)| slot(&named.reference.to_string(), found, wanted));
                self.warnings.extend(told.map(placed));
            }
        }
    }
}

/// The refs of `refs` with their kinds.
fn each(refs: &PromptRefs) -> impl Iterator<Item = (PromptKind, &PromptRef)> {
    PromptKind::ALL.into_iter().filter_map(|kind| Some((kind, refs.get(kind)?)))
}

/// Every ref of a workflow with the JSON pointer to it, and the kind that its place is for, if it is for one.
fn refs_of(workflow: &WorkflowFile) -> Vec<(String, Option<PromptKind>, &PromptRef)> {
    let plan = &workflow.plan;
    let defaults = each(&plan.definition.defaults.prompt_refs);
    let mut refs: Vec<_> = defaults
        .map(|(kind, reference)| (format!("/defaults/promptRefs/{kind}"), Some(kind), reference))
        .collect();
    for (at, node) in plan.nodes.iter().enumerate() {
        if let NodeType::Prompt(prompt) = &node.node_type {
            let named = refs_of_node(&prompt.prompts);
            refs.extend(named.map(|(key, kind, it)| (format!("/nodes/{at}/config/{key}"), kind, it)));
        }
    }
    refs
}

fn refs_of_node(prompts: &NodePrompts) -> impl Iterator<Item = (String, Option<PromptKind>, &PromptRef)> {
    let single = [
        ("systemPromptRef", PromptKind::System, &prompts.system),
        ("userPromptRef", PromptKind::User, &prompts.user),
        ("schemaHintPromptRef", PromptKind::SchemaHint, &prompts.schema_hint),
    ];
    let lists = [
        ("fewShotPromptRefs", Some(PromptKind::FewShot), &prompts.few_shot),
        ("additionalPromptRefs", None, &prompts.additional),
    ];
    let single = single
        .into_iter()
        .filter_map(|(key, kind, reference)| Some((key.to_owned(), Some(kind), reference.as_ref()?)));
    let listed = lists.into_iter().flat_map(|(key, kind, list)| {
        list.iter().enumerate().map(move |(at, reference)| (format!("{key}/{at}"), kind, reference))
    });
    single.chain(listed)
}

fn said_by(problem: Diagnostic, layer: &str) -> Diagnostic {
    Diagnostic { message: format!("{} (named by {layer})", problem.message), ..problem }
}
