//! Rendering one prompt: a template by ref, or an agent's own prompt.

use cuebook_prompt::{Body, Entry, Observed, Principal, PromptErrors, Trust, Value, Values, Warning};
use cuebook_template::{Diagnostic, nearest};
use cuebook_wire::{AgentId, ErrorCode, PromptRef, VariableType};
use serde_json::{Map, Value as Json};

use crate::explain::prompt_problems;
use crate::host::Host;
use crate::inputs::named;
use crate::report::Problems;

/// What a render gives.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// The composition as it may be seen.
    pub observed: Observed,
    /// What is worth a warning.
    pub warnings: Vec<Warning>,
}

impl Host {
    /// Renders the template that `reference` names with `variables`; `trust` is that of values without a tag.
    ///
    /// # Errors
    ///
    /// `prompt_ref_invalid`, and everything that pinning and binding find.
    pub async fn render(
        &self,
        principal: &Principal,
        reference: &str,
        variables: Map<String, Json>,
        trust: Trust,
    ) -> Result<Rendered, Problems> {
        let reference = parse_reference(reference)?;
        let rendered = self.render_ref(principal, &reference, variables, trust).await;
        rendered.map_err(|errors| prompt_problems(&errors))
    }

    /// As [`Self::render`], for a ref that has been read.
    ///
    /// # Errors
    ///
    /// Everything that pinning and binding find.
    pub async fn render_ref(
        &self,
        principal: &Principal,
        reference: &PromptRef,
        variables: Map<String, Json>,
        trust: Trust,
    ) -> Result<Rendered, PromptErrors> {
        let values: Values =
            variables.into_iter().map(|(name, json)| (name, Value::from_tagged(json, trust))).collect();
        let (composition, warnings) = self.pipeline.render(principal, reference, values).await?;
        Ok(Rendered { observed: composition.observed, warnings })
    }

    /// The template that `reference` means.
    ///
    /// # Errors
    ///
    /// `prompt_ref_invalid`; `prompt_template_not_found` and `prompt_ref_ambiguous` when no library has it or several do.
    pub async fn template(&self, principal: &Principal, reference: &str) -> Result<Entry, Problems> {
        let reference = parse_reference(reference)?;
        let found = self.catalog.find(principal, &reference).await;
        found.map(|(_, entry)| entry).map_err(|error| error.diagnostic().clone().into())
    }

    /// Reads variables as typed, each by the type that the template declares; text that is no JSON of another type stays
    /// text, and binding refuses it.
    ///
    /// # Errors
    ///
    /// As [`Self::template`]; `validation_error` for every name that is given twice or that the template does not have.
    pub async fn read_variables(
        &self,
        principal: &Principal,
        reference: &str,
        typed: &[(String, String)],
    ) -> Result<Map<String, Json>, Problems> {
        if self.has_file_prompt(&parse_reference(reference)?) {
            let typed = named("variable", typed)?;
            return Ok(typed.into_iter().map(|(name, text)| (name, text.into())).collect());
        }
        read_variables(&self.template(principal, reference).await?, typed)
    }

    /// The agent of a pack, of a manifest or of a project that is most like `given`, which is none.
    fn nearest_agent(&self, given: &str) -> Option<String> {
        let of_packs = self.layered.personas().agents().map(|(_, agent)| agent.id.clone());
        let names: Vec<String> = of_packs.chain(self.agents.ids().iter().map(ToString::to_string)).collect();
        nearest(given, names.iter().map(String::as_str)).map(str::to_owned)
    }

    /// Renders the own prompt of an agent.
    ///
    /// # Errors
    ///
    /// `not_found` when there is no such agent, or it has no prompt of its own.
    pub fn render_agent(&self, principal: &Principal, agent: &str) -> Result<Rendered, Problems> {
        let id = AgentId::new(agent);
        if self.agents.manifest(&id).is_none() {
            let problem =
                Diagnostic::error(ErrorCode::NotFound.as_str(), format!("there is no agent '{agent}'"));
            return Err(match self.nearest_agent(agent) {
                Some(near) => problem.with_hint(format!("did you mean '{near}'?")),
                None => problem,
            }
            .into());
        }
        let composition = self.pipeline.render_intrinsic(principal, &id).ok_or_else(|| {
            let message = format!("agent '{agent}' has no prompt of its own");
            Diagnostic::error(ErrorCode::NotFound.as_str(), message).with_hint(
                "its promptOverrides name templates; render those with 'cuebook prompts render prompt:…'",
            )
        })?;
        Ok(Rendered { observed: composition.observed, warnings: Vec::new() })
    }
}

/// As [`Host::read_variables`], for a template that is at hand.
///
/// # Errors
///
/// `validation_error` for every name that is given twice or that the template does not have.
pub fn read_variables(entry: &Entry, typed: &[(String, String)]) -> Result<Map<String, Json>, Problems> {
    let mut problems = Problems::new();
    let typed = problems.collect(named("variable", typed)).unwrap_or_default();
    let known = names_of(entry);
    let strangers = typed.keys().filter(|name| !known.contains(&name.as_str()));
    problems.extend(strangers.map(|name| no_variable(entry, name, &known)));
    problems.or(typed.iter().map(|(name, text)| (name.clone(), read_variable(entry, name, text))).collect())
}

/// The variables of a template and its placeholders that none of them declares.
fn names_of(entry: &Entry) -> Vec<&str> {
    let declared = entry.template.variables.iter().map(|variable| variable.name.as_str());
    let placeholders = match &entry.pinned().body {
        Body::Template(program) => program.names().iter().map(|name| &**name).collect(),
        Body::Layered(_) | Body::Static { .. } | Body::Compound(_) | Body::Blocks(_) => Vec::new(),
    };
    let mut names: Vec<&str> = Vec::new();
    declared.chain(placeholders).for_each(|name| {
        if !names.contains(&name) {
            names.push(name);
        }
    });
    names
}

fn no_variable(entry: &Entry, name: &str, known: &[&str]) -> Diagnostic {
    let message = format!("{} has no variable '{name}'", entry.pinned().reference);
    let problem = Diagnostic::error(ErrorCode::ValidationError.as_str(), message);
    match nearest(name, known.iter().copied()) {
        Some(near) => problem.with_hint(format!("did you mean '{near}'?")),
        None if known.is_empty() => problem.with_hint("it has none"),
        None => problem.with_hint(format!("it has {}", known.join(", "))),
    }
}

fn read_variable(entry: &Entry, name: &str, text: &str) -> Json {
    match entry.template.variable(name).map(|variable| variable.value_type) {
        None | Some(VariableType::String) => text.into(),
        Some(_) => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
    }
}

/// Reads a ref as typed.
///
/// # Errors
///
/// `prompt_ref_invalid`, saying what is wrong and what was probably meant.
pub fn parse_reference(text: &str) -> Result<PromptRef, Problems> {
    PromptRef::parse(text).map_err(|error| {
        let problem = Diagnostic::error(ErrorCode::PromptRefInvalid.as_str(), error.to_string());
        match error.suggestion() {
            Some(near) => problem.with_hint(format!("did you mean '{near}'?")),
            None => problem,
        }
        .into()
    })
}
