//! Federation: what the files of one project come to together (ADR-0015).
//!
//! It owns the rules of merging: mappings deeply, everything else replaced, null removes. It refuses to change who a project
//! is, and, from outside, what its prompts are.

use cuebook_template::{Diagnostic, Location};
use cuebook_wire::ErrorCode;

use cuebook_yaml::{Entry, Map, Node, Value};

/// The keys of the identity, which only the portable file has.
const IDENTITY: [&str; 2] = ["version", "project"];

/// The keys that hold prompts.
pub(crate) const PROMPT_KEYS: [&str; 3] = ["system_prompt", "prompt", "template"];

/// Who overrides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlay {
    /// `project.local.yaml`: the operator of this machine.
    Local,
    /// The project that includes this one.
    Parent,
}

/// Merges `over` into `base`; gives what `over` may not do.
pub(crate) fn merge(base: &mut Node, mut over: Node, overlay: Overlay) -> Vec<Diagnostic> {
    let mut problems = identity_problems(base, &over);
    if let Value::Map(over) = &mut over.value {
        over.retain(|key, _| !IDENTITY.contains(&&**key));
    }
    if overlay == Overlay::Parent {
        refuse_prompts(&mut over, &mut problems);
    }
    set(base, over);
    problems
}

/// Mappings are merged, null stays as a mark that removes, everything else takes the place of what was there.
fn set(base: &mut Node, over: Node) {
    match (&mut base.value, over.value) {
        (Value::Map(base), Value::Map(over)) => {
            over.into_iter().for_each(|(key, entry)| set_entry(base, key, entry));
        }
        (_, value) => *base = Node { value, place: over.place },
    }
}

fn set_entry(base: &mut Map, key: String, entry: Entry) {
    match base.get_mut(&key) {
        Some(known) => {
            let was_map = known.node.map().is_some() && entry.node.map().is_some();
            set(&mut known.node, entry.node);
            if !was_map {
                known.key = entry.key;
            }
        }
        None => drop(base.insert(key, entry)),
    }
}

fn identity_problems(base: &Node, over: &Node) -> Vec<Diagnostic> {
    let Some(over) = over.map() else { return Vec::new() };
    let changed = IDENTITY.into_iter().filter_map(|key| {
        let entry = over.get(key)?;
        let same = base.get(key).is_some_and(|own| own.to_json() == entry.node.to_json());
        (!same).then(|| {
            let message = format!("`{key}` cannot be overridden: it says who the project is");
            problem(&entry.key, message).with_hint("remove it here")
        })
    });
    changed.collect()
}

/// A prompt is the project's own: nobody outside sets, replaces or adds to it. What tries to is taken out.
fn refuse_prompts(over: &mut Node, problems: &mut Vec<Diagnostic>) {
    match &mut over.value {
        Value::Map(map) => {
            map.retain(|key, entry| {
                let is_prompt = PROMPT_KEYS.contains(&&**key);
                if is_prompt {
                    let message = format!("`{key}` of an included project cannot be set from outside");
                    let hint = "change the file in the included project, or its project.local.yaml";
                    problems.push(problem(&entry.key, message).with_hint(hint));
                }
                !is_prompt
            });
            map.values_mut().for_each(|entry| refuse_prompts(&mut entry.node, problems));
        }
        Value::List(items) => items.iter_mut().for_each(|item| refuse_prompts(item, problems)),
        _ => {}
    }
}

fn problem(place: &Location, message: String) -> Diagnostic {
    Diagnostic::error(ErrorCode::ProjectInvalid.as_str(), message).at(&place.source, place.span)
}
