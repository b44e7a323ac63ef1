//! The one pipeline: resolve, pin, bind, compose.
//!
//! Runs, renders, explanations, pages and replays all come through here; there is no second path. It owns the order
//! of the steps and which errors stop it; it refuses to record or to call anything.

use std::sync::Arc;

use cuebook_template::Value;
use cuebook_template::pongo::Miss;
use cuebook_wire::payload::ChainLayer;
use cuebook_wire::{
    AgentId, ErrorCode, LibraryId, PromptKind, PromptRef, PromptRefs, VariableSource, WorkflowId,
};

use crate::agents::{AgentBinding, Agents, IntrinsicHashes};
use crate::bind::{BindPolicy, Bindings, BoundValue, bind, variable_error};
use crate::chain::{self, AgentLayer, ChainInput, Resolution, Warning, Winner};
use crate::compose::{Composition, Part, SecretValues, Slot, compose};
use crate::failure::{PromptError, PromptErrors};
use crate::node_prompts::NodePrompts;
use crate::pinned::{Pin, Pinned, SharedPin, StaticPlace};
use crate::pins::Pins;
use crate::principal::Principal;
use crate::recall::{UsedSecret, recall};
use crate::scope::{Scope, Values};
use crate::secret::{SecretStore, SecretUse};
use crate::source::{Source, SourceSet};

/// The host's choices about prompts.
#[derive(Clone, Debug)]
pub struct PromptPolicy {
    /// Layer 4 of the chain.
    pub host_defaults: PromptRefs,
    /// The library in which host defaults are looked up.
    pub host_library: LibraryId,
    /// Whether layer 2 is honoured.
    pub agent_bindings: bool,
    /// Whether `configurable.promptOverrides` is honoured as the top layer.
    pub run_overrides: bool,
    /// Choices about binding.
    pub bind: BindPolicy,
}

/// What a node asks for.
#[derive(Clone, Debug)]
pub struct PromptRequest {
    /// The node's own prompts.
    pub node: NodePrompts,
    /// `config.agentId`.
    pub agent_id: Option<AgentId>,
    /// The workflow that the node belongs to.
    pub workflow_id: Option<WorkflowId>,
    /// The workflow's `defaults.promptRefs`.
    pub workflow_defaults: PromptRefs,
    /// The run's `configurable.promptOverrides`.
    pub run_overrides: PromptRefs,
    /// The values that variables may draw on.
    pub scope: Scope,
    /// Versions fixed earlier in the run.
    pub pins: Vec<Pin>,
}

/// What the pipeline found out, whether or not it came to a composition.
#[expect(missing_debug_implementations, reason = "compositions and secrets cannot be printed")]
pub struct Prepared {
    /// One answer for each kind (and few-shot slot) of interest.
    pub resolutions: Vec<Resolution>,
    /// What is worth a `log.appended` warning.
    pub warnings: Vec<Warning>,
    /// Versions fixed now.
    pub pins: Vec<Pin>,
    /// The secrets that the dispatch face holds, for the scrubber.
    pub secrets: SecretValues,
    /// The composition; `None` when the node has no prompt at all.
    pub outcome: Result<Option<Composition>, PromptErrors>,
}

impl Prepared {
    /// What there is when nothing could even be tried.
    fn failed(errors: PromptErrors) -> Self {
        Self {
            resolutions: Vec::new(),
            warnings: Vec::new(),
            pins: Vec::new(),
            secrets: SecretValues::new(),
            outcome: Err(errors),
        }
    }
}

/// A text as its author sees it.
#[expect(missing_debug_implementations, reason = "compositions cannot be printed")]
pub struct Preview {
    /// The composition, secrets as their markers.
    pub composition: Composition,
    /// What is worth a warning.
    pub warnings: Vec<Warning>,
    /// What the text must have and lacks; no run would get it.
    pub unmet: Vec<PromptError>,
    /// What a layered template asked for and had no value, where the policy wants to know.
    pub missing: Vec<Miss>,
}

/// Whether secrets are fetched or shown as their markers on both faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// Fetch them: the composition is going to be sent.
    Fetch,
    /// Leave markers: the composition is only looked at.
    Mark,
}

/// The pipeline over a host's sources, agents and secrets.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "its ports are opaque")]
pub struct Pipeline {
    sources: SourceSet,
    agents: Arc<dyn Agents>,
    secrets: Arc<dyn SecretStore>,
    policy: PromptPolicy,
}

/// A text on its way into the composition.
struct Chosen {
    pinned: SharedPin,
    slot: Slot,
    reference: Option<PromptRef>,
}

impl Pipeline {
    /// Puts a pipeline together.
    pub fn new(
        sources: SourceSet,
        agents: Arc<dyn Agents>,
        secrets: Arc<dyn SecretStore>,
        policy: PromptPolicy,
    ) -> Self {
        Self { sources, agents, secrets, policy }
    }

    /// The same pipeline over another library, for texts that are not kept yet.
    pub fn with_library(self, library: Arc<dyn Source>) -> Self {
        Self { sources: self.sources.with_library(library), ..self }
    }

    /// The same pipeline over other agents, for manifests that are not kept yet.
    pub fn with_agents(self, agents: Arc<dyn Agents>) -> Self {
        Self { agents, ..self }
    }

    /// The host's choices.
    pub fn policy(&self) -> &PromptPolicy {
        &self.policy
    }

    /// Takes a node's request through all steps.
    pub async fn prepare(
        &self,
        principal: &Principal,
        request: &PromptRequest,
        secrets: Secrets,
    ) -> Prepared {
        let binding = request.agent_id.as_ref().and_then(|id| self.agents.binding(principal, id));
        let input = self.chain_input(request, binding.as_deref());
        let mut prepared = Prepared {
            warnings: chain::warnings(&input),
            resolutions: chain::resolve(&input),
            pins: Vec::new(),
            secrets: SecretValues::new(),
            outcome: Ok(None),
        };
        prepared.outcome = self.compose_request(principal, request, secrets, &mut prepared).await;
        prepared
    }

    /// Takes the request of a run that was taken up after a restart through all steps, once the secrets `used` by the run
    /// before are at hand; they are among the secrets of the answer.
    ///
    /// When one of them cannot be had, nothing is composed and the outcome is `credential_unavailable`.
    pub async fn prepare_again(
        &self,
        principal: &Principal,
        request: &PromptRequest,
        used: &[UsedSecret],
    ) -> Prepared {
        let workflow = request.workflow_id.clone().unwrap_or_else(|| WorkflowId::new(""));
        match self.recall(&workflow, used).await {
            Ok(recalled) => {
                let mut prepared = self.prepare(principal, request, Secrets::Fetch).await;
                prepared.secrets.extend(recalled);
                prepared
            }
            Err(errors) => Prepared::failed(errors),
        }
    }

    /// Fetches the secrets that a run of `workflow` has used before, for its scrubber.
    ///
    /// # Errors
    ///
    /// `credential_unavailable` when one of them cannot be had.
    pub async fn recall(
        &self,
        workflow: &WorkflowId,
        used: &[UsedSecret],
    ) -> Result<SecretValues, PromptErrors> {
        recall(&*self.secrets, workflow, used).await
    }

    /// Renders one ref with supplied values, as `:render` does: no chain, secrets as markers.
    ///
    /// # Errors
    ///
    /// As [`crate::Source::pin`] and [`bind`].
    pub async fn render(
        &self,
        principal: &Principal,
        reference: &PromptRef,
        values: Values,
    ) -> Result<(Composition, Vec<Warning>), PromptErrors> {
        let preview = self.preview(principal, reference, values, self.policy.bind).await?;
        PromptErrors::of(preview.unmet).map_or(Ok((preview.composition, preview.warnings)), Err)
    }

    /// As [`Self::render`], for an author who wants to see the text also when it lacks what it must have.
    ///
    /// # Errors
    ///
    /// As [`crate::Source::pin`] and [`bind`].
    pub async fn preview(
        &self,
        principal: &Principal,
        reference: &PromptRef,
        values: Values,
        policy: BindPolicy,
    ) -> Result<Preview, PromptErrors> {
        let (mut parts, warnings) = self.bind_ref(principal, reference, values, policy).await?;
        let unmet = take_unmet(&mut parts);
        let missing = parts.iter_mut().flat_map(|part| std::mem::take(&mut part.bindings.missing)).collect();
        let composition = compose(parts, &SecretValues::new()).ok_or_else(no_parts)?;
        Ok(Preview { composition, warnings, unmet, missing })
    }

    /// Pins one ref and binds it to supplied values.
    async fn bind_ref(
        &self,
        principal: &Principal,
        reference: &PromptRef,
        mut values: Values,
        policy: BindPolicy,
    ) -> Result<(Vec<Part>, Vec<Warning>), PromptErrors> {
        let pinned = self.sources.pin(principal, reference, None).await?;
        trust_secret_ids(&pinned, &mut values);
        let slot = Slot::Chain(pinned.kind);
        let chosen = vec![Chosen { pinned, slot, reference: Some(reference.clone()) }];
        let (mut warnings, mut errors) = (Vec::new(), Vec::new());
        let parts = bind_all(chosen, &Scope::Supplied(values), policy, &mut warnings, &mut errors);
        PromptErrors::of(errors).map_or(Ok((parts, warnings)), Err)
    }

    /// Composes one ref with supplied values as for a call: secrets are fetched for the dispatch face.
    ///
    /// # Errors
    ///
    /// As [`Self::render`]; `credential_unavailable` when a secret cannot be had.
    pub async fn compose_ref(
        &self,
        principal: &Principal,
        reference: &PromptRef,
        values: Values,
    ) -> Result<(Composition, SecretValues), PromptErrors> {
        let (mut parts, _) = self.bind_ref(principal, reference, values, self.policy.bind).await?;
        PromptErrors::of(take_unmet(&mut parts)).map_or(Ok(()), Err)?;
        let secrets = self.fetch_secrets(None, None, &parts).await?;
        let composition = compose(parts, &secrets).ok_or_else(no_parts)?;
        Ok((composition, secrets))
    }

    /// Composes the intrinsic prompt of an agent alone.
    pub fn render_intrinsic(&self, principal: &Principal, agent: &AgentId) -> Option<Composition> {
        let pinned = self.agents.binding(principal, agent)?.intrinsic.clone()?;
        let part = Part { pinned, slot: Slot::Chain(PromptKind::System), bindings: Bindings::default() };
        compose(vec![part], &SecretValues::new())
    }

    /// The hashes of the own prompts of `agents`, as they are now.
    pub fn intrinsic_hashes<'a>(
        &self,
        principal: &Principal,
        agents: impl IntoIterator<Item = &'a AgentId>,
    ) -> IntrinsicHashes {
        let hash = |id: &AgentId| {
            let binding = self.agents.binding(principal, id)?;
            Some((id.clone(), binding.intrinsic.as_ref().map(|pinned| pinned.content_hash.clone())))
        };
        agents.into_iter().filter_map(hash).collect()
    }

    fn chain_input<'a>(
        &'a self,
        request: &'a PromptRequest,
        binding: Option<&'a AgentBinding>,
    ) -> ChainInput<'a> {
        let agent = match (&request.agent_id, binding) {
            _ if !self.policy.agent_bindings => AgentLayer::Off,
            (None, _) => AgentLayer::Unbound,
            (Some(id), None) => AgentLayer::Unknown(id),
            (Some(_), Some(binding)) => AgentLayer::Bound(binding),
        };
        ChainInput {
            node: &request.node,
            agent,
            workflow: &request.workflow_defaults,
            host: &self.policy.host_defaults,
            run: self.policy.run_overrides.then_some(&request.run_overrides),
        }
    }

    async fn compose_request(
        &self,
        principal: &Principal,
        request: &PromptRequest,
        secrets: Secrets,
        prepared: &mut Prepared,
    ) -> Result<Option<Composition>, PromptErrors> {
        let mut errors = Vec::new();
        let chosen = self.choose(principal, request, prepared, &mut errors).await;
        let policy = self.policy.bind;
        let mut parts = bind_all(chosen, &request.scope, policy, &mut prepared.warnings, &mut errors);
        errors.extend(take_unmet(&mut parts));
        PromptErrors::of(errors).map_or(Ok(()), Err)?;
        if secrets == Secrets::Fetch {
            prepared.secrets =
                self.fetch_secrets(request.agent_id.as_ref(), request.workflow_id.as_ref(), &parts).await?;
        }
        let mut composition = compose(parts, &prepared.secrets);
        for used in composition.iter_mut().flat_map(|composition| &mut composition.observed.secrets) {
            used.agent.clone_from(&request.agent_id);
        }
        Ok(composition)
    }

    /// Pins every winner, inline body and additional ref, collecting all that cannot be had.
    async fn choose(
        &self,
        principal: &Principal,
        request: &PromptRequest,
        prepared: &mut Prepared,
        errors: &mut Vec<PromptError>,
    ) -> Vec<Chosen> {
        let mut pins = Pins { sources: &self.sources, principal, earlier: &request.pins, now: Vec::new() };
        let mut chosen = Vec::new();
        for resolution in &prepared.resolutions {
            match self.choose_winner(request, resolution, &mut pins).await {
                Ok(found) => chosen.extend(found),
                Err(error) => errors.push(error),
            }
        }
        for reference in &request.node.additional {
            match pins.pin(reference, None).await {
                Ok(pinned) => {
                    let slot = Slot::Additional(pinned.kind);
                    chosen.push(Chosen { pinned, slot, reference: Some(reference.clone()) });
                }
                Err(error) => errors.push(error.at_layer("additionalPromptRefs")),
            }
        }
        prepared.pins = pins.now;
        chosen
    }

    /// The text of one resolution: the winner's, else the inline body, if there is one.
    async fn choose_winner(
        &self,
        request: &PromptRequest,
        resolution: &Resolution,
        pins: &mut Pins<'_>,
    ) -> Result<Option<Chosen>, PromptError> {
        let slot = Slot::Chain(resolution.kind);
        match &resolution.winner {
            None => Ok(inline_part(&request.node, resolution.kind)),
            Some(Winner::Intrinsic(pinned)) => {
                Ok(Some(Chosen { pinned: Arc::clone(pinned), slot, reference: None }))
            }
            Some(Winner::Ref(reference, layer)) => {
                let within = (*layer == ChainLayer::HostDefaults).then_some(&self.policy.host_library);
                let pinned = pins.pin(reference, within).await;
                let pinned = pinned.map_err(|error| error.at_layer(chain::layer_title(*layer)))?;
                Ok(Some(Chosen { pinned, slot, reference: Some(reference.clone()) }))
            }
        }
    }

    async fn fetch_secrets(
        &self,
        agent: Option<&AgentId>,
        workflow: Option<&WorkflowId>,
        parts: &[Part],
    ) -> Result<SecretValues, PromptErrors> {
        let mut values = SecretValues::new();
        let mut errors = Vec::new();
        for part in parts {
            let by = SecretUse {
                agent: agent.map(AgentId::as_str),
                workflow: workflow.map(WorkflowId::as_str),
                library: part.pinned.library.as_ref().map(LibraryId::as_str),
            };
            for bound in &part.bindings.variables {
                let BoundValue::Secret(id) = &bound.value else { continue };
                match self.secrets.fetch(id, by).await {
                    Ok(value) => drop(values.insert(id.clone(), value)),
                    Err(_) => errors.push(secret_unavailable(&part.pinned, &bound.name)),
                }
            }
        }
        PromptErrors::of(errors).map_or(Ok(values), Err)
    }
}

fn bind_all(
    chosen: Vec<Chosen>,
    scope: &Scope,
    policy: BindPolicy,
    warnings: &mut Vec<Warning>,
    errors: &mut Vec<PromptError>,
) -> Vec<Part> {
    let mut parts = Vec::with_capacity(chosen.len());
    for Chosen { pinned, slot, reference } in chosen {
        match bind(&pinned, reference.as_ref(), scope, policy) {
            Ok(bindings) => {
                warnings.extend(bindings.warnings.iter().cloned());
                parts.push(Part { pinned, slot, bindings });
            }
            Err(found) => errors.extend(found),
        }
    }
    parts
}

/// What the texts must have and lack.
fn take_unmet(parts: &mut [Part]) -> Vec<PromptError> {
    parts.iter_mut().flat_map(|part| std::mem::take(&mut part.bindings.unmet)).collect()
}

/// The error for a secret that was not had. It does not show the id: what is no declared id may be a secret itself.
fn secret_unavailable(pinned: &Pinned, variable: &str) -> PromptError {
    let message = format!("the secret for variable '{variable}' is not available here");
    variable_error(pinned, ErrorCode::CredentialUnavailable, variable, message)
        .hint("declare it under [secrets], allow this use, and see that its origin can be reached")
}

/// A marker in a preview chooses no secret to send, so that nobody need trust who supplied it.
fn trust_secret_ids(pinned: &Pinned, values: &mut Values) {
    for variable in pinned.variables.iter().filter(|variable| variable.source == VariableSource::Secret) {
        if let Some(value) = values.get_mut(&variable.name) {
            *value = Value::trusted(value.json().clone());
        }
    }
}

/// The inline body of `kind`, as a text of its own.
fn inline_part(node: &NodePrompts, kind: PromptKind) -> Option<Chosen> {
    let text = node.inline(kind)?;
    let field = format!("config.{kind}Prompt");
    let pinned = Pinned::fixed(format!("inline:{field}"), kind, &field, text, StaticPlace::Field);
    Some(Chosen { pinned: Arc::new(pinned), slot: Slot::Inline(kind), reference: None })
}

fn no_parts() -> PromptErrors {
    PromptError::new(ErrorCode::PromptEmpty, "there is no text to compose").into()
}
