//! Prompts: list, get and render.

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use cuebook_host::prompt::{Observed, Owner, Trust};
use cuebook_host::wire::payload::ContentTrust;
use cuebook_host::wire::template::TemplateOrigin;
use cuebook_host::wire::{
    Document as _, Fault, LibraryId, Observability, PromptKind, PromptRef, PromptTemplate, TemplateId,
    Version, strict,
};
use cuebook_host::{Place, Refusal};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::auth::{Caller, Scope};
use crate::body::JsonText;
use crate::error::ApiError;
use crate::etag::tagged;
use crate::json_text;
use crate::params::{Path, Query};
use crate::shapes::RenderPrompt;
use crate::state::App;

/// How many templates a page has when the caller does not say, and at the most.
const PAGE: (usize, usize) = (50, 200);
/// Where templates come from.
const SOURCES: [&str; 3] = ["host", "pack", "user"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListQuery {
    kind: Option<String>,
    model_class: Option<String>,
    source: Option<String>,
    cursor: Option<String>,
    limit: Option<usize>,
    workspace_id: Option<String>,
}

/// The latest version of each template, by library and id, page by page.
pub(super) async fn list_prompts(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<ListQuery>,
    RawQuery(raw): RawQuery,
) -> Result<Json<Value>, ApiError> {
    let principal = caller.principal_in(Scope::PromptsRead, query.workspace_id.as_deref())?;
    let limit = query.limit.unwrap_or(PAGE.0);
    if !(1..=PAGE.1).contains(&limit) {
        return Err(ApiError::invalid(format!("'limit' is 1 to {}", PAGE.1)));
    }
    let kind = query.kind.as_deref().map(parse_kind).transpose()?;
    if query.source.as_deref().is_some_and(|source| !SOURCES.contains(&source)) {
        return Err(ApiError::invalid(format!("'source' is one of {}", SOURCES.join(", "))));
    }
    let tags = tags_of(raw.as_deref().unwrap_or_default());
    let after = query.cursor.as_deref().map(decode_cursor).transpose()?;
    let wanted = |template: &PromptTemplate, origin: TemplateOrigin| {
        kind.is_none_or(|kind| template.kind == kind)
            && tags.iter().all(|tag| template.tags.contains(tag))
            && query.model_class.as_ref().is_none_or(|class| model_class(template) == Some(class))
            && query.source.as_ref().is_none_or(|source| origin.as_str() == source.as_str())
    };
    let (items, next) = app.host.list_templates(&principal, after.as_ref(), limit, wanted).await?;
    let mut page = json!({ "items": items });
    if let Some(next) = next {
        page["nextCursor"] = encode_cursor(&next).into();
    }
    Ok(Json(page))
}

fn parse_kind(text: &str) -> Result<PromptKind, ApiError> {
    let kinds = PromptKind::ALL.map(PromptKind::as_str).join(", ");
    text.parse().map_err(|_| ApiError::invalid(format!("'kind' is one of {kinds}")))
}

fn model_class(template: &PromptTemplate) -> Option<&String> {
    template.model_hints.as_ref().and_then(|hints| hints.model_class.as_ref())
}

/// Every `tag=` of a query; they must all be there.
fn tags_of(query: &str) -> Vec<String> {
    let pairs = query.split('&').filter_map(|pair| pair.strip_prefix("tag="));
    pairs.map(decode).collect()
}

/// A query value as it was before it was encoded.
fn decode(value: &str) -> String {
    let spaced = value.replace('+', " ");
    percent_encoding::percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

/// A place in the list as callers carry it: versioned, and opaque to them.
fn encode_cursor((library, template): &Place) -> String {
    format!("1~{library}~{template}")
}

fn decode_cursor(text: &str) -> Result<Place, ApiError> {
    let read = || -> Option<Place> {
        let (library, template) = text.strip_prefix("1~")?.split_once('~')?;
        Some((LibraryId::parse(library).ok()?, TemplateId::parse(template).ok()?))
    };
    read().ok_or_else(|| ApiError::invalid("'cursor' is not one that this host gave"))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TemplateQuery {
    version: Option<String>,
    library_id: Option<String>,
    pub(super) workspace_id: Option<String>,
}

impl TemplateQuery {
    /// The template that a path and this query mean: the version named, or the latest.
    pub(super) fn reference(&self, template_id: &str) -> Result<PromptRef, ApiError> {
        let version = self.version.as_deref().map(Version::parse).transpose();
        let version = version.map_err(|_| ApiError::invalid("'version' is a version such as 1.2.0"))?;
        let library_id = self.library_id.as_deref().map(LibraryId::parse).transpose();
        let library_id = library_id.map_err(|_| ApiError::invalid("'libraryId' is a library's id"))?;
        let template_id = TemplateId::parse(template_id).map_err(|_| ApiError::not_found("template"))?;
        Ok(PromptRef { library_id, template_id, version, variable_overrides: Map::new() })
    }
}

/// One template: the version named, or the latest.
pub(super) async fn get_prompt(
    State(app): State<App>,
    caller: Caller,
    Path(template_id): Path<String>,
    Query(query): Query<TemplateQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let principal = caller.principal_in(Scope::PromptsRead, query.workspace_id.as_deref())?;
    let reference = query.reference(&template_id)?;
    let is_pinned = reference.version.is_some();
    let (owner, template) = app.host.template_of(&principal, &reference).await?;
    Ok(tagged(json!(template), &headers, freshness(owner, is_pinned)))
}

/// How long the latest version may be kept, and one that was named, which never changes; what users wrote is for nobody
/// but the caller to keep, as one address leads each tenant to its own.
fn freshness(owner: Owner, is_pinned: bool) -> &'static str {
    match (owner, is_pinned) {
        (Owner::User, false) => "private, max-age=60",
        (Owner::User, true) => "private, max-age=31536000, immutable",
        (Owner::Host | Owner::Pack, false) => "max-age=60",
        (Owner::Host | Owner::Pack, true) => "public, max-age=31536000, immutable",
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WorkspaceQuery {
    pub(super) workspace_id: Option<String>,
}

/// Renders a template with the values given; calls no model and writes no event.
pub(super) async fn render_prompt(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<WorkspaceQuery>,
    body: JsonText,
) -> Result<Response, ApiError> {
    let principal = caller.principal_in(Scope::PromptsRead, query.workspace_id.as_deref())?;
    let request = body.read::<RenderPrompt>()?;
    let reference = read_ref(&request.reference)?;
    let trust = match request.content_trust {
        Some(ContentTrust::Untrusted) => Trust::Untrusted,
        _ => Trust::Trusted,
    };
    let rendered = app.host.render_ref(&principal, &reference, request.variables, trust).await;
    let observed = rendered.map_err(Refusal::from)?.observed;
    let is_full = app.host.config.prompts.observability == Observability::Full;
    Ok(RenderedPrompt { observed: &observed, is_full }.into_response())
}

/// What `:render` answers, written out of the composition as it is.
struct RenderedPrompt<'a> {
    observed: &'a Observed,
    is_full: bool,
}

impl RenderedPrompt<'_> {
    /// Room that the answer does not outgrow: what grows is copied again and again.
    fn room(&self) -> usize {
        const HEAD: usize = 512;
        const HASH: usize = 128;
        let text = self.observed.composed.len();
        HEAD + HASH * self.observed.variables.count() + if self.is_full { text + text / 16 } else { 0 }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let observed = self.observed;
        out.extend_from_slice(br#"{"hash":"#);
        json_text::write(out, observed.hash.as_str());
        out.extend_from_slice(br#","refs":["#);
        for (at, reference) in observed.refs.iter().enumerate() {
            json_text::separate(out, at);
            json_text::write(out, reference);
        }
        out.extend_from_slice(br#"],"variableHashes":{"#);
        for (at, (name, hash)) in observed.variables.hashes().enumerate() {
            json_text::separate(out, at);
            json_text::write(out, name);
            out.push(b':');
            json_text::write(out, hash.as_str());
        }
        out.extend_from_slice(br#"},"contentTrust":"#);
        json_text::write(out, observed.wire_trust().as_str());
        if self.is_full {
            out.extend_from_slice(br#","composed":"#);
            json_text::write(out, &observed.composed);
        }
        out.push(b'}');
    }
}

impl IntoResponse for RenderedPrompt<'_> {
    fn into_response(self) -> Response {
        let mut json = Vec::with_capacity(self.room());
        self.write(&mut json);
        ([(CONTENT_TYPE, "application/json")], json).into_response()
    }
}

/// Reads a ref; a text that parses is one by its schema too.
fn read_ref(value: &Value) -> Result<PromptRef, ApiError> {
    if let Some(Ok(reference)) = value.as_str().map(PromptRef::parse) {
        return Ok(reference);
    }
    strict::read::<PromptRef>(value).map_err(|faults| {
        let faults: Vec<Fault> = faults.into_iter().map(|fault| fault.below("/ref")).collect();
        ApiError::faults(PromptRef::CODE, &faults)
    })
}
