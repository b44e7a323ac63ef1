//! Libraries: which template an id and a version mean, and what is said when none is meant.

use cuebook_prompt::{Libraries, Library, Owner, PromptError, RESERVED_PREFIXES};
use cuebook_wire::PromptTemplate;
use serde_json::{Value as Json, json};

use crate::support::{error_line, library, library_id, plain, reference};

/// The host has `style`, the user `style` and `mine`; two packs have `shared`,
/// one of them `solo` and `mine` too.
fn libraries() -> Libraries {
    let user = vec![plain("style", "9.0.0", "system"), plain("mine", "1.0.0", "user")];
    let host = ["1.9.0", "1.10.0", "2.0.0-rc.1"].map(|version| plain("style", version, "system")).to_vec();
    let first = vec![
        plain("shared", "1.0.0", "user"),
        plain("solo", "1.0.0-beta", "user"),
        plain("mine", "3.0.0", "user"),
    ];
    let second = vec![plain("shared", "2.0.0", "user"), plain("style", "7.0.0", "user")];
    Libraries::new(vec![
        library("vendor.b.p", Owner::Pack, second),
        library("user", Owner::User, user),
        library("vendor.a.p", Owner::Pack, first),
        library("host", Owner::Host, host),
    ])
}

/// What a ref leads to, as `library/ref`, or the error.
fn find(json: &Json, within: Option<&str>) -> String {
    let within = within.map(library_id);
    match libraries().find(&reference(json.clone()), within.as_ref()) {
        Ok(entry) => format!("{}/{}", entry.library(), entry.pinned().reference),
        Err(error) => error_line(&error),
    }
}

#[track_caller]
fn check(json: impl Into<Json>, expect: &str) {
    assert_eq!(find(&json.into(), None), expect);
}

#[test]
fn a_ref_without_version_means_the_highest_release() {
    check("prompt:style", "host/prompt:style@1.10.0");
    check("prompt:style@1.9.0", "host/prompt:style@1.9.0");
    check("prompt:style@2.0.0-rc.1", "host/prompt:style@2.0.0-rc.1");
    check("prompt:solo", "vendor.a.p/prompt:solo@1.0.0-beta");
}

#[test]
fn precedence_is_that_of_semantic_versioning() {
    let latest = |versions: &[&str]| {
        let templates = versions.iter().map(|version| plain("a", version, "user")).collect();
        let libraries = Libraries::new(vec![library("host", Owner::Host, templates)]);
        libraries.find(&reference("prompt:a"), None).unwrap().template.version.to_string()
    };
    for (versions, expect) in [
        (&["1.10.0", "1.9.0", "1.2.0"][..], "1.10.0"),
        (&["0.9.9", "1.0.0-rc.1"], "0.9.9"),
        (&["1.0.0", "1.0.0-rc.1", "1.0.1-alpha"], "1.0.0"),
        (&["1.0.0-rc.2", "1.0.0-rc.10", "1.0.0-alpha"], "1.0.0-rc.10"),
        (&["1.0.0+a", "0.1.0+z"], "1.0.0+a"),
    ] {
        assert_eq!(latest(versions), expect, "{versions:?}");
    }
}

#[test]
fn host_before_user_before_packs() {
    check("prompt:mine", "user/prompt:mine@1.0.0");
    check(json!({ "libraryId": "user", "templateId": "style" }), "user/prompt:style@9.0.0");
    check(json!({ "libraryId": "vendor.b.p", "templateId": "shared" }), "vendor.b.p/prompt:shared@2.0.0");
    // The host's id is the host's, even for a version that only others have.
    check(
        "prompt:style@7.0.0",
        "prompt_template_not_found 'prompt:style' has no version 7.0.0; it has 1.9.0, 1.10.0, 2.0.0-rc.1; \
         did you mean 'prompt:style@1.10.0'?",
    );
}

#[test]
fn packs_among_themselves_are_ambiguous() {
    for reference in ["prompt:shared", "prompt:shared@1.0.0"] {
        check(
            reference,
            "prompt_ref_ambiguous 'shared' is in several packs: vendor.b.p, vendor.a.p; \
             write the ref as an object with \"libraryId\"",
        );
    }
}

#[test]
fn what_is_not_there_is_named_with_the_nearest() {
    check(
        "prompt:stile",
        "prompt_template_not_found no library has a template 'stile'; did you mean 'prompt:style'?",
    );
    check("prompt:quite-another", "prompt_template_not_found no library has a template 'quite-another'");
    check(
        "prompt:mine@1.0.1",
        "prompt_template_not_found 'prompt:mine' has no version 1.0.1; it has 1.0.0; did you mean 'prompt:mine@1.0.0'?",
    );
    check(
        json!({ "libraryId": "usr", "templateId": "mine" }),
        "prompt_template_not_found there is no library 'usr'; did you mean the library 'user'?",
    );
    check(
        json!({ "libraryId": "user", "templateId": "mime" }),
        "prompt_template_not_found no library has a template 'mime'; did you mean 'prompt:mine'?",
    );
}

#[test]
fn a_search_within_a_library_stays_there() {
    assert_eq!(find(&json!("prompt:style"), Some("host")), "host/prompt:style@1.10.0");
    assert_eq!(
        find(&json!("prompt:mine"), Some("host")),
        "prompt_template_not_found no library has a template 'mine'"
    );
    assert_eq!(
        find(&json!({ "libraryId": "user", "templateId": "mine" }), Some("host")),
        "prompt_template_not_found the ref names the library 'user', but only 'host' is looked in; \
         leave \"libraryId\" out, or name the ref at another layer"
    );
}

fn add(template: PromptTemplate) -> Result<(), PromptError> {
    let mut library = library("user", Owner::User, vec![plain("a", "1.0.0", "user")]);
    library.add(template)
}

#[test]
fn nothing_is_added_twice_or_under_a_reserved_name() {
    assert!(add(plain("a", "1.0.1", "user")).is_ok());
    let error = add(plain("a", "1.0.0", "system")).unwrap_err();
    assert_eq!(error_line(&error), "prompt_already_exists 'prompt:a@1.0.0' is there already");
    for prefix in RESERVED_PREFIXES {
        let error = add(plain(&format!("{prefix}x"), "1.0.0", "user")).unwrap_err();
        let expect =
            format!("prompt_template_invalid the id '{prefix}x' begins with '{prefix}', which is reserved");
        assert_eq!(error_line(&error), expect);
    }
    assert!(add(plain("projection", "1.0.0", "user")).is_ok());
}

#[test]
fn defaults_are_the_templates_named_so() {
    let templates =
        vec![plain("default-system", "1.0.0", "system"), plain("default-few-shot", "1.0.0", "few-shot")];
    let defaults = library("house", Owner::Pack, templates).defaults();
    let json = serde_json::to_value(&defaults).unwrap();
    assert_eq!(
        json,
        json!({
            "system": { "libraryId": "house", "templateId": "default-system" },
            "few-shot": { "libraryId": "house", "templateId": "default-few-shot" },
        })
    );
    assert!(Library::new(library_id("empty"), Owner::Pack).defaults().is_empty());
}

#[test]
fn entries_and_libraries_are_listed_in_order() {
    let libraries = libraries();
    let names: Vec<&str> = libraries.iter().map(|library| library.id().as_str()).collect();
    assert_eq!(names, ["host", "user", "vendor.b.p", "vendor.a.p"]);
    let host = libraries.get(&library_id("host")).unwrap();
    let versions: Vec<String> = host.entries().map(|entry| entry.template.version.to_string()).collect();
    assert_eq!(versions, ["1.9.0", "1.10.0", "2.0.0-rc.1"]);
}

#[test]
fn the_content_hash_knows_text_kind_and_variables() {
    let hash = |template: &PromptTemplate| {
        cuebook_prompt::Pinned::template(&library_id("host"), template).content_hash.to_string()
    };
    let base = plain("a", "1.0.0", "user");
    assert_eq!(hash(&base), hash(&PromptTemplate { name: Some("A".to_owned()), ..base.clone() }));
    let others = [
        PromptTemplate { text: "other".to_owned(), ..base.clone() },
        PromptTemplate { kind: cuebook_wire::PromptKind::System, ..base.clone() },
        crate::support::versioned("a", "1.0.0", "user", &base.text, json!([crate::support::optional("x")])),
    ];
    for other in others {
        assert_ne!(hash(&base), hash(&other));
    }
}
