//! Whether a workflow has an order: no cycle of edges, unless a node in it decides about the next round.

use cuebook_wire::{ErrorCode, Fault};

use super::PlanNode;

/// The types of nodes that decide whether a cycle goes round again.
const DECIDING_TYPES: [&str; 2] = ["core.orchestrator.supervisor", "core.dispatch"];

/// One fault for each cycle, as the path that a person can follow; cycles that share a node may count as one.
pub(super) fn check(nodes: &[PlanNode]) -> Vec<Fault> {
    let waiting = waiting(nodes);
    let mut seen = vec![false; nodes.len()];
    let mut faults = Vec::new();
    for start in (0..nodes.len()).filter(|node| waiting[*node]) {
        if let Some(cycle) = walk_back(nodes, &waiting, &mut seen, start)
            && !cycle.iter().any(|node| DECIDING_TYPES.contains(&nodes[*node].type_id.as_str()))
        {
            faults.push(cycle_fault(nodes, &cycle));
        }
    }
    faults
}

/// Which nodes would wait for ever: those in a cycle and those behind one.
fn waiting(nodes: &[PlanNode]) -> Vec<bool> {
    let mut open: Vec<usize> = nodes.iter().map(|node| node.incoming.len()).collect();
    let mut ready: Vec<usize> = (0..nodes.len()).filter(|node| open[*node] == 0).collect();
    while let Some(node) = ready.pop() {
        for (target, _) in &nodes[node].outgoing {
            open[*target] -= 1;
            if open[*target] == 0 {
                ready.push(*target);
            }
        }
    }
    open.into_iter().map(|edges| edges > 0).collect()
}

/// Goes from a node that waits to one that it waits for, until a node of this walk comes up again; `None` when the walk
/// runs into an earlier one.
fn walk_back(nodes: &[PlanNode], waiting: &[bool], seen: &mut [bool], start: usize) -> Option<Vec<usize>> {
    let mut path = Vec::new();
    let mut current = start;
    while !seen[current] {
        seen[current] = true;
        path.push(current);
        current = nodes[current].incoming.iter().map(|edge| edge.source).find(|source| waiting[*source])?;
    }
    let first = path.iter().position(|node| *node == current)?;
    let mut cycle = path.split_off(first);
    cycle.reverse();
    Some(cycle)
}

fn cycle_fault(nodes: &[PlanNode], cycle: &[usize]) -> Fault {
    let names: Vec<&str> = cycle.iter().map(|node| nodes[*node].id.as_str()).collect();
    let message = format!(
        "the edges {} -> {} form a cycle with no orchestrator or dispatch node in it",
        names.join(" -> "),
        names[0]
    );
    Fault::new("/edges", ErrorCode::WorkflowInvalid, message)
        .hint("take out one of these edges, or let an orchestrator decide about the next round")
}
