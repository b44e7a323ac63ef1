//! Nodes that compose a prompt and call a model.

use cuebook_log::Private;
use cuebook_prompt::{StreamScrubber, Trust, Value, Values, Warning};
use cuebook_wire::payload::{
    AgentPromptResolved, ChunkMeta, LogAppended, LogLevel, OutputChunk, ProviderUsage,
};
use cuebook_wire::{ErrorCode, RunError};
use serde_json::Value as Json;

use super::{Decider, private};
use crate::effect::{Composed, Effect, InvocationId, ModelAnswer, PreparedFacts};
use crate::node_type::{ModelChoice, NodeType};
use crate::request::prompt_request;
use crate::stand_in::{STREAM_TEXT, StreamText};

impl Decider<'_> {
    pub(super) fn start_prompt(&mut self, node: usize) {
        self.prepare(node, false);
    }

    /// Has the prompt made once more that may have been sent before the run was taken up.
    pub(super) fn resume_prompt(&mut self, node: usize) {
        self.prepare(node, true);
    }

    fn prepare(&mut self, node: usize, is_again: bool) {
        if let Some(request) = prompt_request(self.state, node) {
            let attempt = self.attempt(node);
            self.effect(Effect::Prepare { attempt, request: Box::new(request), is_again });
        }
    }

    /// Takes note of what the pipeline found: warnings, chain, composition; then calls the model. What an earlier attempt
    /// found and wrote down is not written again.
    pub(super) fn prepared(&mut self, node: usize, facts: PreparedFacts) {
        let PreparedFacts { warnings, resolutions, outcome, is_again } = facts;
        match outcome {
            Ok(Some(composed)) if self.is_known(node, &composed) => self.call(node),
            Ok(Some(composed)) => {
                if is_again {
                    self.warn_changed(node, &composed);
                }
                self.warn_all(node, warnings);
                self.record(node, &resolutions, &composed);
                self.call(node);
            }
            Ok(None) => {
                self.warn_all(node, warnings);
                self.resolved(node, &resolutions);
                self.answer_without_prompt(node);
            }
            Err(error) => {
                self.warn_all(node, warnings);
                self.resolved(node, &resolutions);
                self.end_attempt(node, error);
            }
        }
    }

    /// Whether the attempt before stood on the same composition.
    fn is_known(&self, node: usize, composed: &Composed) -> bool {
        self.state.nodes[node].composed.as_ref().is_some_and(|earlier| earlier.hash == composed.part.hash)
    }

    /// Tells that the prompt which a restart interrupted is another one now.
    fn warn_changed(&mut self, node: usize, composed: &Composed) {
        let Some(before) = self.state.nodes[node].composed.as_ref().map(|before| before.hash.clone()) else {
            return;
        };
        let id = self.id(node);
        let fields = [("before", before.to_string()), ("now", composed.part.hash.to_string())];
        let payload = LogAppended {
            level: LogLevel::Warn,
            message: format!(
                "the prompt of '{id}' changed before its call could be taken up; it is sent anew"
            ),
            code: Some(ErrorCode::PromptChangedOnResume.as_str().to_owned()),
            node_id: Some(id),
            fields: Some(fields.map(|(key, hash)| (key.to_owned(), hash.into())).into_iter().collect()),
        };
        self.emit(Some(node), &payload, Private::NONE);
    }

    /// Tells what the node's execution has not told before; another attempt finds the same again.
    fn warn_all(&mut self, node: usize, warnings: Vec<Warning>) {
        for Warning { code, message } in warnings {
            let told = &self.state.nodes[node].told;
            if !told.iter().any(|(known, said)| known == code.as_str() && *said == message) {
                self.warn(Some(node), code, message);
            }
        }
    }

    fn resolved(&mut self, node: usize, resolutions: &[AgentPromptResolved]) {
        for resolution in resolutions {
            self.emit(Some(node), resolution, Private::NONE);
        }
    }

    /// Makes the chain and the composition durable. Its facts stand with `prompt.composed`; when observability is off
    /// there is no such event, and they stand with the last one of the chain.
    fn record(&mut self, node: usize, resolutions: &[AgentPromptResolved], composed: &Composed) {
        let part = private(&composed.part);
        match (&composed.payload, resolutions.split_last()) {
            (Some(payload), _) => {
                self.resolved(node, resolutions);
                self.emit(Some(node), payload, part);
            }
            (None, Some((last, others))) => {
                self.resolved(node, others);
                self.emit(Some(node), last, part);
            }
            (None, None) => {
                let payload = LogAppended {
                    level: LogLevel::Debug,
                    message: "a prompt was composed of additional refs alone".to_owned(),
                    code: None,
                    node_id: Some(self.id(node)),
                    fields: None,
                };
                self.emit(Some(node), &payload, part);
            }
        }
    }

    fn call(&mut self, node: usize) {
        if let Some(stand_in) = self.stand_in() {
            return self.answer_for_model(node, &stand_in);
        }
        let Some(composed) = self.state.nodes[node].composed.clone() else {
            let error = RunError::new(ErrorCode::InternalError, "the composition was not recorded");
            return self.fail_node(node, error);
        };
        let facts = &self.state.facts;
        let choice = self.model_choice(node);
        let provider = choice.provider.as_deref().unwrap_or("default");
        let id = self.id(node);
        // Another composition is another request: a provider must not answer it with what it kept of the one before.
        let ordinal = self.state.nodes[node].compositions.saturating_sub(1);
        let invocation = InvocationId::derive(&facts.principal, &facts.run_id, &id, ordinal, provider);
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

    /// The stand-in for model providers that the run asked for.
    fn stand_in(&self) -> Option<StreamText> {
        StreamText::read(self.state.facts.configurable.as_ref()?.mock_provider.as_ref()?).ok()
    }

    /// Answers a node as a model would, with the tokens of the stand-in as chunks.
    fn answer_for_model(&mut self, node: usize, stand_in: &StreamText) {
        let (last, others) = stand_in.tokens.split_last().map_or(("", &[][..]), |(it, rest)| (it, rest));
        let mut stream = StreamScrubber::new();
        for token in others {
            let text = stream.push(self.scrubber, token);
            if !text.is_empty() || token.is_empty() {
                self.chunk(node, text, false);
            }
        }
        let text = stream.push(self.scrubber, last) + &stream.finish(self.scrubber);
        self.chunk_with(node, text, true, Some(stand_in.meta()));
        let answer = ModelAnswer {
            text: stand_in.tokens.concat(),
            provider: STREAM_TEXT.to_owned(),
            model: STREAM_TEXT.to_owned(),
            usage: stand_in.usage,
            finish: "stop",
        };
        self.answered(node, Ok(answer));
    }

    /// A node without any prompt: a stand-in answers it all the same, the sample node answers from its variable, others
    /// have nothing to say.
    fn answer_without_prompt(&mut self, node: usize) {
        if let Some(stand_in) = self.stand_in() {
            return self.answer_for_model(node, &stand_in);
        }
        let fallback = match &self.state.plan.nodes[node].node_type {
            NodeType::Prompt(prompt) => prompt.fallback_variable,
            _ => None,
        };
        if let Some(value) = fallback.and_then(|name| self.state.facts.variables.get(name)) {
            let text = Value::new(value.text().into(), value.trust());
            self.complete_node(node, &Values::from_iter([("text".to_owned(), text)]));
        } else {
            let message = "the node has no prompt: no layer names one and its config has no inline body";
            self.fail_node(node, RunError::new(ErrorCode::PromptEmpty, message));
        }
    }

    pub(super) fn chunk(&mut self, node: usize, text: String, is_last: bool) {
        self.chunk_with(node, text, is_last, None);
    }

    fn chunk_with(&mut self, node: usize, text: String, is_last: bool, meta: Option<ChunkMeta>) {
        let payload =
            OutputChunk { node_id: self.id(node), chunk: text, is_last: Some(is_last), channel: None, meta };
        self.emit(Some(node), &payload, Private::NONE);
    }

    pub(super) fn answered(&mut self, node: usize, answer: Result<ModelAnswer, RunError>) {
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return self.end_attempt(node, error),
        };
        self.usage(node, &answer);
        match self.outputs_of(node, &answer) {
            Ok(outputs) => self.complete_node(node, &outputs),
            Err(error) => self.end_attempt(node, *error),
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
    fn outputs_of(&self, node: usize, answer: &ModelAnswer) -> Result<Values, Box<RunError>> {
        let composed = self.state.nodes[node].composed.as_ref();
        let trust = composed.map_or(Trust::Untrusted, |composed| composed.trust);
        let text = Value::new(answer.text.clone().into(), trust);
        let mut outputs = Values::from_iter([("text".to_owned(), text)]);
        if self.model_choice(node).json {
            let json: Json = serde_json::from_str(&answer.text).map_err(|error| Box::new(no_json(&error)))?;
            outputs.insert("json".to_owned(), Value::new(json, trust));
        }
        Ok(outputs)
    }
}

/// A model that gave no JSON may give some the next time.
fn no_json(error: &serde_json::Error) -> RunError {
    let (line, column) = (error.line(), error.column());
    let message = format!("the model was asked for JSON and gave none: line {line}, column {column}");
    RunError { retryable: Some(true), ..RunError::new(ErrorCode::ModelOutputInvalid, message) }
}
