//! A host in memory: store, pipeline, models and clock around one engine.

use std::sync::Arc;

use cuebook_engine::{
    CHECKPOINT_EVERY, Engine, EngineError, Plan, Residence, Rest, RunFacts, RunHandle, RunState, SignalBody,
    read_inputs,
};
use cuebook_log::{MemoryStore, Offered, Record, RunLog};
use cuebook_prompt::{BindPolicy, Pipeline, Principal, PromptPolicy, SourceSet, Trust};
use cuebook_wire::{Configurable, LibraryId, NodeId, Observability, PromptRefs, RunId, Sequence};
use serde_json::Value;

use super::clock::{ManualClock, at};
use super::flow::Flow;
use super::log::Log;
use super::models::{Asked, Reply, TestModels};
use super::promises;
use super::prompts::{Cast, Shelf, Vault};

/// A host whose parts the test can reach.
pub(crate) struct TestHost {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) models: Arc<TestModels>,
    pub(crate) shelf: Arc<Shelf>,
    pub(crate) vault: Arc<Vault>,
    pub(crate) cast: Arc<Cast>,
    host_defaults: PromptRefs,
    observability: Observability,
    configurable: Option<Configurable>,
    max_node_executions: u64,
    max_events: u64,
    untagged: Trust,
    run_id: String,
}

impl TestHost {
    /// A host whose models answer as `answer` says.
    pub(crate) fn answering(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let clock = Arc::new(ManualClock::new());
        Self {
            store: Arc::new(MemoryStore::new()),
            models: Arc::new(TestModels::new(Arc::clone(&clock), answer)),
            clock,
            shelf: Arc::default(),
            vault: Arc::default(),
            cast: Arc::default(),
            host_defaults: PromptRefs::default(),
            observability: Observability::Full,
            configurable: None,
            max_node_executions: 100,
            max_events: u64::MAX,
            untagged: Trust::Trusted,
            run_id: "run_test".to_owned(),
        }
    }

    /// A host whose models repeat the user prompt.
    pub(crate) fn echoing() -> Self {
        Self::answering(|asked| Reply::text(&asked.user))
    }

    pub(crate) fn template(self, template: &Value) -> Self {
        self.shelf.add(template);
        self
    }

    pub(crate) fn agent(self, manifest: &Value) -> Self {
        self.cast.add(manifest);
        self
    }

    pub(crate) fn secret(self, id: &str, value: &str) -> Self {
        self.vault.set(id, value);
        self
    }

    pub(crate) fn host_defaults(self, refs: Value) -> Self {
        Self { host_defaults: serde_json::from_value(refs).unwrap(), ..self }
    }

    pub(crate) fn observability(self, observability: Observability) -> Self {
        Self { observability, ..self }
    }

    pub(crate) fn configurable(self, configurable: Value) -> Self {
        Self { configurable: Some(serde_json::from_value(configurable).unwrap()), ..self }
    }

    pub(crate) fn max_node_executions(self, max_node_executions: u64) -> Self {
        Self { max_node_executions, ..self }
    }

    pub(crate) fn max_events(self, max_events: u64) -> Self {
        Self { max_events, ..self }
    }

    pub(crate) fn distrusting_inputs(self) -> Self {
        Self { untagged: Trust::Untrusted, ..self }
    }

    pub(crate) fn run_id(self, run_id: &str) -> Self {
        Self { run_id: run_id.to_owned(), ..self }
    }

    /// The pipeline over this host's templates, agents and secrets.
    pub(crate) fn pipeline(&self) -> Pipeline {
        let policy = PromptPolicy {
            host_defaults: self.host_defaults.clone(),
            host_library: LibraryId::host(),
            agent_bindings: true,
            run_overrides: false,
            bind: BindPolicy::default(),
        };
        let (sources, agents, secrets) =
            (SourceSet::new(self.shelf.clone()), self.cast.clone(), self.vault.clone());
        Pipeline::new(sources, agents, secrets, policy)
    }

    /// What a run of `plan` with `inputs` would stand on.
    pub(crate) fn facts(&self, plan: &Plan, inputs: &Value) -> RunFacts {
        let given = inputs.as_object().unwrap();
        let inputs = read_inputs(&plan.definition, given, self.untagged).unwrap();
        RunFacts {
            run_id: RunId::new(self.run_id.as_str()),
            principal: Principal::local(),
            user: None,
            workflow_id: plan.definition.id.clone(),
            definition: plan.hash.clone(),
            variables: inputs.variables,
            configurable: self.configurable.clone(),
            tags: Vec::new(),
            metadata: serde_json::Map::new(),
            now: at(0),
            observability: self.observability,
            max_node_executions: self.max_node_executions,
            max_events: self.max_events,
            scope: None,
            agents: std::collections::BTreeMap::new(),
            agent_prompts: Some(self.pipeline().intrinsic_hashes(&Principal::local(), plan.agents())),
        }
    }

    /// Starts a run.
    pub(crate) async fn start(&self, flow: &Flow, inputs: Value) -> Started<'_> {
        let plan = Arc::new(flow.plan());
        let facts = self.facts(&plan, &inputs);
        let handle = self.engine().start(facts, plan, Residence::ToTheEnd).await.unwrap();
        Started { host: self, handle }
    }

    /// Takes a run to its end.
    pub(crate) async fn run(&self, flow: &Flow, inputs: Value) -> Log {
        self.start(flow, inputs).await.end().await
    }

    /// Takes the run over and up again, as a host does that starts anew.
    pub(crate) async fn take_up(&self, flow: &Flow) -> Started<'_> {
        self.take_up_for(flow, Residence::ToTheEnd).await
    }

    pub(crate) async fn take_up_for(&self, flow: &Flow, residence: Residence) -> Started<'_> {
        let engine = self.engine();
        let run_id = RunId::new(self.run_id.as_str());
        let claim = engine.claim(&Principal::local(), &run_id).await.unwrap();
        let handle = engine.resume(claim, Arc::new(flow.plan()), residence).unwrap();
        Started { host: self, handle }
    }

    pub(crate) fn engine(&self) -> Engine {
        Engine {
            store: self.store.clone(),
            pipeline: Arc::new(self.pipeline()),
            models: self.models.clone(),
            clock: self.clock.clone(),
            checkpoint_every: CHECKPOINT_EVERY,
        }
    }

    pub(crate) async fn records(&self, run_id: &RunId) -> Vec<Record> {
        self.store.read(&Principal::local(), run_id, Sequence(0), usize::MAX).await.unwrap()
    }
}

/// A run under way.
pub(crate) struct Started<'h> {
    host: &'h TestHost,
    handle: RunHandle,
}

impl Started<'_> {
    /// Waits until an event of this type is in the log; of this node, unless `node` is empty.
    pub(crate) async fn until(&self, event_type: &str, node: &str) {
        let run_id = self.handle.run_id().clone();
        let mut next = self.host.store.watch(&Principal::local(), &run_id).await.unwrap();
        loop {
            next.borrow_and_update();
            let records = self.host.records(&run_id).await;
            let found = |record: &Record| {
                let of = record.event.node_id.as_ref().map_or("", NodeId::as_str);
                record.event.event_type.as_str() == event_type && (node.is_empty() || node == of)
            };
            if records.iter().any(found) {
                return;
            }
            next.changed().await.unwrap();
        }
    }

    /// Asks for the end of the run.
    pub(crate) async fn cancel(&self, key: &str) -> Offered {
        let body = SignalBody::Cancel { reason: Some("enough".to_owned()), by: Some("tester".to_owned()) };
        self.handle.signal(key, &body).await.unwrap()
    }

    /// Answers the interrupt of a node.
    pub(crate) async fn resolve(&self, node: &str, value: Value) -> Offered {
        let body = SignalBody::Resolve { node: NodeId::new(node), value, by: None };
        self.handle.signal(&format!("resolve-{node}"), &body).await.unwrap()
    }

    /// The state as the log has it so far.
    pub(crate) async fn state(&self, flow: &Flow) -> RunState {
        RunState::of_log(&self.records().await, Arc::new(flow.plan())).unwrap().unwrap()
    }

    /// Waits until the task of the run has ended, however.
    pub(crate) async fn rest(self) -> Rest {
        self.handle.rest().await.unwrap()
    }

    /// Waits for the end without looking at it.
    pub(crate) async fn outcome(self) -> Result<RunState, EngineError> {
        self.handle.wait().await
    }

    /// The log so far.
    pub(crate) async fn records(&self) -> Vec<Record> {
        self.host.records(self.handle.run_id()).await
    }

    /// Waits for the end and holds the log against what every log promises.
    pub(crate) async fn end(self) -> Log {
        let run_id = self.handle.run_id().clone();
        let state = self.handle.wait().await.unwrap();
        let records = self.host.records(&run_id).await;
        promises::check(&records, &state);
        Log { records, state }
    }
}
