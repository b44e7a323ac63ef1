//! A layered template as its author sees it: the text a session would get, and what is wrong with it.
//!
//! It owns what a check holds a text against: names, headings, substrings, budget. It refuses to compose: the text is that of
//! the pipeline.

use cuebook_layers::{
    AgentRow, Category, Host as AgentHost, Level, Prepared, RefKind, TemplateRef, Verdict, check_names,
};
use cuebook_prompt::{BindPolicy, ContentHash, Principal, Trust, Value, Values};
use cuebook_template::pongo::Miss;
use cuebook_template::{Diagnostic, Severity};
use cuebook_wire::{AgentId, ErrorCode, PromptRef};
use serde_json::{Map, Value as Json};

use crate::explain::prompt_problems;
use crate::host::Host;
use crate::render::Rendered;
use crate::report::Problems;

/// What an author asks for.
#[derive(Clone, Debug)]
pub struct AuthorRequest {
    /// The template, in any spelling of its name.
    pub name: String,
    /// The values.
    pub values: Map<String, Json>,
    /// The trust of values without a tag.
    pub trust: Trust,
    /// Whether a name without a value ends the render.
    pub strict: bool,
    /// Whether the text is held against names, contract and budget.
    pub check: bool,
}

impl AuthorRequest {
    /// The template called `name` without any values.
    pub(super) fn without_values(name: impl Into<String>, check: bool) -> Self {
        Self { name: name.into(), values: Map::new(), trust: Trust::Trusted, strict: false, check }
    }
}

/// What an author gets.
#[derive(Clone, Debug)]
pub struct AuthorRender {
    /// The template's name in its one form.
    pub reference: TemplateRef,
    /// The agent whose prompt it is.
    pub agent: Option<String>,
    /// The revision of the layers.
    pub revision: ContentHash,
    /// The text.
    pub rendered: Rendered,
    /// What the check found; empty without one.
    pub findings: Problems,
    /// The violations of contract and budget by their short codes.
    pub violations: Vec<String>,
    /// How the text stands to its budget, where it has one.
    pub verdict: Option<Verdict>,
}

impl Host {
    /// The name of the layered template that is the prompt of an agent: of a pack by its name there or its id on the wire, of a
    /// manifest or a project by its id; `None` when there is no such agent, or its prompt is another.
    pub fn persona_template(&self, id: &str) -> Option<String> {
        if let Some(agent) = self.layered.personas().agent(id) {
            return Some(agent.template.to_string());
        }
        let manifest = self.agents.manifest(&AgentId::new(id))?;
        self.layered_name(manifest.prompt_overrides.system.as_ref()?.template_id.as_str())
    }

    /// The name of the layered template with an id such as `layered.agents.implementer`.
    pub fn layered_name(&self, id: &str) -> Option<String> {
        self.layered.layers().snapshot().by_id(id).map(ToString::to_string)
    }

    /// Renders a layered template as a session would, and checks it when asked to.
    ///
    /// # Errors
    ///
    /// `template_not_found` with the nearest name, everything that is wrong with its files, and what stops a render.
    pub async fn render_layered(
        &self,
        principal: &Principal,
        request: &AuthorRequest,
    ) -> Result<AuthorRender, Problems> {
        let prepared = self.layered.prepare(&request.name).map_err(Problems::from_iter)?;
        let preview = self.see(principal, &prepared, request).await?;
        let text = &preview.rendered.observed.composed;
        let mut findings = Problems::new();
        let verdict = verdict(&prepared, text);
        let persona = prepared.persona.as_ref();
        if request.check {
            let given = request.values.keys().map(String::as_str);
            findings.extend(check_names(&prepared.layered, given, &preview.missing));
            let keys = preview.missing.into_iter().filter(|miss| miss.name.is_none());
            findings.extend(keys.map(|miss| miss.problem));
            findings.extend(preview.unmet);
            findings.extend(budget_finding(verdict.as_ref(), &prepared));
            findings.extend(text.trim().is_empty().then(|| blank(&prepared)));
        }
        let observed = &preview.rendered.observed;
        let contract = persona.filter(|_| request.check);
        let contract = contract.map(|persona| persona.violations(&observed.trusted_text()));
        let contract = contract.into_iter().flatten().map(|violation| violation.to_string());
        let budget = verdict.as_ref().filter(|_| request.check).and_then(Verdict::violation);
        Ok(AuthorRender {
            violations: contract.chain(budget).collect(),
            reference: prepared.reference.clone(),
            agent: persona.map(|persona| persona.agent.id.clone()),
            revision: prepared.snapshot.revision().clone(),
            rendered: preview.rendered,
            findings,
            verdict,
        })
    }

    /// Checks packs and overlays as a whole, and every file of every layer: that it can be had and compiles, of an agent's own
    /// prompt that it has what it must and keeps its budget, of guidance that it keeps its budget. Gives how many files there are
    /// beside what was found, each finding once.
    pub async fn check_layers(&self, principal: &Principal) -> (usize, Problems) {
        let snapshot = self.layered.layers().snapshot();
        let remarks = self.layer_remarks(&snapshot).into_iter();
        let mut findings: Vec<Diagnostic> = remarks.filter(|it| it.severity != Severity::Note).collect();
        let names: Vec<String> = snapshot.references().into_iter().map(ToString::to_string).collect();
        for name in &names {
            findings.extend(self.check_layered(principal, name).await);
        }
        let prompts = self.layered.personas().agents().map(|(_, agent)| &agent.template);
        let lost = prompts.filter(|template| snapshot.find(template).is_none());
        findings.extend(lost.map(|template| snapshot.not_found(template.as_str())));
        let mut once: Vec<Diagnostic> = Vec::new();
        for finding in findings {
            if !once.contains(&finding) {
                once.push(finding);
            }
        }
        (names.len(), once.into_iter().collect())
    }

    async fn check_layered(&self, principal: &Principal, name: &str) -> Problems {
        let prepared = match self.layered.prepare(name) {
            Ok(prepared) => prepared,
            Err(found) => return found.into_iter().collect(),
        };
        let has_budget = prepared.reference.kind() == RefKind::Guidance && !prepared.reference.is_reserved();
        if prepared.persona.is_none() && !has_budget {
            let is_blank = prepared.layered.program.entry().text().trim().is_empty();
            return is_blank.then(|| blank(&prepared)).into_iter().collect();
        }
        let request = AuthorRequest::without_values(name, prepared.persona.is_some());
        match self.render_layered(principal, &request).await {
            Err(problems) => problems,
            Ok(render) if request.check => render.findings,
            Ok(render) => budget_finding(render.verdict.as_ref(), &prepared).into_iter().collect(),
        }
    }

    async fn see(
        &self,
        principal: &Principal,
        prepared: &Prepared,
        request: &AuthorRequest,
    ) -> Result<Seen, Problems> {
        let reference = reference_of(&prepared.reference)?;
        let values: Values = request
            .values
            .iter()
            .map(|(name, json)| (name.clone(), Value::from_tagged(json.clone(), request.trust)))
            .collect();
        let policy = BindPolicy { strict_placeholders: request.strict, tell_missing: request.check };
        let preview = self.pipeline.preview(principal, &reference, values, policy).await;
        let preview = preview.map_err(|errors| prompt_problems(&errors))?;
        let unmet = preview.unmet.iter().map(|error| error.diagnostic().clone()).collect();
        let rendered = Rendered { observed: preview.composition.observed, warnings: preview.warnings };
        Ok(Seen { rendered, unmet, missing: preview.missing })
    }
}

/// A rendered text, what it must have and lacks, and what it asked for and had no value.
struct Seen {
    rendered: Rendered,
    unmet: Vec<Diagnostic>,
    missing: Vec<Miss>,
}

fn reference_of(name: &TemplateRef) -> Result<PromptRef, Problems> {
    crate::render::parse_reference(&format!("prompt:{}", name.template_id()))
}

/// How the text of a template stands to the budget that it falls under.
fn verdict(prepared: &Prepared, text: &str) -> Option<Verdict> {
    let agent = prepared.persona.as_ref().map(|persona| &persona.agent);
    let (category, id) = budgeted(agent, &prepared.reference)?;
    prepared.snapshot.catalog().budgets().judge(category, id, text)
}

/// The category that a template falls under, and its id there; `agent` is whose prompt it is.
pub(super) fn budgeted<'a>(
    agent: Option<&'a AgentRow>,
    reference: &'a TemplateRef,
) -> Option<(Category, &'a str)> {
    match agent {
        Some(agent) if agent.host == AgentHost::Coordinator => {
            Some((Category::CoordinatorTripartite, &agent.id))
        }
        Some(agent) => Some((Category::WorkerPersonas, &agent.id)),
        None => Some((Category::of(reference)?, id_of(reference))),
    }
}

/// The name below its prefix, without the extension.
fn id_of(reference: &TemplateRef) -> &str {
    let name = reference.as_str().strip_prefix(reference.kind().prefix()).unwrap_or_default();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn budget_finding(verdict: Option<&Verdict>, prepared: &Prepared) -> Option<Diagnostic> {
    let verdict = verdict.filter(|verdict| verdict.level != Level::Fine)?;
    let what = match prepared.reference.kind() {
        RefKind::Agent => format!("the prompt of {}", verdict.id),
        _ => prepared.reference.to_string(),
    };
    let (bytes, tokens) = (verdict.bytes, verdict.tokens);
    let message = match verdict.level {
        Level::Over => format!("{what} has {bytes} bytes, about {tokens} tokens; its cap is {}", verdict.cap),
        _ => {
            format!("{what} has {bytes} bytes, about {tokens} tokens, and is near its cap of {}", verdict.cap)
        }
    };
    let severity = if verdict.level == Level::Over { Severity::Error } else { Severity::Warning };
    let problem = Diagnostic::new(severity, ErrorCode::BudgetExceeded.as_str(), message);
    Some(problem.with_hint("shorten a file of it; `--origins` shows what each part comes from"))
}

fn blank(prepared: &Prepared) -> Diagnostic {
    let message = format!("{} comes out empty", prepared.reference);
    let problem = Diagnostic::error(ErrorCode::PromptEmpty.as_str(), message);
    problem.with_hint("give it the values that its conditions ask for, or write its text")
}
