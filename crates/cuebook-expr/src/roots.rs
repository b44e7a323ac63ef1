//! Checks root names against those that a place offers.
//!
//! Owns the load-time check that catches a misspelled name before a run reads it as null.

use std::sync::Arc;

use cuebook_wire::names::nearest;

use crate::error::{ExprError, Problem};
use crate::lexer::continues_name;
use crate::path::Path;

const LISTED: usize = 12;

/// One error for each distinct unknown root, at its first place.
pub(crate) fn check(source: &Arc<str>, paths: &[Path], known: &[&str]) -> Vec<ExprError> {
    let mut reported = Vec::new();
    for path in paths {
        let root = path.root();
        if !known.contains(&root) && !reported.iter().any(|(seen, _)| *seen == root) {
            reported.push((root, ExprError::new(source, unknown_root(source, path, known))));
        }
    }
    reported.into_iter().map(|(_, error)| error).collect()
}

fn unknown_root(source: &str, path: &Path, known: &[&str]) -> Problem {
    let root = path.root();
    Problem::new(path.span(), format!("unknown name `{root}`")).with_hint(hint(source, path, known))
}

fn hint(source: &str, path: &Path, known: &[&str]) -> String {
    let root = path.root();
    if let Some(literal) = literal_meant(root) {
        return format!("write `{literal}`");
    }
    if follows_hyphen(source, path) {
        return "`-` subtracts; a key with a hyphen is written `[\"a-b\"]`".to_owned();
    }
    match nearest(root, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None if known.is_empty() => "no names are known here".to_owned(),
        None => known_names(known),
    }
}

fn known_names(known: &[&str]) -> String {
    let listed = known.iter().take(LISTED).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let more = if known.len() > LISTED { ", …" } else { "" };
    format!("the names known here are {listed}{more}")
}

fn literal_meant(root: &str) -> Option<&'static str> {
    match root.to_ascii_lowercase().as_str() {
        "true" => Some("true"),
        "false" => Some("false"),
        "null" | "none" | "nil" | "undefined" => Some("null"),
        _ => None,
    }
}

/// Whether the root is written right after a hyphen that is itself right after a name.
fn follows_hyphen(source: &str, path: &Path) -> bool {
    source
        .get(..path.span().start)
        .and_then(|before| before.strip_suffix('-'))
        .is_some_and(|before| before.ends_with(continues_name))
}
