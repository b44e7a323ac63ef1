//! Answers that a caller may have already: strong entity tags over the content (RFC 9110 §8.8.3, §13.1.2).

use axum::Json;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_MATCH, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use cuebook_host::prompt::ContentHash;
use serde_json::Value;

/// The document with its tag, or 304 when `headers` say that the caller has it; either may be kept as `control` says.
pub(crate) fn tagged(document: Value, headers: &HeaderMap, control: &'static str) -> Response {
    offered(&tag_of(&document), || Json(document).into_response(), headers, control)
}

/// The same for a text of the type `kind`, byte for byte.
pub(crate) fn tagged_text(
    text: String,
    kind: &'static str,
    headers: &HeaderMap,
    control: &'static str,
) -> Response {
    let tag = format!("\"{}\"", ContentHash::of(&text));
    offered(&tag, || ([(CONTENT_TYPE, kind)], text).into_response(), headers, control)
}

fn offered(
    tag: &str,
    whole: impl FnOnce() -> Response,
    headers: &HeaderMap,
    control: &'static str,
) -> Response {
    let is_known = is_known(headers, tag);
    let mut response = if is_known { StatusCode::NOT_MODIFIED.into_response() } else { whole() };
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(control));
    if let Ok(tag) = HeaderValue::from_str(tag) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

/// The strong tag of a document.
pub(crate) fn tag_of(document: &Value) -> String {
    format!("\"{}\"", ContentHash::of(&document.to_string()))
}

/// The tags that `If-Match` names, of which one must be that of the present document (RFC 9110 §13.1.1); none without the
/// header, and when it is `*`, as what is changed must be there in any case.
pub(crate) fn condition(headers: &HeaderMap) -> Option<Vec<ContentHash>> {
    let given: Vec<&str> = headers.get_all(IF_MATCH).iter().filter_map(|value| value.to_str().ok()).collect();
    let tags: Vec<&str> = given.iter().flat_map(|list| list.split(',')).map(str::trim).collect();
    let hash = |tag: &&str| ContentHash::parse(tag.strip_prefix('"')?.strip_suffix('"')?);
    let is_any = !headers.contains_key(IF_MATCH) || tags.contains(&"*");
    (!is_any).then(|| tags.iter().filter_map(hash).collect())
}

/// Whether `If-None-Match` names `tag`, compared weakly as RFC 9110 §13.1.2 asks, or is `*`.
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let given = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = given.flat_map(|list| list.split(',')).map(str::trim);
    tags.any(|given| given == "*" || given.strip_prefix("W/").unwrap_or(given) == tag)
}
