//! Writing prompts: create, replace, remove, each once for an Idempotency-Key.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header::{ETAG, LOCATION};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use cuebook_host::prompt::Principal;
use cuebook_host::wire::{ErrorCode, PromptTemplate, TemplateId, Version, strict};
use cuebook_host::{Diagnostic, PromptWrite, WrittenPrompt};
use serde::Deserialize;
use serde_json::json;

use crate::auth::{Caller, Scope};
use crate::body::JsonBody;
use crate::error::ApiError;
use crate::etag::{condition, tag_of};
use crate::idempotency::{Attempt, once};
use crate::params::{Path, Query};
use crate::state::App;

/// The header that tells what is doubtful about a template that was taken: `code line:column`, with commas between.
const FINDINGS: HeaderName = HeaderName::from_static("cuebook-findings");
/// The most findings that one answer tells.
const MAX_FINDINGS: usize = 20;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WriteQuery {
    version: Option<String>,
    workspace_id: Option<String>,
}

/// On whose behalf the library is written: membership first, then whether it may be written at all.
fn writer(app: &App, caller: &Caller, query: &WriteQuery) -> Result<Principal, ApiError> {
    let principal = caller.principal_in(Scope::PromptsWrite, query.workspace_id.as_deref())?;
    app.host.check_mutable()?;
    Ok(principal)
}

/// The name under which a request is done once; a workspace is part of it.
fn endpoint(method: &str, path: &str, principal: &Principal) -> String {
    let workspace = principal.workspace.as_ref().map(|name| format!("?workspaceId={name}"));
    format!("{method} {path}{}", workspace.unwrap_or_default())
}

/// Adds a version of a template.
pub(super) async fn create_prompt(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<WriteQuery>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, ApiError> {
    let principal = writer(&app, &caller, &query)?;
    let attempt = Attempt::new(&principal, &endpoint("POST", "/v1/prompts", &principal), &headers, &body);
    let (host, read) = (Arc::clone(&app.host), read_template(&body));
    let owner = principal.clone();
    let act = move |ticket| async move {
        let write = PromptWrite { principal: &owner, ticket, condition: None };
        let written = host.create_prompt(write, read?).await?;
        let PromptTemplate { template_id, version, .. } = &written.template;
        let location = format!("/v1/prompts/{template_id}?version={}", encoded(version));
        let mut response = shown(StatusCode::CREATED, &written);
        insert(&mut response, LOCATION, &location);
        Ok(response)
    };
    Ok(once(&app.host, attempt, act).await)
}

/// Puts a higher version of a template in place.
pub(super) async fn update_prompt(
    State(app): State<App>,
    caller: Caller,
    Path(template_id): Path<String>,
    Query(query): Query<WriteQuery>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, ApiError> {
    let principal = writer(&app, &caller, &query)?;
    let template_id = read_id(&template_id)?;
    let path = format!("/v1/prompts/{template_id}");
    let attempt = Attempt::new(&principal, &endpoint("PUT", &path, &principal), &headers, &body);
    let (host, read, owner) = (Arc::clone(&app.host), read_template(&body), principal.clone());
    let condition = condition(&headers);
    let act = move |ticket| async move {
        let write = PromptWrite { principal: &owner, ticket, condition };
        Ok(shown(StatusCode::OK, &host.update_prompt(write, &template_id, read?).await?))
    };
    Ok(once(&app.host, attempt, act).await)
}

/// Removes a version of a template, or all of them.
pub(super) async fn delete_prompt(
    State(app): State<App>,
    caller: Caller,
    Path(template_id): Path<String>,
    Query(query): Query<WriteQuery>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, ApiError> {
    let principal = writer(&app, &caller, &query)?;
    let template_id = read_id(&template_id)?;
    let version = query.version.as_deref().map(Version::parse).transpose();
    let version = version.map_err(|_| ApiError::invalid("'version' is a version such as 1.2.0"))?;
    let named = version.as_ref().map(|version| format!("@{version}")).unwrap_or_default();
    let path = format!("/v1/prompts/{template_id}{named}");
    let attempt = Attempt::new(&principal, &endpoint("DELETE", &path, &principal), &headers, &body);
    let (host, owner, condition) = (Arc::clone(&app.host), principal.clone(), condition(&headers));
    let act = move |ticket| async move {
        let write = PromptWrite { principal: &owner, ticket, condition };
        host.delete_prompt(write, &template_id, version).await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    };
    Ok(once(&app.host, attempt, act).await)
}

fn read_id(text: &str) -> Result<TemplateId, ApiError> {
    TemplateId::parse(text).map_err(|_| ApiError::not_found("template"))
}

/// Reads a template; whatever is wrong with it is a fault of the request (openwop-v1 §15.3).
fn read_template(body: &JsonBody) -> Result<PromptTemplate, ApiError> {
    strict::read::<PromptTemplate>(&body.value)
        .map_err(|faults| ApiError::faults(ErrorCode::ValidationError, &faults))
}

/// A version as it stands in a query, where `+` means a space.
fn encoded(version: &Version) -> String {
    version.to_string().replace('+', "%2B")
}

/// The template as it is kept, its tag, and what is doubtful about it.
fn shown(status: StatusCode, written: &WrittenPrompt) -> Response {
    let document = json!(written.template);
    let tag = tag_of(&document);
    let mut response = (status, Json(document)).into_response();
    insert(&mut response, ETAG, &tag);
    let findings: Vec<String> = written.findings.iter().take(MAX_FINDINGS).map(finding).collect();
    if !findings.is_empty() {
        insert(&mut response, FINDINGS, &findings.join(", "));
    }
    response
}

fn finding(finding: &Diagnostic) -> String {
    match finding.position() {
        Some(place) => format!("{} {}:{}", finding.code, place.line, place.column),
        None => finding.code.to_string(),
    }
}

fn insert(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}
