//! The ids of agents of packs on the wire.
//!
//! It owns the mapping of a pack and an agent into the grammar of agent ids. It refuses to lose anything silently: a name that
//! does not fit as it is ends in `-` and eight hex digits of its hash.

use cuebook_prompt::ContentHash;
use cuebook_wire::AgentId;

/// The id on the wire of an agent of a pack: `local.<the pack's last step>.<agent>`.
///
/// A part that is no lower-case name is made one and ends in `-` and eight hex digits of its hash.
pub fn wire_agent_id(pack: &str, agent: &str) -> AgentId {
    let leaf = pack.rsplit('/').next().unwrap_or(pack);
    AgentId::new(format!("local.{}.{}", segment(leaf), segment(agent)))
}

/// A step of an agent id: a lower-case letter first, then letters, digits, `_` and `-`.
fn segment(name: &str) -> String {
    let is_first = |first: char| first.is_ascii_lowercase();
    let fits = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || matches!(char, '_' | '-');
    if name.starts_with(is_first) && name.chars().all(fits) {
        return name.to_owned();
    }
    let lower = name.chars().map(|char| char.to_ascii_lowercase());
    let lower: String = lower.map(|char| if fits(char) { char } else { '-' }).collect();
    let letter = if lower.starts_with(is_first) { "" } else { "p" };
    let hash = ContentHash::of(name);
    format!("{letter}{lower}-{}", &hash.as_str()["sha256:".len()..][..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pack: &str, agent: &str, begins: &str, is_hashed: bool) {
        let id = wire_agent_id(pack, agent);
        assert_eq!(id.as_str() == begins, !is_hashed, "{id}");
        assert!(id.as_str().starts_with(begins), "{id}");
        let is_step = |step: &str| step.starts_with(|first: char| first.is_ascii_lowercase());
        assert!(id.as_str().split('.').all(is_step) && id.as_str().split('.').count() == 3, "{id}");
    }

    #[test]
    fn ids_are_faithful_or_hashed() {
        check("cuebook/base-pack", "code_reader-2", "local.base-pack.code_reader-2", false);
        check("base", "a", "local.base.a", false);
        check("x/9base", "a", "local.p9base-", true);
        check("x/base", "A.b", "local.base.a-b-", true);
        check("x/base", "\u{e9}", "local.base.p--", true);
        assert_ne!(wire_agent_id("base", "Writer"), wire_agent_id("base", "WRITER"));
    }
}
