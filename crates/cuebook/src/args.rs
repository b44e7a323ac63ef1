//! The arguments of every command.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use cuebook_host::{Directories, Options, TypedInput};

use crate::exit;

/// The prompt host for multi-agent workflows: what each agent was told, where each sentence came from, and why.
#[derive(Debug, Parser)]
#[command(name = "cuebook", version, after_help = exit::HELP, max_term_width = 100)]
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
    #[command(after_help = "\
Examples:
  cuebook run examples/newsroom --input topic=\"the night train\"
  cuebook run . review --input draft=\"…\" --untrusted-input notes=\"…\" --journal run.jsonl
  cuebook run . --input topic=x --json | jq .outputs")]
    Run(RunArgs),
    /// Explain which prompt a run or a node gets, and why.
    Explain(ExplainArgs),
    /// List, show and render prompts.
    Prompts(PromptsArgs),
    /// Make a new project that runs as it is.
    #[command(
        after_help = "Example:\n  cuebook init my-project && cuebook run my-project --input question=\"Why?\""
    )]
    Init(InitArgs),
    /// Check a project, or print the schema of its configuration.
    Config(ConfigArgs),
    /// Print completions for a shell.
    #[command(
        after_help = "Example:\n  cuebook completions bash > ~/.local/share/bash-completion/completions/cuebook"
    )]
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
        Options { root, config: self.config.clone(), more }
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
    match text.split_once('=').filter(|(name, _)| !name.is_empty()) {
        Some((name, text)) => Ok(TypedInput { name: name.to_owned(), text: text.to_owned(), untrusted }),
        None => Err("an input is written NAME=VALUE".to_owned()),
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunArgs {
    /// The project directory.
    pub(crate) dir: PathBuf,
    /// The workflow: its id, or a JSON file.
    pub(crate) workflow: Option<String>,
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    /// Keep the run's log in a file, for `cuebook explain run FILE`.
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// Print the outputs alone, without prompts and reasons.
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ExplainArgs {
    #[command(subcommand)]
    pub(crate) what: Explain,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Explain {
    /// Explain a run that was kept in a journal.
    #[command(after_help = "\
Examples:
  cuebook run examples/newsroom --input topic=bread --journal run.jsonl
  cuebook explain run run.jsonl --text")]
    Run(ExplainRunArgs),
    /// Explain what a node would be told, without a run.
    #[command(after_help = "\
Examples:
  cuebook explain node examples/newsroom writer --input topic=bread --text
  cuebook explain node examples/newsroom editor --input topic=bread --port draft=\"A draft.\"")]
    Node(ExplainNodeArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ExplainRunArgs {
    /// The journal of the run.
    pub(crate) journal: PathBuf,
    /// The project directory, needed to compose again what the journal does not hold.
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    /// Show the composed prompts with their origins in the margin.
    #[arg(long)]
    pub(crate) text: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ExplainNodeArgs {
    /// The project directory.
    pub(crate) dir: PathBuf,
    /// The node.
    pub(crate) node: String,
    /// The workflow: its id, or a JSON file.
    #[arg(long)]
    pub(crate) workflow: Option<String>,
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// A value at an input port, in place of what an earlier node would give: JSON, or else text.
    #[arg(long = "port", value_name = "NAME=VALUE", value_parser = parse_pair)]
    pub(crate) ports: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    /// Show the composed prompt with its origins in the margin.
    #[arg(long)]
    pub(crate) text: bool,
}

fn parse_pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    pair.map(|(name, value)| (name.to_owned(), value.to_owned())).ok_or_else(|| "write NAME=VALUE".to_owned())
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PromptsArgs {
    #[command(subcommand)]
    pub(crate) what: Prompts,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Prompts {
    /// List the templates of all libraries.
    List(PromptsListArgs),
    /// Show a template as it is kept.
    Get(PromptsGetArgs),
    /// Compose a template, or an agent's own prompt, with the values given: the bytes a model would get.
    #[command(after_help = "\
Examples:
  cuebook prompts render prompt:writer-user@1.0.0 --project examples/newsroom --var topic=bread
  cuebook prompts render prompt:writer-user --project examples/newsroom --var topic=bread --json
  cuebook prompts render --agent core.openwop.agents.react.default --packs packs")]
    Render(PromptsRenderArgs),
}

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

#[derive(Debug, ClapArgs)]
pub(crate) struct PromptsRenderArgs {
    /// The template: prompt:ID or prompt:ID@VERSION.
    #[arg(required_unless_present = "agent")]
    pub(crate) reference: Option<String>,
    /// Render the own prompt of an agent.
    #[arg(long, value_name = "ID", conflicts_with = "reference")]
    pub(crate) agent: Option<String>,
    /// A variable's value, read by its declared type; a secret variable takes a secret's id.
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = parse_pair)]
    pub(crate) variables: Vec<(String, String)>,
    /// Take the values for untrusted: they are wrapped.
    #[arg(long)]
    pub(crate) untrusted: bool,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct InitArgs {
    /// The directory, which is made if it is not there.
    pub(crate) dir: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) what: Config,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Check the configuration and everything it names: prompts, agents, packs and workflows.
    Check(ConfigCheckArgs),
    /// Print the JSON Schema of cuebook.toml.
    Schema,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ConfigCheckArgs {
    /// The project directory.
    #[arg(default_value = ".")]
    pub(crate) dir: PathBuf,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}
