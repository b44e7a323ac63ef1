//! Checks over the whole graph: that it has an order, and that what a node reads comes before it.

use std::collections::HashSet;

use cuebook_wire::{ErrorCode, Fault};

use super::{PlanInput, PlanNode};

/// Reports one cycle, if there is any, as the path that a person can follow.
pub(super) fn order(nodes: &[PlanNode], faults: &mut Vec<Fault>) {
    let mut waiting: Vec<usize> = nodes.iter().map(|node| node.incoming.len()).collect();
    let mut ready: Vec<usize> = (0..nodes.len()).filter(|node| waiting[*node] == 0).collect();
    let mut ordered = 0;
    while let Some(node) = ready.pop() {
        ordered += 1;
        for (target, _) in &nodes[node].outgoing {
            waiting[*target] -= 1;
            if waiting[*target] == 0 {
                ready.push(*target);
            }
        }
    }
    if ordered < nodes.len()
        && let Some(start) = waiting.iter().position(|count| *count > 0)
    {
        faults.push(cycle_fault(nodes, &waiting, start));
    }
}

fn cycle_fault(nodes: &[PlanNode], waiting: &[usize], start: usize) -> Fault {
    let cycle = walk_back(nodes, waiting, start);
    let names: Vec<&str> = cycle.iter().map(|node| nodes[*node].id.as_str()).collect();
    let message = format!(
        "the edges {} -> {} form a cycle with no orchestrator or dispatch node in it",
        names.join(" -> "),
        names[0]
    );
    Fault::new("/edges", ErrorCode::WorkflowInvalid, message)
        .hint("take out one of these edges, or let an orchestrator decide about the next round")
}

/// Goes from a node that waits to one that it waits for, until a node comes up again.
fn walk_back(nodes: &[PlanNode], waiting: &[usize], start: usize) -> Vec<usize> {
    let mut path = vec![start];
    let mut current = start;
    loop {
        let blocker =
            nodes[current].incoming.iter().map(|edge| edge.source).find(|source| waiting[*source] > 0);
        let Some(next) = blocker else { return path };
        if let Some(first) = path.iter().position(|node| *node == next) {
            let mut cycle = path.split_off(first);
            cycle.reverse();
            return cycle;
        }
        path.push(next);
        current = next;
    }
}

/// Reports connections to nodes that do not come before.
pub(super) fn connections(nodes: &[PlanNode], faults: &mut Vec<Fault>) {
    for (at, node) in nodes.iter().enumerate() {
        let read = node.inputs.iter().filter_map(|(port, input)| match input {
            PlanInput::Connection { node, .. } => Some((port, *node)),
            _ => None,
        });
        let mut before = None;
        for (port, source) in read {
            let before = before.get_or_insert_with(|| ancestors(nodes, at));
            if !before.contains(&source) {
                let message = format!(
                    "'{}' reads node '{}', from which no edges lead to it",
                    node.id, nodes[source].id
                );
                let fault =
                    Fault::new(format!("/nodes/{at}/inputs/{port}"), ErrorCode::WorkflowInvalid, message);
                faults.push(fault.hint("add an edge, so that the one runs before the other"));
            }
        }
    }
}

fn ancestors(nodes: &[PlanNode], node: usize) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        open.extend(
            nodes[node].incoming.iter().map(|edge| edge.source).filter(|source| found.insert(*source)),
        );
    }
    found
}
