//! Values on their way in: the run's inputs into variables, and variables, outputs and expressions into ports.
//!
//! Trust goes along with every value. It owns the checks on run inputs; it refuses to keep what was not declared.

use cuebook_expr::{Expression, Path, Segment};
use cuebook_prompt::{Trust, Value, Values};
use cuebook_wire::names::nearest;
use cuebook_wire::{ErrorCode, Fault, RunError, VariableType, WorkflowDefinition, WorkflowVariable};
use serde_json::{Map, Value as Json};

use crate::plan::{PlanInput, PlanNode};
use crate::state::RunState;
use crate::trigger::EdgeVerdict;
use crate::verdict::edge_verdict;

/// The run's variables, and the names of inputs that nobody declared.
#[derive(Debug)]
pub struct RunInputs {
    /// One value for each declared variable that has one.
    pub variables: Values,
    /// Inputs that take no part in the run, each with the nearest declared name.
    pub undeclared: Vec<(String, Option<String>)>,
}

/// Binds `given` to the variables that the workflow declares; untagged values get `default` trust.
///
/// # Errors
///
/// A fault for each required variable without value or default, and for each value of the wrong type.
pub fn read_inputs(
    definition: &WorkflowDefinition,
    given: &Map<String, Json>,
    default: Trust,
) -> Result<RunInputs, Vec<Fault>> {
    let mut faults = Vec::new();
    let mut variables = Values::new();
    for variable in &definition.variables {
        match read_input(variable, given.get(&variable.name), default) {
            Ok(None) => {}
            Ok(Some(value)) => drop(variables.insert(variable.name.clone(), value)),
            Err(fault) => faults.push(fault),
        }
    }
    let names = || definition.variables.iter().map(|variable| variable.name.as_str());
    let strangers = given.keys().filter(|key| !names().any(|name| name == key.as_str()));
    let undeclared = strangers.map(|key| (key.clone(), nearest(key, names()).map(str::to_owned))).collect();
    if faults.is_empty() { Ok(RunInputs { variables, undeclared }) } else { Err(faults) }
}

fn read_input(
    variable: &WorkflowVariable,
    given: Option<&Json>,
    default: Trust,
) -> Result<Option<Value>, Fault> {
    let value = match given {
        Some(json) => Value::from_tagged(json.clone(), default),
        None => Value::trusted(Json::Null),
    };
    let value = match (&variable.default_value, value.is_null()) {
        (Some(json), true) => Value::from_tagged(json.clone(), Trust::Trusted),
        _ => value,
    };
    let path = format!("/inputs/{}", variable.name);
    if value.is_null() {
        return if variable.required { Err(missing_input(variable, path)) } else { Ok(None) };
    }
    if !variable.value_type.accepts(value.json()) {
        let got = VariableType::name_of(value.json());
        let message = format!("input '{}' is declared as {}, got {got}", variable.name, variable.value_type);
        return Err(Fault::new(path, ErrorCode::ValidationError, message));
    }
    Ok(Some(value))
}

fn missing_input(variable: &WorkflowVariable, path: String) -> Fault {
    let message = format!("the run needs input '{}' ({})", variable.name, variable.value_type);
    let fault = Fault::new(path, ErrorCode::ValidationError, message);
    match &variable.description {
        Some(description) => fault.hint(description.clone()),
        None => fault,
    }
}

/// Gathers the values at a node's input ports: first what taken edges carry, then what the ports themselves name.
///
/// # Errors
///
/// `validation_error` when a connection or variable that is not optional finds nothing, or an expression has no value.
pub(crate) fn port_values(state: &RunState, node: &PlanNode) -> Result<Values, Box<RunError>> {
    let mut values = Values::new();
    for edge in &node.incoming {
        if let Some((output, input)) = &edge.carries
            && let Some(value) = state.nodes[edge.source].outputs.get(output)
            && edge_verdict(state, edge)? == EdgeVerdict::Taken
        {
            values.insert(input.clone(), value.clone());
        }
    }
    for (port, input) in &node.inputs {
        if let Some(value) = port_value(state, port, input)? {
            values.insert(port.clone(), value);
        }
    }
    Ok(values)
}

impl RunState {
    /// The values that are already known at a node's ports; those that hang on nodes to come are left out.
    pub fn known_port_values(&self, node: usize) -> Values {
        let ports = self.plan.nodes[node].inputs.iter();
        ports.filter_map(|(port, input)| Some((port.clone(), port_value(self, port, input).ok()??))).collect()
    }
}

fn port_value(state: &RunState, port: &str, input: &PlanInput) -> Result<Option<Value>, Box<RunError>> {
    let (found, optional) = match input {
        PlanInput::Static(value) => return Ok(Some(value.clone())),
        PlanInput::Expression(expression) => return evaluate(state, port, expression).map(Some),
        PlanInput::Variable { name, optional } => (state.facts.variables.get(name), optional),
        PlanInput::Connection { node, output, optional } => {
            (state.nodes[*node].outputs.get(output), optional)
        }
    };
    match found {
        None if !optional => Err(Box::new(nothing_found(state, port, input))),
        found => Ok(found.cloned()),
    }
}

fn nothing_found(state: &RunState, port: &str, input: &PlanInput) -> RunError {
    let what = match input {
        PlanInput::Connection { node, output, .. } => no_output(state, *node, output),
        PlanInput::Variable { name, .. } => format!("variable '{name}' has no value"),
        PlanInput::Static(_) | PlanInput::Expression(_) => "there is no value".to_owned(),
    };
    let message = format!("input '{port}': {what}; mark the port \"optional\" if it may stay empty");
    RunError::new(ErrorCode::ValidationError, message)
}

fn no_output(state: &RunState, node: usize, output: &str) -> String {
    let id = &state.plan.nodes[node].id;
    let (phase, outputs) = (state.nodes[node].phase, &state.nodes[node].outputs);
    let near = nearest(output, outputs.keys().map(String::as_str));
    let near = near.map(|near| format!(" (did you mean '{near}'?)")).unwrap_or_default();
    format!("node '{id}' ({}) has no output '{output}'{near}", phase.as_str())
}

fn evaluate(state: &RunState, port: &str, expression: &Expression) -> Result<Value, Box<RunError>> {
    let scope = run_scope(state);
    let json = expression.evaluate(&scope).map_err(|error| {
        let message = format!("input '{port}': {error}\n{}", error.caret());
        Box::new(RunError::new(ErrorCode::ValidationError, message))
    })?;
    Ok(Value::new(json, expression_trust(state, expression)))
}

/// Untrusted when anything that the expression could read is.
fn expression_trust(state: &RunState, expression: &Expression) -> Trust {
    let any =
        |values: &Values| values.values().fold(Trust::Trusted, |trust, value| trust.join(value.trust()));
    expression.paths().iter().fold(Trust::Trusted, |trust, path| {
        trust.join(match leading_names(path).as_slice() {
            ["variables", name, ..] => state.facts.variables.get(*name).map_or(Trust::Trusted, Value::trust),
            ["variables"] => any(&state.facts.variables),
            ["nodes", id, "output", port, ..] => state
                .node_named(id)
                .and_then(|node| node.outputs.get(*port))
                .map_or(Trust::Trusted, Value::trust),
            ["nodes", id, ..] => state.node_named(id).map_or(Trust::Trusted, |node| any(&node.outputs)),
            _ => state.nodes.iter().fold(Trust::Trusted, |trust, node| trust.join(any(&node.outputs))),
        })
    })
}

/// The names that a path begins with: its root, and the keys up to the first index.
pub(crate) fn leading_names(path: &Path) -> Vec<&str> {
    let keys = path.segments().iter().map_while(|segment| match segment {
        Segment::Key(key) => Some(key.as_str()),
        Segment::Index(_) => None,
    });
    std::iter::once(path.root()).chain(keys).collect()
}

/// What every expression of a run can see: `variables` and `nodes`.
pub(crate) fn run_scope(state: &RunState) -> Map<String, Json> {
    let variables = Json::Object(plain(&state.facts.variables));
    let nodes = Json::Object(node_outputs(state));
    Map::from_iter([("variables".to_owned(), variables), ("nodes".to_owned(), nodes)])
}

/// Every ended node as `{output, status}` under its id.
fn node_outputs(state: &RunState) -> Map<String, Json> {
    let ended = state.plan.nodes.iter().zip(&state.nodes).filter(|(_, node)| node.phase.is_ended());
    ended
        .map(|(plan, node)| {
            let facts = serde_json::json!({"output": plain(&node.outputs), "status": node.phase.as_str()});
            (plan.id.to_string(), facts)
        })
        .collect()
}

/// The values without their trust.
pub(crate) fn plain(values: &Values) -> Map<String, Json> {
    values.iter().map(|(name, value)| (name.clone(), value.json().clone())).collect()
}
