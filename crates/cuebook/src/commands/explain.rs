//! `cuebook explain`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use cuebook_host::prompt::Principal;
use cuebook_host::{
    Host, PreviewNode, Problems, PromptLint, RunView, StartRun, disclose_node, disclose_preview, journal,
    named, read_typed,
};
use serde_json::{Map, Value as Json, json};

use crate::args::{FilesArgs, InputArgs, parse_pair};
use crate::exit::{Exit, help};
use crate::output::{self, Output};

#[derive(Debug, ClapArgs)]
pub(crate) struct ExplainArgs {
    #[command(subcommand)]
    pub(crate) what: Explain,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Explain {
    /// Explain a run that was kept in a journal.
    #[command(after_help = help!(
        "cuebook run examples/newsroom --input topic=bread --journal run.jsonl",
        "cuebook explain run run.jsonl --text",
        "cuebook explain run run.jsonl --text --project examples/newsroom",
    ))]
    Run(ExplainRunArgs),
    /// Explain what a node would be told, without a run.
    #[command(after_help = help!(
        "cuebook explain node examples/newsroom writer --input topic=bread --text",
        "cuebook explain node examples/newsroom editor --input topic=bread --port draft=\"A draft.\"",
    ))]
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

pub(crate) async fn explain(args: ExplainArgs, output: Output) -> Result<Exit, Problems> {
    match args.what {
        Explain::Run(args) => explain_run(&args, output).await,
        Explain::Node(args) => explain_node(&args, output).await,
    }
}

async fn explain_run(args: &ExplainRunArgs, output: Output) -> Result<Exit, Problems> {
    let journal = journal::read(&args.journal)?;
    let mut view = RunView::of(&journal.state, &journal.records);
    if let Some(project) = &args.project {
        let host = Host::open(&args.files.options(project.clone()))?;
        view.complete_texts(&journal.state, &host.pipeline).await;
    }
    if output.is_json() {
        output::json(&json!(view));
    } else {
        let nodes: Vec<String> = view.nodes.iter().map(|node| disclose_node(node, args.text)).collect();
        output::data(&nodes.join("\n"));
    }
    Ok(if view.has_changed() { Exit::Divergence } else { Exit::Fine })
}

async fn explain_node(args: &ExplainNodeArgs, output: Output) -> Result<Exit, Problems> {
    let host = Host::open(&args.files.options(args.dir.clone()))?;
    let workflow = host.workflow(args.workflow.as_deref())?;
    let inputs = read_typed(&workflow.plan.definition, &args.inputs.typed())?;
    let principal = Principal::local();
    let start = StartRun {
        principal: &principal,
        plan: &workflow.plan,
        inputs,
        configurable: None,
        refuse_undeclared: true,
    };
    let preview = host.preview(PreviewNode { start, node: &args.node, ports: ports(&args.ports)? }).await?;
    if output.is_json() {
        output::json(&preview.to_json(true));
    } else {
        output::data(&disclose_preview(&preview, args.text));
        let doubtful = preview.templates.iter().flat_map(PromptLint::problems);
        let told = preview.problems.iter().chain(preview.slots.iter()).cloned();
        output.remarks(&told.chain(doubtful).collect());
    }
    Ok(if preview.problems.is_empty() { Exit::Fine } else { Exit::Findings })
}

/// Port values as typed: JSON where the text is JSON, else text.
fn ports(given: &[(String, String)]) -> Result<Map<String, Json>, Problems> {
    let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Json::from(text));
    let given = named("port", given)?;
    Ok(given.iter().map(|(name, text)| (name.clone(), value(text))).collect())
}
