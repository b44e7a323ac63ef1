//! The text of a template: placeholders that nobody declares, text that stays literal, markers, and secrets in view.

use cuebook_template::flat::Program;
use cuebook_wire::{ErrorCode, PromptKind, PromptTemplate, VariableSource};

use super::{Finding, markers, warning};

/// The findings in order of place.
pub(super) fn findings(program: &Program, template: &PromptTemplate) -> Vec<Finding> {
    let declared: Vec<&str> = template.variables.iter().map(|variable| variable.name.as_str()).collect();
    let mut found = program.undeclared(&declared);
    found.extend(program.lints_knowing(|name| declared.contains(&name)));
    found.extend(markers::written_by_hand(program.source()));
    found.extend(secrets_in_view(program, template));
    found.sort_by_key(|finding| finding.label.as_ref().map(|label| label.span.start));
    found.into_iter().map(Finding::in_text).collect()
}

/// The first placeholder of each secret in a template whose text becomes part of the user's turn, which models repeat and
/// faces show; the system's turn is for the model alone.
fn secrets_in_view<'a>(
    program: &'a Program,
    template: &'a PromptTemplate,
) -> impl Iterator<Item = cuebook_template::Diagnostic> + 'a {
    let is_in_view = matches!(template.kind, PromptKind::User | PromptKind::FewShot);
    let secrets = template.variables.iter().filter(|variable| variable.source == VariableSource::Secret);
    secrets.filter(move |_| is_in_view).filter_map(|variable| {
        let first = program.placeholders().find(|placeholder| *placeholder.name == *variable.name)?;
        let kind = template.kind;
        let message =
            format!("the secret `{}` stands in a {kind} prompt, which is said aloud", variable.name);
        let found = warning(ErrorCode::PromptSecretVisible, message).at(program.source(), first.span);
        Some(found.with_hint("have a system prompt hold it, or a tool use it, so that no turn repeats it"))
    })
}
