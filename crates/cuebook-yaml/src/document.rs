//! From the tree of a document to a typed one.
//!
//! It owns where a fault of the schema is shown. It refuses to stop at the first one.

use cuebook_template::{Diagnostic, Location, Source};
use cuebook_wire::Fault;
use cuebook_wire::strict::{self, Document};

use crate::parse::parse;
use crate::tree::Node;

/// Reads `source` as a document of type `T`, and gives the tree beside it.
///
/// # Errors
///
/// Those of [`parse()`], else everything that is wrong by the schema, each fault with its place.
pub fn read<T: Document>(source: &Source) -> Result<(T, Node), Vec<Diagnostic>> {
    let tree = parse(source, T::CODE)?;
    match strict::read(&tree.to_json()) {
        Ok(document) => Ok((document, tree)),
        Err(faults) => Err(faults.iter().map(|fault| placed(&tree, fault)).collect()),
    }
}

/// A fault of a document where it stands: a key that null removed, at the null.
pub fn placed(tree: &Node, fault: &Fault) -> Diagnostic {
    let removed = removed_key(tree, fault);
    let place = match &removed {
        Some((place, _)) => place.clone(),
        None if fault.message.starts_with("unknown key") => tree.locate_key(&fault.path),
        None => tree.locate(&fault.path),
    };
    let at = if fault.path.is_empty() { String::new() } else { format!(" (at {})", fault.path) };
    let message = match &removed {
        Some((_, key)) => format!("`{key}` is needed, and null removes it{at}"),
        None => format!("{}{at}", fault.message),
    };
    Diagnostic::error(fault.code.as_str(), message).at(&place.source, place.span).with_advice(fault.advice())
}

/// The key whose absence is the fault, when it is there and null.
fn removed_key(tree: &Node, fault: &Fault) -> Option<(Location, String)> {
    let map = tree.at(&fault.path)?.map()?;
    let (key, entry) = map.iter().find(|(key, entry)| {
        entry.node.is_null() && fault.message.starts_with(&format!("`{key}` is missing"))
    })?;
    Some((entry.key.clone(), key.clone()))
}

#[cfg(test)]
mod tests {
    use cuebook_wire::ErrorCode;
    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only the faults are looked at")]
    struct Sheet {
        name: String,
        #[serde(default)]
        count: u32,
    }

    impl Document for Sheet {
        const CODE: ErrorCode = ErrorCode::ValidationError;
    }

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let source = Source::new("sheet.yaml", text);
        let problems = read::<Sheet>(&source).map(drop).err().unwrap_or_default();
        let shown: Vec<String> = problems
            .iter()
            .map(|problem| {
                let place = problem.label.as_ref().map(ToString::to_string).unwrap_or_default();
                format!("{place} {}", problem.message)
            })
            .collect();
        assert_eq!(shown.len(), expect.len(), "{shown:#?}");
        for (shown, expect) in shown.iter().zip(expect) {
            assert!(shown.starts_with(expect), "{shown} does not begin with {expect}");
        }
    }

    #[test]
    fn every_fault_has_its_place() {
        check("name: a\ncount: 2\n", &[]);
        check("nam: a\ncount: x\n", &["sheet.yaml:1:1 ", "sheet.yaml:2:8 ", "sheet.yaml:1:1 "]);
        check("name: ~\n", &["sheet.yaml:1:1 `name` is needed, and null removes it"]);
        check("name: a\nname: b\n", &["sheet.yaml:2:1 key `name` stands here again"]);
        check("name: [\n", &["sheet.yaml:"]);
        check("name: a\n---\nname: b\n", &["sheet.yaml:3:1 a file is one document"]);
    }
}
