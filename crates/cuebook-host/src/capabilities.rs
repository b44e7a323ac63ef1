//! What this host tells the world it can do; nothing that it does not honour.

use cuebook_prompt::lint::MAX_TEMPLATE_BYTES;
use cuebook_wire::PromptKind;
use serde_json::{Map, Value as Json, json};

use crate::host::Host;

/// The families that older readers look for under `capabilities`.
const MIRRORED: [&str; 8] =
    ["agents", "replay", "prompts", "secrets", "debugBundle", "runs", "toolHooks", "multiAgent"];

impl Host {
    /// The discovery document. With `test_seams`, what conformance tests may use is named too.
    pub fn capabilities(&self, test_seams: bool) -> Json {
        let mut document = json!({
            "protocolVersion": "1.0",
            "implementation": {"name": "cuebook", "version": env!("CARGO_PKG_VERSION"), "vendor": "cuebook"},
            "engineVersion": 1,
            "eventLogSchemaVersion": 2,
            "supportedTransports": ["rest"],
            "supportedEnvelopes": ["clarification.request"],
            "schemaVersions": {"clarification.request": 1},
            "limits": {
                "clarificationRounds": 3,
                "schemaRounds": 2,
                "envelopesPerTurn": 5,
                "maxNodeExecutions": self.config.limits.max_node_executions,
            },
            "prompts": self.prompt_capabilities(),
            "agents": {
                "supported": true,
                "manifestRuntime": {"supported": true, "installScope": "host"},
                "reasoning": {"verbosity": "summary", "streaming": true},
                "reasoningEvents": true,
                "toolEvents": true,
                "handoffEvents": true,
                "decisionEvents": true,
            },
            "replay": {"supported": false},
            "debugBundle": {"supported": false},
        });
        if !self.config.secrets.is_empty() {
            document["secrets"] =
                json!({"supported": true, "scopes": ["tenant"], "resolution": "host-managed"});
        }
        if test_seams {
            document["testing"] = json!({"mockProviders": cuebook_engine::MOCK_PROVIDERS});
            document["conformance"] = json!({"mockAgent": true});
            let can_run = |id: &String| id.starts_with("conformance-") && self.workflows.plan(id).is_ok();
            document["fixtures"] = self.workflows.ids().into_iter().filter(can_run).collect();
        }
        mirror(&mut document);
        document
    }

    fn prompt_capabilities(&self) -> Json {
        let mut sources = vec!["input", "variable", "context"];
        if !self.config.secrets.is_empty() {
            sources.push("secret");
        }
        let mut prompts = json!({
            "supported": true,
            "endpointsSupported": true,
            "mutableLibrary": self.config.prompts.mutable_library,
            "packsSupported": true,
            "templateKinds": PromptKind::ALL,
            "variableSources": sources,
            "maxTemplateBytes": MAX_TEMPLATE_BYTES,
            "observability": self.config.prompts.observability,
            "agentBindings": self.config.prompts.agent_bindings,
            "library": {"id": self.config.prompts.library, "renderEndpoint": "/v1/prompts:render"},
        });
        if !self.config.prompts.defaults.is_empty() {
            prompts["defaults"] = json!(self.config.prompts.defaults);
        }
        prompts
    }
}

fn mirror(document: &mut Json) {
    let found: Map<String, Json> = MIRRORED
        .into_iter()
        .filter_map(|family| Some((family.to_owned(), document.get(family)?.clone())))
        .collect();
    document["capabilities"] = Json::Object(found);
}
