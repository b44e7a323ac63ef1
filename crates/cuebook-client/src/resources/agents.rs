//! Owns the inventory of installed agents (RFC 0072 §A). Refuses to be more than a view: agents are run by workflows, and
//! no host shows their prompts here.

use cuebook_wire::AgentId;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::handle;
use crate::call::Call;
use crate::error::ClientError;

/// One installed agent, as far as the host shows it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentEntry {
    /// The agent's id.
    pub agent_id: AgentId,
    /// Its name for people.
    pub persona: Option<String>,
    /// A short label.
    pub label: Option<String>,
    /// One line about it.
    pub description: Option<String>,
    /// The class of model it asks for, an open set.
    pub model_class: Option<String>,
    /// The pack it came with.
    pub pack_name: Option<String>,
    /// That pack's version.
    pub pack_version: Option<String>,
    /// The tools it may call.
    pub tool_allowlist: Option<Vec<String>>,
    /// Whether the shapes of its tasks and results are declared.
    pub has_handoff_schemas: Option<bool>,
    /// The confidence below which its decisions escalate, 0 to 1.
    pub confidence_threshold: Option<f64>,
    /// Every other field, as written.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

#[derive(Deserialize)]
struct Inventory {
    #[serde(alias = "items")]
    agents: Vec<AgentEntry>,
}

handle! {
    /// The inventory of agents.
    Agents
}

impl Agents<'_> {
    /// Every installed agent: `GET /v1/agents`, scope `runs:read`.
    ///
    /// # Errors
    ///
    /// [`ClientError`]: `Api` with status 404 or 501 when the host has no inventory; `Transport`; `Decode`.
    pub async fn list(self) -> Result<Vec<AgentEntry>, ClientError> {
        let inventory: Inventory = self.client.reply(&Call::get("/v1/agents")).await?.json()?;
        Ok(inventory.agents)
    }

    /// One installed agent: `GET /v1/agents/{agentId}`, scope `runs:read`.
    ///
    /// # Errors
    ///
    /// [`ClientError`]: `Api` with status 404 when there is no such agent or no inventory; `Config` for an id that no address
    /// can carry; `Transport`; `Decode`.
    pub async fn get(self, agent: &AgentId) -> Result<AgentEntry, ClientError> {
        self.client.reply(&Call::get("/v1/agents/{agentId}").id(agent)).await?.json()
    }
}
