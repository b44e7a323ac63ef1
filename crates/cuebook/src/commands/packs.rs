//! `cuebook packs`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use cuebook_host::prompt::Principal;
use cuebook_host::{
    CheckedPack, Host, InstallPack, Integrity, PackStore, PackView, Problems, PromptLint, RemovedPack,
    Severity,
};
use serde_json::{Value as Json, json};

use crate::args::{LayersArgs, ProjectArgs};
use crate::exit::{Exit, help};
use crate::output::{self, Output};

#[derive(Debug, ClapArgs)]
pub(crate) struct PacksArgs {
    #[command(subcommand)]
    pub(crate) what: Packs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Packs {
    /// Check a pack and copy it into the project; a pack that is refused changes nothing.
    #[command(after_help = help!(
        "cuebook packs install downloads/vendor.acme.phrases --project my-project",
        "cuebook packs install downloads/vendor.acme.phrases-1.1.0.tgz --integrity sha256-… --replace",
        "cuebook packs install downloads/acme-notes",
    ))]
    Install(PacksInstallArgs),
    /// List the packs of a project.
    #[command(after_help = help!("cuebook packs list --project my-project --json"))]
    List(PacksListArgs),
    /// Check the packs of a project, or one that is not installed; nothing is written.
    #[command(after_help = help!(
        "cuebook packs verify --project my-project",
        "cuebook packs verify downloads/vendor.acme.phrases",
    ))]
    Verify(PacksVerifyArgs),
    /// Check every layered template that packs and overlays bring: that it compiles, and of agents' prompts headings, phrases and
    /// budgets.
    #[command(after_help = help!("cuebook packs check --project .", "cuebook packs check --packs packs --site site"))]
    Check(PacksCheckArgs),
    /// Remove a pack that no other needs.
    #[command(after_help = help!(
        "cuebook packs remove vendor.acme.phrases --project my-project",
        "cuebook packs remove acme/notes",
    ))]
    Remove(PacksRemoveArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PacksInstallArgs {
    /// The directory of the pack, or its archive (.tgz).
    pub(crate) source: PathBuf,
    /// The hash that the pack's files must have.
    #[arg(long, value_name = "SHA256", value_parser = parse_integrity)]
    pub(crate) integrity: Option<Integrity>,
    /// Take the place of another version.
    #[arg(long)]
    pub(crate) replace: bool,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PacksListArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PacksVerifyArgs {
    /// The directory of a pack or its archive; all packs of the project when absent.
    pub(crate) source: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PacksCheckArgs {
    #[command(flatten)]
    pub(crate) layers: LayersArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PacksRemoveArgs {
    /// The pack's name, or its id, as in `acme/notes`.
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
}

fn parse_integrity(text: &str) -> Result<Integrity, String> {
    Integrity::parse(text).ok_or_else(|| "write sha256- and the base64 of 32 bytes".to_owned())
}

pub(crate) async fn packs(args: &PacksArgs, output: Output) -> Result<Exit, Problems> {
    match &args.what {
        Packs::Install(args) => install(args, output),
        Packs::List(args) => list(args, output),
        Packs::Verify(args) => verify(args, output),
        Packs::Check(args) => check(args, output).await,
        Packs::Remove(args) => remove(args, output),
    }
}

fn install(args: &PacksInstallArgs, output: Output) -> Result<Exit, Problems> {
    let store = PackStore::open(&args.project.options())?;
    let request = InstallPack { source: &args.source, integrity: args.integrity, replace: args.replace };
    let installed = store.install(&request)?;
    match &installed {
        _ if output.is_json() => {
            let templates: Vec<Json> =
                installed.iter().flat_map(|it| &it.templates).map(PromptLint::to_json).collect();
            let pack = installed.as_ref().map(|it| it.pack.to_json());
            let findings = installed.as_ref().map_or_else(|| json!([]), |it| it.findings.to_json());
            output::json(&json!({ "installed": pack, "templates": templates, "findings": findings }));
        }
        Some(installed) => {
            output::data(&format!("installed {}", described(&installed.pack)));
            findings(installed, output);
        }
        None => output::data("the very same pack is installed already"),
    }
    Ok(Exit::Fine)
}

fn list(args: &PacksListArgs, output: Output) -> Result<Exit, Problems> {
    let (packs, problems) = PackStore::open(&args.project.options())?.list()?;
    show(&packs, &problems, output, row);
    let is_error = problems.iter().any(|problem| problem.severity == Severity::Error);
    Ok(if is_error { Exit::Findings } else { Exit::Fine })
}

fn verify(args: &PacksVerifyArgs, output: Output) -> Result<Exit, Problems> {
    let store = PackStore::open(&args.project.options())?;
    let (packs, problems) = match &args.source {
        None => store.list()?,
        Some(source) => match store.verify(source) {
            Ok(checked) => {
                findings(&checked, output);
                (vec![checked.pack], Problems::new())
            }
            Err(problems) => (Vec::new(), problems),
        },
    };
    show(&packs, &problems, output, |pack| format!("{}: fine", described(pack)));
    Ok(if problems.is_empty() { Exit::Fine } else { Exit::Findings })
}

async fn check(args: &PacksCheckArgs, output: Output) -> Result<Exit, Problems> {
    let host = Host::open(&args.layers.options())?;
    let (templates, findings) = host.check_layers(&Principal::local()).await;
    if output.is_json() {
        output::json(&json!({ "templates": templates, "findings": findings.to_json() }));
    } else {
        output.remarks(&findings);
        let count = findings.iter().count();
        let result = if count == 0 { "fine".to_owned() } else { format!("{count} findings") };
        output::data(&format!("{templates} templates: {result}"));
    }
    let is_error = findings.iter().any(|finding| finding.severity == Severity::Error);
    Ok(if is_error { Exit::Findings } else { Exit::Fine })
}

fn remove(args: &PacksRemoveArgs, output: Output) -> Result<Exit, Problems> {
    match PackStore::open(&args.project.options())?.remove(&args.name)? {
        RemovedPack::Sound(pack) if output.is_json() => output::json(&json!({ "removed": pack.to_json() })),
        RemovedPack::Broken(_) if output.is_json() => {
            output::json(&json!({ "removed": { "name": args.name, "broken": true } }));
        }
        RemovedPack::Sound(pack) => output::data(&format!("removed {}@{}", pack.name, pack.version)),
        RemovedPack::Broken(place) => {
            output::data(&format!("removed {}, which held no sound pack", place.display()));
        }
    }
    Ok(Exit::Fine)
}

fn show(packs: &[PackView], problems: &Problems, output: Output, line: fn(&PackView) -> String) {
    if output.is_json() {
        let packs: Vec<Json> = packs.iter().map(PackView::to_json).collect();
        output::json(&json!({ "packs": packs, "problems": problems.to_json() }));
    } else {
        output.remarks(problems);
        output::data(&packs.iter().map(line).collect::<Vec<_>>().join("\n"));
    }
}

/// What is doubtful about a pack.
fn findings(checked: &CheckedPack, output: Output) {
    let of_templates = checked.templates.iter().flat_map(PromptLint::problems);
    output.remarks(&of_templates.chain(checked.findings.clone()).collect());
}

fn row(pack: &PackView) -> String {
    let signed = if pack.signed_by.is_some() { "signed" } else { "not signed" };
    format!(
        "{}@{}  {}  {}  {signed}  {}",
        pack.name,
        pack.version,
        pack.kind,
        pack.holds.len(),
        pack.directory
    )
}

/// The pack with what it holds, its hash and its signer.
fn described(pack: &PackView) -> String {
    let signer =
        pack.signed_by.as_ref().map_or_else(|| "not signed".to_owned(), |key| format!("signed by {key}"));
    format!("{}@{} ({}; {}; {signer})", pack.name, pack.version, pack.summary, pack.integrity)
}
