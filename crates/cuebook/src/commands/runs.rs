//! `cuebook runs`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use cuebook_host::log::RunEntry;
use cuebook_host::prompt::Principal;
use cuebook_host::wire::{ErrorCode, RunId, RunSnapshot, RunStatus};
use cuebook_host::{Age, Diagnostic, Host, Problems, PrunePolicy, Pruned, compact, listed_run};
use serde_json::{Value as Json, json};

use crate::args::ProjectArgs;
use crate::exit::{Exit, help};
use crate::output::{self, Output};

/// The file that makes a directory a data directory.
const DATABASE: &str = "cuebook.db";

#[derive(Debug, ClapArgs)]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    what: Runs,
}

#[derive(Debug, Subcommand)]
enum Runs {
    /// List the runs in a data directory that no host holds, newest first.
    #[command(after_help = help!("cuebook runs list --data data --status failed,cancelled"))]
    List(RunsListArgs),
    /// Show where one run stands.
    #[command(after_help = help!("cuebook runs get run_0198… --data data --json"))]
    Get(RunsGetArgs),
    /// Remove finished runs, and what nobody needs any more.
    #[command(after_help = help!(
        "cuebook runs prune --data data --older-than 30d --dry-run",
        "cuebook runs prune --data data --keep 1000 --status completed --vacuum",
    ))]
    Prune(RunsPruneArgs),
}

/// Where the runs are.
#[derive(Debug, ClapArgs)]
struct DataArgs {
    /// Where runs are kept; no other process may hold it.
    #[arg(long, value_name = "DIR", default_value = "cuebook-data")]
    data: PathBuf,
    #[command(flatten)]
    project: ProjectArgs,
}

/// Whose runs.
#[derive(Debug, ClapArgs)]
struct TenantArgs {
    /// The tenant whose runs are shown.
    #[arg(long, value_name = "NAME", default_value = "default")]
    tenant: String,
    #[command(flatten)]
    data: DataArgs,
}

#[derive(Debug, ClapArgs)]
struct RunsListArgs {
    /// Only runs that stand so, such as running, waiting-approval, completed, failed.
    #[arg(long, value_name = "STATUS", value_delimiter = ',', value_parser = parse_status)]
    status: Vec<RunStatus>,
    /// The most runs that are listed.
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    of: TenantArgs,
}

#[derive(Debug, ClapArgs)]
struct RunsGetArgs {
    /// The run.
    run: String,
    #[command(flatten)]
    of: TenantArgs,
}

#[derive(Debug, ClapArgs)]
struct RunsPruneArgs {
    /// Only runs that ended so long ago, such as 30d, 12h, 90m; in place of `retention.runs_older_than`.
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    older_than: Option<Age>,
    /// All but so many of each tenant, those that ended last; in place of `retention.keep_runs`.
    #[arg(long, value_name = "N")]
    keep: Option<usize>,
    /// Only runs that ended so: completed, failed, cancelled; in place of `retention.statuses`.
    #[arg(long, value_name = "STATUS", value_delimiter = ',', value_parser = parse_ended)]
    status: Vec<RunStatus>,
    /// Count what would go, and remove nothing.
    #[arg(long)]
    dry_run: bool,
    /// Make the database file smaller afterwards; otherwise its free space is used again.
    #[arg(long, conflicts_with = "dry_run")]
    vacuum: bool,
    #[command(flatten)]
    data: DataArgs,
}

fn parse_status(text: &str) -> Result<RunStatus, String> {
    text.parse::<RunStatus>().map_err(|error| error.to_string())
}

fn parse_ended(text: &str) -> Result<RunStatus, String> {
    let status = parse_status(text)?;
    let message = || format!("a run that is '{status}' has not ended; use completed, failed or cancelled");
    if status.is_terminal() { Ok(status) } else { Err(message()) }
}

fn parse_age(text: &str) -> Result<Age, String> {
    Age::parse(text).ok_or_else(|| "write a whole number and s, m, h or d, such as 30d".to_owned())
}

pub(crate) async fn runs(args: RunsArgs, output: Output) -> Result<Exit, Problems> {
    match args.what {
        Runs::List(args) => list(&args, output).await,
        Runs::Get(args) => get(&args, output).await,
        Runs::Prune(args) => prune(&args, output).await,
    }
}

impl DataArgs {
    /// The host over the data directory, which must be one.
    fn open(&self) -> Result<Host, Problems> {
        if !self.data.join(DATABASE).is_file() {
            let message = format!("there are no runs in '{}'", self.data.display());
            let problem = Diagnostic::error(ErrorCode::NotFound.as_str(), message);
            return Err(problem.with_hint("name the directory of 'cuebook serve --data' with --data").into());
        }
        let mut options = self.project.options();
        options.data = Some(self.data.clone());
        Host::open(&options)
    }
}

impl TenantArgs {
    fn principal(&self) -> Principal {
        Principal { tenant: self.tenant.clone(), workspace: None }
    }
}

async fn list(args: &RunsListArgs, output: Output) -> Result<Exit, Problems> {
    let host = args.of.data.open()?;
    let entries = host.list_runs(&args.of.principal(), &args.status, args.limit).await?;
    if output.is_json() {
        let runs: Vec<Json> = entries.iter().map(listed_run).collect();
        output::json(&json!({ "runs": runs }));
    } else {
        let lines: Vec<String> = entries.iter().map(line).collect();
        output::data(&lines.join("\n"));
        if lines.is_empty() {
            output::note(&format!("tenant '{}' has no such runs", args.of.tenant));
        }
    }
    Ok(Exit::Fine)
}

fn line(entry: &RunEntry) -> String {
    let status = entry.status.to_string();
    format!("{}  {status:<16}  {}  {}", entry.run_id, entry.started_at, entry.workflow_id)
}

async fn get(args: &RunsGetArgs, output: Output) -> Result<Exit, Problems> {
    let host = args.of.data.open()?;
    let run_id = RunId::new(args.run.clone());
    let snapshot = host.run_snapshot(&args.of.principal(), &run_id).await?;
    if output.is_json() {
        output::json(&json!(snapshot));
    } else {
        output::data(&shown(&snapshot));
    }
    Ok(Exit::Fine)
}

fn shown(snapshot: &RunSnapshot) -> String {
    let mut lines = vec![
        format!("run:      {}", snapshot.run_id),
        format!("workflow: {}", snapshot.workflow_id),
        format!("status:   {}", snapshot.status),
    ];
    if let Some(error) = &snapshot.error {
        lines.push(format!("error:    [{}] {}", error.code, error.message));
    }
    lines.join("\n")
}

async fn prune(args: &RunsPruneArgs, output: Output) -> Result<Exit, Problems> {
    let host = args.data.open()?;
    let policy = policy(args, &host)?;
    let round = if args.dry_run { host.would_prune(&policy).await } else { host.prune(&policy).await };
    let pruned = round?;
    // The host holds the directory, which compacting needs for itself.
    drop(host);
    let compacted = if args.vacuum { Some(compact(&args.data.data)?) } else { None };
    let sizes = compacted.map(|it| (it.before, it.after));
    if output.is_json() {
        output::json(&as_json(&pruned, args.dry_run, sizes));
    } else {
        output::data(&as_text(&pruned, args.dry_run, sizes));
    }
    Ok(Exit::Fine)
}

/// What the flags say, and `[retention]` where they are silent; something must say what goes.
fn policy(args: &RunsPruneArgs, host: &Host) -> Result<PrunePolicy, Problems> {
    let retention = &host.config.retention;
    let is_told = args.older_than.is_some() || args.keep.is_some();
    let older_than = if is_told { args.older_than } else { retention.runs_older_than };
    let keep = if is_told { args.keep } else { retention.keep_runs };
    if older_than.is_none() && keep.is_none() {
        let problem =
            Diagnostic::error(ErrorCode::ConfigInvalid.as_str(), "nothing says which runs are to go");
        return Err(problem.with_hint("give --older-than 30d or --keep 1000, or set [retention]").into());
    }
    let statuses = if args.status.is_empty() { retention.statuses.clone() } else { args.status.clone() };
    Ok(PrunePolicy { older_than: older_than.map(|age| age.0), keep: keep.unwrap_or_default(), statuses })
}

fn as_json(pruned: &Pruned, dry_run: bool, sizes: Option<(u64, u64)>) -> Json {
    let freed = &pruned.freed;
    let mut report = json!({ "dryRun": dry_run, "runs": pruned.runs, "records": freed.records });
    if !dry_run {
        report["blobs"] = freed.blobs.into();
        report["templates"] = freed.templates.into();
        report["requests"] = freed.requests.into();
        report["bytes"] = freed.bytes.into();
        report["vacuum"] =
            sizes.map_or(Json::Null, |(before, after)| json!({"before": before, "after": after}));
    }
    report
}

fn as_text(pruned: &Pruned, dry_run: bool, sizes: Option<(u64, u64)>) -> String {
    let freed = &pruned.freed;
    if dry_run {
        return format!("would remove {} runs with {} records", pruned.runs, freed.records);
    }
    let removed = format!(
        "removed {} runs with {} records, {} blobs, {} templates, {} requests: {} bytes",
        pruned.runs, freed.records, freed.blobs, freed.templates, freed.requests, freed.bytes
    );
    match sizes {
        Some((before, after)) => format!("{removed}\nthe database went from {before} to {after} bytes"),
        None => format!("{removed}\nthe space is used again; --vacuum makes the file smaller"),
    }
}
