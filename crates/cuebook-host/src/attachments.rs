//! What the caller of a run attaches to it: metadata, and where its end is to be reported.
//!
//! It owns their bounds (openwop-v1 §3.3, C29). It refuses to look into metadata, which are the caller's.

use cuebook_wire::depth::is_within;
use cuebook_wire::{CreateRun, ErrorCode, Fault};
use serde_json::{Map, Value as Json};

/// The most levels of metadata, that of the object itself among them.
const MAX_DEPTH: usize = 4;

/// What is wrong with the attachments of a request; metadata have at most `max_bytes` as JSON.
pub(crate) fn faults(request: &CreateRun, max_bytes: usize) -> Vec<Fault> {
    let metadata = metadata_fault(&request.metadata, max_bytes);
    let callback = request.callback_url.as_deref().filter(|url| !is_web_address(url));
    let callback =
        callback.map(|_| fault("/callbackUrl", "an absolute http or https URL is expected".to_owned()));
    metadata.into_iter().chain(callback).collect()
}

fn metadata_fault(metadata: &Map<String, Json>, max_bytes: usize) -> Option<Fault> {
    if !metadata.values().all(|value| is_within(value, MAX_DEPTH - 1)) {
        let message = format!("metadata are nested at most {MAX_DEPTH} levels deep");
        return Some(fault("/metadata", message));
    }
    let bytes = serde_json::to_string(metadata).map_or(usize::MAX, |text| text.len());
    let message = || format!("metadata have at most {max_bytes} bytes as JSON; these have {bytes}");
    (bytes > max_bytes).then(|| fault("/metadata", message()))
}

fn fault(path: &str, message: String) -> Fault {
    Fault::new(path, ErrorCode::ValidationError, message)
}

/// Whether a text is an absolute URL of the web with a host.
fn is_web_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    !host.is_empty() && text.chars().all(|letter| letter.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use cuebook_wire::WorkflowId;
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(metadata: &Json, callback: &str, expect: &[&str]) {
        let mut request = CreateRun::new(WorkflowId::new("tell"));
        request.metadata = metadata.as_object().cloned().unwrap_or_default();
        request.callback_url = Some(callback.to_owned());
        let found = faults(&request, 64);
        assert_eq!(
            found.iter().map(|fault| &*fault.path).collect::<Vec<_>>(),
            expect,
            "{metadata} {callback}"
        );
    }

    #[test]
    fn metadata_are_small_and_flat() {
        let fine = "https://example.com/told?run=1";
        check(&json!({}), fine, &[]);
        check(&json!({ "a": { "b": { "c": 1 } } }), fine, &[]);
        check(&json!({ "a": { "b": { "c": [] } } }), fine, &[]);
        check(&json!({ "a": { "b": { "c": [{}] } } }), fine, &["/metadata"]);
        check(&json!({ "a": "b".repeat(56) }), fine, &[]);
        check(&json!({ "a": "b".repeat(57) }), fine, &["/metadata"]);
    }

    #[test]
    fn a_callback_goes_to_the_web() {
        for url in ["http://127.0.0.1:80", "https://example.com"] {
            check(&json!({}), url, &[]);
        }
        for url in ["", "example.com", "ftp://example.com", "https://", "https:///path", "https://a b"] {
            check(&json!({}), url, &["/callbackUrl"]);
        }
    }
}
