//! `cuebook budgets`.

use clap::{Args as ClapArgs, Subcommand};
use cuebook_host::layered::CapChange;
use cuebook_host::prompt::Principal;
use cuebook_host::{Host, Problems, TightenedFile};
use serde_json::json;

use crate::args::LayersArgs;
use crate::exit::{Exit, help};
use crate::output::{self, Output};

#[derive(Debug, ClapArgs)]
pub(crate) struct BudgetsArgs {
    #[command(subcommand)]
    what: Budgets,
}

#[derive(Debug, Subcommand)]
enum Budgets {
    /// Make the grandfathered caps of packs as small as what is rendered; those that the limit covers go.
    #[command(after_help = help!(
        "cuebook budgets tighten --project .",
        "cuebook budgets tighten --packs packs --check",
    ))]
    Tighten(TightenArgs),
}

#[derive(Debug, ClapArgs)]
struct TightenArgs {
    /// Write nothing; exit 1 when a cap could be smaller.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    layers: LayersArgs,
}

pub(crate) async fn budgets(args: &BudgetsArgs, output: Output) -> Result<Exit, Problems> {
    match &args.what {
        Budgets::Tighten(args) => tighten(args, output).await,
    }
}

async fn tighten(args: &TightenArgs, output: Output) -> Result<Exit, Problems> {
    let host = Host::open(&args.layers.options())?;
    let tightened = host.tighten_budgets(&Principal::local(), !args.check).await?;
    if output.is_json() {
        output::json(&json!({
            "files": tightened.files,
            "findings": tightened.findings.to_json(),
            "isWritten": !args.check && !tightened.files.is_empty(),
        }));
    } else {
        output.remarks(&tightened.findings);
        output::data(&told(&tightened.files));
    }
    Ok(if args.check && !tightened.files.is_empty() { Exit::Findings } else { Exit::Fine })
}

fn told(files: &[TightenedFile]) -> String {
    if files.is_empty() {
        return "no cap can be smaller".to_owned();
    }
    let lines =
        files.iter().flat_map(|it| std::iter::once(it.file.clone()).chain(it.changes.iter().map(line)));
    lines.collect::<Vec<_>>().join("\n")
}

fn line(change: &CapChange) -> String {
    let CapChange { category, id, before, after } = change;
    match after {
        Some(after) => format!("  {category} {id}: {before} -> {after}"),
        None => format!("  {category} {id}: {before}, covered by the limit"),
    }
}
