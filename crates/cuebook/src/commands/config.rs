//! `cuebook config`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use cuebook_host::prompt::Principal;
use cuebook_host::{Host, Options, Problems, ProjectCheck};
use serde_json::json;

use crate::args::FilesArgs;
use crate::exit::{Exit, help};
use crate::output::{self, Output};

#[derive(Debug, ClapArgs)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) what: Config,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Check the configuration and everything it names: prompts, agents, packs and workflows.
    #[command(after_help = help!("cuebook config check examples/newsroom", "cuebook config check . --data data"))]
    Check(ConfigCheckArgs),
    /// Print the JSON Schema of cuebook.toml.
    #[command(after_help = help!("cuebook config schema > cuebook.schema.json"))]
    Schema,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ConfigCheckArgs {
    /// The project directory.
    #[arg(default_value = ".")]
    pub(crate) dir: PathBuf,
    /// A data directory with templates that were written over HTTP, which refs may name.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Whose templates of the data directory.
    #[arg(long, value_name = "NAME", default_value = "default", requires = "data")]
    pub(crate) tenant: String,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
}

pub(crate) async fn config(args: &ConfigArgs, output: Output) -> Result<Exit, Problems> {
    match &args.what {
        Config::Schema => {
            output::json(&cuebook_host::Config::schema());
            Ok(Exit::Fine)
        }
        Config::Check(args) => check(args, output).await,
    }
}

/// Opens the project and checks it whole; what keeps it from opening is usage, what it holds are findings.
async fn check(args: &ConfigCheckArgs, output: Output) -> Result<Exit, Problems> {
    let options = Options { data: args.data.clone(), ..args.files.options(args.dir.clone()) };
    let principal = Principal { tenant: args.tenant.clone(), workspace: None };
    let found = Host::open(&options)?.check(&principal).await;
    if output.is_json() {
        output::json(&json!({
            "workflows": found.workflows,
            "agents": found.agents,
            "templates": found.templates,
            "problems": found.problems.to_json(),
            "warnings": found.warnings.to_json(),
        }));
    } else {
        output.remarks(&found.warnings.iter().chain(found.problems.iter()).cloned().collect());
        output::data(&summary(&found));
    }
    Ok(if found.problems.is_empty() { Exit::Fine } else { Exit::Findings })
}

fn summary(found: &ProjectCheck) -> String {
    let count =
        |number: usize, thing: &str| format!("{number} {thing}{}", if number == 1 { "" } else { "s" });
    let counts = [
        count(found.workflows.len(), "workflow"),
        count(found.agents, "agent"),
        count(found.templates, "template"),
    ]
    .join(", ");
    match found.problems.iter().count() {
        0 => format!("{counts}: fine"),
        problems => format!("{counts}: {}", count(problems, "problem")),
    }
}
