//! Runs as a service: create, read, cancel, answer; for every tenant, as the wire speaks of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cuebook_engine::{AnswerPart, ComposedPart, EngineError, Plan, Residence, RunState, SignalBody};
use cuebook_log::{LogError, Record, RunEntry, RunKey};
use cuebook_prompt::{ContentHash, Principal, Value};
use cuebook_wire::{
    CreateRun, ErrorCode, EventType, NodeId, RunEvent, RunId, RunStatus, Sequence, WorkflowDefinition,
    WorkflowId, strict,
};
use serde_json::{Value as Json, json};
use tokio::sync::{mpsc, watch};

use crate::admission::busy;
use crate::attachments;
use crate::host::{Host, StartRun};
use crate::keeper::Request;
use crate::refusal::Refusal;
use crate::residents::Residents;
use crate::scopes::Scopes;

/// What was made of a request for a run.
#[derive(Clone, Debug)]
pub struct CreatedRun {
    /// The run.
    pub run_id: RunId,
    /// Its status: `running`, also when it waits or has ended by now, as its events tell that.
    pub status: RunStatus,
}

/// How a run is created.
#[derive(Clone, Debug, Default)]
pub struct CreateOptions {
    /// The id it is to have; a new one when absent. A run of this id that was started before is the answer.
    pub run_id: Option<RunId>,
    /// Whether no other run of its tenant and scope may be under way.
    pub alone_in_scope: bool,
}

/// How many compiled plans are kept; when there are more, those that no run uses go.
const MAX_PLANS: usize = 512;

/// The runs that have a task in this process, who takes up the others, and the plans that were compiled.
#[derive(Default)]
pub(crate) struct Service {
    pub(crate) residents: Residents,
    pub(crate) keeper: OnceLock<mpsc::UnboundedSender<Request>>,
    plans: Mutex<HashMap<ContentHash, Arc<Plan>>>,
    pub(crate) scopes: Scopes,
}

impl Service {
    pub(crate) fn plan(&self, hash: &ContentHash) -> Option<Arc<Plan>> {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner).get(hash).cloned()
    }

    fn keep(&self, plan: Arc<Plan>) {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if plans.len() >= MAX_PLANS {
            plans.retain(|_, plan| Arc::strong_count(plan) > 1);
        }
        plans.insert(plan.hash.clone(), plan);
    }
}

/// A run as lists show it.
pub fn listed_run(entry: &RunEntry) -> Json {
    json!({
        "runId": entry.run_id,
        "workflowId": entry.workflow_id,
        "status": entry.status,
        "startedAt": entry.started_at,
        "updatedAt": entry.updated_at,
    })
}

/// The sequence of the event called `id` in a run, if the id is one of that run's.
pub fn sequence_of(run_id: &RunId, id: &str) -> Option<Sequence> {
    let (_, number) = id.rsplit_once('-')?;
    let sequence = Sequence(number.parse().ok()?);
    (cuebook_engine::event_id(run_id, sequence).as_str() == id).then_some(sequence)
}

impl Host {
    /// Starts the run that a request describes.
    ///
    /// # Errors
    ///
    /// `validation_error` for an unknown workflow, bad inputs or a bad overlay; `run_already_active` when the run is to be
    /// alone in its scope and is not; `rate_limited` when the tenant has too many runs in flight; `service_unavailable` when
    /// the host has, or the store has too much to write.
    pub async fn create_run(
        self: &Arc<Self>,
        principal: &Principal,
        request: CreateRun,
        options: CreateOptions,
    ) -> Result<CreatedRun, Refusal> {
        self.admit_write()?;
        let faults = attachments::faults(&request, self.config.limits.max_metadata_bytes.get());
        if !faults.is_empty() {
            return Err(Refusal::faults(&faults));
        }
        let plan = self.workflow_for(principal, &request.workflow_id).await.map_err(unknown_workflow)?;
        let start = StartRun {
            principal,
            plan: &plan,
            inputs: request.inputs,
            configurable: request.configurable,
            refuse_undeclared: false,
        };
        let mut facts = self.facts(&start)?;
        facts.run_id = options.run_id.unwrap_or(facts.run_id);
        facts.tags = request.tags;
        facts.metadata = request.metadata;
        let run_id = facts.run_id.clone();
        facts.scope = request.scope_id;
        let _entering = self.enter_scope(&facts, options.alone_in_scope).await?;
        let key = key_of(principal, &run_id);
        // Before it can be seen, so that nobody takes it up besides.
        let is_mine = self.service.residents.claim_within(&key, self.run_bounds())?;
        match self.engine.start(facts, Arc::clone(&plan), Residence::WhileBusy).await {
            Ok(handle) => {
                self.service.keep(plan);
                self.follow(key, handle);
            }
            Err(error) => {
                if is_mine {
                    self.service.residents.leave(&key);
                }
                if !matches!(error, EngineError::Log(LogError::RunExists(_))) {
                    return Err(error.into());
                }
            }
        }
        Ok(CreatedRun { run_id, status: RunStatus::Running })
    }

    /// The plan of a workflow: one that the tenant registered, or one of the project.
    ///
    /// # Errors
    ///
    /// `not_found`; what is wrong with the project's file; `service_unavailable` when the store cannot answer.
    pub async fn workflow_for(&self, principal: &Principal, id: &WorkflowId) -> Result<Arc<Plan>, Refusal> {
        if let Some(registered) = self.store.definition(principal, id).await? {
            return self.compiled(&registered.hash, &registered.text);
        }
        if self.workflows.has(id.as_str()) {
            Ok(self.workflows.plan(id.as_str())?)
        } else {
            Err(Refusal::not_found("workflow"))
        }
    }

    /// Registers a definition for the tenant, in place of one with its id.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it; `service_unavailable` when the store cannot take it.
    pub async fn register_workflow(
        &self,
        principal: &Principal,
        definition: WorkflowDefinition,
    ) -> Result<(), Refusal> {
        self.admit_write()?;
        let compiled = Plan::compile(definition).map_err(|faults| Refusal::faults(&faults))?;
        let definition = &compiled.plan.definition;
        let value = Value::trusted(json!(**definition));
        let text = value.text();
        self.store.register(principal, &definition.id, &text).await?;
        self.service.keep(Arc::new(compiled.plan));
        Ok(())
    }

    /// The plan of a definition that this host has compiled before.
    pub(crate) fn compiled(&self, hash: &ContentHash, text: &str) -> Result<Arc<Plan>, Refusal> {
        if let Some(plan) = self.service.plan(hash) {
            return Ok(plan);
        }
        let json: Json = serde_json::from_str(text).map_err(|_| broken())?;
        let definition = strict::read::<WorkflowDefinition>(&json).map_err(|_| broken())?;
        let plan = Arc::new(Plan::compile(definition).map_err(|_| broken())?.plan);
        self.service.keep(Arc::clone(&plan));
        Ok(plan)
    }

    /// The run's entry in the index.
    ///
    /// # Errors
    ///
    /// `not_found`.
    pub async fn run_entry(&self, principal: &Principal, run_id: &RunId) -> Result<RunEntry, Refusal> {
        Ok(self.store.entry(principal, run_id).await?)
    }

    /// The tenant's runs, newest first; of these statuses, or all when none is named.
    ///
    /// # Errors
    ///
    /// When the store cannot answer.
    pub async fn list_runs(
        &self,
        principal: &Principal,
        statuses: &[RunStatus],
        limit: usize,
    ) -> Result<Vec<RunEntry>, Refusal> {
        Ok(self.store.runs(principal, statuses, limit).await?)
    }

    /// Follows the sequence that comes next in a run's log.
    ///
    /// # Errors
    ///
    /// `not_found`.
    pub async fn watch(
        &self,
        principal: &Principal,
        run_id: &RunId,
    ) -> Result<watch::Receiver<Sequence>, Refusal> {
        Ok(self.store.watch(principal, run_id).await?)
    }

    /// The sequence that comes next in a run's log.
    ///
    /// # Errors
    ///
    /// `not_found`.
    pub async fn next_sequence(&self, principal: &Principal, run_id: &RunId) -> Result<Sequence, Refusal> {
        Ok(*self.watch(principal, run_id).await?.borrow())
    }

    /// At most `limit` events of a run from `from` on.
    ///
    /// # Errors
    ///
    /// `not_found`.
    pub async fn events(
        &self,
        principal: &Principal,
        run_id: &RunId,
        from: Sequence,
        limit: usize,
    ) -> Result<Vec<RunEvent>, Refusal> {
        let records = self.store.read(principal, run_id, from, limit).await?;
        Ok(records.into_iter().map(|record| record.event).collect())
    }

    /// Ends a run, or tells how it ended; the answer is `cancelling` when the run has not come to it yet.
    ///
    /// # Errors
    ///
    /// `not_found`.
    pub async fn cancel_run(
        self: &Arc<Self>,
        principal: &Principal,
        run_id: &RunId,
        reason: Option<String>,
        by: &str,
    ) -> Result<RunStatus, Refusal> {
        let status = self.run_entry(principal, run_id).await?.status;
        if status.is_terminal() {
            return Ok(status);
        }
        let body = SignalBody::Cancel { reason, by: Some(by.to_owned()) };
        // There is one at most, and it makes an end of what piles up: it is taken however full the inbox is.
        self.signal(principal, run_id, ("cancel", &body), usize::MAX).await?;
        Ok(RunStatus::Cancelling)
    }

    /// Answers the interrupt that a node waits on; the answer that came under `ticket` before is this one.
    ///
    /// # Errors
    ///
    /// `not_found` for the run, `interrupt_not_found` when the node waits for nothing, `interrupt_cancelled` or
    /// `interrupt_already_resolved` when the run has ended or somebody answered before; `rate_limited` when the run has too
    /// many signals to look at.
    pub async fn resolve_interrupt(
        self: &Arc<Self>,
        principal: &Principal,
        run_id: &RunId,
        node: &NodeId,
        value: Json,
        ticket: Option<String>,
    ) -> Result<RunStatus, Refusal> {
        let state = self.run_state(principal, run_id).await?;
        let is_over = state.status.is_terminal();
        let waiting = state.node_named(node.as_str()).filter(|_| !is_over);
        let refusal = if let Some(interrupt) = waiting.and_then(|node| node.interrupt.clone()) {
            let key = format!("resolve:{interrupt}");
            let body = SignalBody::Resolve { node: node.clone(), value, by: ticket.clone() };
            self.admit_write()?;
            let room = self.config.limits.max_waiting_signals.get();
            match self.signal(principal, run_id, (&key, &body), room).await? {
                cuebook_log::Offered::Accepted => return Ok(RunStatus::Running),
                cuebook_log::Offered::Duplicate => already_resolved(),
                cuebook_log::Offered::Full => return Err(inbox_full(room)),
            }
        } else {
            let records = self.store.read(principal, run_id, Sequence(0), usize::MAX).await?;
            not_waiting(&state, &records, node)
        };
        match ticket {
            Some(ticket) if self.has_answered(principal, run_id, &ticket).await? => Ok(RunStatus::Running),
            _ => Err(refusal),
        }
    }

    /// Whether an answer was brought under `ticket`: a request that was cut off before it was told so is being repeated.
    async fn has_answered(
        &self,
        principal: &Principal,
        run_id: &RunId,
        ticket: &str,
    ) -> Result<bool, Refusal> {
        let waiting = self.store.pending(principal, run_id).await?;
        let mut bodies = waiting.into_iter().filter_map(|signal| serde_json::from_value(signal.body).ok());
        if bodies.any(|body| matches!(body, SignalBody::Resolve { by: Some(by), .. } if by == ticket)) {
            return Ok(true);
        }
        // What does not wait any more has become a record.
        let records = self.store.read(principal, run_id, Sequence(0), usize::MAX).await?;
        let resolved = records.iter().filter(|it| it.event.event_type == EventType::InterruptResolved);
        let mut parts = resolved.filter_map(|record| record.private.read::<AnswerPart>().ok().flatten());
        Ok(parts.any(|part| part.by == ticket))
    }

    /// Puts a signal into the inbox of a run, and sees that somebody looks.
    async fn signal(
        self: &Arc<Self>,
        principal: &Principal,
        run_id: &RunId,
        signal: (&str, &SignalBody),
        room: usize,
    ) -> Result<cuebook_log::Offered, Refusal> {
        let offered = cuebook_engine::offer_within(&*self.store, principal, run_id, signal, room).await?;
        let run = key_of(principal, run_id);
        match self.service.residents.signals(&run) {
            Some(signals) => signals.poke(),
            None => self.ask_keeper(Request::TakeUp(run)),
        }
        Ok(offered)
    }

    /// What a node was told: the composition that the record at `sequence` made durable.
    ///
    /// # Errors
    ///
    /// `not_found` when there is no such record or it holds no composition.
    pub async fn composition(
        &self,
        principal: &Principal,
        run_id: &RunId,
        sequence: Sequence,
    ) -> Result<Json, Refusal> {
        let records = self.store.read(principal, run_id, sequence, 1).await?;
        let record = records.first().ok_or_else(|| Refusal::not_found("composition"))?;
        let part = record.private.read::<ComposedPart>().ok().flatten();
        let part = part
            .filter(|_| record.event.node_id.is_some())
            .ok_or_else(|| Refusal::not_found("composition"))?;
        let mut facts = json!({
            "runId": run_id,
            "sequence": sequence,
            "nodeId": record.event.node_id,
            "hash": part.hash,
            "contentTrust": part.trust,
            "bodies": part.record.bodies,
            "segments": part.record.segments,
            "variables": part.record.variables,
            "pins": part.record.pins,
        });
        if let Some(composed) = record.event.payload.get("composed") {
            facts["composed"] = composed.clone();
        }
        Ok(facts)
    }

    /// Whether the store answers.
    ///
    /// # Errors
    ///
    /// `service_unavailable` when it does not.
    pub async fn check_store(&self) -> Result<(), Refusal> {
        self.store.runs(&Principal::local(), &[], 1).await?;
        Ok(())
    }
}

fn key_of(principal: &Principal, run_id: &RunId) -> RunKey {
    RunKey { tenant: principal.tenant.clone(), run_id: run_id.clone() }
}

/// As many signals wait as may.
fn inbox_full(room: usize) -> Refusal {
    busy(ErrorCode::RateLimited, "as many signals wait for the run as it takes", room)
}

/// A workflow that is not there is a fault of the request for a run.
fn unknown_workflow(refusal: Refusal) -> Refusal {
    match refusal.code {
        ErrorCode::NotFound => Refusal::new(ErrorCode::ValidationError, "'workflowId' names no workflow"),
        _ => refusal,
    }
}

/// What was stored cannot be read; why is no matter of the caller's.
pub(crate) fn broken() -> Refusal {
    Refusal::new(ErrorCode::InternalError, "what this host has stored cannot be read")
}

fn not_waiting(state: &RunState, records: &[Record], node: &NodeId) -> Refusal {
    let asked = records.iter().any(|record| {
        record.event.event_type == EventType::InterruptRequested
            && record.event.node_id.as_ref() == Some(node)
    });
    match (asked, state.status) {
        (false, _) => Refusal::new(ErrorCode::InterruptNotFound, "the node waits for no answer"),
        (true, RunStatus::Cancelled) => Refusal::new(ErrorCode::InterruptCancelled, "the run was cancelled"),
        (true, _) => already_resolved(),
    }
}

fn already_resolved() -> Refusal {
    Refusal::new(ErrorCode::InterruptAlreadyResolved, "somebody answered before")
}
