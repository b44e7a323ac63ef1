//! The resolution chain: which ref applies to a node and kind, and why not the others (RFC 0029 §A).
//!
//! Pure: it reads what it is given and dereferences nothing. Layers in order: run-configurable (when the host honours
//! it), node, agent, workflow defaults, host defaults; the first candidate wins.

use cuebook_wire::payload::{AgentPromptResolved, ChainEntry, ChainLayer};
use cuebook_wire::{AgentId, ErrorCode, NodeId, PromptKind, PromptRef, PromptRefs};

use crate::agents::{AgentBinding, LibraryDefaults};
use crate::node_prompts::NodePrompts;
use crate::pinned::SharedPin;

/// Everything that the chain is decided from.
#[derive(Clone, Copy, Debug)]
pub struct ChainInput<'a> {
    /// Layer 1: the node's config.
    pub node: &'a NodePrompts,
    /// Layer 2: the agent bound by `config.agentId`.
    pub agent: AgentLayer<'a>,
    /// Layer 3: the workflow's `defaults.promptRefs`.
    pub workflow: &'a PromptRefs,
    /// Layer 4: the host's defaults.
    pub host: &'a PromptRefs,
    /// The optional top layer, `configurable.promptOverrides`; `None` when the host does not honour it.
    pub run: Option<&'a PromptRefs>,
}

/// What layer 2 stands on.
#[derive(Clone, Copy, Debug)]
pub enum AgentLayer<'a> {
    /// The node names no agent.
    Unbound,
    /// This host does not bind agents (`agentBindings` is false).
    Off,
    /// The node names an agent that nobody knows.
    Unknown(&'a AgentId),
    /// The node names this agent.
    Bound(&'a AgentBinding),
}

/// The answer for one kind (and, for few-shot, one slot).
#[derive(Clone, Debug)]
pub struct Resolution {
    /// The kind asked about.
    pub kind: PromptKind,
    /// The slot within few-shot; 0 for the other kinds.
    pub slot: usize,
    /// The agent, when the node binds a known one.
    pub agent_id: Option<AgentId>,
    /// One entry a layer, in order of precedence.
    pub chain: Vec<ChainEntry>,
    /// What won.
    pub winner: Option<Winner>,
    /// Whether layer 2 came to a library that is not installed.
    pub library_missing: bool,
}

/// What a layer offers.
#[derive(Clone, Debug)]
pub enum Winner {
    /// A ref, with the layer it stands in.
    Ref(PromptRef, ChainLayer),
    /// The agent's own text.
    Intrinsic(SharedPin),
}

impl Winner {
    /// The stringy form of what is offered, as the chain shows it.
    pub fn source(&self) -> String {
        match self {
            Self::Ref(reference, _) => reference.to_string(),
            Self::Intrinsic(pinned) => pinned.reference.clone(),
        }
    }
}

/// A layer's say: a candidate, or why there is none.
struct Offer {
    layer: ChainLayer,
    candidate: Option<Winner>,
    reason: Option<String>,
}

impl Offer {
    fn reference(layer: ChainLayer, candidate: Option<&PromptRef>) -> Self {
        let candidate = candidate.map(|reference| Winner::Ref(reference.clone(), layer));
        Self { layer, candidate, reason: None }
    }

    fn none(layer: ChainLayer, reason: impl Into<String>) -> Self {
        Self { layer, candidate: None, reason: Some(reason.into()) }
    }
}

/// Resolves every kind that has a candidate or a key of its own, in the order system, schema-hint, few-shot, user.
pub fn resolve(input: &ChainInput<'_>) -> Vec<Resolution> {
    let slots = input.node.few_shot.len().max(1);
    let asked = [
        (PromptKind::System, 1),
        (PromptKind::SchemaHint, 1),
        (PromptKind::FewShot, slots),
        (PromptKind::User, 1),
    ];
    asked
        .into_iter()
        .flat_map(|(kind, slots)| (0..slots).map(move |slot| (kind, slot)))
        .map(|(kind, slot)| resolve_slot(input, kind, slot))
        .filter(|resolution| is_of_interest(input, resolution))
        .collect()
}

fn is_of_interest(input: &ChainInput<'_>, resolution: &Resolution) -> bool {
    input.node.inline(resolution.kind).is_some()
        || resolution.chain.iter().any(|entry| entry.source.is_some())
}

fn resolve_slot(input: &ChainInput<'_>, kind: PromptKind, slot: usize) -> Resolution {
    let inline = input.node.inline(kind).is_some() && input.node.candidate(kind, slot).is_none();
    let mut library_missing = false;
    let offers = offers(input, kind, slot, &mut library_missing);
    let mut winner: Option<Winner> = None;
    let mut superseded_by: Option<String> = None;
    let mut chain = Vec::with_capacity(offers.len());
    for offer in offers {
        let own_inline = inline && offer.layer == ChainLayer::Node;
        let reason = match (&superseded_by, &offer.candidate) {
            _ if own_inline && superseded_by.is_none() => Some("inline body".to_owned()),
            (Some(by), Some(_)) => Some(format!("superseded by {by}")),
            (None, Some(_)) => None,
            (Some(by), None) if inline => Some(format!("superseded by {by}")),
            (_, None) => Some(offer.reason.unwrap_or_else(|| "no candidate at this layer".to_owned())),
        };
        let applied = reason.is_none();
        let source = offer.candidate.as_ref().map(Winner::source);
        if own_inline {
            superseded_by.get_or_insert_with(|| "inline body".to_owned());
        } else if applied {
            superseded_by = Some(format!("{} layer", layer_title(offer.layer)));
            winner = offer.candidate;
        }
        chain.push(ChainEntry { layer: offer.layer, source, applied, reason });
    }
    let agent_id = match input.agent {
        AgentLayer::Bound(binding) => Some(binding.manifest.agent_id.clone()),
        _ => None,
    };
    Resolution { kind, slot, agent_id, chain, winner, library_missing }
}

/// The layers from the highest precedence to the lowest, each with its say.
fn offers(input: &ChainInput<'_>, kind: PromptKind, slot: usize, library_missing: &mut bool) -> Vec<Offer> {
    let first = slot == 0;
    let below = |layer, refs: &PromptRefs| match first {
        true => Offer::reference(layer, refs.get(kind)),
        false => Offer::none(layer, "a lower layer fills the first few-shot slot only"),
    };
    let mut offers = Vec::with_capacity(5);
    offers.extend(input.run.map(|refs| below(ChainLayer::RunConfigurable, refs)));
    offers.push(Offer::reference(ChainLayer::Node, input.node.candidate(kind, slot)));
    offers.push(match first {
        true => agent_offer(input, kind, library_missing),
        false => Offer::none(ChainLayer::AgentOverrides, "a lower layer fills the first few-shot slot only"),
    });
    offers.push(below(ChainLayer::WorkflowDefaults, input.workflow));
    offers.push(below(ChainLayer::HostDefaults, input.host));
    offers
}

fn agent_offer(input: &ChainInput<'_>, kind: PromptKind, library_missing: &mut bool) -> Offer {
    let label =
        if kind == PromptKind::System { ChainLayer::AgentIntrinsic } else { ChainLayer::AgentOverrides };
    match input.agent {
        AgentLayer::Unbound => Offer::none(label, "no agent bound"),
        AgentLayer::Off => Offer::none(label, "this host does not bind agents"),
        AgentLayer::Unknown(id) => Offer::none(label, format!("agentId unresolved: '{id}'")),
        AgentLayer::Bound(binding) => bound_offer(binding, kind, library_missing)
            .unwrap_or_else(|| Offer::none(label, "no candidate at this layer")),
    }
}

fn bound_offer(binding: &AgentBinding, kind: PromptKind, library_missing: &mut bool) -> Option<Offer> {
    if kind == PromptKind::System
        && let Some(intrinsic) = &binding.intrinsic
    {
        let candidate = Some(Winner::Intrinsic(intrinsic.clone()));
        return Some(Offer { layer: ChainLayer::AgentIntrinsic, candidate, reason: None });
    }
    if let Some(reference) = binding.manifest.prompt_overrides.get(kind) {
        return Some(Offer::reference(ChainLayer::AgentOverrides, Some(reference)));
    }
    match &binding.library {
        LibraryDefaults::NotNamed => None,
        LibraryDefaults::NotInstalled => {
            *library_missing = true;
            Some(Offer::none(ChainLayer::AgentLibraryDefault, "the agent's library is not installed"))
        }
        LibraryDefaults::Installed(refs) => {
            Some(Offer::reference(ChainLayer::AgentLibraryDefault, refs.get(kind)))
        }
    }
}

/// The name of a layer in reasons and on the page: the node's is `node-config`, as in RFC 0029 §D.
pub fn layer_title(layer: ChainLayer) -> &'static str {
    match layer {
        ChainLayer::Node => "node-config",
        other => other.as_str(),
    }
}

impl Resolution {
    /// The payload of `agent.promptResolved`.
    pub fn to_payload(&self, node_id: &NodeId) -> AgentPromptResolved {
        AgentPromptResolved {
            node_id: node_id.clone(),
            kind: self.kind,
            agent_id: self.agent_id.clone(),
            chain: self.chain.clone(),
            resolved: self.winner.as_ref().map(Winner::source),
            causation_host_id: None,
        }
    }
}

/// A fact worth a `log.appended` warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The stable code.
    pub code: ErrorCode,
    /// The sentence.
    pub message: String,
}

/// The warnings that the chain itself gives rise to, each at most once.
pub fn warnings(input: &ChainInput<'_>, resolutions: &[Resolution]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let superseded: Vec<&str> = input.node.superseded_inline().map(PromptKind::as_str).collect();
    if !superseded.is_empty() {
        let message =
            format!("both a ref and an inline body are given ({}): the ref is used", superseded.join(", "));
        warnings.push(Warning { code: ErrorCode::PromptRefSupersedesInline, message });
    }
    if let AgentLayer::Unknown(id) = input.agent {
        let message = format!("no agent is called '{id}': the agent layer is skipped");
        warnings.push(Warning { code: ErrorCode::AgentBindingUnresolvable, message });
    }
    if let AgentLayer::Bound(binding) = input.agent
        && resolutions.iter().any(|resolution| resolution.library_missing)
    {
        let library =
            binding.manifest.prompt_library_ref.as_ref().map(ToString::to_string).unwrap_or_default();
        let message =
            format!("the library '{library}' of agent '{}' is not installed", binding.manifest.agent_id);
        warnings.push(Warning { code: ErrorCode::AgentLibraryUnresolvable, message });
    }
    warnings
}
