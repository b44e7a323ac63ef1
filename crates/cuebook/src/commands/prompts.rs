//! `cuebook prompts`.

pub(super) mod check;
mod compare;
mod exchange;
mod library;
mod render;

use clap::{Args as ClapArgs, Subcommand};
use cuebook_host::prompt::{Entry, Principal};
use cuebook_host::{Host, Problems};
use serde_json::{Value as Json, json};

use crate::args::ProjectArgs;
use crate::exit::{Exit, help};
use crate::output::{self, Output};

#[derive(Debug, ClapArgs)]
pub(crate) struct PromptsArgs {
    #[command(subcommand)]
    pub(crate) what: Prompts,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Prompts {
    /// List the templates of all libraries.
    #[command(after_help = help!("cuebook prompts list --project examples/newsroom"))]
    List(PromptsListArgs),
    /// Show a template as it is kept.
    #[command(after_help = help!("cuebook prompts get prompt:writer-user@1.0.0 --project examples/newsroom"))]
    Get(PromptsGetArgs),
    /// Compose a template, or an agent's own prompt, with the values given: the bytes a model would get.
    #[command(after_help = help!(
        "cuebook prompts render prompt:writer-user@1.0.0 --project examples/newsroom --var topic=bread",
        "cuebook prompts render prompt:writer-user --project examples/newsroom --var topic=bread --json",
        "cuebook prompts render --agent core.openwop.agents.react.default --packs packs",
        "cuebook prompts render --agent implementer --project . --check",
        "cuebook prompts render partials/finish-handoff.md --project . --var focus=triage",
    ))]
    Render(render::PromptsRenderArgs),
    /// Check templates: names, defaults, secrets, markers, literal text, sizes, hints, changes between versions.
    #[command(after_help = help!(
        "cuebook prompts check --project examples/newsroom",
        "cuebook prompts check prompts/ downloads/vendor.acme.phrases.tgz --strict",
        "cuebook prompts check prompt:house.style --data data",
    ))]
    Check(check::PromptsCheckArgs),
    /// Write templates to files that diff well, or to a pack.
    #[command(after_help = help!(
        "cuebook prompts export --data data --to library",
        "cuebook prompts export prompt:house.style@1.2.0 --host https://cuebook.example --to library",
        "cuebook prompts export --data data --to phrases --pack vendor.acme.phrases@1.0.0",
    ))]
    Export(exchange::PromptsExportArgs),
    /// Put templates of files or packs into the library of users: all of them, or none.
    #[command(after_help = help!(
        "cuebook prompts import library --data data --dry-run",
        "cuebook prompts import library --host https://cuebook.example",
    ))]
    Import(exchange::PromptsImportArgs),
    /// Show what is different between two versions: variables, other fields, lines and words; exit 1 when something is.
    #[command(after_help = help!(
        "cuebook prompts diff prompt:writer-user@1.0.0 prompt:writer-user@1.1.0 --project examples/newsroom",
        "cuebook prompts diff prompt:house.style@1.0.0 prompt:house.style --host https://cuebook.example",
    ))]
    Diff(compare::PromptsDiffArgs),
    /// List every version of a template, removed ones too.
    #[command(after_help = help!(
        "cuebook prompts history prompt:writer-user --project examples/newsroom",
        "cuebook prompts history prompt:house.style --host https://cuebook.example",
    ))]
    History(compare::PromptsHistoryArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PromptsListArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PromptsGetArgs {
    /// The template: prompt:ID or prompt:ID@VERSION.
    pub(crate) reference: String,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
}

pub(crate) async fn prompts(args: PromptsArgs, output: Output) -> Result<Exit, Problems> {
    match args.what {
        Prompts::List(args) => list(&args, output),
        Prompts::Get(args) => get(&args, output).await,
        Prompts::Render(args) => render::render(&args, output).await,
        Prompts::Check(args) => check::check(&args, output).await,
        Prompts::Export(args) => exchange::export(&args, output).await,
        Prompts::Import(args) => exchange::import(&args, output).await,
        Prompts::Diff(args) => compare::diff(&args, output).await,
        Prompts::History(args) => compare::history(&args, output).await,
    }
}

fn list(args: &PromptsListArgs, output: Output) -> Result<Exit, Problems> {
    let host = Host::open(&args.project.options())?;
    if output.is_json() {
        let items: Vec<Json> = host
            .libraries
            .iter()
            .flat_map(|library| {
                library.entries().map(|entry| json!({"library": library.id(), "template": entry.template}))
            })
            .collect();
        output::json(&json!({ "items": items }));
        return Ok(Exit::Fine);
    }
    let rows = host.libraries.iter().flat_map(|library| {
        let library_id = library.id().to_string();
        library.entries().map(move |entry| row(entry, &library_id))
    });
    let rows: Vec<[String; 4]> = rows.collect();
    if rows.is_empty() {
        output::note("there are no templates: put them under prompts/, or name a directory with --prompts");
    }
    output::data(&table(&rows));
    Ok(Exit::Fine)
}

fn row(entry: &Entry, library: &str) -> [String; 4] {
    let template = &entry.template;
    let name = template.name.clone().unwrap_or_default();
    [entry.pinned().reference.clone(), template.kind.to_string(), library.to_owned(), name]
}

/// Rows with their columns aligned; the last column is left as it is.
fn table(rows: &[[String; 4]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (first, second, third) = (width(0), width(1), width(2));
    let line = |[a, b, c, d]: &[String; 4]| {
        format!("{a:<first$}  {b:<second$}  {c:<third$}  {d}").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

async fn get(args: &PromptsGetArgs, output: Output) -> Result<Exit, Problems> {
    let host = Host::open(&args.project.options())?;
    let entry = host.template(&Principal::local(), &args.reference).await?;
    if output.is_json() {
        output::json(&json!(entry.template));
    } else {
        output::bytes(&entry.template.text);
    }
    Ok(Exit::Fine)
}
