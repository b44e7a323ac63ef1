//! The user library between the host's and the packs', and what a run that was held to a version still gets.

use std::collections::BTreeMap;
use std::sync::Arc;

use cuebook_prompt::{Catalog, Entry, Libraries, Owner, Principal, PromptError, Source, UserLibrary, Wanted};
use cuebook_wire::{LibraryId, TemplateId};
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, ready};
use serde_json::{Value as Json, json};

use crate::support::{error_line, library, library_id, plain, reference};

/// A user library of the tenant `local`: versions by id, and whether each was removed.
struct Shelf {
    id: LibraryId,
    versions: BTreeMap<&'static str, Vec<(&'static str, bool)>>,
}

impl Shelf {
    fn entry(&self, id: &str, wanted: Wanted<'_>) -> Option<Arc<Entry>> {
        let versions = self.versions.get(id)?;
        let fits = |at: &str, gone: bool| match wanted {
            Wanted::Latest => !gone,
            Wanted::Exact(version) => !gone && version.to_string() == at,
            Wanted::Held(version) => version.to_string() == at,
        };
        let (at, _) = versions.iter().rev().find(|(at, gone)| fits(at, *gone))?;
        Some(Arc::new(Entry::new(&self.id, plain(id, at, "system"))))
    }
}

impl UserLibrary for Shelf {
    fn id(&self) -> &LibraryId {
        &self.id
    }

    fn find<'a>(
        &'a self,
        principal: &'a Principal,
        template_id: &'a TemplateId,
        wanted: Wanted<'a>,
    ) -> BoxFuture<'a, Result<Option<Arc<Entry>>, PromptError>> {
        let found = (principal.tenant == "local").then(|| self.entry(template_id.as_str(), wanted));
        Box::pin(ready(Ok(found.flatten())))
    }
}

fn catalog() -> Catalog {
    let fixed = vec![
        library("host", Owner::Host, vec![plain("style", "1.0.0", "system")]),
        library(
            "vendor.a.p",
            Owner::Pack,
            vec![plain("tone", "3.0.0", "system"), plain("style", "9.0.0", "system")],
        ),
        library("vendor.b.p", Owner::Pack, vec![plain("voice", "1.0.0", "system")]),
    ];
    let versions = BTreeMap::from([
        ("style", vec![("7.0.0", false)]),
        ("tone", vec![("1.0.0", true), ("2.0.0", false)]),
        ("gone", vec![("1.0.0", true)]),
    ]);
    Catalog::new(Arc::new(Libraries::new(fixed)), Arc::new(Shelf { id: library_id("user"), versions }))
}

/// What `reference` leads `tenant` to: library, ref and, through the source, the same ref.
fn find(tenant: &str, json: &Json) -> String {
    let (catalog, reference) = (catalog(), reference(json.clone()));
    let principal = Principal { tenant: tenant.to_owned(), workspace: None };
    let found = catalog.find(&principal, &reference).now_or_never().expect("it is ready");
    let pinned = catalog.pin(&principal, &reference, None).now_or_never().expect("it is ready");
    match (found, pinned) {
        (Ok((_, entry)), Ok(pinned)) => {
            assert_eq!(entry.pinned().reference, pinned.reference, "both ways lead to the same");
            format!("{}/{}", entry.library(), pinned.reference)
        }
        (Err(one), Err(other)) => {
            assert_eq!(error_line(&one), error_line(&other), "both ways say the same");
            error_line(&one)
        }
        _ => panic!("the two ways disagree about {reference}"),
    }
}

#[track_caller]
fn check(json: &Json, expect: &str) {
    assert_eq!(find("local", json), expect, "of {json}");
}

#[test]
fn host_user_and_packs_are_looked_up_in_this_order() {
    check(&json!("prompt:style"), "host/prompt:style@1.0.0");
    check(&json!("prompt:tone"), "user/prompt:tone@2.0.0");
    check(&json!("prompt:voice"), "vendor.b.p/prompt:voice@1.0.0");
    assert_eq!(find("other", &json!("prompt:tone")), "vendor.a.p/prompt:tone@3.0.0");
}

#[test]
fn a_library_that_is_named_is_the_only_one() {
    check(&json!({ "libraryId": "user", "templateId": "style" }), "user/prompt:style@7.0.0");
    check(&json!({ "libraryId": "vendor.a.p", "templateId": "tone" }), "vendor.a.p/prompt:tone@3.0.0");
    check(
        &json!({ "libraryId": "user", "templateId": "voice" }),
        "prompt_template_not_found no library has a template 'voice'",
    );
}

#[test]
fn a_missing_version_is_no_reason_to_look_elsewhere() {
    check(
        &json!("prompt:tone@3.0.0"),
        "prompt_template_not_found 'prompt:tone' has no version 3.0.0; its latest is 'prompt:tone@2.0.0'",
    );
    check(
        &json!("prompt:tone@1.0.0"),
        "prompt_template_not_found 'prompt:tone' has no version 1.0.0; its latest is 'prompt:tone@2.0.0'",
    );
}

#[test]
fn a_version_that_was_removed_is_there_for_who_was_held_to_it() {
    let held = |id: &str| {
        let (catalog, user) = (catalog(), library_id("user"));
        let reference = reference(json!(id));
        let pinned = catalog.pin_again(&Principal::local(), &reference, Some(&user)).now_or_never();
        pinned
            .expect("it is ready")
            .map(|pinned| pinned.reference.clone())
            .map_err(|error| error_line(&error))
    };
    assert_eq!(held("prompt:gone@1.0.0").as_deref(), Ok("prompt:gone@1.0.0"));
    assert_eq!(held("prompt:tone@1.0.0").as_deref(), Ok("prompt:tone@1.0.0"));
    check(
        &json!("prompt:gone"),
        "prompt_template_not_found no library has a template 'gone'; did you mean 'prompt:tone'?",
    );
}
