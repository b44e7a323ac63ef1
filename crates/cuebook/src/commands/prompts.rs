//! `cuebook prompts`.

pub(super) mod check;
mod compare;
mod exchange;
mod library;
mod render;

use clap::{Args as ClapArgs, Subcommand};
use cuebook_host::Problems;
use cuebook_host::wire::PromptTemplate;
use serde_json::json;

use self::library::LibraryArgs;
use crate::exit::{Exit, help};
use crate::output::{self, Output, plain};

#[derive(Debug, ClapArgs)]
pub(crate) struct PromptsArgs {
    #[command(subcommand)]
    pub(crate) what: Prompts,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Prompts {
    /// List the templates of all libraries.
    #[command(after_help = help!(
        "cuebook prompts list --project examples/newsroom",
        "cuebook prompts list --host https://cuebook.example --json",
    ))]
    List(PromptsListArgs),
    /// Show a template as it is kept.
    #[command(after_help = help!(
        "cuebook prompts get prompt:writer-user@1.0.0 --project examples/newsroom",
        "cuebook prompts get prompt:house.style --data data",
    ))]
    Get(PromptsGetArgs),
    /// Compose a template, or an agent's own prompt, with the values given: the bytes a model would get.
    #[command(after_help = help!(
        "cuebook prompts render prompt:writer-user@1.0.0 --project examples/newsroom --var topic=bread",
        "cuebook prompts render prompt:writer-user --project examples/newsroom --var topic=bread --json",
        "cuebook prompts render --agent core.openwop.agents.react.default --packs packs",
        "cuebook prompts render --agent implementer --project . --check",
        "cuebook prompts render partials/finish-handoff.md --project . --var focus=triage",
        "cuebook prompts render prompt:house.style --host https://cuebook.example --var topic=bread",
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
        "cuebook prompts diff prompt:experimental-writer@1.0.0 prompt:experimental-writer --project examples/newsroom",
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
    pub(crate) library: LibraryArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PromptsGetArgs {
    /// The template: prompt:ID or prompt:ID@VERSION.
    pub(crate) reference: String,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

pub(crate) async fn prompts(args: PromptsArgs, output: Output) -> Result<Exit, Problems> {
    match args.what {
        Prompts::List(args) => list(&args, output).await,
        Prompts::Get(args) => get(&args, output).await,
        Prompts::Render(args) => render::render(&args, output).await,
        Prompts::Check(args) => check::check(&args, output).await,
        Prompts::Export(args) => exchange::export(&args, output).await,
        Prompts::Import(args) => exchange::import(&args, output).await,
        Prompts::Diff(args) => compare::diff(&args, output).await,
        Prompts::History(args) => compare::history(&args, output).await,
    }
}

async fn list(args: &PromptsListArgs, output: Output) -> Result<Exit, Problems> {
    let all = args.library.open()?.all().await?;
    if output.is_json() {
        let item = |(library, template)| json!({ "library": library, "template": template });
        output::json(&json!({ "items": all.into_iter().map(item).collect::<Vec<_>>() }));
        return Ok(Exit::Fine);
    }
    if all.is_empty() {
        output::note("there are no templates: put them under prompts/, or name a directory with --prompts");
    }
    let rows: Vec<[String; 4]> = all.into_iter().map(row).collect();
    output::data(&table(&rows));
    Ok(Exit::Fine)
}

fn row((library, template): (String, PromptTemplate)) -> [String; 4] {
    let reference = format!("prompt:{}@{}", template.template_id, template.version);
    [reference, template.kind.to_string(), plain(&library), plain(&template.name.unwrap_or_default())]
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
    let template = args.library.open()?.template(&args.reference).await?;
    if output.is_json() {
        output::json(&json!(template));
    } else {
        output::bytes(&template.text);
    }
    Ok(Exit::Fine)
}
