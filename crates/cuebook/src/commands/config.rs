//! `cuebook config`.

use cuebook_host::prompt::Library;
use cuebook_host::{Host, Problems};
use serde_json::json;

use crate::args::{Config, ConfigArgs, ConfigCheckArgs};
use crate::exit::Exit;
use crate::output::{self, Output};

pub(crate) fn config(args: &ConfigArgs, output: Output) -> Result<Exit, Problems> {
    match &args.what {
        Config::Schema => {
            output::json(&cuebook_host::Config::schema());
            Ok(Exit::Fine)
        }
        Config::Check(args) => check(args, output),
    }
}

/// Opens the project and loads every workflow; problems of the first step are usage, those of workflows findings.
fn check(args: &ConfigCheckArgs, output: Output) -> Result<Exit, Problems> {
    let host = Host::open(&args.files.options(args.dir.clone()))?;
    let mut problems = Problems::new();
    let mut warnings = Problems::new();
    let ids: Vec<&str> = host.workflows.ids().collect();
    for id in &ids {
        if let Some(workflow) = problems.collect(host.workflow(Some(id))) {
            workflow.warnings.iter().for_each(|warning| warnings.push(warning.clone()));
        }
    }
    output_result(&host, &ids, &problems, &warnings, output);
    Ok(if problems.is_empty() { Exit::Fine } else { Exit::Findings })
}

fn output_result(host: &Host, workflows: &[&str], problems: &Problems, warnings: &Problems, output: Output) {
    let templates = host.libraries.iter().flat_map(Library::entries).count();
    let agents = host.agents.ids().count();
    if output.is_json() {
        return output::json(&json!({
            "workflows": workflows,
            "agents": agents,
            "templates": templates,
            "problems": problems.to_json(),
            "warnings": warnings.to_json(),
        }));
    }
    output.remarks(warnings);
    output.remarks(problems);
    let line = format!("{} workflows, {agents} agents, {templates} templates", workflows.len());
    output::data(&if problems.is_empty() { format!("{line}: fine") } else { line });
}
