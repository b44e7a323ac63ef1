//! Linking: from the definition's names to indices and compiled parts.

use std::collections::HashMap;
use std::sync::Arc;

use cuebook_expr::{Condition, ExprError, Expression};
use cuebook_prompt::{ContentHash, Trust, Value};
use cuebook_wire::names::nearest;
use cuebook_wire::{ErrorCode, Fault, NodeId, PortValue, WorkflowDefinition, WorkflowEdge, WorkflowNode};

use super::{Compiled, Plan, PlanEdge, PlanInput, PlanNode, check};
use crate::node_type::NodeType;

/// The root names that an expression at an input port may use.
pub(super) const INPUT_ROOTS: [&str; 2] = ["variables", "nodes"];

pub(super) fn link(definition: WorkflowDefinition) -> Result<Compiled, Vec<Fault>> {
    let mut linker = Linker::new(&definition);
    let mut nodes: Vec<PlanNode> =
        definition.nodes.iter().enumerate().filter_map(|(at, node)| linker.node(at, node)).collect();
    if nodes.len() == definition.nodes.len() {
        for (at, edge) in definition.edges.iter().enumerate() {
            linker.edge(at, edge, &mut nodes);
        }
        check::order(&nodes, &mut linker.faults);
        check::connections(&nodes, &mut linker.faults);
    } else {
        linker.check_edge_ends();
    }
    let Linker { by_id, faults, warnings, .. } = linker;
    if !faults.is_empty() {
        return Err(faults);
    }
    let hash = definition_hash(&definition);
    let plan = Plan { definition: Arc::new(definition), hash, nodes, by_id };
    Ok(Compiled { plan, warnings })
}

fn definition_hash(definition: &WorkflowDefinition) -> ContentHash {
    let json = serde_json::to_value(definition).unwrap_or_default();
    ContentHash::of(&Value::trusted(json).text())
}

struct Linker<'a> {
    definition: &'a WorkflowDefinition,
    by_id: HashMap<NodeId, usize>,
    faults: Vec<Fault>,
    warnings: Vec<Fault>,
}

impl<'a> Linker<'a> {
    fn new(definition: &'a WorkflowDefinition) -> Self {
        let mut linker = Self { definition, by_id: HashMap::new(), faults: Vec::new(), warnings: Vec::new() };
        for (at, node) in definition.nodes.iter().enumerate() {
            if let Some(first) = linker.by_id.insert(node.id.clone(), at) {
                linker.fault(
                    format!("/nodes/{at}/id"),
                    format!("'{}' is also the id of node {first}", node.id),
                );
            }
        }
        linker
    }

    fn fault(&mut self, path: String, message: String) {
        self.faults.push(Fault::new(path, ErrorCode::WorkflowInvalid, message));
    }

    fn node(&mut self, at: usize, node: &WorkflowNode) -> Option<PlanNode> {
        let path = format!("/nodes/{at}");
        let node_type = match NodeType::read(node, self.definition.id.as_str()) {
            Ok(node_type) => node_type,
            Err(found) => {
                self.faults.extend(found.into_iter().map(|fault| fault.below(&path)));
                return None;
            }
        };
        for (key, near) in node_type.doubtful_keys(&node.config) {
            let message = format!("'{key}' means nothing to '{}'", node.type_id);
            let fault = Fault::new(format!("{path}/config/{key}"), ErrorCode::WorkflowInvalid, message);
            self.warnings.push(fault.nearest(Some(near)));
        }
        let inputs = node.inputs.iter().map(|(port, value)| {
            let value = self.input(&format!("{path}/inputs/{port}"), value);
            value.map(|value| (port.clone(), value))
        });
        let inputs = inputs.collect::<Vec<_>>().into_iter().flatten().collect();
        Some(PlanNode {
            id: node.id.clone(),
            type_id: node.type_id.clone(),
            agent_id: text(&node.config, "agentId").map(cuebook_wire::AgentId::new),
            agent: node.agent.clone(),
            incoming: Vec::new(),
            outgoing: Vec::new(),
            inputs,
            timeout_ms: self.setting(&path, node, "timeout"),
            max_retries: self
                .setting(&path, node, "maxRetries")
                .and_then(|count| u32::try_from(count).ok())
                .or(self.definition.settings.max_retries)
                .unwrap_or(0),
            disabled: node.disabled,
            node_type,
        })
    }

    /// A whole number of the node's own settings.
    fn setting(&mut self, path: &str, node: &WorkflowNode, key: &str) -> Option<u64> {
        let value = node.settings.get(key).filter(|value| !value.is_null())?;
        let number = value.as_u64();
        if number.is_none() {
            self.fault(format!("{path}/settings/{key}"), format!("'{key}' is a whole number from 0 on"));
        }
        number.filter(|number| *number > 0 || key != "timeout")
    }

    fn input(&mut self, path: &str, value: &PortValue) -> Option<PlanInput> {
        match value {
            PortValue::Static { value } => {
                Some(PlanInput::Static(Value::from_tagged(value.clone(), Trust::Trusted)))
            }
            PortValue::Expression { expression } => {
                self.expression(path, expression).map(PlanInput::Expression)
            }
            PortValue::Connection { node_id, output_key, optional } => {
                let node = self.find(&format!("{path}/nodeId"), node_id)?;
                Some(PlanInput::Connection { node, output: output_key.clone(), optional: *optional })
            }
            PortValue::Variable { variable_name, optional } => {
                self.check_variable(path, variable_name);
                Some(PlanInput::Variable { name: variable_name.clone(), optional: *optional })
            }
        }
    }

    fn expression(&mut self, path: &str, text: &str) -> Option<Expression> {
        let path = format!("{path}/expression");
        match Expression::parse(text) {
            Ok(expression) => {
                let unknown = expression.check_roots(&INPUT_ROOTS);
                self.expression_faults(&path, unknown);
                Some(expression)
            }
            Err(errors) => {
                self.expression_faults(&path, errors);
                None
            }
        }
    }

    fn expression_faults(&mut self, path: &str, errors: Vec<ExprError>) {
        self.faults.extend(errors.into_iter().map(|error| {
            let fault = Fault::new(path, ErrorCode::WorkflowInvalid, format!("{error}\n{}", error.caret()));
            match error.hint() {
                Some(hint) => fault.hint(hint),
                None => fault,
            }
        }));
    }

    fn check_variable(&mut self, path: &str, name: &str) {
        let names = || self.definition.variables.iter().map(|variable| variable.name.as_str());
        if names().any(|known| known == name) {
            return;
        }
        let message = format!("the workflow declares no variable '{name}'");
        let fault = Fault::new(format!("{path}/variableName"), ErrorCode::WorkflowInvalid, message);
        let near = nearest(name, names());
        self.faults.push(fault.nearest(near));
    }

    fn find(&mut self, path: &str, id: &NodeId) -> Option<usize> {
        if let Some(index) = self.by_id.get(id) {
            return Some(*index);
        }
        let fault = Fault::new(path, ErrorCode::WorkflowInvalid, format!("there is no node '{id}'"));
        let near = nearest(id.as_str(), self.definition.nodes.iter().map(|node| node.id.as_str()));
        self.faults.push(fault.nearest(near));
        None
    }

    fn edge(&mut self, at: usize, edge: &WorkflowEdge, nodes: &mut [PlanNode]) {
        let path = format!("/edges/{at}");
        let source = self.find(&format!("{path}/sourceNodeId"), &edge.source_node_id);
        let target = self.find(&format!("{path}/targetNodeId"), &edge.target_node_id);
        let condition = edge.condition.as_ref().and_then(|condition| {
            Condition::compile(condition)
                .map_err(|errors| self.expression_faults(&format!("{path}/condition"), errors))
                .ok()
        });
        let (Some(source), Some(target)) = (source, target) else { return };
        let output = || edge.source_output.clone().unwrap_or_else(|| "output".to_owned());
        let carries = edge.target_input.clone().map(|input| (output(), input));
        nodes[source].outgoing.push((target, edge.trigger_rule));
        nodes[target].incoming.push(PlanEdge {
            id: edge.id.clone(),
            source,
            rule: edge.trigger_rule,
            condition,
            carries,
        });
    }

    /// Reports edges that lead nowhere when the nodes themselves could not all be read.
    fn check_edge_ends(&mut self) {
        for (at, edge) in self.definition.edges.iter().enumerate() {
            self.find(&format!("/edges/{at}/sourceNodeId"), &edge.source_node_id);
            self.find(&format!("/edges/{at}/targetNodeId"), &edge.target_node_id);
        }
    }
}

fn text<'a>(config: &'a serde_json::Map<String, serde_json::Value>, key: &str) -> Option<&'a str> {
    config.get(key).and_then(serde_json::Value::as_str)
}
