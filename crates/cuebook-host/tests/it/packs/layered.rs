//! Packs of templates: taken by the same commands, refused whole, and held to the same conditions at the start.

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cuebook_host::{InstallPack, PackView};

use super::bench::{Bench, phrases};
use crate::support::messages;

fn manifest(id: &str, version: &str, more: &str) -> String {
    format!(
        "manifest_version: 1\nid: {id}\nname: Notes\nversion: {version}\ncompatibility: {{ extension_api: ^1 }}\n{more}"
    )
}

/// Writes the pack `acme/notes` with an agent and two templates into the directory `new`.
fn notes(bench: &Bench, version: &str) {
    bench.write("new/extension.yaml", manifest("acme/notes", version, ""));
    bench.write("new/agents/scribe.yaml", "id: scribe\ndescription: Writes notes.\n");
    bench.write("new/agents/prompts/scribe.md", "You write notes.\n");
    bench.write("new/shared/partials/tone.md", "Be plain.\n");
}

fn install(bench: &Bench) -> PackView {
    bench.install("new").unwrap().unwrap()
}

#[test]
fn a_sound_pack_is_installed_once() {
    let bench = Bench::new("");
    notes(&bench, "1.0.0");
    bench.write("new/.git/config", "no part of a pack");
    let installed = install(&bench);
    assert_eq!((installed.name.as_str(), installed.kind), ("acme/notes", "template-pack"));
    assert_eq!(installed.holds, ["agents/scribe.yaml", "agents/scribe.md", "partials/tone.md"]);
    assert_eq!(installed.summary, "1 agent, 2 templates");
    let files = [
        "agents/prompts/scribe.md",
        "agents/scribe.yaml",
        "extension.yaml",
        "pack.integrity",
        "shared/partials/tone.md",
    ];
    assert_eq!(bench.installed_files(), files.map(|file| format!("acme.notes/{file}")));
    assert_eq!(bench.install("new").unwrap(), None, "it is the very same pack");
    assert_eq!(bench.host().unwrap().persona_template("scribe").as_deref(), Some("agents/scribe.md"));
    let (packs, problems) = bench.store().list().unwrap();
    assert_eq!((packs.as_slice(), problems.iter().count()), (&[installed.clone()][..], 0));
    let removed = bench.store().remove("acme/notes").unwrap();
    assert!(matches!(removed, cuebook_host::RemovedPack::Sound(pack) if pack == installed));
    assert_eq!(bench.installed_files(), [""; 0]);
}

/// Checks that the pack, changed by `change`, is refused with these codes, and that nothing is written.
#[track_caller]
fn check_refused(change: impl FnOnce(&Bench), expect: &[&str]) {
    let bench = Bench::new("");
    notes(&bench, "1.0.0");
    change(&bench);
    let before = bench.installed_files();
    let problems = bench.install("new").unwrap_err();
    let found: Vec<String> = problems.iter().map(|problem| problem.code.to_string()).collect();
    assert_eq!(found, expect, "{:#?}", messages(&problems));
    assert_eq!(bench.installed_files(), before);
    assert_eq!(bench.store().verify(&bench.path("new")).unwrap_err().iter().count(), expect.len());
}

#[test]
fn what_is_wrong_with_a_pack_is_told_and_nothing_is_written() {
    let invalid = "extension_invalid";
    check_refused(|it| it.manifest("new", &phrases("1.0.0")), &["pack_invalid"]);
    check_refused(|it| it.write("new/extension.yaml", "id: Acme\n"), &[invalid; 5]);
    check_refused(|it| it.write("new/shared/partials/bad.md", b"\xff"), &[invalid]);
    check_refused(|it| it.write("new/guidance/large.md", "x".repeat(300_000)), &[invalid]);
    check_refused(|it| it.write("new/host/prompt-budgets.yaml", "version: 0\n"), &["budget_invalid"]);
    let newer = manifest("acme/notes", "1.0.0", "").replace("^1", "^2");
    check_refused(|it| it.write("new/extension.yaml", newer), &["extension_api_unsupported"]);
    check_refused(
        |it| it.write("new/extension.yaml", manifest("cuebook/base", "9.0.0", "")),
        &["extension_doubled"],
    );
    check_refused(|it| it.write("new/agents/scribe.yaml", "id: other\ndescription: x\n"), &[invalid]);
    let needs = "dependencies: { cuebook/base: { version: '>=90' }, acme/more: { version: ^1 } }\n";
    check_refused(
        |it| it.write("new/extension.yaml", manifest("acme/notes", "1.0.0", needs)),
        &["extension_dependency_unmet"; 2],
    );
    check_refused(|it| it.write("new/pack.integrity", "none"), &["pack_integrity_failure"]);
}

#[test]
fn an_agent_that_is_known_already_is_refused() {
    let bench = Bench::new("");
    bench.write("new/extension.yaml", manifest("acme/base", "1.0.0", ""));
    bench.write("new/agents/reviewer.yaml", "id: reviewer\ndescription: Reviews.\n");
    bench.check_install("new", "agent_manifest_invalid");
}

#[test]
fn another_version_takes_the_place_only_when_asked_to() {
    let bench = Bench::new("");
    notes(&bench, "1.0.0");
    install(&bench);
    notes(&bench, "1.1.0");
    bench.check_install("new", "pack_already_installed");
    bench.replace("new").unwrap().unwrap();
    assert_eq!(bench.store().list().unwrap().0[0].version, "1.1.0");
}

#[test]
fn packs_that_are_needed_come_first_and_go_last() {
    let bench = Bench::new("");
    let needs = "dependencies: { cuebook/base: { version: ^1 }, acme/notes: { version: ^1.1 } }\n";
    bench.write("needy/extension.yaml", manifest("acme/needy", "1.0.0", needs));
    let put = |version: &str| notes(&bench, version);
    bench.check_need(["acme/needy", "acme/notes"], "extension_dependency_unmet", put);
}

#[test]
fn a_name_of_two_packs_is_told_with_what_settles_it() {
    let bench = Bench::new("");
    notes(&bench, "1.0.0");
    install(&bench);
    bench.write("other/extension.yaml", manifest("acme/other", "1.0.0", ""));
    bench.write("other/shared/partials/tone.md", "Be kind.\n");
    bench.write("other/workflows/x.yaml", "for another host");
    let request = InstallPack { source: &bench.path("other"), integrity: None, replace: false };
    let findings = bench.store().install(&request).unwrap().unwrap().findings;
    let found = messages(&findings);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].starts_with("extension_note: "), "{found:#?}");
    assert!(found[1].starts_with("template_contested: partials/tone.md stands for nothing"), "{found:#?}");
    let hint = findings.iter().last().unwrap().hint.clone().unwrap();
    assert!(hint.contains("owns") && hint.contains("acme/notes:partials/tone.md"), "{hint}");
    let config = "[layers]\nowns = [\"acme/notes:partials/tone.md\"]\n";
    bench.write("project/cuebook.toml", config);
    assert_eq!(messages(&bench.store().verify(&bench.path("other")).unwrap().findings).len(), 1);
}

#[test]
fn a_file_that_was_changed_is_found_out_at_the_start() {
    let bench = Bench::new("[packs]\nrequire_integrity = true\n");
    notes(&bench, "1.0.0");
    bench.check_change("acme.notes/shared/partials/tone.md");
}

#[test]
fn a_signature_holds_for_the_manifest_and_may_be_needed() {
    let key = Ed25519KeyPair::from_seed_unchecked(&[1; 32]).unwrap();
    let public = STANDARD.encode(key.public_key());
    let config = format!("[packs]\nrequire_signature = true\ntrusted_keys = [\"{public}\"]\n");
    let bench = Bench::new(&config);
    notes(&bench, "1.0.0");
    bench.check_install("new", "pack_signature_invalid");
    let signing = "signing: { publicKeyRef: key.pem, signatureRef: extension.sig }\n";
    bench.write("new/extension.yaml", manifest("acme/notes", "1.0.0", signing));
    bench.write("new/key.pem", &public);
    let signature = key.sign(bench.read("new/extension.yaml").as_bytes());
    bench.write("new/extension.sig", STANDARD.encode(signature));
    assert_eq!(install(&bench).signed_by, Some(public));
    assert!(bench.host().is_ok());
    bench.write("new/extension.yaml", manifest("acme/notes", "1.0.1", signing));
    let found = messages(&bench.replace("new").unwrap_err());
    assert!(found[0].contains("the signature does not hold for this extension.yaml"), "{found:#?}");
}

#[test]
fn a_directory_with_both_manifests_stops_the_start_once() {
    let bench = Bench::new("");
    bench.write("project/packs/both/extension.yaml", manifest("acme/both", "1.0.0", ""));
    bench.manifest("project/packs/both", &phrases("1.0.0"));
    let found = messages(&bench.host().err().unwrap());
    assert!(found.len() == 1 && found[0].starts_with("pack_invalid: there are both"), "{found:#?}");
}
