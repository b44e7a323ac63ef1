//! Writing prompts: create, replace, remove, each once for an Idempotency-Key.

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts as _, Request, State};
use axum::http::header::{ETAG, LOCATION};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use cuebook_host::prompt::{ContentHash, Principal};
use cuebook_host::wire::{ErrorCode, PromptTemplate, TemplateId, Version, strict};
use cuebook_host::{PromptWrite, WrittenPrompt};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::json;

use crate::auth::{Caller, Scope};
use crate::body::JsonBody;
use crate::error::ApiError;
use crate::etag::{condition, tag_of};
use crate::idempotency::{Attempt, once};
use crate::params::{Path, Query};
use crate::state::App;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WriteQuery {
    version: Option<String>,
    workspace_id: Option<String>,
}

/// On whose behalf the library is written: membership first, then whether it may be written at all.
pub(super) fn writer(app: &App, caller: &Caller, workspace: Option<&str>) -> Result<Principal, ApiError> {
    let principal = caller.principal_in(Scope::PromptsWrite, workspace)?;
    app.host.check_mutable()?;
    Ok(principal)
}

/// The name under which a request is done once; a workspace is part of it.
pub(super) fn endpoint(method: &str, path: &str, principal: &Principal) -> String {
    let workspace = principal.workspace.as_ref().map(|name| format!("?workspaceId={name}"));
    format!("{method} {path}{}", workspace.unwrap_or_default())
}

/// A request to write the template that its path names.
pub(super) struct WriteRequest {
    caller: Caller,
    template_id: String,
    query: WriteQuery,
    headers: HeaderMap,
    body: JsonBody,
}

impl FromRequest<App> for WriteRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let caller = Caller::from_request_parts(&mut parts, app).await?;
        let Path(template_id) = Path::from_request_parts(&mut parts, app).await?;
        let Query(query) = Query::from_request_parts(&mut parts, app).await?;
        let headers = parts.headers.clone();
        let body = JsonBody::from_request(Request::from_parts(parts, body), app).await?;
        Ok(Self { caller, template_id, query, headers, body })
    }
}

/// What a request writes, and whether it is a repetition.
struct Write<'r> {
    owner: Principal,
    template_id: TemplateId,
    /// The one version that is meant.
    version: Option<Version>,
    condition: Option<Vec<ContentHash>>,
    attempt: Attempt<'r>,
}

impl WriteRequest {
    /// Who writes what, membership first; with `by_version`, the query may name a version.
    fn open(&self, app: &App, method: &str, by_version: bool) -> Result<Write<'_>, ApiError> {
        let owner = writer(app, &self.caller, self.query.workspace_id.as_deref())?;
        let template_id =
            TemplateId::parse(&self.template_id).map_err(|_| ApiError::not_found("template"))?;
        let version = self.query.version.as_deref().filter(|_| by_version).map(Version::parse).transpose();
        let version = version.map_err(|_| ApiError::invalid("'version' is a version such as 1.2.0"))?;
        let named = version.as_ref().map(|version| format!("@{version}")).unwrap_or_default();
        let endpoint = endpoint(method, &format!("/v1/prompts/{template_id}{named}"), &owner);
        let attempt = Attempt::new(&owner, &endpoint, &self.headers, &self.body);
        Ok(Write { owner, template_id, version, condition: condition(&self.headers), attempt })
    }
}

/// Adds a version of a template.
pub(super) async fn create_prompt(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<WriteQuery>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, ApiError> {
    let principal = writer(&app, &caller, query.workspace_id.as_deref())?;
    let attempt = Attempt::new(&principal, &endpoint("POST", "/v1/prompts", &principal), &headers, &body);
    let (host, read) = (Arc::clone(&app.host), read_template(&body));
    let owner = principal.clone();
    let act = move |ticket| async move {
        let write = PromptWrite { principal: &owner, ticket, condition: None };
        let written = host.create_prompt(write, read?).await?;
        let PromptTemplate { template_id, version, .. } = &written.template;
        let mut location = format!("/v1/prompts/{template_id}?version={}", encoded(&version.to_string()));
        if let Some(name) = &owner.workspace {
            location.extend(["&workspaceId=", &encoded(name)]);
        }
        let mut response = shown(StatusCode::CREATED, &written);
        insert(&mut response, LOCATION, &location);
        Ok(response)
    };
    Ok(once(&app.host, attempt, act).await)
}

/// Puts a higher version of a template in place.
pub(super) async fn update_prompt(
    State(app): State<App>,
    request: WriteRequest,
) -> Result<Response, ApiError> {
    let Write { owner, template_id, condition, attempt, .. } = request.open(&app, "PUT", false)?;
    let (host, read) = (Arc::clone(&app.host), read_template(&request.body));
    let act = move |ticket| async move {
        let write = PromptWrite { principal: &owner, ticket, condition };
        Ok(shown(StatusCode::OK, &host.update_prompt(write, &template_id, read?).await?))
    };
    Ok(once(&app.host, attempt, act).await)
}

/// Removes a version of a template, or all of them.
pub(super) async fn delete_prompt(
    State(app): State<App>,
    request: WriteRequest,
) -> Result<Response, ApiError> {
    let Write { owner, template_id, version, condition, attempt } = request.open(&app, "DELETE", true)?;
    let host = Arc::clone(&app.host);
    let act = move |ticket| async move {
        let write = PromptWrite { principal: &owner, ticket, condition };
        host.delete_prompt(write, &template_id, version).await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    };
    Ok(once(&app.host, attempt, act).await)
}

/// Reads a template; whatever is wrong with it is a fault of the request (openwop-v1 §15.3).
fn read_template(body: &JsonBody) -> Result<PromptTemplate, ApiError> {
    strict::read::<PromptTemplate>(&body.value)
        .map_err(|faults| ApiError::faults(ErrorCode::ValidationError, &faults))
}

/// A text as it stands in a query, where `+` means a space.
fn encoded(text: &str) -> String {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(text, KEPT).to_string()
}

/// The template as it is kept, and its tag; what is doubtful about it has a route of its own, as the document is closed.
fn shown(status: StatusCode, written: &WrittenPrompt) -> Response {
    let document = json!(written.template);
    let tag = tag_of(&document);
    let mut response = (status, Json(document)).into_response();
    insert(&mut response, ETAG, &tag);
    response
}

fn insert(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}
