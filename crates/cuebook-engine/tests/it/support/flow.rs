//! Workflows in few words.

use cuebook_engine::{Compiled, Plan};
use cuebook_wire::{Fault, WorkflowDefinition, strict};
use serde_json::{Value, json};

/// A workflow under construction.
#[derive(Clone, Debug)]
pub(crate) struct Flow(Value);

impl Flow {
    pub(crate) fn new(id: &str) -> Self {
        Self(json!({
            "id": id, "name": "A test", "version": "1.0", "nodes": [], "edges": [], "triggers": [],
            "variables": [], "metadata": {}, "settings": {},
        }))
    }

    /// Adds a node; `more` holds `config`, `inputs`, `settings` and the like.
    pub(crate) fn node(mut self, id: &str, type_id: &str, more: Value) -> Self {
        let mut node = json!({
            "id": id, "typeId": type_id, "name": id, "position": {"x": 0, "y": 0}, "config": {}, "inputs": {},
        });
        merge(&mut node, more);
        self.list("nodes").push(node);
        self
    }

    /// Adds a node that does nothing.
    pub(crate) fn noop(self, id: &str) -> Self {
        self.node(id, "core.noop", json!({}))
    }

    /// Adds a node that fails.
    pub(crate) fn fail(self, id: &str) -> Self {
        self.node(id, "core.fail", json!({}))
    }

    /// Adds a node that waits.
    pub(crate) fn delay(self, id: &str, millis: u64) -> Self {
        self.node(id, "core.delay", json!({"inputs": {"delayMs": {"type": "static", "value": millis}}}))
    }

    /// Adds a node that calls a model with the user prompt `text`.
    pub(crate) fn ask(self, id: &str, text: &str) -> Self {
        self.node(id, "core.ai.callPrompt", json!({"config": {"userPrompt": text}}))
    }

    /// Adds an edge called `from-to`.
    pub(crate) fn edge(self, from: &str, to: &str) -> Self {
        self.edge_with(from, to, json!({}))
    }

    /// Adds an edge with a trigger rule.
    pub(crate) fn rule(self, from: &str, to: &str, rule: &str) -> Self {
        self.edge_with(from, to, json!({"triggerRule": rule}))
    }

    /// Adds an edge; `more` holds `condition`, `triggerRule` and the like.
    pub(crate) fn edge_with(mut self, from: &str, to: &str, more: Value) -> Self {
        let mut edge = json!({"id": format!("{from}-{to}"), "sourceNodeId": from, "targetNodeId": to});
        merge(&mut edge, more);
        self.list("edges").push(edge);
        self
    }

    /// Declares a variable; `more` holds `required`, `defaultValue` and the like.
    pub(crate) fn variable(mut self, name: &str, value_type: &str, more: Value) -> Self {
        let mut variable = json!({"name": name, "type": value_type});
        merge(&mut variable, more);
        self.list("variables").push(variable);
        self
    }

    /// Sets members of the workflow itself.
    pub(crate) fn with(mut self, more: Value) -> Self {
        merge(&mut self.0, more);
        self
    }

    /// Reads the workflow.
    pub(crate) fn definition(&self) -> WorkflowDefinition {
        strict::read(&self.0).unwrap_or_else(|faults| panic!("{}", report(&faults)))
    }

    /// Compiles the workflow.
    pub(crate) fn compile(&self) -> Result<Compiled, Vec<Fault>> {
        Plan::compile(self.definition())
    }

    /// The plan of a workflow that has no faults.
    #[track_caller]
    pub(crate) fn plan(&self) -> Plan {
        self.compile().unwrap_or_else(|faults| panic!("{}", report(&faults))).plan
    }

    fn list(&mut self, key: &str) -> &mut Vec<Value> {
        self.0[key].as_array_mut().unwrap()
    }
}

impl From<Value> for Flow {
    fn from(document: Value) -> Self {
        Self(document)
    }
}

fn merge(target: &mut Value, more: Value) {
    let Value::Object(more) = more else { panic!("{more} is no object") };
    target.as_object_mut().unwrap().extend(more);
}

/// Faults as a person reads them.
pub(crate) fn report(faults: &[Fault]) -> String {
    let lines: Vec<String> = faults.iter().map(|fault| format!("[{}] {fault}", fault.code)).collect();
    lines.join("\n")
}
