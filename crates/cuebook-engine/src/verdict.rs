//! What an edge says in the present state of a run: its source's end, and its condition over the source's result.

use cuebook_expr::{Condition, Layered, Scope};
use cuebook_wire::{ErrorCode, RunError};
use serde_json::{Map, Value as Json};

use crate::inputs::{plain, run_scope};
use crate::plan::PlanEdge;
use crate::state::{NodeState, Phase, RunState};
use crate::trigger::EdgeVerdict;

/// Judges `edge`.
///
/// # Errors
///
/// `validation_error` when the condition cannot be tested, for instance because it compares things of different types.
pub(crate) fn edge_verdict(state: &RunState, edge: &PlanEdge) -> Result<EdgeVerdict, Box<RunError>> {
    let source = &state.nodes[edge.source];
    match (source.phase, &edge.condition) {
        (Phase::Pending | Phase::Running | Phase::Retrying | Phase::Suspended, _) => Ok(EdgeVerdict::Pending),
        (Phase::Failed, _) => Ok(EdgeVerdict::Failed),
        (Phase::Skipped | Phase::Cancelled, _) => Ok(EdgeVerdict::NotTaken),
        (Phase::Completed, None) => Ok(EdgeVerdict::Taken),
        (Phase::Completed, Some(condition)) => condition_verdict(state, edge, source, condition),
    }
}

/// Tests a condition. It sees `variables` and `nodes`, then the source's outputs by their own names, then all of them as
/// `output`, and `status`.
fn condition_verdict(
    state: &RunState,
    edge: &PlanEdge,
    source: &NodeState,
    condition: &Condition,
) -> Result<EdgeVerdict, Box<RunError>> {
    let run = run_scope(state);
    let outputs = plain(&source.outputs);
    let whole = Map::from_iter([
        ("output".to_owned(), Json::Object(outputs.clone())),
        ("status".to_owned(), source.phase.as_str().into()),
    ]);
    let layers: [&dyn Scope; 3] = [&run, &outputs, &whole];
    match condition.holds(&Layered::new(&layers)) {
        Ok(true) => Ok(EdgeVerdict::Taken),
        Ok(false) => Ok(EdgeVerdict::NotTaken),
        Err(error) => {
            let message =
                format!("the condition of edge '{}' cannot be tested: {error}\n{}", edge.id, error.caret());
            Err(Box::new(RunError::new(ErrorCode::ValidationError, message)))
        }
    }
}
