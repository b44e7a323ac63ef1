//! What each route takes and gives, for the OpenAPI document.

use schemars::JsonSchema;
use serde_json::{Value, json};

use crate::routes::Route;
use crate::shapes::{BulkCancel, CancelRun, ImportPrompts, PreviewPrompt, RenderPrompt, ResolveInterrupt};

/// A route's contract.
pub(super) struct Operation {
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    pub(super) query: Vec<(&'static str, Value)>,
    pub(super) body: Option<Value>,
    /// The status of success, its content type, and the schema.
    pub(super) answer: Option<(u16, &'static str, Value)>,
    pub(super) errors: Vec<u16>,
}

const JSON: &str = "application/json";

fn schema(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn object(required: &[&str]) -> Value {
    json!({"type": "object", "required": required})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn whole(minimum: u64, maximum: u64) -> Value {
    json!({"type": "integer", "minimum": minimum, "maximum": maximum})
}

/// The schema of a body, without its own heading.
fn of<T: JsonSchema>() -> Value {
    let mut schema = schemars::schema_for!(T).to_value();
    if let Some(parts) = schema.as_object_mut() {
        parts.remove("$schema");
        parts.remove("title");
    }
    schema
}

impl Operation {
    fn new(id: &'static str, summary: &'static str) -> Self {
        Self { id, summary, query: Vec::new(), body: None, answer: None, errors: Vec::new() }
    }

    fn gives(self, status: u16, schema: Value) -> Self {
        Self { answer: Some((status, JSON, schema)), ..self }
    }

    /// Succeeds with a document of another content type than plain JSON.
    fn gives_as(self, kind: &'static str, schema: Value) -> Self {
        Self { answer: Some((200, kind, schema)), ..self }
    }

    /// Succeeds with `status` and no body.
    fn ends(self, status: u16) -> Self {
        Self { answer: Some((status, "", Value::Null)), ..self }
    }

    fn streams(self, kind: &'static str) -> Self {
        Self { answer: Some((200, kind, text())), ..self }
    }

    fn takes(self, body: Value) -> Self {
        let errors = self.errors.into_iter().chain([400, 413, 415]).collect();
        Self { body: Some(body), errors, ..self }
    }

    fn query(mut self, name: &'static str, schema: Value) -> Self {
        self.query.push((name, schema));
        self
    }

    fn fails(mut self, statuses: &[u16]) -> Self {
        self.errors.extend(statuses);
        self
    }
}

/// The contract of `route`.
pub(super) fn operation(route: &Route) -> Operation {
    public(route).or_else(|| runs(route)).or_else(|| prompts(route)).unwrap_or_else(|| absent(route))
}

fn public(route: &Route) -> Option<Operation> {
    let operation = match (route.method, route.path) {
        ("GET", "/.well-known/openwop") => Operation::new("get_capabilities", "What this host is and can.")
            .gives(200, object(&["protocolVersion", "supportedEnvelopes", "schemaVersions", "limits"]))
            .fails(&[304]),
        ("GET", "/v1/openapi.json") => {
            Operation::new("get_openapi", "This document.").gives(200, object(&["openapi"])).fails(&[304])
        }
        ("GET", "/v1/host/cuebook/schemas/project") => {
            Operation::new("get_project_schema", "The JSON Schema of project files.")
                .gives_as("application/schema+json", object(&["$schema", "properties"]))
                .fails(&[304])
        }
        ("GET", "/healthz") => {
            Operation::new("get_health", "The process answers.").gives(200, object(&["status"]))
        }
        ("GET", "/readyz") => Operation::new("get_readiness", "The host takes work.")
            .gives(200, object(&["status"]))
            .fails(&[503]),
        ("GET", "/metrics") => Operation::new("get_metrics", "Metrics in the OpenMetrics text format.")
            .streams("application/openmetrics-text"),
        ("GET", "/v1/agents") => Operation::new("list_agents", "The agents, without their prompts.")
            .gives(200, object(&["agents", "total"])),
        ("GET", "/v1/agents/{agentId}") => Operation::new("get_agent", "One agent.")
            .gives(200, object(&["agentId", "persona"]))
            .fails(&[404]),
        ("GET", "/v1/workflows/{workflowId}") => Operation::new("get_workflow", "One workflow definition.")
            .gives(200, schema("WorkflowDefinition"))
            .fails(&[400, 404]),
        ("POST", "/v1/host/sample/workflows") => {
            Operation::new("register_workflow", "Registers a definition for the caller's tenant.")
                .takes(schema("WorkflowDefinition"))
                .gives(201, object(&["workflowId"]))
        }
        _ => return None,
    };
    Some(operation)
}

fn runs(route: &Route) -> Option<Operation> {
    let run_id = || object(&["runId", "status"]);
    let operation = match (route.method, route.path) {
        ("POST", "/v1/runs") => Operation::new("create_run", "Starts a run, once for each Idempotency-Key.")
            .takes(schema("CreateRun"))
            .gives(201, object(&["runId", "status", "eventsUrl"]))
            .fails(&[404, 409, 429, 503]),
        ("GET", "/v1/host/cuebook/runs") => Operation::new("list_runs", "The tenant's runs, newest first.")
            .query("limit", whole(1, 200))
            .query("status", text())
            .gives(200, object(&["runs"]))
            .fails(&[400]),
        ("POST", "/v1/runs:bulk-cancel") => Operation::new("bulk_cancel_runs", "Ends several runs.")
            .takes(of::<BulkCancel>())
            .gives(200, object(&["results"])),
        ("GET", "/v1/runs/{runId}") => {
            Operation::new("get_run", "A run's snapshot.").gives(200, schema("RunSnapshot")).fails(&[404])
        }
        ("GET", "/v1/runs/{runId}/events") => Operation::new("stream_events", "A run's events as they come.")
            .query("streamMode", text())
            .query("bufferMs", json!({"type": "integer", "minimum": 0}))
            .streams("text/event-stream")
            .fails(&[400, 404, 429, 503]),
        ("GET", "/v1/runs/{runId}/events/poll") => {
            Operation::new("poll_events", "A run's events after a sequence.")
                .query("lastSequence", json!({"type": "integer", "minimum": 0}))
                .query("timeout", json!({"type": "integer", "minimum": 1}))
                .gives(200, object(&["events", "isComplete"]))
                .fails(&[400, 404])
        }
        ("POST", "/v1/runs/{runId}/cancel") => Operation::new("cancel_run", "Ends a run.")
            .takes(of::<CancelRun>())
            .gives(200, run_id())
            .fails(&[404]),
        ("POST", "/v1/runs/{runId}/interrupts/{nodeId}") => {
            Operation::new("resolve_interrupt", "Answers the interrupt of a node.")
                .takes(of::<ResolveInterrupt>())
                .gives(200, run_id())
                .fails(&[404, 409, 422, 429, 503])
        }
        ("GET", "/v1/host/cuebook/runs/{runId}/compositions/{sequence}") => {
            Operation::new("get_composition", "What a node was told, with the origin of every byte.")
                .gives(200, object(&["hash", "segments", "bodies"]))
                .fails(&[404])
        }
        ("GET", "/v1/host/sample/test/runs/{runId}/events") => {
            Operation::new("list_test_events", "Every event of a run; a test seam.")
                .gives(200, object(&["events"]))
                .fails(&[404])
        }
        _ => return None,
    };
    Some(operation)
}

fn prompts(route: &Route) -> Option<Operation> {
    let operation = match (route.method, route.path) {
        ("GET", "/v1/prompts") => Operation::new("list_prompts", "The latest version of each template.")
            .query("kind", json!({"enum": ["system", "user", "few-shot", "schema-hint"]}))
            .query("tag", text())
            .query("modelClass", text())
            .query("source", json!({"enum": ["host", "pack", "user"]}))
            .query("cursor", text())
            .query("limit", whole(1, 200))
            .query("workspaceId", text())
            .gives(200, object(&["items"]))
            .fails(&[400]),
        ("GET", "/v1/prompts/{templateId}") => Operation::new("get_prompt", "One template.")
            .query("version", text())
            .query("libraryId", text())
            .query("workspaceId", text())
            .gives(200, schema("PromptTemplate"))
            .fails(&[304, 400, 404]),
        ("POST", "/v1/prompts") => Operation::new("create_prompt", "Adds a version of a template.")
            .query("workspaceId", text())
            .takes(schema("PromptTemplate"))
            .gives(201, schema("PromptTemplate"))
            .fails(&[409, 501]),
        ("PUT", "/v1/prompts/{templateId}") => {
            Operation::new("update_prompt", "Puts a higher version of a template in place.")
                .query("workspaceId", text())
                .takes(schema("PromptTemplate"))
                .gives(200, schema("PromptTemplate"))
                .fails(&[404, 409, 412, 501])
        }
        ("DELETE", "/v1/prompts/{templateId}") => {
            Operation::new("delete_prompt", "Removes a version of a template, or all of them.")
                .query("version", text())
                .query("workspaceId", text())
                .ends(204)
                .fails(&[400, 404, 412, 501])
        }
        ("POST", "/v1/prompts:render") => {
            let mut body = of::<RenderPrompt>();
            body["properties"]["ref"] = schema("PromptRef");
            Operation::new("render_prompt", "Renders a template with the values given.")
                .query("workspaceId", text())
                .takes(body)
                .gives(200, object(&["hash", "refs", "variableHashes"]))
                .fails(&[404])
        }
        ("GET", "/v1/host/cuebook/prompts/{templateId}/lint") => {
            Operation::new("lint_prompt", "What is doubtful about a template.")
                .query("version", text())
                .query("libraryId", text())
                .query("workspaceId", text())
                .gives(200, object(&["ref", "size", "findings"]))
                .fails(&[400, 404])
        }
        ("GET", "/v1/host/cuebook/prompts/{templateId}/versions") => {
            Operation::new("list_prompt_versions", "Every version of a template, removed ones too.")
                .query("workspaceId", text())
                .gives(200, object(&["templateId", "versions"]))
                .fails(&[404])
        }
        ("POST", "/v1/host/cuebook/prompts:import") => {
            Operation::new("import_prompts", "Puts templates into the library of users, all or none.")
                .query("workspaceId", text())
                .takes(of::<ImportPrompts>())
                .gives(200, object(&["added", "unchanged", "templates"]))
                .fails(&[409, 501, 503])
        }
        ("POST", "/v1/host/cuebook/preview") => {
            let mut body = of::<PreviewPrompt>();
            body["properties"]["template"] = schema("PromptTemplate");
            body["properties"]["agent"] = object(&["agentId", "persona", "modelClass"]);
            Operation::new("preview_prompt", "What a node would be told, without a run.")
                .query("workspaceId", text())
                .takes(body)
                .gives(200, object(&["nodeId", "resolutions", "composition", "problems", "templates"]))
                .fails(&[404])
        }
        ("POST", "/v1/host/sample/prompt/resolve") => {
            Operation::new("resolve_prompt", "Resolves a chain on facts given; a test seam.")
                .takes(object(&["kind", "node"]))
                .gives(200, object(&["nodeId", "kind", "chain", "resolved"]))
                .fails(&[404])
        }
        ("POST", "/v1/host/sample/prompt/compose") => {
            Operation::new("compose_prompt", "Composes a template on bindings given; a test seam.")
                .takes(object(&["templateId", "bindings"]))
                .gives(200, object(&["nodeId", "refs", "kind", "hash"]))
                .fails(&[404])
        }
        _ => return None,
    };
    Some(operation)
}

/// Routes that the protocol names and this host does not offer.
fn absent(route: &Route) -> Operation {
    let (id, errors): (&'static str, &[u16]) = match (route.method, route.path) {
        ("POST", "/v1/runs/{runId}:fork") => ("fork_run", &[404, 501]),
        ("POST", "/v1/runs/{runId}:pause") => ("pause_run", &[404, 501]),
        ("POST", "/v1/runs/{runId}:resume") => ("resume_run", &[404, 501]),
        ("DELETE", _) => ("delete_webhook", &[404]),
        ("POST", "/v1/webhooks") => ("create_webhook", &[404]),
        ("GET", "/v1/interrupts/{token}") => ("inspect_interrupt", &[404]),
        ("POST", "/v1/interrupts/{token}") => ("resolve_interrupt_by_token", &[404]),
        ("GET", "/v1/runs/{runId}/ancestry") => ("get_ancestry", &[404]),
        ("GET", "/v1/runs/{runId}/debug-bundle") => ("get_debug_bundle", &[404]),
        ("GET", "/v1/tools") => ("list_tools", &[404]),
        _ => ("get_artifact", &[404]),
    };
    Operation::new(id, "Named by the protocol; this host does not offer it.").fails(errors)
}
