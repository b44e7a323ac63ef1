//! The resolution chain: which ref applies to a node and kind, and why not the others (RFC 0029 §A).
//!
//! Pure: it reads what it is given and dereferences nothing. Layers in order: run-configurable (when the host honours
//! it), node, agent, workflow defaults, host defaults; the first candidate wins.

use std::sync::Arc;

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

/// What stands at a layer when its ref is the only one and another few-shot slot is asked about.
const FIRST_SLOT_ONLY: &str = "one ref fills the first few-shot slot only";

const NO_CANDIDATE: &str = "no candidate at this layer";

/// What stands at the layers of defaults when the node takes none.
const NO_DEFAULTS: &str = "the node takes no defaults";

/// A layer's say.
struct Offer {
    layer: ChainLayer,
    say: Say,
}

enum Say {
    /// The layer has a candidate.
    Candidate(Winner),
    /// The layer has a text without a ref, which is nobody's candidate but keeps lower layers out.
    InlineBody,
    /// The layer has nothing, and this is why.
    Nothing(String),
}

impl Offer {
    fn reference(layer: ChainLayer, candidate: Option<&PromptRef>) -> Self {
        match candidate {
            Some(reference) => Self { layer, say: Say::Candidate(Winner::Ref(reference.clone(), layer)) },
            None => Self::nothing(layer, NO_CANDIDATE),
        }
    }

    fn nothing(layer: ChainLayer, reason: impl Into<String>) -> Self {
        Self { layer, say: Say::Nothing(reason.into()) }
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

/// Resolves one kind, or one few-shot slot, whether or not any layer has a candidate.
pub fn resolve_slot(input: &ChainInput<'_>, kind: PromptKind, slot: usize) -> Resolution {
    let mut walk = Walk::default();
    for offer in offers(input, kind, slot) {
        walk.take(offer);
    }
    let agent_id = match input.agent {
        AgentLayer::Bound(binding) => Some(binding.manifest.agent_id.clone()),
        AgentLayer::Unbound | AgentLayer::Off | AgentLayer::Unknown(_) => None,
    };
    Resolution { kind, slot, agent_id, chain: walk.chain, winner: walk.winner }
}

/// A walk down the layers: the first candidate or inline body settles the matter.
#[derive(Default)]
struct Walk {
    chain: Vec<ChainEntry>,
    winner: Option<Winner>,
    settled: Option<Settled>,
}

#[derive(Clone, Copy)]
enum Settled {
    By(ChainLayer),
    ByInlineBody,
}

impl Walk {
    fn take(&mut self, Offer { layer, say }: Offer) {
        let reason = self.reason(&say);
        let source = match &say {
            Say::Candidate(candidate) => Some(candidate.source()),
            Say::InlineBody | Say::Nothing(_) => None,
        };
        self.chain.push(ChainEntry { layer, source, applied: reason.is_none(), reason });
        match say {
            _ if self.settled.is_some() => {}
            Say::Candidate(candidate) => {
                self.settled = Some(Settled::By(layer));
                self.winner = Some(candidate);
            }
            Say::InlineBody => self.settled = Some(Settled::ByInlineBody),
            Say::Nothing(_) => {}
        }
    }

    /// Why a layer is not applied; `None` for the one that is.
    fn reason(&self, say: &Say) -> Option<String> {
        match (self.settled, say) {
            (None, Say::Candidate(_)) => None,
            (None, Say::InlineBody) => Some("inline body".to_owned()),
            (Some(Settled::ByInlineBody), _) => Some("superseded by inline body".to_owned()),
            (_, Say::Nothing(reason)) => Some(reason.clone()),
            (Some(Settled::By(layer)), _) => Some(format!("superseded by {} layer", layer_title(layer))),
        }
    }
}

/// The layers from the highest precedence to the lowest, each with its say.
fn offers(input: &ChainInput<'_>, kind: PromptKind, slot: usize) -> Vec<Offer> {
    let first = slot == 0;
    let single = |layer, refs: &PromptRefs| {
        if first { Offer::reference(layer, refs.get(kind)) } else { Offer::nothing(layer, FIRST_SLOT_ONLY) }
    };
    let default = |layer, refs: &PromptRefs| {
        if input.node.refuses_defaults { Offer::nothing(layer, NO_DEFAULTS) } else { single(layer, refs) }
    };
    let agent = if first {
        agent_offer(input.agent, kind)
    } else {
        Offer::nothing(ChainLayer::AgentOverrides, FIRST_SLOT_ONLY)
    };
    let mut offers = Vec::with_capacity(5);
    offers.extend(input.run.map(|refs| single(ChainLayer::RunConfigurable, refs)));
    offers.push(node_offer(input.node, kind, slot));
    offers.push(agent);
    offers.push(default(ChainLayer::WorkflowDefaults, input.workflow));
    offers.push(default(ChainLayer::HostDefaults, input.host));
    offers
}

fn node_offer(node: &NodePrompts, kind: PromptKind, slot: usize) -> Offer {
    match node.candidate(kind, slot) {
        None if node.inline(kind).is_some() => Offer { layer: ChainLayer::Node, say: Say::InlineBody },
        candidate => Offer::reference(ChainLayer::Node, candidate),
    }
}

fn agent_offer(agent: AgentLayer<'_>, kind: PromptKind) -> Offer {
    let label = match kind {
        PromptKind::System => ChainLayer::AgentIntrinsic,
        PromptKind::User | PromptKind::FewShot | PromptKind::SchemaHint => ChainLayer::AgentOverrides,
    };
    match agent {
        AgentLayer::Unbound => Offer::nothing(label, "no agent bound"),
        AgentLayer::Off => Offer::nothing(label, "this host does not bind agents"),
        AgentLayer::Unknown(id) => Offer::nothing(label, format!("agentId unresolved: '{id}'")),
        AgentLayer::Bound(binding) => {
            bound_offer(binding, kind).unwrap_or_else(|| Offer::nothing(label, NO_CANDIDATE))
        }
    }
}

/// What a known agent offers: its own text, else its override, else its library's default.
fn bound_offer(binding: &AgentBinding, kind: PromptKind) -> Option<Offer> {
    if let Some(intrinsic) = binding.intrinsic.as_ref().filter(|_| kind == PromptKind::System) {
        let say = Say::Candidate(Winner::Intrinsic(Arc::clone(intrinsic)));
        return Some(Offer { layer: ChainLayer::AgentIntrinsic, say });
    }
    if let Some(reference) = binding.manifest.prompt_overrides.get(kind) {
        return Some(Offer::reference(ChainLayer::AgentOverrides, Some(reference)));
    }
    let layer = ChainLayer::AgentLibraryDefault;
    match &binding.library {
        LibraryDefaults::NotNamed => None,
        LibraryDefaults::NotInstalled => Some(Offer::nothing(layer, "the agent's library is not installed")),
        LibraryDefaults::Installed(refs) => Some(Offer::reference(layer, refs.get(kind))),
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
pub fn warnings(input: &ChainInput<'_>) -> Vec<Warning> {
    let agent = match input.agent {
        AgentLayer::Unknown(id) => Some(unknown_agent(id)),
        AgentLayer::Bound(binding) => missing_library(input, binding),
        AgentLayer::Unbound | AgentLayer::Off => None,
    };
    superseded_inline(input.node).into_iter().chain(agent).collect()
}

fn superseded_inline(node: &NodePrompts) -> Option<Warning> {
    let kinds: Vec<&str> = node.superseded_inline().map(PromptKind::as_str).collect();
    let message = format!("both a ref and an inline body are given ({}): the ref is used", kinds.join(", "));
    (!kinds.is_empty()).then_some(Warning { code: ErrorCode::PromptRefSupersedesInline, message })
}

fn unknown_agent(id: &AgentId) -> Warning {
    let message = format!("no agent is called '{id}': the agent layer is skipped");
    Warning { code: ErrorCode::AgentBindingUnresolvable, message }
}

fn missing_library(input: &ChainInput<'_>, binding: &AgentBinding) -> Option<Warning> {
    let LibraryDefaults::NotInstalled = binding.library else { return None };
    if !PromptKind::ALL.into_iter().any(|kind| reaches_library(input, binding, kind)) {
        return None;
    }
    let library = binding.manifest.prompt_library_ref.as_ref().map(ToString::to_string).unwrap_or_default();
    let message =
        format!("the library '{library}' of agent '{}' is not installed", binding.manifest.agent_id);
    Some(Warning { code: ErrorCode::AgentLibraryUnresolvable, message })
}

/// Whether the walk for `kind` comes to the agent's library: nothing above the agent settles it, and the agent has nothing
/// of its own. A system prompt is always asked for, other kinds only where they are of interest.
fn reaches_library(input: &ChainInput<'_>, binding: &AgentBinding, kind: PromptKind) -> bool {
    let is_asked = kind == PromptKind::System || is_of_interest(input, &resolve_slot(input, kind, 0));
    let is_settled = input.run.is_some_and(|refs| refs.get(kind).is_some())
        || input.node.candidate(kind, 0).is_some()
        || input.node.inline(kind).is_some();
    let has_own = (kind == PromptKind::System && binding.intrinsic.is_some())
        || binding.manifest.prompt_overrides.get(kind).is_some();
    is_asked && !is_settled && !has_own
}
