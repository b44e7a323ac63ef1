//! `cuebook prompts render`.
//!
//! It owns the grammar: what names a template, and how values are typed. It refuses to render: the host does, through the one
//! pipeline, whatever kind of template it is; a running host does it over the wire.

mod there;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use cuebook_host::prompt::Trust;
use cuebook_host::templates::read_context;
use cuebook_host::wire::ErrorCode;
use cuebook_host::{
    AuthorRender, AuthorRequest, Diagnostic, Host, Problems, Rendered, Severity, with_margin,
};
use serde_json::{Map, Value as Json, json};

use super::library::{DataArgs, HostArgs, place};
use crate::args::{LayersArgs, parse_pair};
use crate::exit::Exit;
use crate::output::{self, Output};

#[derive(Debug, ClapArgs)]
#[command(group(place()))]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub(crate) struct PromptsRenderArgs {
    /// The template: prompt:ID or prompt:ID@VERSION of a library; agents/…, partials/…, units/…, archetypes/… or guidance/…
    /// of the layers.
    #[arg(value_name = "REF", required_unless_present = "agent")]
    reference: Option<String>,
    /// Render the own prompt of an agent: of a pack by its name there, of a manifest or a project by its id.
    #[arg(long, value_name = "ID", conflicts_with = "reference")]
    agent: Option<String>,
    /// A value: of a library's template by its declared type, where a secret variable takes a secret's id; of the layers' as
    /// JSON, else as text.
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = parse_pair)]
    variables: Vec<(String, String)>,
    /// A value that is a text, whatever it looks like (layers).
    #[arg(long = "var-str", value_name = "NAME=TEXT", value_parser = parse_pair)]
    texts: Vec<(String, String)>,
    /// A JSON object with values; those of --var come before them (layers).
    #[arg(long, value_name = "FILE.json")]
    vars: Option<PathBuf>,
    /// Take the values for untrusted: they are wrapped.
    #[arg(long)]
    untrusted: bool,
    /// Hold the text against required headings and phrases, the budget, names without a value, values that nothing reads, and
    /// emptiness; findings end with exit code 1 (layers).
    #[arg(long)]
    check: bool,
    /// Make a name without a value an error (layers).
    #[arg(long)]
    strict: bool,
    /// Show file, line and layer of each part in the margin.
    #[arg(long)]
    origins: bool,
    #[command(flatten)]
    layers: LayersArgs,
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    at: HostArgs,
}

impl PromptsRenderArgs {
    /// The first option that only templates of the layers have.
    fn asks_of_layers(&self) -> Option<&'static str> {
        let options = [
            ("--check", self.check),
            ("--strict", self.strict),
            ("--vars", self.vars.is_some()),
            ("--var-str", !self.texts.is_empty()),
        ];
        options.into_iter().find(|(_, is_there)| *is_there).map(|(option, _)| option)
    }
}

pub(super) async fn render(args: &PromptsRenderArgs, output: Output) -> Result<Exit, Problems> {
    if let Some(client) = args.at.connect()? {
        return there::render(args, &client, output).await;
    }
    let (host, principal) = args.data.open(args.layers.options())?;
    match template_of(args, &host) {
        Template::Layered(name) => {
            let request = AuthorRequest {
                name,
                values: layered_values(args)?,
                trust: trust(args),
                strict: args.strict,
                check: args.check,
            };
            let rendered = host.render_layered(&principal, &request).await;
            let mut render = rendered.map_err(|problems| with_doubts(&host, problems))?;
            if args.check {
                render.findings.extend(doubts(&host));
            }
            Ok(show_layered(args, &render, output))
        }
        Template::Agent(_) | Template::Library(_) if args.asks_of_layers().is_some() => Err(of_layers(args)),
        Template::Agent(agent) => {
            let rendered = host.render_agent(&principal, &agent);
            show(args, &rendered.map_err(|problems| with_doubts(&host, problems))?, output);
            Ok(Exit::Fine)
        }
        Template::Library(reference) => {
            let variables = host.read_variables(&principal, &reference, &args.variables).await?;
            show(args, &host.render(&principal, &reference, variables, trust(args)).await?, output);
            Ok(Exit::Fine)
        }
    }
}

/// What is rendered.
enum Template {
    /// A file of the layers.
    Layered(String),
    /// The own prompt of an agent of a manifest or a project.
    Agent(String),
    /// A template by ref.
    Library(String),
}

fn template_of(args: &PromptsRenderArgs, host: &Host) -> Template {
    match (&args.agent, &args.reference) {
        (Some(agent), _) => match host.persona_template(agent) {
            Some(template) => Template::Layered(template),
            None => Template::Agent(agent.clone()),
        },
        (None, Some(reference)) if is_file(reference) => Template::Layered(reference.clone()),
        (None, Some(reference)) if let Some(name) = of_ref(reference, host) => Template::Layered(name),
        (None, reference) => Template::Library(reference.clone().unwrap_or_default()),
    }
}

/// The name of the file of the layers that a ref without version means.
fn of_ref(reference: &str, host: &Host) -> Option<String> {
    host.layered_name(reference.strip_prefix("prompt:")?)
}

/// The problems of a render with what may be behind them.
fn with_doubts(host: &Host, mut problems: Problems) -> Problems {
    problems.extend(doubts(host));
    problems
}

/// The warnings about packs and overlays that take no part.
fn doubts(host: &Host) -> impl Iterator<Item = Diagnostic> {
    host.layer_warnings().into_iter().filter(|doubt| doubt.severity == Severity::Warning)
}

fn of_layers(args: &PromptsRenderArgs) -> Problems {
    let option = args.asks_of_layers().unwrap_or_default();
    let message = format!("{option} is for templates of the layers, and this one is none");
    Diagnostic::error(ErrorCode::ValidationError.as_str(), message)
        .with_hint("leave it out; `cuebook prompts check` looks at templates of libraries")
        .into()
}

/// Whether a name is that of a file of the layers: a path, or with a file's ending.
fn is_file(name: &str) -> bool {
    !name.starts_with("prompt:") && (name.contains('/') || Path::new(name).extension().is_some())
}

fn trust(args: &PromptsRenderArgs) -> Trust {
    if args.untrusted { Trust::Untrusted } else { Trust::Trusted }
}

/// The values of the file, then those of --var, then those of --var-str; later ones win.
fn layered_values(args: &PromptsRenderArgs) -> Result<Map<String, Json>, Problems> {
    let mut values = args.vars.as_deref().map(read_context).transpose()?.unwrap_or_default();
    let mut problems = Problems::new();
    for (name, text) in &args.variables {
        if let Some(value) = problems.collect(value_of(name, text)) {
            values.insert(name.trim().to_owned(), value);
        }
    }
    values.extend(args.texts.iter().map(|(name, text)| (name.trim().to_owned(), Json::from(text.as_str()))));
    problems.or(values)
}

/// JSON where it is JSON, else the text as it is; JSON that is nested too deep is no text.
fn value_of(name: &str, text: &str) -> Result<Json, Problems> {
    match serde_json::from_str(text) {
        Ok(value) => Ok(value),
        Err(error) if error.to_string().starts_with("recursion limit") => {
            let message = format!("the value of '{}' is nested too deep", name.trim());
            Err(Diagnostic::error(ErrorCode::ValidationError.as_str(), message)
                .with_hint("give it flatter, or as a text with --var-str")
                .into())
        }
        Err(_) => Ok(text.into()),
    }
}

/// Writes the text, also when the check has findings; they go to stderr.
fn show_layered(args: &PromptsRenderArgs, render: &AuthorRender, output: Output) -> Exit {
    let observed = &render.rendered.observed;
    if output.is_json() {
        output::json(&layered_json(args, render));
    } else if args.origins {
        output::data(&with_margin(&observed.composed, &observed.segments));
    } else {
        output::data(&observed.composed);
    }
    if !output.is_json() {
        output.remarks(&render.findings);
    }
    let is_over = |problem: &Diagnostic| problem.severity == Severity::Error;
    if render.findings.iter().any(is_over) { Exit::Findings } else { Exit::Fine }
}

fn layered_json(args: &PromptsRenderArgs, render: &AuthorRender) -> Json {
    let observed = &render.rendered.observed;
    let mut shown = json!({
        "output": observed.composed,
        "reference": render.reference.as_str(),
        "revision": render.revision,
        "hash": observed.hash,
        "bytes": observed.composed.len(),
        "contentTrust": observed.wire_trust(),
    });
    let optional = [
        ("agent", render.agent.as_ref().map(|agent| json!(agent))),
        ("budget", render.verdict.as_ref().map(|verdict| json!(verdict))),
        ("violations", (!render.violations.is_empty()).then(|| json!(render.violations))),
        ("findings", args.check.then(|| render.findings.to_json())),
        ("segments", args.origins.then(|| json!(observed.segments))),
    ];
    for (key, value) in optional.into_iter().filter_map(|(key, value)| Some((key, value?))) {
        shown[key] = value;
    }
    shown
}

fn show(args: &PromptsRenderArgs, rendered: &Rendered, output: Output) {
    let observed = &rendered.observed;
    for warning in &rendered.warnings {
        output::note(&format!("warning[{}]: {}", warning.code, warning.message));
    }
    if output.is_json() {
        output::json(&json!({
            "composed": observed.composed,
            "hash": observed.hash,
            "refs": observed.refs,
            "variableHashes": observed.variables.hashes().collect::<BTreeMap<_, _>>(),
            "contentTrust": observed.wire_trust(),
            "segments": observed.segments,
        }));
    } else if args.origins {
        output::data(&with_margin(&observed.composed, &observed.segments));
    } else {
        output::bytes(&observed.composed);
    }
}
