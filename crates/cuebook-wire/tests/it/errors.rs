//! The table of error codes: unique, complete, spelt alike, with statuses of HTTP's error range.

use std::collections::HashSet;

use cuebook_wire::error::CodePlace;
use cuebook_wire::{ErrorCode, ErrorEnvelope};
use serde_json::json;

#[track_caller]
fn check(code: ErrorCode, wire: &str, status: Option<u16>) {
    assert_eq!(code.as_str(), wire);
    assert_eq!(code.status(), status);
    assert_eq!(wire.parse(), Ok(code));
}

#[test]
fn codes_and_statuses() {
    check(ErrorCode::Unauthenticated, "unauthenticated", Some(401));
    check(ErrorCode::CapabilityNotProvided, "capability_not_provided", Some(501));
    check(ErrorCode::InterruptExpired, "interrupt_expired", Some(410));
    check(ErrorCode::RateLimited, "rate_limited", Some(429));
    check(ErrorCode::PromptVariableUnresolved, "prompt_variable_unresolved", Some(400));
    check(ErrorCode::PromptRefSupersedesInline, "prompt_ref_supersedes_inline", None);
    check(ErrorCode::RunTimeout, "run_timeout", None);
    check(ErrorCode::InternalError, "internal_error", Some(500));
}

#[test]
fn rows_are_unique_and_well_spelt() {
    let mut seen = HashSet::new();
    for code in ErrorCode::ALL {
        assert!(seen.insert(code.as_str()), "{code} is there twice");
        assert!(code.as_str().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{code}");
        assert!(code.status().is_none_or(|status| (400..600).contains(&status)), "{code}");
        assert!(code.place() != CodePlace::Http || code.status().is_some(), "{code} has no status");
        for text in [code.meaning(), code.hint()] {
            assert!(!text.is_empty() && !text.ends_with('.'), "{code}: {text:?}");
        }
    }
}

#[test]
fn an_unknown_code_names_the_nearest() {
    let error = "prompt_template_missing".parse::<ErrorCode>().unwrap_err();
    assert_eq!(error.nearest, Some("prompt_template_invalid"));
    assert_eq!("zzz".parse::<ErrorCode>().unwrap_err().nearest, None);
}

#[test]
fn envelopes_hold_facts_in_details_alone() {
    let envelope =
        ErrorEnvelope::new(ErrorCode::CapabilityNotProvided, "no prompts here").with("capability", "prompts");
    let expected = json!({
        "error": "capability_not_provided",
        "message": "no prompts here",
        "details": { "capability": "prompts" },
    });
    assert_eq!(serde_json::to_value(envelope).unwrap(), expected);
}
