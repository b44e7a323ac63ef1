//! `cuebook explain`.

use cuebook_host::prompt::Principal;
use cuebook_host::{
    Host, PreviewNode, Problems, RunView, StartRun, disclose_node, disclose_preview, journal, read_typed,
};
use serde_json::{Map, Value as Json, json};

use crate::args::{Explain, ExplainArgs, ExplainNodeArgs, ExplainRunArgs};
use crate::exit::Exit;
use crate::output::{self, Output};

pub(crate) async fn explain(args: ExplainArgs, output: Output) -> Result<Exit, Problems> {
    match args.what {
        Explain::Run(args) => explain_run(&args, output).await,
        Explain::Node(args) => explain_node(&args, output).await,
    }
}

async fn explain_run(args: &ExplainRunArgs, output: Output) -> Result<Exit, Problems> {
    let journal = journal::read(&args.journal)?;
    let mut view = RunView::of(&journal.state, &journal.records);
    if let Some(project) = args.project.as_ref().filter(|_| args.text) {
        let host = Host::open(&args.files.options(project.clone()))?;
        view.complete_texts(&journal.state, &host.pipeline).await;
    }
    if output.is_json() {
        output::json(&json!(view));
    } else {
        output::data(
            &view.nodes.iter().map(|node| disclose_node(node, args.text)).collect::<Vec<_>>().join("\n"),
        );
    }
    Ok(Exit::Fine)
}

async fn explain_node(args: &ExplainNodeArgs, output: Output) -> Result<Exit, Problems> {
    let host = Host::open(&args.files.options(args.dir.clone()))?;
    let workflow = host.workflow(args.workflow.as_deref())?;
    let inputs = read_typed(&workflow.plan.definition, &args.inputs.typed())?;
    let principal = Principal::local();
    let start = StartRun {
        principal: &principal,
        workflow: &workflow,
        inputs,
        configurable: None,
        refuse_undeclared: true,
    };
    let preview = host.preview(PreviewNode { start, node: &args.node, ports: ports(&args.ports) }).await?;
    if output.is_json() {
        let mut facts = json!(preview);
        facts["problems"] = preview.problems.to_json();
        output::json(&facts);
    } else {
        output::data(&disclose_preview(&preview, args.text));
        output.remarks(&preview.problems);
    }
    Ok(if preview.problems.is_empty() { Exit::Fine } else { Exit::Findings })
}

/// Port values as typed: JSON where the text is JSON, else text.
fn ports(given: &[(String, String)]) -> Map<String, Json> {
    let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Json::from(text));
    given.iter().map(|(name, text)| (name.clone(), value(text))).collect()
}
