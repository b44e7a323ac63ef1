//! Where the values of variables come from: a node's ports and run, or a caller's map.

use cuebook_template::Value;
use cuebook_wire::VariableSource;
use indexmap::IndexMap;

/// Named values, each with its trust.
pub type Values = IndexMap<String, Value>;

/// The context facts that a run offers, by name.
pub const CONTEXT_KEYS: [&str; 7] =
    ["runId", "workflowId", "workflowName", "nodeId", "currentUserId", "tenantId", "now"];

/// The values that one composition can draw on.
#[derive(Clone, Debug)]
pub enum Scope {
    /// A node of a run: each source has its own names.
    Node {
        /// The node's input ports.
        inputs: Values,
        /// The run's variables.
        variables: Values,
        /// The facts of [`CONTEXT_KEYS`].
        context: Values,
    },
    /// A preview: the caller supplies a value by variable name, whatever its source.
    Supplied(Values),
}

impl Scope {
    /// The value called `name` in `source`; `None` when there is none or it is JSON null.
    pub fn value(&self, source: VariableSource, name: &str) -> Option<&Value> {
        self.values(source).get(name).filter(|value| !value.is_null())
    }

    /// As [`Self::value`]; found at once where it stands at the place `at`, as values often come in the order in which they
    /// are declared.
    pub(crate) fn value_near(&self, at: usize, source: VariableSource, name: &str) -> Option<&Value> {
        match self.values(source).get_index(at) {
            Some((found, value)) if found == name => Some(value).filter(|value| !value.is_null()),
            _ => self.value(source, name),
        }
    }

    /// The names that `source` has, for a helpful message.
    pub fn names(&self, source: VariableSource) -> impl Iterator<Item = &str> {
        self.values(source).keys().map(String::as_str)
    }

    fn values(&self, source: VariableSource) -> &Values {
        match self {
            Self::Supplied(values) => values,
            Self::Node { inputs, variables, context } => match source {
                VariableSource::Input | VariableSource::Secret => inputs,
                VariableSource::Variable => variables,
                VariableSource::Context => context,
            },
        }
    }
}
