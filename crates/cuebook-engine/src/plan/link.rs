//! Linking: from the definition's names to indices and compiled parts.

use std::collections::HashMap;
use std::sync::Arc;

use cuebook_expr::{Condition, ExprError, Expression};
use cuebook_prompt::{ContentHash, Trust, Value};
use cuebook_wire::names::nearest;
use cuebook_wire::pointer::step;
use cuebook_wire::{
    ErrorCode, Fault, NodeId, PortValue, VariableType, WorkflowDefinition, WorkflowEdge, WorkflowNode,
};

use super::{Compiled, Plan, PlanEdge, PlanInput, PlanNode, order, references};
use crate::node_type::NodeType;

/// The root names that an expression at an input port may use.
const INPUT_ROOTS: [&str; 2] = ["variables", "nodes"];

/// The longest timeout of a node, in milliseconds: a year.
const MAX_TIMEOUT_MS: u64 = 31_536_000_000;

pub(super) fn link(definition: WorkflowDefinition) -> Result<Compiled, Vec<Fault>> {
    let mut linker = Linker::new(&definition);
    linker.check_names();
    linker.check_defaults();
    let mut nodes: Vec<PlanNode> =
        definition.nodes.iter().enumerate().map(|(at, node)| linker.node(at, node)).collect();
    for (at, edge) in definition.edges.iter().enumerate() {
        linker.edge(at, edge, &mut nodes);
    }
    let Linker { by_id, mut faults, warnings, .. } = linker;
    faults.extend(order::check(&nodes));
    faults.extend(references::check(&definition, &nodes, &by_id));
    if !faults.is_empty() {
        faults.sort_by_key(|fault| place(&fault.path));
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
        let by_id = definition.nodes.iter().enumerate().map(|(at, node)| (node.id.clone(), at)).collect();
        Self { definition, by_id, faults: Vec::new(), warnings: Vec::new() }
    }

    /// Reports ids and names that are used twice.
    fn check_names(&mut self) {
        let definition = self.definition;
        self.check_unique("node", "/nodes", "id", definition.nodes.iter().map(|node| node.id.as_str()));
        self.check_unique("edge", "/edges", "id", definition.edges.iter().map(|edge| edge.id.as_str()));
        let variables = definition.variables.iter().map(|variable| variable.name.as_str());
        self.check_unique("variable", "/variables", "name", variables);
    }

    /// Reports defaults that are not of their variable's type; null is no default.
    fn check_defaults(&mut self) {
        for (at, variable) in self.definition.variables.iter().enumerate() {
            let Some(default) = variable.default_value.clone() else { continue };
            let default = Value::from_tagged(default, Trust::Trusted);
            if let Some(got) = VariableType::of(default.json())
                && !variable.value_type.accepts(default.json())
            {
                let path = format!("/variables/{at}/defaultValue");
                let (name, declared) = (&variable.name, variable.value_type);
                self.fault(
                    path,
                    format!("'{name}' is declared as {declared}, and its default is of type {got}"),
                );
            }
        }
    }

    fn check_unique<'n>(&mut self, what: &str, list: &str, key: &str, names: impl Iterator<Item = &'n str>) {
        let mut seen = HashMap::new();
        for (at, name) in names.enumerate() {
            if let Some(first) = seen.get(name) {
                let message = format!("'{name}' is also the {key} of {what} {first}");
                self.fault(format!("{list}/{at}/{key}"), message);
            } else {
                seen.insert(name, at);
            }
        }
    }

    fn fault(&mut self, path: String, message: String) {
        self.faults.push(Fault::new(path, ErrorCode::WorkflowInvalid, message));
    }

    fn node(&mut self, at: usize, node: &WorkflowNode) -> PlanNode {
        let path = format!("/nodes/{at}");
        let node_type = self.node_type(&path, node);
        PlanNode {
            id: node.id.clone(),
            type_id: node.type_id.clone(),
            agent_id: text(&node.config, "agentId").map(cuebook_wire::AgentId::new),
            agent: node.agent.clone(),
            incoming: Vec::new(),
            outgoing: Vec::new(),
            inputs: self.inputs(&path, node),
            timeout_ms: self.setting(&path, node, "timeout", MAX_TIMEOUT_MS).filter(|limit| *limit > 0),
            max_retries: self.max_retries(&path, node),
            disabled: node.disabled,
            node_type,
        }
    }

    /// Reads the type and its config; a node with faults stands in as one whose outputs are not known, so that the
    /// rest of the workflow can still be checked.
    fn node_type(&mut self, path: &str, node: &WorkflowNode) -> NodeType {
        match NodeType::read(node, self.definition.id.as_str()) {
            Ok(node_type) => {
                self.doubt_keys(path, node, &node_type);
                node_type
            }
            Err(found) => {
                self.faults.extend(found.into_iter().map(|fault| fault.below(path)));
                NodeType::Identity
            }
        }
    }

    fn doubt_keys(&mut self, path: &str, node: &WorkflowNode, node_type: &NodeType) {
        for (key, near) in node_type.doubtful_keys(&node.config) {
            let message = format!("'{key}' means nothing to '{}'", node.type_id);
            let path = format!("{path}/config{}", step(key));
            let fault = Fault::new(path, ErrorCode::WorkflowInvalid, message);
            self.warnings.push(fault.nearest(Some(near)));
        }
    }

    fn inputs(&mut self, path: &str, node: &WorkflowNode) -> Vec<(String, PlanInput)> {
        let read = |(port, value): (&String, &PortValue)| {
            let value = self.input(&format!("{path}/inputs{}", step(port)), value)?;
            Some((port.clone(), value))
        };
        node.inputs.iter().filter_map(read).collect()
    }

    fn max_retries(&mut self, path: &str, node: &WorkflowNode) -> u32 {
        let own = self.setting(path, node, "maxRetries", u32::MAX.into());
        let own = own.and_then(|count| u32::try_from(count).ok());
        own.or(self.definition.settings.max_retries).unwrap_or(0)
    }

    /// A whole number of the node's own settings, at most `limit`.
    fn setting(&mut self, path: &str, node: &WorkflowNode, key: &str, limit: u64) -> Option<u64> {
        let value = node.settings.get(key).filter(|value| !value.is_null())?;
        let number = value.as_u64().filter(|number| *number <= limit);
        if number.is_none() {
            self.fault(
                format!("{path}/settings/{key}"),
                format!("'{key}' is a whole number from 0 to {limit}"),
            );
        }
        number
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
        for error in errors {
            let message = format!("{error}\n{}", error.caret());
            self.fault(path.to_owned(), message.trim_end().to_owned());
        }
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
            at,
            source,
            rule: edge.trigger_rule,
            condition,
            carries,
        });
    }
}

/// Where a path leads: nodes first, then edges, then the rest, each in the order of the definition.
fn place(path: &str) -> (usize, usize) {
    let mut steps = path.split('/').skip(1);
    let section = steps.next();
    let rank = ["nodes", "edges"].iter().position(|list| section == Some(list)).unwrap_or(2);
    (rank, steps.next().and_then(|index| index.parse().ok()).unwrap_or(usize::MAX))
}

fn text<'a>(config: &'a serde_json::Map<String, serde_json::Value>, key: &str) -> Option<&'a str> {
    config.get(key).and_then(serde_json::Value::as_str)
}
