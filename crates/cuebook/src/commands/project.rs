//! `cuebook project`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use cuebook_host::project::{Watch, schema_text};
use cuebook_host::prompt::Principal;
use cuebook_host::{CheckedProject, Host, Problems, ProjectChecker, PromptRecipe, with_margin};
use serde_json::json;

use crate::args::ProjectArgs;
use crate::exit::{Exit, help};
use crate::output::{self, Output};

#[derive(Debug, ClapArgs)]
pub(crate) struct ProjectFileArgs {
    #[command(subcommand)]
    what: ProjectFile,
}

#[derive(Debug, Subcommand)]
enum ProjectFile {
    /// Check a project file, what overrides it, what it includes, and every prompt file that it lists.
    #[command(after_help = help!(
        "cuebook project check examples/newsroom-project",
        "cuebook project check --watch",
    ))]
    Check(CheckArgs),
    /// Print the text of a prompt field: exactly what a model gets.
    #[command(after_help = help!(
        "cuebook project compose primary.system_prompt",
        "cuebook project compose writer --project examples/newsroom-project --origins",
        "cuebook project compose workflows.editorial.steps.draft.prompt --json",
    ))]
    Compose(ComposeArgs),
    /// Show agents, workflows and prompts: the files of each in order, and the place that set them.
    #[command(after_help = help!("cuebook project explain examples/newsroom-project"))]
    Explain(DirectoryArgs),
    /// Print the JSON Schema of project files.
    #[command(after_help = help!("cuebook project schema > project.schema.json"))]
    Schema,
}

#[derive(Debug, ClapArgs)]
struct DirectoryArgs {
    /// The project directory.
    #[arg(default_value = ".")]
    dir: PathBuf,
}

#[derive(Debug, ClapArgs)]
struct CheckArgs {
    #[command(flatten)]
    directory: DirectoryArgs,
    /// Check again after every change, until interrupted.
    #[arg(long)]
    watch: bool,
}

#[derive(Debug, ClapArgs)]
struct ComposeArgs {
    /// The field, or the path of an agent for its prompt.
    field: String,
    #[command(flatten)]
    project: ProjectArgs,
    /// Show the file and line of each part in the margin.
    #[arg(long)]
    origins: bool,
}

pub(crate) async fn project(args: ProjectFileArgs, output: Output) -> Result<Exit, Problems> {
    match args.what {
        ProjectFile::Check(args) => check(&args, output),
        ProjectFile::Compose(args) => compose(&args, output).await,
        ProjectFile::Explain(args) => explain(&args, output),
        ProjectFile::Schema => {
            output::bytes(&schema_text());
            Ok(Exit::Fine)
        }
    }
}

fn check(args: &CheckArgs, output: Output) -> Result<Exit, Problems> {
    let mut checker = ProjectChecker::new(&args.directory.dir)?;
    // Before the first check, so that no change falls between the two.
    let watch = args.watch.then(|| checker.watch()).transpose()?;
    let mut exit = tell(&checker.check(), output);
    while let Some(paths) = watch.as_ref().and_then(Watch::next) {
        checker.touched(&paths);
        exit = tell(&checker.check(), output);
    }
    Ok(exit)
}

fn tell(checked: &CheckedProject, output: Output) -> Exit {
    if output.is_json() {
        output::json(&json!({
            "projects": checked.projects,
            "agents": checked.agents,
            "workflows": checked.workflows,
            "prompts": checked.prompts,
            "problems": checked.problems.to_json(),
            "remarks": checked.remarks.to_json(),
        }));
    } else {
        output.remarks(&checked.remarks.iter().chain(checked.problems.iter()).cloned().collect());
        output::data(&summary(checked));
    }
    if checked.problems.is_empty() { Exit::Fine } else { Exit::Findings }
}

fn summary(checked: &CheckedProject) -> String {
    let count =
        |number: usize, thing: &str| format!("{number} {thing}{}", if number == 1 { "" } else { "s" });
    match checked.problems.iter().count() {
        0 => format!(
            "{}, {}, {}, {}: fine",
            count(checked.projects, "project"),
            count(checked.agents, "agent"),
            count(checked.workflows, "workflow"),
            count(checked.prompts, "prompt"),
        ),
        problems => count(problems, "problem"),
    }
}

async fn compose(args: &ComposeArgs, output: Output) -> Result<Exit, Problems> {
    let host = Host::open(&args.project.options())?;
    let rendered = host.compose_field(&Principal::local(), &args.field).await?;
    let observed = &rendered.observed;
    if output.is_json() {
        output::json(&json!({
            "composed": observed.composed,
            "hash": observed.hash,
            "refs": observed.refs,
            "segments": observed.segments,
        }));
    } else if args.origins {
        output::data(&with_margin(&observed.composed, &observed.segments));
    } else {
        output::bytes(&observed.composed);
    }
    Ok(Exit::Fine)
}

fn explain(args: &DirectoryArgs, output: Output) -> Result<Exit, Problems> {
    let mut checker = ProjectChecker::new(&args.dir)?;
    let explained = checker.explain()?;
    if output.is_json() {
        output::json(&json!({ "projects": explained }));
        return Ok(Exit::Fine);
    }
    let mut text = String::new();
    for project in &explained {
        let _ = writeln!(text, "{}  {}", project.project, project.directory);
        for agent in &project.agents {
            let _ = writeln!(text, "  agent {}  {}  model {}", agent.path, agent.agent_id, agent.model);
        }
        for workflow in &project.workflows {
            let _ = writeln!(text, "  workflow {}  {}", workflow.name, workflow.workflow_id);
        }
        project.prompts.iter().for_each(|recipe| write_recipe(&mut text, recipe));
    }
    output::data(&text);
    Ok(Exit::Fine)
}

fn write_recipe(text: &mut String, recipe: &PromptRecipe) {
    let _ = writeln!(text, "\n  {}\n    {}\n    set by {}", recipe.field, recipe.reference, recipe.set_by);
    for (at, file) in recipe.files.iter().enumerate() {
        let _ = writeln!(text, "    {}. {}  listed at {}", at + 1, file.path, file.listed);
    }
}
