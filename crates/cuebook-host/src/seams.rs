//! Test seams: the chain and the composition on facts that a conformance test gives, through the one pipeline.

use cuebook_prompt::chain::{AgentLayer, ChainInput, resolve_slot};
use cuebook_prompt::{
    AgentBinding, LibraryDefaults, NodePrompts, Principal, StaticPlace, Trust, Value, Values, pin_intrinsic,
};
use cuebook_wire::{
    AgentId, AgentManifest, ErrorCode, Fault, ModelClass, NodeId, Observability, PromptKind, PromptRef,
    PromptRefs, TemplateId, VariableSource, strict,
};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

use crate::host::Host;
use crate::refusal::Refusal;

impl Host {
    /// Resolves one kind on the facts of `body`; the answer is the payload of `agent.promptResolved`.
    ///
    /// The facts stand in for the host's own: its defaults and agents take no part. Refs need not exist.
    ///
    /// # Errors
    ///
    /// `validation_error` when the body is not of the seam's shape.
    pub fn seam_resolve(&self, body: &Json) -> Result<Json, Refusal> {
        let kind = body.get("kind").and_then(Json::as_str).and_then(|kind| kind.parse::<PromptKind>().ok());
        let kind = kind.ok_or_else(|| wrong("/kind", "'kind' is a prompt kind"))?;
        let node_id = body.pointer("/node/nodeId").and_then(Json::as_str);
        let node_id = node_id.ok_or_else(|| wrong("/node/nodeId", "'nodeId' is a string"))?;
        let config = object(body.pointer("/node/config"));
        let node = NodePrompts::read(&config).map_err(|faults| Refusal::faults(&faults))?;
        let workflow = read_refs(body.pointer("/workflowDefaults/promptRefs"))?;
        let host = read_refs(body.get("hostDefaults"))?;
        let agent_id = config.get("agentId").and_then(Json::as_str).map(AgentId::new);
        let binding = body.get("agentManifest").map(read_binding).transpose()?;
        let bindings_on = body.get("agentBindingsSupported").and_then(Json::as_bool);
        let agent = match (&agent_id, &binding) {
            _ if !bindings_on.unwrap_or(self.config.prompts.agent_bindings) => AgentLayer::Off,
            (None, _) => AgentLayer::Unbound,
            (Some(_), Some(binding)) => AgentLayer::Bound(binding),
            (Some(id), None) => AgentLayer::Unknown(id),
        };
        let input = ChainInput { node: &node, agent, workflow: &workflow, host: &host, run: None };
        Ok(json!(resolve_slot(&input, kind, 0).to_payload(&NodeId::new(node_id))))
    }

    /// Composes one template on the bindings of `body`; the answer is the payload of `prompt.composed`.
    ///
    /// # Errors
    ///
    /// `validation_error` when the body is not of the seam's shape, and everything that pinning and binding find.
    pub async fn seam_compose(&self, principal: &Principal, body: &Json) -> Result<Json, Refusal> {
        let id = body.get("templateId").and_then(Json::as_str).and_then(|id| TemplateId::parse(id).ok());
        let template_id = id.ok_or_else(|| wrong("/templateId", "'templateId' is a template id"))?;
        let reference =
            PromptRef { library_id: None, template_id, version: None, variable_overrides: Map::new() };
        let (_, template) = self.template_of(principal, &reference).await?;
        let bindings = object(body.get("bindings"));
        let trusts = object(body.get("bindingTrust"));
        let mut values: Values = bindings
            .iter()
            .map(|(name, json)| (name.clone(), Value::new(json.clone(), trust_of(trusts.get(name)))))
            .collect();
        if let Some(id) = bindings.get("secretRef") {
            let secrets =
                template.variables.iter().filter(|variable| variable.source == VariableSource::Secret);
            for variable in secrets {
                values.entry(variable.name.clone()).or_insert_with(|| Value::trusted(id.clone()));
            }
        }
        let observability = match body.get("observability").and_then(Json::as_str) {
            Some("hashed") => Observability::Hashed,
            _ => Observability::Full,
        };
        let (composition, _) = self.pipeline.compose_ref(principal, &reference, values).await?;
        Ok(json!(composition.observed.to_payload(&NodeId::new("seam"), observability)))
    }
}

fn wrong(path: &str, message: &str) -> Refusal {
    Refusal::faults(&[Fault::new(path, ErrorCode::ValidationError, message)])
}

fn object(value: Option<&Json>) -> Map<String, Json> {
    value.and_then(Json::as_object).cloned().unwrap_or_default()
}

fn trust_of(value: Option<&Json>) -> Trust {
    match value.and_then(Json::as_str) {
        Some("untrusted") => Trust::Untrusted,
        _ => Trust::Trusted,
    }
}

fn read_refs(value: Option<&Json>) -> Result<PromptRefs, Refusal> {
    match value {
        None | Some(Json::Null) => Ok(PromptRefs::default()),
        Some(value) => strict::read::<PromptRefs>(value).map_err(|faults| Refusal::faults(&faults)),
    }
}

/// A binding from a manifest that a test gives; only the parts that the chain looks at need be there.
fn read_binding(value: &Json) -> Result<AgentBinding, Refusal> {
    let mut whole =
        json!({"persona": "seam", "modelClass": ModelClass::General, "agentId": "local.seam.agent"});
    if let (Json::Object(whole), Some(given)) = (&mut whole, value.as_object()) {
        whole.extend(given.clone());
    }
    let manifest: AgentManifest =
        serde_json::from_value(whole).map_err(|error| wrong("/agentManifest", &error.to_string()))?;
    let text = manifest.system_prompt.as_ref().or(manifest.system_prompt_ref.as_ref());
    let intrinsic = text
        .map(|text| Arc::new(pin_intrinsic(&manifest.agent_id, "systemPrompt", text, StaticPlace::Field)));
    Ok(AgentBinding { manifest: Arc::new(manifest), intrinsic, library: LibraryDefaults::NotNamed })
}
