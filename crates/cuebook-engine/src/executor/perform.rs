//! Having effects performed: tasks and timers that report to their run.
//!
//! What must not be in a log stays here, in memory: dispatch texts, and what the scrubber learns.

use std::sync::Arc;

use cuebook_prompt::{IntrinsicHashes, Observed, Prepared, PromptRequest, SecretValues, Secrets};
use cuebook_wire::{ErrorCode, NodeId, Observability, RunError, Timestamp};
use tokio::sync::mpsc;

use super::run::{Report, Run};
use crate::effect::{Attempt, Composed, Effect, InvocationId, PreparedFacts, Timer};
use crate::facts::ComposedPart;
use crate::node_type::ModelChoice;
use crate::ports::ModelCall;
use crate::state::RunState;

impl Run {
    /// Keeps the dispatch text and teaches the scrubber; what is left may be written down.
    pub(super) fn keep_secrets(
        &mut self,
        attempt: &Attempt,
        prepared: Prepared,
        is_again: bool,
    ) -> PreparedFacts {
        self.learn(&prepared.secrets);
        let observability = self.state.facts.observability;
        let outcome = match prepared.outcome {
            Err(errors) => Err(errors.to_run_error()),
            Ok(None) => Ok(None),
            Ok(Some(composition)) => {
                self.dispatches.insert(attempt.clone(), Arc::new(composition.dispatch));
                Ok(Some(composed(&attempt.node, &composition.observed, observability, prepared.pins)))
            }
        };
        PreparedFacts {
            is_again,
            resolutions: prepared.resolutions.iter().map(|one| one.to_payload(&attempt.node)).collect(),
            warnings: prepared.warnings,
            outcome,
        }
    }

    /// Fetches the secrets that the run has used before. Those out of reach are asked for again before anything is sent.
    pub(super) async fn recall(&mut self) {
        let workflow = self.state.facts.workflow_id.clone();
        if let Ok(recalled) = self.engine.pipeline.recall(&workflow, &self.forgotten).await {
            self.learn(&recalled);
        }
    }

    /// The own prompts of the run's agents as they are now.
    pub(super) fn agent_prompts(&self) -> IntrinsicHashes {
        let RunState { facts, plan, .. } = &self.state;
        self.engine.pipeline.intrinsic_hashes(&facts.principal, plan.agents())
    }

    fn learn(&mut self, secrets: &SecretValues) {
        for (id, secret) in secrets {
            self.scrubber.learn(id, secret);
        }
        self.forgotten.retain(|used| !secrets.keys().any(|id| id.as_str() == used.id));
    }

    pub(super) fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Prepare { attempt, request, is_again } => self.prepare(attempt, request, is_again),
            Effect::Call { attempt, invocation, choice, .. } => self.call(attempt, invocation, choice),
            Effect::Ring(timer, at) => self.ring(timer, at),
            Effect::Abort(node) => self.abort(&node),
        }
    }

    /// Rings when the run's time is `at`. The clock may stand behind it, so what is waited for is the difference.
    fn ring(&mut self, timer: Timer, at: Timestamp) {
        let wait = std::time::Duration::from_millis(at.millis_since(self.now()));
        let sleep = self.engine.clock.sleep_until(self.engine.clock.now().plus(wait));
        let reporter = self.reporter.clone();
        self.timers.spawn(async move {
            sleep.await;
            report(&reporter, Report::Woken(timer));
        });
    }

    /// Stops the work for a node and forgets what it was made of.
    pub(super) fn abort(&mut self, node: &NodeId) {
        if let Some(abort) = self.aborts.remove(node) {
            abort.abort();
        }
        self.dispatches.retain(|attempt, _| attempt.node != *node);
        self.streams.retain(|attempt, _| attempt.node != *node);
    }

    fn prepare(&mut self, attempt: Attempt, request: Box<PromptRequest>, is_again: bool) {
        let pipeline = Arc::clone(&self.engine.pipeline);
        let principal = self.state.facts.principal.clone();
        let reporter = self.reporter.clone();
        let forgotten = self.forgotten.clone();
        self.spawn(attempt.clone(), async move {
            let prepared = if forgotten.is_empty() {
                pipeline.prepare(&principal, &request, Secrets::Fetch).await
            } else {
                pipeline.prepare_again(&principal, &request, &forgotten).await
            };
            report(&reporter, Report::Prepared(attempt, Box::new(prepared), is_again));
        });
    }

    fn call(&mut self, attempt: Attempt, invocation: InvocationId, choice: Box<ModelChoice>) {
        let Some(dispatch) = self.dispatches.get(&attempt).cloned() else {
            let error = RunError::new(ErrorCode::InternalError, "the composition is not in memory");
            return report(&self.reporter, Report::Answered(attempt, Err(error)));
        };
        let models = Arc::clone(&self.engine.models);
        let reporter = self.reporter.clone();
        self.spawn(attempt.clone(), async move {
            let mut sink = |piece: &str| report(&reporter, Report::Piece(attempt.clone(), piece.to_owned()));
            let call = ModelCall { dispatch: &dispatch, choice: &choice, invocation: &invocation };
            let answer = models.call(call, &mut sink).await;
            report(&reporter, Report::Answered(attempt.clone(), answer));
        });
    }

    fn spawn(&mut self, attempt: Attempt, work: impl Future<Output = ()> + Send + 'static) {
        let abort = self.work.spawn(work);
        self.under_way.insert(abort.id(), attempt.clone());
        self.aborts.insert(attempt.node, abort);
    }
}

/// Reports to a run; one that has ended no longer listens.
fn report(reporter: &mpsc::UnboundedSender<Report>, report: Report) {
    let _ = reporter.send(report);
}

fn composed(
    node: &NodeId,
    observed: &Observed,
    observability: Observability,
    pins: Vec<cuebook_prompt::Pin>,
) -> Composed {
    Composed {
        payload: observed.to_payload(node, observability),
        part: ComposedPart {
            hash: observed.hash.clone(),
            trust: observed.content_trust,
            record: observed.to_record(pins),
        },
    }
}
