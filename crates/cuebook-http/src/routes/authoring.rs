//! What authors of prompts need and the protocol does not name: lint, versions, import, and previews of nodes.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use cuebook_host::Problems;
use cuebook_host::prompt::Principal;
use cuebook_host::wire::{ErrorCode, Fault, Observability, PromptTemplate, TemplateId, strict};
use serde_json::{Value, json};

use super::library::{endpoint, writer};
use super::prompts::{TemplateQuery, WorkspaceQuery};
use crate::auth::{Caller, Scope};
use crate::body::{JsonBody, LargeBody};
use crate::error::ApiError;
use crate::idempotency::{Attempt, once};
use crate::params::{Path, Query};
use crate::shapes::{ImportPrompts, PreviewPrompt};
use crate::state::App;

/// What is doubtful about one template: the version named, or the latest.
pub(super) async fn lint_prompt(
    State(app): State<App>,
    caller: Caller,
    Path(template_id): Path<String>,
    Query(query): Query<TemplateQuery>,
) -> Result<Json<Value>, ApiError> {
    let principal = caller.principal_in(Scope::PromptsRead, query.workspace_id.as_deref())?;
    let reference = query.reference(&template_id)?;
    Ok(Json(app.host.lint_prompt(&principal, &reference).await?.to_json()))
}

/// Every version of a template, removed ones too.
pub(super) async fn list_versions(
    State(app): State<App>,
    caller: Caller,
    Path(template_id): Path<String>,
    Query(query): Query<WorkspaceQuery>,
) -> Result<Json<Value>, ApiError> {
    let principal = caller.principal_in(Scope::PromptsRead, query.workspace_id.as_deref())?;
    let template_id = TemplateId::parse(&template_id).map_err(|_| ApiError::not_found("template"))?;
    let versions = app.host.prompt_history(&principal, &template_id).await;
    let versions = versions.map_err(not_found_or)?;
    Ok(Json(json!({ "templateId": template_id, "versions": versions })))
}

fn not_found_or(problems: Problems) -> ApiError {
    let refusal = cuebook_host::Refusal::from(problems);
    match refusal.code {
        ErrorCode::PromptTemplateNotFound => ApiError::not_found("template"),
        _ => refusal.into(),
    }
}

/// Puts templates into the library of users, all or none.
pub(super) async fn import_prompts(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<WorkspaceQuery>,
    headers: HeaderMap,
    LargeBody(body): LargeBody,
) -> Result<Response, ApiError> {
    let principal = writer(&app, &caller, query.workspace_id.as_deref())?;
    let path = "/v1/host/cuebook/prompts:import";
    let attempt = Attempt::new(&principal, &endpoint("POST", path, &principal), &headers, &body);
    let (host, read, owner) = (Arc::clone(&app.host), read_import(&body), principal.clone());
    let act = move |_| async move {
        let (templates, dry_run) = read?;
        let report = host.import_prompts(&owner, &templates, dry_run).await?;
        Ok(Json(report.to_json()).into_response())
    };
    Ok(once(&app.host, attempt, act).await)
}

/// The templates of an import, or every fault of every one of them.
fn read_import(body: &JsonBody) -> Result<(Vec<PromptTemplate>, bool), ApiError> {
    let import = body.read::<ImportPrompts>()?;
    let (mut templates, mut faults) = (Vec::new(), Vec::new());
    for (at, template) in import.templates.iter().enumerate() {
        match strict::read::<PromptTemplate>(template) {
            Ok(template) => templates.push(template),
            Err(found) => faults.extend(found.into_iter().map(|it| it.below(&format!("/templates/{at}")))),
        }
    }
    if faults.is_empty() {
        return Ok((templates, import.dry_run));
    }
    Err(ApiError::faults(ErrorCode::ValidationError, &faults))
}

/// What a node would be told, without a run: the chain, the composition, and what is doubtful about its templates.
pub(super) async fn preview_prompt(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<WorkspaceQuery>,
    body: JsonBody,
) -> Result<Json<Value>, ApiError> {
    let principal: Principal = caller.principal_in(Scope::PromptsRead, query.workspace_id.as_deref())?;
    let request = body.read::<PreviewPrompt>()?;
    if request.workflow_id.is_some() {
        caller.principal(Scope::ManifestRead)?;
    }
    let draft =
        request.read().map_err(|faults: Vec<Fault>| ApiError::faults(ErrorCode::ValidationError, &faults))?;
    let shows_text = app.host.config.prompts.observability == Observability::Full;
    let preview = app.host.preview_draft(&principal, draft).await?;
    Ok(Json(preview.to_json(shows_text)))
}
