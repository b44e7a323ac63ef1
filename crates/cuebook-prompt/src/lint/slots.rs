//! A template in the slot of another kind: the slot decides where the text goes (RFC 0027 §C).

use cuebook_template::Diagnostic;
use cuebook_wire::{ErrorCode, PromptKind};

use super::warning;

/// What is doubtful about a template of kind `found` in a slot of kind `wanted`; `reference` names the template.
pub fn slot(reference: &str, found: PromptKind, wanted: PromptKind) -> Option<Diagnostic> {
    if found == wanted {
        return None;
    }
    let message = format!("'{reference}' is a {found} template in a place for {wanted}");
    let warning = warning(ErrorCode::PromptKindMismatch, message);
    Some(
        warning
            .with_hint(format!("it is composed as {wanted}; name one of kind {wanted} if that is not meant")),
    )
}
