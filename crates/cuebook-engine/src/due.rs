//! When a run needs its executor next: a function of its state.

use cuebook_log::Due;
use cuebook_wire::Sequence;
use std::time::Duration;

use crate::node_type::NodeType;
use crate::plan::PlanNode;
use crate::state::{NodeState, Phase, RunState};

impl RunState {
    /// When the run needs its executor next; of a run that has ended it is never.
    pub fn due(&self) -> Due {
        if self.status.is_terminal() {
            return Due::OnSignal;
        }
        if self.next <= Sequence(1) {
            return Due::Now;
        }
        let nodes = self.plan.nodes.iter().zip(&self.nodes);
        let run = self.times_out_at().map_or(Due::OnSignal, Due::At);
        nodes.fold(run, |due, (plan, node)| due.earlier(node_due(plan, node)))
    }

    /// When the whole run has taken too long.
    pub(crate) fn times_out_at(&self) -> Option<cuebook_wire::Timestamp> {
        let timeout = self.plan.definition.settings.timeout.filter(|timeout| *timeout > 0)?;
        Some(self.started_at.plus(Duration::from_millis(timeout)))
    }
}

fn node_due(plan: &PlanNode, node: &NodeState) -> Due {
    match (node.phase, &plan.node_type) {
        (Phase::Retrying, _) | (Phase::Running, NodeType::Delay) => {
            let woken = node.wake_at.map_or(Due::Now, Due::At);
            let deadline = node.deadline.filter(|_| node.phase == Phase::Running);
            deadline.map_or(woken, |deadline| woken.earlier(Due::At(deadline)))
        }
        (Phase::Running, _) => Due::Now,
        _ => Due::OnSignal,
    }
}
