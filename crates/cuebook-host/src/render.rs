//! Rendering one prompt: a template by ref, or an agent's own prompt.

use cuebook_prompt::{Observed, Principal, Trust, Value, Values, Warning};
use cuebook_template::{Diagnostic, nearest};
use cuebook_wire::{AgentId, ErrorCode, PromptRef};
use serde_json::{Map, Value as Json};

use crate::explain::prompt_problems;
use crate::host::Host;
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
        let values: Values =
            variables.into_iter().map(|(name, json)| (name, Value::from_tagged(json, trust))).collect();
        let (composition, warnings) = self
            .pipeline
            .render(principal, &reference, values)
            .await
            .map_err(|errors| prompt_problems(&errors))?;
        Ok(Rendered { observed: composition.observed, warnings })
    }

    /// Renders the own prompt of an agent.
    ///
    /// # Errors
    ///
    /// `not_found` when there is no such agent, or it has no prompt of its own.
    pub fn render_agent(&self, principal: &Principal, agent: &str) -> Result<Rendered, Problems> {
        let id = AgentId::new(agent);
        if self.agents.get(&id).is_none() {
            let problem =
                Diagnostic::error(ErrorCode::NotFound.as_str(), format!("there is no agent '{agent}'"));
            return Err(match nearest(agent, self.agents.ids().map(AgentId::as_str)) {
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
