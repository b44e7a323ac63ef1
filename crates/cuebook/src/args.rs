//! What all commands share: the root of the grammar, formats, and where files and inputs come from.
//!
//! The arguments of one command stand with the command.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use cuebook_host::{Directories, Options, TypedInput};

use crate::commands::budgets::BudgetsArgs;
use crate::commands::completions::CompletionsArgs;
use crate::commands::config::ConfigArgs;
use crate::commands::explain::ExplainArgs;
use crate::commands::init::InitArgs;
use crate::commands::layers::LayersCommandArgs;
use crate::commands::packs::PacksArgs;
use crate::commands::project::ProjectFileArgs;
use crate::commands::prompts::PromptsArgs;
use crate::commands::run::RunArgs;
use crate::commands::runs::RunsArgs;
use crate::commands::serve::ServeArgs;
use crate::commands::template::TemplateArgs;
use crate::exit::help;

/// The environment variable that holds a key: one that `serve` takes, and the one that `run --host` shows.
pub(crate) const KEY_VARIABLE: &str = "CUEBOOK_API_KEY";

/// The prompt host for multi-agent workflows: what each agent was told, where each sentence came from, and why.
#[derive(Debug, Parser)]
#[command(name = "cuebook", version, after_help = help!(
    "cuebook init my-project",
    "cuebook run my-project --input question=\"What is a prompt book?\"",
), max_term_width = 100)]
pub(crate) struct Args {
    /// How data is written.
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Short for --format json.
    #[arg(long, global = true, conflicts_with = "format")]
    json: bool,
    /// Whether messages are coloured.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Args {
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a workflow and show, for every node, the prompt it got and why.
    #[command(after_help = help!(
        "cuebook run examples/newsroom --input topic=\"the night train\"",
        "cuebook run . review --input draft=\"…\" --untrusted-input notes=\"…\" --journal run.jsonl",
        "cuebook run . --input topic=x --json | jq .outputs",
    ))]
    Run(RunArgs),
    /// Serve a project as an OpenWOP v1 host over HTTP.
    #[command(after_help = help!(
        "cuebook serve --project examples/newsroom --data data",
        "CUEBOOK_API_KEY=… cuebook serve --data data --listen 127.0.0.1:7007",
    ))]
    Serve(ServeArgs),
    /// Explain which prompt a run or a node gets, and why.
    #[command(after_help = help!(
        "cuebook explain run run.jsonl --text",
        "cuebook explain node examples/newsroom writer --input topic=bread --text",
    ))]
    Explain(ExplainArgs),
    /// List, show and render prompts.
    #[command(after_help = help!(
        "cuebook prompts list --project examples/newsroom",
        "cuebook prompts render prompt:writer-user --project examples/newsroom --var topic=bread",
    ))]
    Prompts(PromptsArgs),
    /// Render and check templates by themselves, without a project.
    #[command(after_help = help!(
        "cuebook template render prompt.md --context data.json",
        "cuebook template check prompt.md --profile composed",
    ))]
    Template(TemplateArgs),
    /// List, show and remove the runs of a data directory.
    #[command(after_help = help!(
        "cuebook runs list --data data",
        "cuebook runs prune --data data --older-than 30d",
    ))]
    Runs(RunsArgs),
    /// Install, list, verify and remove packs of prompts, of agents and of templates.
    #[command(after_help = help!(
        "cuebook packs install downloads/vendor.acme.phrases --project my-project",
        "cuebook packs list --project my-project",
    ))]
    Packs(PacksArgs),
    /// Check, compose and explain the prompts of a project file.
    #[command(after_help = help!(
        "cuebook project check examples/newsroom-project",
        "cuebook project compose writer --project examples/newsroom-project --origins",
        "cuebook project explain examples/newsroom-project",
    ))]
    Project(ProjectFileArgs),
    /// Show layered templates: which layer wins, what an override changes, what it covers.
    #[command(after_help = help!(
        "cuebook layers which partials/finish-handoff.md --project .",
        "cuebook layers status --project .",
    ))]
    Layers(LayersCommandArgs),
    /// Tighten the budgets of packs.
    #[command(after_help = help!("cuebook budgets tighten --project . --check"))]
    Budgets(BudgetsArgs),
    /// Make a new project that runs as it is.
    #[command(after_help = help!(
        "cuebook init my-project && cuebook run my-project --input question=\"Why?\"",
    ))]
    Init(InitArgs),
    /// Check a project, or print the schema of its configuration.
    #[command(after_help = help!(
        "cuebook config check examples/newsroom",
        "cuebook config schema > cuebook.schema.json",
    ))]
    Config(ConfigArgs),
    /// Print completions for a shell.
    #[command(after_help = help!(
        "cuebook completions bash > ~/.local/share/bash-completion/completions/cuebook",
    ))]
    Completions(CompletionsArgs),
}

/// Where the project's files are.
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct FilesArgs {
    /// A configuration file in place of DIR/cuebook.toml.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Another directory of workflow definitions.
    #[arg(long, value_name = "DIR")]
    workflows: Vec<PathBuf>,
    /// Another directory of agent manifests.
    #[arg(long, value_name = "DIR")]
    agents: Vec<PathBuf>,
    /// Another directory of prompt templates.
    #[arg(long, value_name = "DIR")]
    prompts: Vec<PathBuf>,
    /// Another directory of packs.
    #[arg(long, value_name = "DIR")]
    packs: Vec<PathBuf>,
}

impl FilesArgs {
    pub(crate) fn options(&self, root: PathBuf) -> Options {
        let more = Directories {
            workflows: self.workflows.clone(),
            agents: self.agents.clone(),
            prompts: self.prompts.clone(),
            packs: self.packs.clone(),
        };
        Options { root, config: self.config.clone(), more, ..Options::default() }
    }
}

/// The inputs of a run.
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct InputArgs {
    /// An input, read by the type that the workflow declares.
    #[arg(long = "input", value_name = "NAME=VALUE", value_parser = parse_trusted)]
    trusted: Vec<TypedInput>,
    /// An input that is tagged untrusted: it is wrapped wherever it enters a prompt.
    #[arg(long = "untrusted-input", value_name = "NAME=VALUE", value_parser = parse_untrusted)]
    untrusted: Vec<TypedInput>,
}

impl InputArgs {
    pub(crate) fn typed(&self) -> Vec<TypedInput> {
        self.trusted.iter().chain(&self.untrusted).cloned().collect()
    }
}

fn parse_trusted(text: &str) -> Result<TypedInput, String> {
    parse_input(text, false)
}

fn parse_untrusted(text: &str) -> Result<TypedInput, String> {
    parse_input(text, true)
}

fn parse_input(text: &str, untrusted: bool) -> Result<TypedInput, String> {
    parse_pair(text).map(|(name, text)| TypedInput { name, text, untrusted })
}

/// Reads `NAME=VALUE`.
pub(crate) fn parse_pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    pair.map(|(name, value)| (name.to_owned(), value.to_owned()))
        .ok_or_else(|| "write NAME=VALUE, with a name before the =".to_owned())
}

/// The project of a command that takes no run.
#[derive(Debug, ClapArgs)]
pub(crate) struct ProjectArgs {
    /// The project directory.
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    #[command(flatten)]
    files: FilesArgs,
}

impl ProjectArgs {
    pub(crate) fn options(&self) -> Options {
        self.files.options(self.project.clone())
    }
}

/// The projects whose overlays take part.
#[derive(Debug, ClapArgs)]
pub(crate) struct LayersArgs {
    /// A project directory; of several the last one is the active one, whose overlay and configuration win.
    #[arg(id = "project", long, value_name = "DIR", default_value = ".")]
    projects: Vec<PathBuf>,
    /// The directory of the site's overlay, in place of that of the configuration.
    #[arg(long, value_name = "DIR")]
    site: Option<PathBuf>,
    #[command(flatten)]
    files: FilesArgs,
}

impl LayersArgs {
    pub(crate) fn options(&self) -> Options {
        let active = self.projects.last().cloned().unwrap_or_default();
        Options { roots: self.projects.clone(), site: self.site.clone(), ..self.files.options(active) }
    }
}
