//! Nodes that compose a prompt and call a model.

use cuebook_log::Private;
use cuebook_prompt::{PromptRequest, Scope, Trust, Value, Values};
use cuebook_wire::payload::{OutputChunk, ProviderUsage};
use cuebook_wire::{ErrorCode, PromptRefs, RunError};
use serde_json::Value as Json;

use super::{Decider, private};
use crate::effect::{Composed, Effect, InvocationId, ModelAnswer, PreparedFacts};
use crate::node_type::{ModelChoice, NodeType, PromptNode};

impl Decider<'_> {
    pub(super) fn start_prompt(&mut self, node: usize, prompt: &PromptNode) {
        let request = Box::new(self.prompt_request(node, prompt));
        self.effect(Effect::Prepare { attempt: self.attempt(node), request });
    }

    fn prompt_request(&self, node: usize, prompt: &PromptNode) -> PromptRequest {
        let facts = &self.state.facts;
        PromptRequest {
            node: prompt.prompts.clone(),
            agent_id: self.state.plan.nodes[node].agent_id.clone(),
            workflow_id: Some(facts.workflow_id.clone()),
            workflow_defaults: self.state.plan.definition.defaults.prompt_refs.clone(),
            run_overrides: PromptRefs::default(),
            scope: Scope::Node {
                inputs: self.state.nodes[node].inputs.clone(),
                variables: facts.variables.clone(),
                context: self.context(node),
            },
            pins: self.state.pins.clone(),
        }
    }

    /// The context facts of a node, fixed for the run except for the node's id.
    fn context(&self, node: usize) -> Values {
        let facts = &self.state.facts;
        let entries = [
            ("runId", Some(facts.run_id.to_string())),
            ("workflowId", Some(facts.workflow_id.to_string())),
            ("workflowName", Some(self.state.plan.definition.name.clone())),
            ("nodeId", Some(self.state.plan.nodes[node].id.to_string())),
            ("currentUserId", facts.user.clone()),
            ("tenantId", Some(facts.principal.tenant.clone())),
            ("now", Some(facts.now.to_string())),
        ];
        entries
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_owned(), Value::trusted(value?.into()))))
            .collect()
    }

    /// Takes note of what the pipeline found: warnings, chain, composition; then calls the model.
    pub(super) fn prepared(&mut self, node: usize, facts: PreparedFacts) {
        match facts.outcome {
            Ok(Some(composed)) if self.is_known(node, &composed) => self.call(node),
            Ok(Some(composed)) => {
                self.explain(node, &facts.warnings, &facts.resolutions, Some(&composed));
                if let Some(payload) = &composed.payload {
                    self.emit(Some(node), payload, private(&composed.part));
                }
                self.call(node);
            }
            Ok(None) => {
                self.explain(node, &facts.warnings, &facts.resolutions, None);
                self.answer_without_prompt(node);
            }
            Err(error) => {
                self.explain(node, &facts.warnings, &facts.resolutions, None);
                self.end_attempt(node, error);
            }
        }
    }

    /// Whether an earlier attempt stood on the same composition; then its events are there already.
    fn is_known(&self, node: usize, composed: &Composed) -> bool {
        self.state.nodes[node].composed.as_ref().is_some_and(|earlier| earlier.hash == composed.part.hash)
    }

    /// Emits the warnings and the chain; under observability `off` the last entry carries the composition's facts.
    fn explain(
        &mut self,
        node: usize,
        warnings: &[cuebook_prompt::Warning],
        resolutions: &[cuebook_wire::payload::AgentPromptResolved],
        composed: Option<&Composed>,
    ) {
        for warning in warnings {
            self.warn(Some(node), warning.code, warning.message.clone());
        }
        let carrier =
            composed.filter(|composed| composed.payload.is_none()).map(|composed| private(&composed.part));
        for (at, resolution) in resolutions.iter().enumerate() {
            let part = carrier.clone().filter(|_| at + 1 == resolutions.len()).unwrap_or_default();
            self.emit(Some(node), resolution, part);
        }
    }

    fn call(&mut self, node: usize) {
        let Some(composed) = self.state.nodes[node].composed.clone() else {
            let error = RunError::new(ErrorCode::InternalError, "the composition was not recorded");
            return self.fail_node(node, error);
        };
        let facts = &self.state.facts;
        let choice = self.model_choice(node);
        let provider = choice.provider.as_deref().unwrap_or("default");
        let id = self.id(node);
        let invocation = InvocationId::derive(&facts.principal, &facts.run_id, &id, 0, provider);
        self.effect(Effect::Call {
            attempt: self.attempt(node),
            invocation,
            composition: composed.hash.clone(),
            choice: Box::new(choice),
        });
    }

    /// The node's choice, with the run's overlay on top.
    fn model_choice(&self, node: usize) -> ModelChoice {
        let NodeType::Prompt(prompt) = &self.state.plan.nodes[node].node_type else {
            return ModelChoice::default();
        };
        let mut choice = prompt.model.clone();
        if let Some(overlay) = &self.state.facts.configurable {
            choice.model = overlay.model.clone().or(choice.model);
            choice.temperature = overlay.temperature.or(choice.temperature);
            let limit = overlay.max_tokens.and_then(|limit| u32::try_from(limit).ok());
            choice.max_tokens = limit.or(choice.max_tokens);
        }
        choice
    }

    /// A node without any prompt: the sample node answers from its variable, others have nothing to say.
    fn answer_without_prompt(&mut self, node: usize) {
        let fallback = match &self.state.plan.nodes[node].node_type {
            NodeType::Prompt(prompt) => prompt.fallback_variable,
            _ => None,
        };
        match fallback.and_then(|name| self.state.facts.variables.get(name)) {
            Some(value) => {
                let text = Value::new(value.text().into(), value.trust());
                self.complete_node(node, Values::from_iter([("text".to_owned(), text)]));
            }
            None => {
                let message = "the node has no prompt: no layer names one and its config has no inline body";
                self.fail_node(node, RunError::new(ErrorCode::PromptEmpty, message));
            }
        }
    }

    pub(super) fn chunk(&mut self, node: usize, text: String, is_last: bool) {
        let payload = OutputChunk {
            node_id: self.id(node),
            chunk: text,
            is_last: Some(is_last),
            channel: None,
            meta: None,
        };
        self.emit(Some(node), &payload, Private::NONE);
    }

    pub(super) fn answered(&mut self, node: usize, answer: Result<ModelAnswer, RunError>) {
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return self.end_attempt(node, error),
        };
        self.usage(node, &answer);
        match self.outputs_of(node, &answer) {
            Ok(outputs) => self.complete_node(node, outputs),
            Err(error) => self.end_attempt(node, error),
        }
    }

    fn usage(&mut self, node: usize, answer: &ModelAnswer) {
        let Some((input_tokens, output_tokens)) = answer.usage else { return };
        let payload = ProviderUsage {
            provider: answer.provider.clone(),
            model: answer.model.clone(),
            input_tokens,
            output_tokens,
            total_tokens: Some(input_tokens.saturating_add(output_tokens)),
            node_id: Some(self.id(node)),
            cost_estimate_usd: None,
            currency: None,
            cache_hit: None,
            trace_id: None,
        };
        self.emit(Some(node), &payload, Private::NONE);
    }

    /// `text`, and `json` when the node asked for it; untrusted when the model saw anything untrusted.
    fn outputs_of(&self, node: usize, answer: &ModelAnswer) -> Result<Values, RunError> {
        let trust =
            self.state.nodes[node].composed.as_ref().map_or(Trust::Untrusted, |composed| composed.trust);
        let mut outputs =
            Values::from_iter([("text".to_owned(), Value::new(answer.text.clone().into(), trust))]);
        if self.model_choice(node).json {
            let json: Json = serde_json::from_str(&answer.text).map_err(|error| RunError {
                retryable: Some(true),
                ..RunError::new(
                    ErrorCode::ModelOutputInvalid,
                    format!(
                        "the model was asked for JSON and gave none: line {}, column {}",
                        error.line(),
                        error.column()
                    ),
                )
            })?;
            outputs.insert("json".to_owned(), Value::new(json, trust));
        }
        Ok(outputs)
    }
}
