//! `cuebook layers`.

use std::fmt::Write as _;

use clap::{Args as ClapArgs, Subcommand};
use cuebook_host::layered::{BundledState, OverrideStatus};
use cuebook_host::{Host, LayerFact, LayersStatus, Problems, Severity};
use serde_json::json;

use crate::args::LayersArgs;
use crate::exit::{Exit, help};
use crate::output::{self, Output};

#[derive(Debug, ClapArgs)]
pub(crate) struct LayersCommandArgs {
    #[command(subcommand)]
    what: LayersCommand,
}

#[derive(Debug, Subcommand)]
enum LayersCommand {
    /// Show which layer's file a name stands for, and what lies under it.
    #[command(after_help = help!("cuebook layers which partials/finish-handoff.md --project ."))]
    Which(NameArgs),
    /// Show the lines in which the file that wins differs from the bundled one; exit 1 when some do.
    #[command(after_help = help!("cuebook layers diff partials/finish-handoff.md --project ."))]
    Diff(NameArgs),
    /// Show every override: what it covers, and whether that has changed since.
    #[command(after_help = help!(
        "cuebook layers status --project .",
        "cuebook layers status --project . --record",
        "cuebook layers status --project . --record partials/finish-handoff.md",
    ))]
    Status(StatusArgs),
}

#[derive(Debug, ClapArgs)]
struct NameArgs {
    /// The template: agents/…, partials/…, units/…, archetypes/… or guidance/….
    #[arg(value_name = "REF")]
    name: String,
    #[command(flatten)]
    layers: LayersArgs,
}

#[derive(Debug, ClapArgs)]
struct StatusArgs {
    /// Record the bundled bytes below overrides that have no record; of those named, also anew.
    #[arg(long, value_name = "REF", num_args = 0..)]
    record: Option<Vec<String>>,
    #[command(flatten)]
    layers: LayersArgs,
}

pub(crate) fn layers(args: &LayersCommandArgs, output: Output) -> Result<Exit, Problems> {
    match &args.what {
        LayersCommand::Which(args) => which(args, output),
        LayersCommand::Diff(args) => diff(args, output),
        LayersCommand::Status(args) => status(args, output),
    }
}

fn which(args: &NameArgs, output: Output) -> Result<Exit, Problems> {
    let stack = Host::open(&args.layers.options())?.which(&args.name)?;
    if output.is_json() {
        output::json(&json!({ "layers": stack }));
    } else {
        let lines: Vec<String> = stack.iter().enumerate().map(|(at, fact)| line(at, fact)).collect();
        output::data(&lines.join("\n"));
    }
    let is_fine = stack.first().is_some_and(|winner| winner.fault.is_none());
    Ok(if is_fine { Exit::Fine } else { Exit::Findings })
}

fn line(at: usize, fact: &LayerFact) -> String {
    let mark = if at == 0 { "wins" } else { "below" };
    let state = fact.fault.as_ref().map(|fault| format!("  cannot be had: {fault}")).unwrap_or_default();
    format!("{mark:<6} {}  {}  in {}{state}", fact.tier, fact.path, fact.layer)
}

fn diff(args: &NameArgs, output: Output) -> Result<Exit, Problems> {
    let diff = Host::open(&args.layers.options())?.diff_layers(&args.name)?;
    if output.is_json() {
        output::json(&json!({ "isSame": diff.is_none(), "diff": diff }));
    } else if let Some(diff) = &diff {
        output::data(diff);
    }
    Ok(if diff.is_none() { Exit::Fine } else { Exit::Findings })
}

fn status(args: &StatusArgs, output: Output) -> Result<Exit, Problems> {
    let status = Host::open(&args.layers.options())?.layers_status(args.record.as_deref())?;
    if output.is_json() {
        output::json(&json!({
            "revision": status.revision,
            "overrides": status.overrides,
            "findings": status.findings.to_json(),
        }));
    } else {
        output::data(&table(&status));
        output.remarks(&status.findings);
    }
    let is_error = status.findings.iter().any(|finding| finding.severity == Severity::Error);
    let is_changed = status.overrides.iter().any(|it| it.bundled == BundledState::Changed && !it.is_owned);
    Ok(if is_error || is_changed { Exit::Findings } else { Exit::Fine })
}

fn table(status: &LayersStatus) -> String {
    let mut text = String::new();
    if status.overrides.is_empty() {
        text.push_str("nothing is overridden\n");
    }
    for file in &status.overrides {
        let _ = writeln!(text, "{}  {}  {}", file.reference, file.layer, remarks(file).join(", "));
    }
    let _ = write!(text, "revision {}", status.revision);
    text
}

fn remarks(file: &OverrideStatus) -> Vec<&'static str> {
    let bundled = match file.bundled {
        BundledState::NothingBelow => "nothing bundled below",
        BundledState::SameAsBundled => "same as bundled",
        BundledState::NotRecorded => "bundled file not recorded",
        BundledState::Unchanged => "bundled file unchanged",
        BundledState::Changed => "bundled file has changed since",
    };
    let owned = file.is_owned.then_some("owned");
    let refused = (!file.is_trusted).then_some("takes no part: not trusted");
    let covered = (file.is_trusted && !file.wins).then_some("covered by a higher layer");
    let faulty = file.fault.is_some().then_some("cannot be had");
    owned.into_iter().chain([bundled]).chain(refused).chain(covered).chain(faulty).collect()
}
