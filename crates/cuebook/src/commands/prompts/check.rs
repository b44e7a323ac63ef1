//! `cuebook prompts check`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use cuebook_host::wire::LibraryId;
use cuebook_host::{
    Problems, PromptCheck, PromptLint, Severity, check_paths, check_project, check_templates, parse_reference,
};

use super::library::{Library, LibraryArgs};
use crate::exit::Exit;
use crate::output::{self, Output};

#[derive(Debug, ClapArgs)]
pub(crate) struct PromptsCheckArgs {
    /// What is checked: files, directories of files or of packs, packs, or refs (prompt:ID); without any, all templates
    /// of the project, or of the library that is named.
    #[arg(value_name = "PATH|REF")]
    pub(crate) items: Vec<String>,
    /// Warnings end with exit code 1, too.
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

/// Shows what is doubtful; errors are findings, and with --strict warnings are.
pub(super) async fn check(args: &PromptsCheckArgs, output: Output) -> Result<Exit, Problems> {
    let check = found(args).await?.strictly();
    if output.is_json() {
        output::json(&check.to_json());
    } else {
        show(&check, output);
    }
    let least = if args.strict { Severity::Warning } else { Severity::Error };
    let is_finding = check.worst().is_some_and(|worst| worst >= least);
    Ok(if is_finding { Exit::Findings } else { Exit::Fine })
}

async fn found(args: &PromptsCheckArgs) -> Result<PromptCheck, Problems> {
    let (references, paths): (Vec<String>, Vec<String>) =
        args.items.iter().cloned().partition(|item| item.starts_with("prompt:"));
    let paths: Vec<PathBuf> = paths.into_iter().map(PathBuf::from).collect();
    let is_all = args.items.is_empty();
    let is_project = is_all && !args.library.is_named();
    let mut check = if is_project { check_project(&args.library.options())? } else { check_paths(&paths)? };
    if !references.is_empty() || (is_all && args.library.is_named()) {
        check.templates.extend(in_library(&args.library, &references).await?);
    }
    Ok(check)
}

/// The lint of the templates of a library, where it is: a host here holds each against the version before it.
async fn in_library(args: &LibraryArgs, references: &[String]) -> Result<Vec<PromptLint>, Problems> {
    let library = args.open()?;
    if let Library::Here(host, principal) = &library {
        let mut lints = Vec::new();
        for reference in references {
            lints.push(host.lint_prompt(principal, &parse_reference(reference)?).await?);
        }
        if references.is_empty() {
            lints = host.lint_user_library(principal).await?.templates;
        }
        return Ok(lints);
    }
    if references.is_empty() {
        return Ok(check_templates(&library.templates(&LibraryId::user(), &[], None).await?).templates);
    }
    let mut lints = Vec::new();
    for reference in references {
        lints.extend(lint_there(&library, reference).await?);
    }
    Ok(lints)
}

/// The lint of one template of another host, held against the version before it.
async fn lint_there(library: &Library<'_>, reference: &str) -> Result<Option<PromptLint>, Problems> {
    let template = library.template(reference).await?;
    let history = library.history(&template.template_id).await?;
    let earlier = history.into_iter().filter(|it| it.removed_at.is_none() && it.version < template.version);
    let earlier = earlier.max_by(|one, other| one.version.cmp(&other.version));
    let mut both = Vec::new();
    if let Some(earlier) = earlier {
        both.push(library.template(&format!("prompt:{}@{}", template.template_id, earlier.version)).await?);
    }
    both.push(template);
    Ok(check_templates(&both).templates.pop())
}

fn show(check: &PromptCheck, output: Output) {
    let found = check.templates.iter().flat_map(PromptLint::problems);
    output.remarks(&check.problems.iter().cloned().chain(found).collect());
    if check.templates.is_empty() {
        output::note("there are no templates to check");
    }
    output::data(&check.templates.iter().map(row).collect::<Vec<_>>().join("\n"));
}

/// A template with its size and how many findings it has.
pub(crate) fn row(lint: &PromptLint) -> String {
    let size = lint.size;
    let findings = match lint.count() {
        0 => "fine".to_owned(),
        1 => "1 finding".to_owned(),
        several => format!("{several} findings"),
    };
    format!("{}  {} bytes  about {} tokens  {findings}", lint.reference, size.bytes, size.estimated_tokens)
}
