//! A small host to test against: libraries, agents and secrets in memory.

use std::collections::HashMap;
use std::sync::Arc;

use cuebook_prompt::{
    AgentBinding, Agents, BindPolicy, Composition, Dispatch, Libraries, Library, LibraryDefaults,
    NodePrompts, Owner, Part, Pinned, Pipeline, Prepared, Principal, PromptError, PromptPolicy,
    PromptRequest, Scope, SecretId, SecretStore, SecretText, SecretUnavailable, SecretUse, SecretValues,
    Secrets, Slot, SourceSet, StaticPlace, Trust, Value, Values, bind, compose, pin_intrinsic,
};
use cuebook_wire::payload::ChainEntry;
use cuebook_wire::{AgentId, AgentManifest, LibraryId, PromptRef, PromptRefs, PromptTemplate, WorkflowId};
use futures_util::future::{BoxFuture, ready};
use serde_json::{Value as Json, json};

/// Both bodies of what a model gets.
#[expect(clippy::disallowed_methods, reason = "these tests say what a model gets")]
pub(crate) fn exposed(dispatch: &Dispatch) -> (Option<String>, Option<String>) {
    dispatch.expose(|text| (text.system.map(str::to_owned), text.user.map(str::to_owned)))
}

pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

pub(crate) fn reference(json: impl Into<Json>) -> PromptRef {
    serde_json::from_value(json.into()).unwrap()
}

pub(crate) fn refs(json: Json) -> PromptRefs {
    serde_json::from_value(json).unwrap()
}

pub(crate) fn library_id(id: &str) -> LibraryId {
    LibraryId::parse(id).unwrap()
}

pub(crate) fn node(config: &Json) -> NodePrompts {
    NodePrompts::read(config.as_object().unwrap()).unwrap()
}

/// Reads `{name: value}`; a value may be tagged with its trust.
pub(crate) fn values(json: Json) -> Values {
    let Json::Object(members) = json else { panic!("values are an object") };
    members.into_iter().map(|(name, value)| (name, Value::from_tagged(value, Trust::Trusted))).collect()
}

pub(crate) fn untrusted(json: impl Into<Json>) -> Json {
    json!({ "value": json.into(), "meta": { "contentTrust": "untrusted" } })
}

pub(crate) fn inputs(json: Json) -> Scope {
    Scope::Node { inputs: values(json), variables: Values::new(), context: Values::new() }
}

/// A user template `t@1.0.0`.
pub(crate) fn template(text: &str, variables: Json) -> PromptTemplate {
    versioned("t", "1.0.0", "user", text, variables)
}

pub(crate) fn versioned(id: &str, version: &str, kind: &str, text: &str, variables: Json) -> PromptTemplate {
    let document =
        json!({ "templateId": id, "version": version, "kind": kind, "text": text, "variables": variables });
    serde_json::from_value(document).unwrap()
}

/// A template without variables whose text names it, as in `writer@1.0.0`.
pub(crate) fn plain(id: &str, version: &str, kind: &str) -> PromptTemplate {
    versioned(id, version, kind, &format!("{id}@{version}"), json!([]))
}

/// An optional string variable.
pub(crate) fn optional(name: &str) -> Json {
    json!({ "name": name, "type": "string", "required": false })
}

/// A required secret variable.
pub(crate) fn secret(name: &str) -> Json {
    json!({ "name": name, "type": "string", "required": true, "source": "secret" })
}

pub(crate) fn library(id: &str, owner: Owner, templates: Vec<PromptTemplate>) -> Library {
    let mut library = Library::new(library_id(id), owner);
    for template in templates {
        library.add(template).unwrap();
    }
    library
}

/// Binds and composes one template by itself.
pub(crate) fn composed(
    template: &PromptTemplate,
    overrides: Json,
    scope: &Scope,
    policy: BindPolicy,
) -> Result<Composition, Vec<PromptError>> {
    let part = part(template, overrides, scope, policy)?;
    Ok(compose(vec![part], &SecretValues::new()).unwrap())
}

pub(crate) fn part(
    template: &PromptTemplate,
    overrides: Json,
    scope: &Scope,
    policy: BindPolicy,
) -> Result<Part, Vec<PromptError>> {
    let pinned = Arc::new(Pinned::template(&library_id("host"), template));
    let reference = reference(json!({ "templateId": template.template_id, "variableOverrides": overrides }));
    let bindings = bind(&pinned, Some(&reference), scope, policy)?;
    Ok(Part { slot: Slot::Chain(pinned.kind), pinned, bindings })
}

/// A chain as lines: `+ layer source` for the layer applied, `- layer source (reason)` for the others.
pub(crate) fn lines(chain: &[ChainEntry]) -> Vec<String> {
    chain.iter().map(line).collect()
}

fn line(entry: &ChainEntry) -> String {
    let mark = if entry.applied { "+" } else { "-" };
    let source = entry.source.as_ref().map(|source| format!(" {source}")).unwrap_or_default();
    let reason = entry.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    format!("{mark} {}{source}{reason}", entry.layer)
}

/// An error as `code [line:column] message; hint`.
pub(crate) fn error_line(error: &PromptError) -> String {
    let diagnostic = error.diagnostic();
    let place = diagnostic.position().map(|at| format!(" [{}:{}]", at.line, at.column)).unwrap_or_default();
    let hint = diagnostic.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("{}{place} {}{hint}", error.code().as_str(), diagnostic.message)
}

/// An agent with what its manifest says and, if given, its own system prompt.
pub(crate) fn agent(id: &str, intrinsic: Option<&str>, overrides: Json) -> AgentBinding {
    let manifest =
        json!({ "agentId": id, "persona": "Ada", "modelClass": "writing", "promptOverrides": overrides });
    let manifest: AgentManifest = serde_json::from_value(manifest).unwrap();
    let intrinsic = intrinsic.map(|text| {
        Arc::new(pin_intrinsic(&manifest.agent_id, "prompts/writer.md", text, StaticPlace::File))
    });
    AgentBinding { manifest: Arc::new(manifest), intrinsic, library: LibraryDefaults::NotNamed }
}

pub(crate) fn with_library(agent: AgentBinding, reference: &str, library: LibraryDefaults) -> AgentBinding {
    let mut manifest = (*agent.manifest).clone();
    manifest.prompt_library_ref = Some(library_id(reference));
    AgentBinding { manifest: Arc::new(manifest), library, ..agent }
}

/// A host; change what a test is about, then [`Host::prepare`].
pub(crate) struct Host {
    pub(crate) libraries: Vec<Library>,
    pub(crate) agents: Vec<AgentBinding>,
    pub(crate) secrets: HashMap<&'static str, &'static str>,
    pub(crate) policy: PromptPolicy,
}

impl Host {
    /// A host whose own library `host` has `templates`.
    pub(crate) fn new(templates: Vec<PromptTemplate>) -> Self {
        let policy = PromptPolicy {
            host_defaults: PromptRefs::default(),
            host_library: library_id("host"),
            agent_bindings: true,
            run_overrides: false,
            bind: BindPolicy::default(),
        };
        Self {
            libraries: vec![library("host", Owner::Host, templates)],
            agents: Vec::new(),
            secrets: HashMap::new(),
            policy,
        }
    }

    pub(crate) fn pipeline(self) -> Pipeline {
        let sources = SourceSet::new(Arc::new(Libraries::new(self.libraries)));
        Pipeline::new(sources, Arc::new(Known(self.agents)), Arc::new(Store(self.secrets)), self.policy)
    }

    pub(crate) fn prepare(self, request: &PromptRequest) -> Prepared {
        prepare(&self.pipeline(), request)
    }
}

pub(crate) fn prepare(pipeline: &Pipeline, request: &PromptRequest) -> Prepared {
    block_on(pipeline.prepare(&Principal::local(), request, Secrets::Fetch))
}

/// A request of the workflow `news` with nothing but the node's own config.
pub(crate) fn request(config: &Json) -> PromptRequest {
    PromptRequest {
        node: node(config),
        agent_id: config.get("agentId").and_then(Json::as_str).map(AgentId::new),
        workflow_id: Some(WorkflowId::new("news")),
        workflow_defaults: PromptRefs::default(),
        run_overrides: PromptRefs::default(),
        scope: inputs(json!({})),
        pins: Vec::new(),
    }
}

/// The composition of a request that must have one.
#[track_caller]
pub(crate) fn composition(prepared: Prepared) -> Composition {
    match prepared.outcome {
        Ok(composition) => composition.expect("the node has a prompt"),
        Err(errors) => panic!("{:?}", errors.iter().map(error_line).collect::<Vec<_>>()),
    }
}

/// The errors of a request that must fail.
#[track_caller]
pub(crate) fn failures(prepared: &Prepared) -> Vec<String> {
    prepared.outcome.as_ref().err().expect("the prompt fails").iter().map(error_line).collect()
}

struct Known(Vec<AgentBinding>);

impl Agents for Known {
    fn binding(&self, _: &Principal, id: &AgentId) -> Option<Arc<AgentBinding>> {
        self.0.iter().find(|binding| binding.manifest.agent_id == *id).cloned().map(Arc::new)
    }
}

/// Secrets by id; one whose value begins with `only:` is for the library named after it.
struct Store(HashMap<&'static str, &'static str>);

impl SecretStore for Store {
    fn fetch<'a>(
        &'a self,
        id: &'a SecretId,
        by: SecretUse<'a>,
    ) -> BoxFuture<'a, Result<SecretText, SecretUnavailable>> {
        let value = self.0.get(id.as_str()).copied();
        let allowed = value.filter(|value| {
            value.strip_prefix("only:").is_none_or(|library| by.library.is_some_and(|by| library == by))
        });
        let text = allowed.and_then(|value| SecretText::new(value.to_owned()));
        Box::pin(ready(text.ok_or_else(|| SecretUnavailable { id: id.to_string() })))
    }
}
