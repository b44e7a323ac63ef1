//! Whether everything that a workflow reads will be there: declared variables, and outputs of nodes that come before.

use std::collections::{HashMap, HashSet};

use cuebook_expr::Path;
use cuebook_wire::names::nearest;
use cuebook_wire::pointer::step;
use cuebook_wire::{ErrorCode, Fault, NodeId, WorkflowDefinition};

use super::{PlanInput, PlanNode};
use crate::inputs::leading_names;

/// A fault for each thing that is read and cannot be there.
pub(super) fn check(
    definition: &WorkflowDefinition,
    nodes: &[PlanNode],
    by_id: &HashMap<NodeId, usize>,
) -> Vec<Fault> {
    let mut checker = Checker { definition, nodes, by_id, faults: Vec::new() };
    for (at, node) in nodes.iter().enumerate() {
        let before = ancestors(nodes, at);
        for (port, input) in &node.inputs {
            let path = format!("/nodes/{at}/inputs{}", step(port));
            checker.input(&path, node, &before, input);
        }
        for edge in &node.incoming {
            let path = format!("/edges/{}/condition", edge.at);
            let read = edge.condition.iter().flat_map(cuebook_expr::Condition::paths);
            checker.paths(&path, node, &before, read);
        }
    }
    checker.faults
}

/// Every node from which edges lead to `node`.
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

struct Checker<'a> {
    definition: &'a WorkflowDefinition,
    nodes: &'a [PlanNode],
    by_id: &'a HashMap<NodeId, usize>,
    faults: Vec<Fault>,
}

impl Checker<'_> {
    fn input(&mut self, path: &str, reader: &PlanNode, before: &HashSet<usize>, input: &PlanInput) {
        match input {
            PlanInput::Static(_) => {}
            PlanInput::Variable { name, .. } => self.variable(&format!("{path}/variableName"), name),
            PlanInput::Expression(expression) => {
                self.paths(&format!("{path}/expression"), reader, before, expression.paths());
            }
            PlanInput::Connection { node, output, optional } => {
                self.order(path, reader, before, *node);
                if !optional {
                    self.output(&format!("{path}/outputKey"), *node, output);
                }
            }
        }
    }

    /// Checks the variables and nodes that an expression or condition reads.
    fn paths<'p>(
        &mut self,
        path: &str,
        reader: &PlanNode,
        before: &HashSet<usize>,
        read: impl IntoIterator<Item = &'p Path>,
    ) {
        for read in read {
            match leading_names(read).as_slice() {
                ["variables", name, ..] => self.variable(path, name),
                ["nodes", id, ..] => match self.by_id.get(&NodeId::new(*id)) {
                    Some(node) => self.order(path, reader, before, *node),
                    None => self.unknown_node(path, id),
                },
                _ => {}
            }
        }
    }

    fn variable(&mut self, path: &str, name: &str) {
        let names = || self.definition.variables.iter().map(|variable| variable.name.as_str());
        if names().any(|known| known == name) {
            return;
        }
        let near = nearest(name, names());
        self.fault(path, format!("the workflow declares no variable '{name}'"), near.map(str::to_owned));
    }

    fn unknown_node(&mut self, path: &str, id: &str) {
        let near = nearest(id, self.nodes.iter().map(|node| node.id.as_str()));
        self.fault(path, format!("there is no node '{id}'"), near.map(str::to_owned));
    }

    fn order(&mut self, path: &str, reader: &PlanNode, before: &HashSet<usize>, source: usize) {
        if before.contains(&source) {
            return;
        }
        let id = &self.nodes[source].id;
        let message = format!("'{}' reads node '{id}', from which no edges lead to it", reader.id);
        let fault = Fault::new(path, ErrorCode::WorkflowInvalid, message);
        self.faults.push(fault.hint("add an edge, so that the one runs before the other"));
    }

    fn output(&mut self, path: &str, source: usize, output: &str) {
        let source = &self.nodes[source];
        let Some(known) = source.node_type.outputs() else { return };
        if known.contains(&output) {
            return;
        }
        let has =
            if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) };
        let message = format!("node '{}' has no output '{output}'; {has}", source.id);
        self.fault(path, message, nearest(output, known.iter().copied()).map(str::to_owned));
    }

    fn fault(&mut self, path: &str, message: String, near: Option<String>) {
        self.faults.push(Fault::new(path, ErrorCode::WorkflowInvalid, message).nearest(near));
    }
}
