//! `cuebook prompts export` and `cuebook prompts import`.

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs};
use cuebook_client::{Client, ClientError, ImportedPrompts};
use cuebook_host::wire::LibraryId;
use cuebook_host::{
    Diagnostic, Exported, ImportReport, ImportSource, PackName, Problems, PromptLint, Refusal, export_files,
    export_pack,
};
use serde_json::json;

use super::library::{Library, LibraryArgs};
use crate::commands::remote::problem;
use crate::exit::Exit;
use crate::output::{self, Output};

#[derive(Debug, ClapArgs)]
pub(crate) struct PromptsExportArgs {
    /// The templates: prompt:ID or prompt:ID@VERSION; without any, every version of every template of the library.
    #[arg(value_name = "REF")]
    pub(crate) references: Vec<String>,
    /// The directory that is written to; made if it is not there.
    #[arg(long, value_name = "DIR")]
    pub(crate) to: PathBuf,
    /// Which library: that of users, or another by its id; the project's own when no other place is named.
    #[arg(long, value_name = "ID", value_parser = parse_library)]
    pub(crate) library_id: Option<LibraryId>,
    /// Write one pack of prompts of this name and version.
    #[arg(long, value_name = "NAME@VERSION", value_parser = PackName::parse)]
    pub(crate) pack: Option<PackName>,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

#[derive(Debug, ClapArgs)]
#[command(group(ArgGroup::new("target").args(["data", "host"]).required(true)))]
pub(crate) struct PromptsImportArgs {
    /// What is imported: directories of files, packs of prompts, or files.
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Check everything and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

fn parse_library(text: &str) -> Result<LibraryId, String> {
    LibraryId::parse(text).map_err(|error| error.to_string())
}

/// Writes templates to files, or to a pack.
pub(super) async fn export(args: &PromptsExportArgs, output: Output) -> Result<Exit, Problems> {
    let library = args.library.open()?;
    let id = match (&args.library_id, &library) {
        (Some(id), _) => id.clone(),
        (None, Library::Here(host, _)) if !args.library.is_named() => host.config.prompts.library.clone(),
        (None, _) => LibraryId::user(),
    };
    let templates = library.templates(&id, &args.references, args.library_id.as_ref()).await?;
    let exported = match &args.pack {
        Some(pack) => export_pack(&args.to, pack, &templates)?,
        None => export_files(&args.to, &templates)?,
    };
    show_exported(&exported, output);
    Ok(Exit::Fine)
}

fn show_exported(exported: &Exported, output: Output) {
    let shown =
        |paths: &[PathBuf]| -> Vec<String> { paths.iter().map(|path| path.display().to_string()).collect() };
    let (written, unchanged) = (shown(&exported.written), shown(&exported.unchanged));
    if output.is_json() {
        output::json(&json!({ "written": written, "unchanged": unchanged }));
    } else {
        output::data(&written.join("\n"));
        output::note(&format!("{} written, {} unchanged", written.len(), unchanged.len()));
    }
}

/// Reads templates and puts all of them into the library of users, or none.
pub(super) async fn import(args: &PromptsImportArgs, output: Output) -> Result<Exit, Problems> {
    let source = ImportSource::read(&args.paths)?;
    let report = match args.library.open_to_write(args.dry_run)? {
        Library::Here(host, principal) => {
            let report = host.import_prompts(&principal, &source.templates, args.dry_run).await;
            let report = report.map_err(|refusal| refused(&source, &refusal))?;
            Report::of(&report)
        }
        Library::There(client, workspace) => {
            let report = import_there(&client, workspace, &source, args.dry_run).await;
            Report::of_other(report.map_err(|error| refused_there(&source, &error))?)
        }
    };
    report.show(args.dry_run, output);
    Ok(Exit::Fine)
}

async fn import_there(
    client: &Client,
    workspace: Option<&str>,
    source: &ImportSource,
    dry_run: bool,
) -> Result<ImportedPrompts, ClientError> {
    client.extensions().import_prompts(&source.templates, dry_run, workspace).await
}

fn refused(source: &ImportSource, refusal: &Refusal) -> Problems {
    source.refused(refusal.code.as_str(), &refusal.message, refusal.details.get("faults"))
}

fn refused_there(source: &ImportSource, error: &ClientError) -> Problems {
    match error.as_api() {
        Some(api) => source.refused(
            &api.code,
            &api.message,
            api.details.as_ref().and_then(|details| details.get("faults")),
        ),
        None => problem(error),
    }
}

/// What an import came to, here or there.
struct Report {
    added: Vec<String>,
    unchanged: Vec<String>,
    findings: Problems,
    json: serde_json::Value,
}

impl Report {
    fn of(report: &ImportReport) -> Self {
        let findings = report.lints.iter().flat_map(PromptLint::problems).collect();
        let (added, unchanged) = (report.added.clone(), report.unchanged.clone());
        Self { added, unchanged, findings, json: report.to_json() }
    }

    fn of_other(report: ImportedPrompts) -> Self {
        let finding = |code: &str, message: &str| Diagnostic::warning(code.to_owned(), message);
        let findings = report.findings().map(|(code, message)| finding(code, &message)).collect();
        let json = report.json.clone();
        Self { added: report.added, unchanged: report.unchanged, findings, json }
    }

    fn show(&self, dry_run: bool, output: Output) {
        if output.is_json() {
            return output::json(&self.json);
        }
        output.remarks(&self.findings);
        output::data(&self.added.join("\n"));
        let verb = if dry_run { "would be added" } else { "added" };
        output::note(&format!("{} {verb}, {} unchanged", self.added.len(), self.unchanged.len()));
    }
}
