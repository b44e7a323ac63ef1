//! Agents as the chain sees them: a manifest, its own text, and its library's defaults.

use std::collections::BTreeMap;
use std::sync::Arc;

use cuebook_wire::{AgentId, AgentManifest, PromptKind, PromptRefs};

use crate::hash::ContentHash;
use crate::pinned::{Pinned, SharedPin, StaticPlace};
use crate::principal::Principal;

/// A known agent, ready for layer 2 of the chain.
#[derive(Clone, Debug)]
pub struct AgentBinding {
    /// The manifest as read.
    pub manifest: Arc<AgentManifest>,
    /// Its own system prompt (`systemPrompt` or the file of `systemPromptRef`), fixed under a synthetic ref.
    pub intrinsic: Option<SharedPin>,
    /// What `promptLibraryRef` leads to.
    pub library: LibraryDefaults,
}

/// The fallback prompts of an agent's library.
#[derive(Clone, Debug, Default)]
#[expect(clippy::large_enum_variant, reason = "there is one for each agent, and it stays where it is")]
pub enum LibraryDefaults {
    /// The manifest names no library.
    #[default]
    NotNamed,
    /// The manifest names a library that this host does not have.
    NotInstalled,
    /// The defaults that the library has.
    Installed(PromptRefs),
}

/// The hashes of agents' own prompts: an empty one for an agent without any, and no entry for one that nobody knows.
pub type IntrinsicHashes = BTreeMap<AgentId, Option<ContentHash>>;

/// Who the agents are.
pub trait Agents: Send + Sync {
    /// The agent called `id`, if `principal` knows it.
    fn binding(&self, principal: &Principal, id: &AgentId) -> Option<Arc<AgentBinding>>;
}

/// Fixes the intrinsic prompt of `agent`; `name` is the file's path, or says which field holds the text.
pub fn pin_intrinsic(agent: &AgentId, name: &str, text: &str, place: StaticPlace) -> Pinned {
    Pinned::fixed(intrinsic_reference(agent), PromptKind::System, name, text, place)
}

/// The synthetic ref of an agent's intrinsic prompt: `prompt:agent-intrinsic.<agent id>`.
///
/// An id that does not survive lower-casing and the id grammar ends in `-` and eight hex digits of its hash.
pub fn intrinsic_reference(agent: &AgentId) -> String {
    format!("prompt:{}", synthetic_id("agent-intrinsic.", agent.as_str()))
}

/// Maps `name` into the template id grammar behind `prefix`, visibly and without collisions.
pub fn synthetic_id(prefix: &str, name: &str) -> String {
    const MAX: usize = 128;
    const TAIL: usize = 9;
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-');
    let mapped: String =
        name.chars().map(|c| c.to_ascii_lowercase()).map(|c| if fits(c) { c } else { '-' }).collect();
    if mapped == name && prefix.len() + name.len() <= MAX {
        return format!("{prefix}{name}");
    }
    let hash = ContentHash::of(name);
    let digits = &hash.as_str()["sha256:".len()..][..TAIL - 1];
    let room = MAX - prefix.len() - TAIL;
    format!("{prefix}{}-{digits}", &mapped[..mapped.len().min(room)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synthetic_ids_are_faithful_or_hashed() {
        assert_eq!(
            synthetic_id("agent-intrinsic.", "local.news.writer"),
            "agent-intrinsic.local.news.writer"
        );
        let upper = synthetic_id("agent-intrinsic.", "core.Pack.Writer");
        assert!(upper.starts_with("agent-intrinsic.core.pack.writer-"), "{upper}");
        assert_ne!(upper, synthetic_id("agent-intrinsic.", "core.pack.Writer"));
        let long = synthetic_id("agent-intrinsic.", &"a".repeat(300));
        assert_eq!(long.len(), 128);
        assert!(cuebook_wire::TemplateId::parse(&long).is_ok());
        assert!(cuebook_wire::TemplateId::parse(&synthetic_id("project.", "ä/ö")).is_ok());
    }
}
