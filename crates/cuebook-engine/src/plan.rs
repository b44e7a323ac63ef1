//! A workflow made ready to run: types read, edges linked, expressions compiled, everything checked.
//!
//! It owns what is wrong with a workflow as a whole; all of it is reported at once. It refuses to start anything.

mod link;
mod order;
mod references;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use cuebook_expr::{Condition, Expression};
use cuebook_prompt::{ContentHash, Value};
use cuebook_wire::{AgentId, AgentRef, Fault, NodeId, TriggerRule, WorkflowDefinition};

use crate::node_type::NodeType;

/// A workflow ready to run; shared, never changed.
#[derive(Debug)]
pub struct Plan {
    /// The definition as written.
    pub definition: Arc<WorkflowDefinition>,
    /// The hash of the definition's canonical JSON.
    pub hash: ContentHash,
    /// The nodes in the order of the definition.
    pub nodes: Vec<PlanNode>,
    by_id: HashMap<NodeId, usize>,
}

/// A node ready to run.
#[derive(Debug)]
pub struct PlanNode {
    /// The node's id.
    pub id: NodeId,
    /// What it does.
    pub node_type: NodeType,
    /// The id of that type.
    pub type_id: String,
    /// `config.agentId`: whose prompts it uses.
    pub agent_id: Option<AgentId>,
    /// `node.agent`: who it runs as.
    pub agent: Option<AgentRef>,
    /// The edges that lead here.
    pub incoming: Vec<PlanEdge>,
    /// The nodes that edges lead to from here, by index, and the rules of those edges.
    pub outgoing: Vec<(usize, TriggerRule)>,
    /// The input ports.
    pub inputs: Vec<(String, PlanInput)>,
    /// The longest one attempt may take, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// How often a failed attempt is repeated when the failure may pass.
    pub max_retries: u32,
    /// Whether the node is switched off.
    pub disabled: bool,
}

/// An edge from its target's side.
#[derive(Debug)]
pub struct PlanEdge {
    /// The edge's id.
    pub id: String,
    /// Its place in the definition's list of edges.
    pub at: usize,
    /// The source node, by index.
    pub source: usize,
    /// When the target may start.
    pub rule: TriggerRule,
    /// What must hold of the source's result.
    pub condition: Option<Condition>,
    /// The source port and the target port that the edge carries a value between, when it names a target port.
    pub carries: Option<(String, String)>,
}

/// Where an input port gets its value from.
#[derive(Debug)]
pub enum PlanInput {
    /// The workflow itself.
    Static(Value),
    /// An expression over `variables` and `nodes`.
    Expression(Expression),
    /// An output of an earlier node, by index.
    Connection {
        /// The node.
        node: usize,
        /// Its output port.
        output: String,
        /// Whether the port may stay empty.
        optional: bool,
    },
    /// A variable of the run.
    Variable {
        /// The variable.
        name: String,
        /// Whether the port may stay empty.
        optional: bool,
    },
}

/// A plan and what is doubtful about it.
#[derive(Debug)]
pub struct Compiled {
    /// The plan.
    pub plan: Plan,
    /// Doubts with paths into the definition; none of them stops a run.
    pub warnings: Vec<Fault>,
}

impl Plan {
    /// Compiles a definition.
    ///
    /// # Errors
    ///
    /// Every fault with its path: ids and names used twice, edges and connections that lead nowhere, cycles, unknown node
    /// types, bad configs, settings, defaults, refs, expressions and conditions, and what reads a variable that is not declared, a
    /// node that does not come before, or an output that its node never has.
    pub fn compile(definition: WorkflowDefinition) -> Result<Compiled, Vec<Fault>> {
        link::link(definition)
    }

    /// The index of a node.
    pub fn index(&self, id: &NodeId) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The agents whose prompts nodes use.
    pub fn agents(&self) -> BTreeSet<&AgentId> {
        self.nodes.iter().filter_map(|node| node.agent_id.as_ref()).collect()
    }

    /// Whether any node goes through the prompt pipeline.
    pub fn takes_prompts(&self) -> bool {
        self.nodes.iter().any(|node| node.node_type.takes_prompts())
    }

    /// Whether a failure of the node leaves the run going because an edge takes care of it.
    pub fn handles_failure(&self, node: usize) -> bool {
        self.nodes[node].outgoing.iter().any(|(_, rule)| crate::trigger::handles_failure(*rule))
    }
}
