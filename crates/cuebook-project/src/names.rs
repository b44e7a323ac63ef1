//! The names under which a project's things go by on the wire.
//!
//! It owns the mapping of slugs and paths into the grammars of ids. It refuses to lose anything silently: a name that does not
//! fit as it is ends in `-` and eight hex digits of its hash.

use cuebook_prompt::{ContentHash, synthetic_id};

/// The prefix of the refs of project files.
pub const PREFIX: &str = "project.";

/// The name of the agent at the root of a project.
pub const PRIMARY: &str = "primary";

/// The template id of a prompt: `project.<slug>.<field path>`.
pub fn template_id(slug: &str, field: &str) -> String {
    synthetic_id(PREFIX, &format!("{slug}.{field}"))
}

/// The id of an agent: `local.<slug>.<path>`, the root's path being `primary`.
pub fn agent_id(slug: &str, path: &str) -> String {
    let steps = path.split('.').map(segment).collect::<Vec<_>>().join(".");
    format!("local.{}.{steps}", segment(slug))
}

/// The id of a workflow: `<slug>_<name>`; a slug has no underscore, so the first one ends it.
pub fn workflow_id(slug: &str, name: &str) -> String {
    let slug = segment(slug);
    let fits = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || matches!(char, '_' | '-');
    let lower = name.to_ascii_lowercase();
    if name.chars().all(fits) { format!("{slug}_{name}") } else { format!("{slug}_{lower}-{}", digits(name)) }
}

/// A step of an agent id: a lower-case letter first, then letters, digits, `_` and `-`.
fn segment(name: &str) -> String {
    if name.starts_with(|first: char| first.is_ascii_lowercase()) {
        return name.to_owned();
    }
    let lower = name.to_ascii_lowercase();
    let letter = if lower.starts_with(|first: char| first.is_ascii_lowercase()) { "" } else { "p" };
    format!("{letter}{lower}-{}", digits(name))
}

/// Eight hex digits that tell names apart.
fn digits(name: &str) -> String {
    ContentHash::of(name).as_str()["sha256:".len()..][..8].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_fit_stay_as_they_are() {
        assert_eq!(agent_id("newsroom", "primary"), "local.newsroom.primary");
        assert_eq!(agent_id("news-room", "writer.fact_checker"), "local.news-room.writer.fact_checker");
        assert_eq!(workflow_id("news-room", "editorial"), "news-room_editorial");
        assert_eq!(
            template_id("newsroom", "primary.system_prompt"),
            "project.newsroom.primary.system_prompt"
        );
    }

    #[test]
    fn names_that_do_not_fit_end_in_digits_of_their_hash() {
        for (found, begins) in [
            (agent_id("9lives", "primary"), "local.p9lives-"),
            (agent_id("news", "Writer"), "local.news.writer-"),
            (workflow_id("news", "Editorial"), "news_editorial-"),
            (
                template_id("news", "primary.subagents.Writer.system_prompt"),
                "project.news.primary.subagents.writer.system_prompt-",
            ),
        ] {
            assert!(found.starts_with(begins), "{found}");
        }
        assert_ne!(agent_id("news", "Writer"), agent_id("news", "WRITER"));
    }
}
