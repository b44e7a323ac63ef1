//! Runs: fold, decide, and the executor that performs effects.
//!
//! * [`Plan`]: a workflow made ready to run, or everything that is wrong with it.
//! * [`RunState`] and its fold: where a run stands, from its log alone.
//! * [`decide()`]: what a run does about what happened; deterministic.
//! * [`Engine`]: has decisions made durable and effects performed.
//!
//! The crate owns the ports [`Models`] and [`Clock`]. It refuses to know providers, files and HTTP.

mod agent_change;
mod checkpoint;
mod decide;
mod due;
mod effect;
mod executor;
mod facts;
mod fold;
mod inputs;
mod mock_agent;
mod node_type;
mod plan;
mod ports;
mod request;
mod snapshot;
mod stand_in;
mod state;
mod stored;
mod trigger;
mod verdict;

pub use checkpoint::{CHECKPOINT_EVERY, FOLD_VERSION};
pub use decide::{Decision, Moment, decide, event_id, started_record};
pub use effect::{Attempt, Composed, Effect, Input, InvocationId, ModelAnswer, PreparedFacts, Timer};
pub use executor::{
    Claim, Engine, EngineError, Residence, Rest, RunHandle, RunSignals, SignalBody, offer, offer_within,
};
pub use facts::{AnswerPart, ComposedPart, NodeEnd, NodeStart, RetryPlan, RunFacts};
pub use fold::FoldError;
pub use inputs::{RunInputs, read_inputs};
pub use mock_agent::MockAgentConfig;
pub use node_type::{FailConfig, MAX_DELAY_MS, ModelChoice, NODE_TYPES, NodeType, PromptNode};
pub use plan::{Compiled, Plan, PlanEdge, PlanInput, PlanNode};
pub use ports::{Clock, ModelCall, Models, PieceSink};
pub use request::prompt_request;
pub use snapshot::snapshot;
pub use stand_in::{MOCK_PROVIDERS, StreamText};
pub use state::{NodeState, Phase, RunState};
pub use stored::StoredRun;
pub use trigger::{EdgeVerdict, Join, join};

/// The version of the engine that wrote an event, as events and snapshots carry it.
pub const ENGINE_VERSION: &str = "1";
