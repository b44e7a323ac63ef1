//! `cuebook prompts diff` and `cuebook prompts history`.

use clap::Args as ClapArgs;
use cuebook_client::PromptVersion;
use cuebook_host::prompt::diff::{Line, Side, TemplateDiff, VariableChange};
use cuebook_host::wire::PromptVariable;
use cuebook_host::{Problems, diff_templates, parse_reference};
use serde_json::json;

use super::library::LibraryArgs;
use crate::exit::Exit;
use crate::output::{self, Output, plain};

#[derive(Debug, ClapArgs)]
pub(crate) struct PromptsDiffArgs {
    /// The one version: prompt:ID@VERSION.
    pub(crate) old: String,
    /// The other version: prompt:ID@VERSION.
    pub(crate) new: String,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PromptsHistoryArgs {
    /// The template: prompt:ID.
    pub(crate) reference: String,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

/// Shows what is different; whatever is different is a finding.
pub(super) async fn diff(args: &PromptsDiffArgs, output: Output) -> Result<Exit, Problems> {
    let library = args.library.open()?;
    let mut problems = Problems::new();
    let old = problems.collect(library.template(&args.old).await);
    let new = problems.collect(library.template(&args.new).await);
    let (Some(old), Some(new)) = (old, new) else { return Err(problems) };
    let (diff, warnings) = diff_templates(&old, &new);
    if output.is_json() {
        output::json(&json!({ "diff": diff, "warnings": warnings.to_json() }));
    } else {
        output::data(&shown(&diff).iter().map(|line| plain(line)).collect::<Vec<_>>().join("\n"));
        output.remarks(&warnings);
    }
    Ok(if diff.is_empty() { Exit::Fine } else { Exit::Findings })
}

fn shown(diff: &TemplateDiff) -> Vec<String> {
    let fields = diff.fields.iter().map(|it| format!("{}: {} -> {}", it.field, it.old, it.new));
    let variables = diff.variables.iter().map(shown_variable);
    fields.chain(variables).chain(diff.lines.iter().map(shown_line)).collect()
}

fn shown_variable(change: &VariableChange) -> String {
    let declared = |variable: &Option<PromptVariable>| {
        variable.as_ref().map_or_else(|| "-".to_owned(), |variable| json!(variable).to_string())
    };
    format!("variable {}: {} -> {}", change.name, declared(&change.old), declared(&change.new))
}

/// A line with its side; the words that changed stand between `[-` and `-]` or `{+` and `+}`.
fn shown_line(line: &Line) -> String {
    let (sign, open, close) = match line.side {
        Side::Both => (' ', "", ""),
        Side::Old => ('-', "[-", "-]"),
        Side::New => ('+', "{+", "+}"),
    };
    let is_partly = line.words.iter().any(|words| !words.is_changed);
    let mut out = String::from(sign);
    for words in &line.words {
        let is_marked = words.is_changed && is_partly;
        out.push_str(if is_marked { open } else { "" });
        out.push_str(&words.text);
        out.push_str(if is_marked { close } else { "" });
    }
    out
}

/// Lists every version of a template.
pub(super) async fn history(args: &PromptsHistoryArgs, output: Output) -> Result<Exit, Problems> {
    let template_id = parse_reference(&args.reference)?.template_id;
    let history = args.library.open()?.history(&template_id).await?;
    if output.is_json() {
        output::json(&json!({ "templateId": template_id, "versions": history }));
    } else {
        output::data(&history.iter().map(shown_version).collect::<Vec<_>>().join("\n"));
    }
    Ok(Exit::Fine)
}

fn shown_version(entry: &PromptVersion) -> String {
    let PromptVersion { library, version, hash, added_at, removed_at } = entry;
    let hash = hash.as_deref().unwrap_or("-");
    let added = added_at.map(|at| format!("  added {at}")).unwrap_or_default();
    let removed = removed_at.map(|at| format!("  removed {at}")).unwrap_or_default();
    format!("{version}  {library}  {hash}{added}{removed}")
}
