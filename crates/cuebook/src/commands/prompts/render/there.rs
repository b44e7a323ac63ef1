//! `cuebook prompts render --host`: the template of another host, rendered there.
//!
//! It owns what is asked and shown. It refuses what only files have: agents, templates of the layers, origins.

use cuebook_client::{Client, Open, RenderPrompt, RenderedPrompt};
use cuebook_host::prompt::Entry;
use cuebook_host::wire::payload::ContentTrust;
use cuebook_host::wire::{ErrorCode, LibraryId};
use cuebook_host::{Diagnostic, Problems, parse_reference, read_variables};
use serde_json::json;

use super::PromptsRenderArgs;
use crate::commands::prompts::library::{fetch, prompts};
use crate::commands::remote::problem;
use crate::exit::Exit;
use crate::output::{self, Output};

pub(super) async fn render(
    args: &PromptsRenderArgs,
    client: &Client,
    output: Output,
) -> Result<Exit, Problems> {
    let reference = parse_reference(reference_of(args)?)?;
    let workspace = args.data.workspace();
    let template = fetch(client, workspace, &reference).await?;
    let variables = read_variables(&Entry::new(&LibraryId::user(), template), &args.variables)?;
    let content_trust = args.untrusted.then_some(ContentTrust::Untrusted);
    let request = RenderPrompt { content_trust, ..RenderPrompt::new(reference, variables) };
    let rendered = prompts(client, workspace).render(&request).await;
    show(&rendered.map_err(|error| problem(&error))?, output);
    Ok(Exit::Fine)
}

/// The ref that is to be rendered, when nothing is asked for that another host does not tell.
fn reference_of(args: &PromptsRenderArgs) -> Result<&str, Problems> {
    let of_files = [("--agent", args.agent.is_some()), ("--origins", args.origins)];
    let asked = of_files.into_iter().find(|(_, is_there)| *is_there).map(|(option, _)| option);
    match (asked.or_else(|| args.asks_of_layers()), &args.reference) {
        (None, Some(reference)) => Ok(reference),
        (option, _) => {
            let message = format!("{} is not for templates of another host", option.unwrap_or("--host"));
            let hint = "leave it out, or render where the files are";
            Err(Diagnostic::error(ErrorCode::ValidationError.as_str(), message).with_hint(hint).into())
        }
    }
}

/// Shows the text; a host that shows none has its hash told.
fn show(rendered: &RenderedPrompt, output: Output) {
    if output.is_json() {
        return output::json(&json!({
            "composed": rendered.composed,
            "hash": rendered.hash,
            "refs": rendered.refs,
            "variableHashes": rendered.variable_hashes,
            "contentTrust": rendered.content_trust.as_ref().and_then(Open::known),
        }));
    }
    match &rendered.composed {
        Some(text) => output::bytes(text),
        None => output::note(&format!("the host shows no composed text; its hash is {}", rendered.hash)),
    }
}
