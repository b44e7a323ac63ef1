//! `cuebook prompts`.

use cuebook_host::prompt::{Entry, Principal, Trust};
use cuebook_host::wire::VariableType;
use cuebook_host::{Host, Problems, Rendered, parse_reference};
use serde_json::{Map, Value as Json, json};

use crate::args::{Prompts, PromptsArgs, PromptsGetArgs, PromptsListArgs, PromptsRenderArgs};
use crate::exit::Exit;
use crate::output::{self, Output};

pub(crate) async fn prompts(args: PromptsArgs, output: Output) -> Result<Exit, Problems> {
    match args.what {
        Prompts::List(args) => list(&args, output),
        Prompts::Get(args) => get(&args, output),
        Prompts::Render(args) => render(&args, output).await,
    }
}

fn list(args: &PromptsListArgs, output: Output) -> Result<Exit, Problems> {
    let host = Host::open(&args.project.options())?;
    if output.is_json() {
        let items: Vec<Json> = host
            .libraries
            .iter()
            .flat_map(|library| {
                library.entries().map(|entry| json!({"library": library.id(), "template": entry.template}))
            })
            .collect();
        output::json(&json!({ "items": items }));
        return Ok(Exit::Fine);
    }
    let rows = host.libraries.iter().flat_map(|library| {
        let library_id = library.id().to_string();
        library.entries().map(move |entry| row(entry, &library_id))
    });
    let rows: Vec<[String; 4]> = rows.collect();
    output::data(&table(&rows));
    Ok(Exit::Fine)
}

fn row(entry: &Entry, library: &str) -> [String; 4] {
    let template = &entry.template;
    let name = template.name.clone().unwrap_or_default();
    [entry.pinned.reference.clone(), template.kind.to_string(), library.to_owned(), name]
}

/// Rows with their columns aligned; the last column is left as it is.
fn table(rows: &[[String; 4]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (first, second, third) = (width(0), width(1), width(2));
    let line = |[a, b, c, d]: &[String; 4]| {
        format!("{a:<first$}  {b:<second$}  {c:<third$}  {d}").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn get(args: &PromptsGetArgs, output: Output) -> Result<Exit, Problems> {
    let host = Host::open(&args.project.options())?;
    let entry = find(&host, &args.reference)?;
    if output.is_json() {
        output::json(&json!(entry.template));
    } else {
        output::bytes(&entry.template.text);
    }
    Ok(Exit::Fine)
}

fn find<'h>(host: &'h Host, reference: &str) -> Result<&'h Entry, Problems> {
    let reference = parse_reference(reference)?;
    host.libraries.find(&reference, None).map_err(|error| error.diagnostic().clone().into())
}

async fn render(args: &PromptsRenderArgs, output: Output) -> Result<Exit, Problems> {
    let host = Host::open(&args.project.options())?;
    let principal = Principal::local();
    let rendered = match (&args.agent, &args.reference) {
        (Some(agent), _) => host.render_agent(&principal, agent)?,
        (None, reference) => {
            let reference = reference.as_deref().unwrap_or_default();
            let variables = typed_variables(&host, reference, &args.variables)?;
            let trust = if args.untrusted { Trust::Untrusted } else { Trust::Trusted };
            host.render(&principal, reference, variables, trust).await?
        }
    };
    show(&rendered, output);
    Ok(Exit::Fine)
}

/// Reads each value by the type that its variable declares; text that is no JSON stays text and is refused in binding.
fn typed_variables(
    host: &Host,
    reference: &str,
    given: &[(String, String)],
) -> Result<Map<String, Json>, Problems> {
    let entry = find(host, reference)?;
    let read = |(name, text): &(String, String)| {
        let declared =
            entry.template.variable(name).map_or(VariableType::String, |variable| variable.value_type);
        let value = match declared {
            VariableType::String => Json::from(text.as_str()),
            _ => serde_json::from_str(text).unwrap_or_else(|_| Json::from(text.as_str())),
        };
        (name.clone(), value)
    };
    Ok(given.iter().map(read).collect())
}

fn show(rendered: &Rendered, output: Output) {
    let observed = &rendered.observed;
    for warning in &rendered.warnings {
        output::note(&format!("warning[{}]: {}", warning.code, warning.message));
    }
    if output.is_json() {
        output::json(&json!({
            "composed": observed.composed,
            "hash": observed.hash,
            "refs": observed.refs,
            "variableHashes": observed.variables.hashes(),
            "contentTrust": observed.wire_trust(),
            "segments": observed.segments,
        }));
    } else {
        output::bytes(&observed.composed);
    }
}
