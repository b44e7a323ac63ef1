//! Who vouches for a pack: hashes over all of its files, Ed25519 signatures over its manifest.

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cuebook_host::{InstallPack, Integrity};
use serde_json::{Value as Json, json};

use super::bench::{Bench, agents, phrases};
use crate::support::messages;

/// The head of a public key as OpenSSL writes it (RFC 8410).
const SPKI: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

fn key(seed: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap()
}

fn public(seed: u8) -> String {
    STANDARD.encode(key(seed).public_key())
}

/// Writes the pack `new`, signed with the key of `seed`.
fn sign(bench: &Bench, seed: u8) {
    let mut manifest = phrases("1.0.0");
    manifest["signing"] =
        json!({ "publicKeyRef": "key.pem", "signatureRef": "pack.sig", "method": "manual" });
    bench.manifest("new", &manifest);
    let spki = STANDARD.encode([&SPKI[..], key(seed).public_key().as_ref()].concat());
    bench.write("new/key.pem", format!("-----BEGIN PUBLIC KEY-----\n{spki}\n-----END PUBLIC KEY-----\n"));
    bench.write("new/pack.sig", key(seed).sign(bench.read("new/pack.json").as_bytes()));
}

fn trusting(seed: u8) -> String {
    format!("[packs]\nrequire_signature = true\ntrusted_keys = [\"{}\"]\n", public(seed))
}

#[test]
fn a_signature_that_holds_is_told() {
    let bench = Bench::new(&trusting(1));
    sign(&bench, 1);
    assert_eq!(bench.install("new").unwrap().unwrap().signed_by, Some(public(1)));
    assert!(bench.host().is_ok());
}

#[test]
fn a_signature_may_be_written_in_base64() {
    let bench = Bench::new("");
    sign(&bench, 1);
    let signature = key(1).sign(bench.read("new/pack.json").as_bytes());
    bench.write("new/pack.sig", format!("{}\n", STANDARD.encode(signature)));
    assert_eq!(bench.install("new").unwrap().unwrap().signed_by, Some(public(1)));
}

/// Checks that a pack signed with key 1 is refused after `change`, under this configuration, for this reason.
#[track_caller]
fn check_refused(config: &str, change: impl FnOnce(&Bench), reason: &str) {
    let bench = Bench::new(config);
    sign(&bench, 1);
    change(&bench);
    bench.check_install("new", "pack_signature_invalid");
    let found = messages(&bench.install("new").unwrap_err());
    assert!(found[0].contains(reason), "{found:?}");
}

#[test]
fn a_signature_that_does_not_hold_is_refused() {
    let tampered = |bench: &Bench| {
        let text = bench.read("new/pack.json").replace("Greet", "Rob");
        bench.write("new/pack.json", text);
    };
    check_refused("", tampered, "does not hold");
    check_refused("", |bench| bench.write("new/pack.sig", [0; 64]), "does not hold");
    check_refused("", |bench| bench.write("new/pack.sig", "short"), "no Ed25519 signature");
    check_refused("", |bench| bench.write("new/key.pem", "no key"), "no Ed25519 public key");
    check_refused(
        "",
        |bench| std::fs::remove_file(bench.path("new/key.pem")).unwrap(),
        "has no file 'key.pem'",
    );
    check_refused(&trusting(2), |_| (), "is not trusted");
}

/// Writes the pack `new` with this `signing`, and nothing that it names.
fn signing(bench: &Bench, signing: &Json) {
    let mut manifest = phrases("1.0.0");
    manifest["signing"] = signing.clone();
    bench.manifest("new", &manifest);
}

#[test]
fn what_cannot_be_checked_is_refused() {
    check_refused("", |bench| signing(bench, &json!({ "method": "sigstore" })), "cannot be checked");
    check_refused("", |bench| signing(bench, &json!({})), "'publicKeyRef' is missing");
    check_refused("", |bench| signing(bench, &json!({ "publicKeyRef": "../key" })), "no file '../key'");
}

#[test]
fn a_host_may_refuse_packs_that_are_not_signed() {
    check_refused(&trusting(1), |bench| bench.manifest("new", &phrases("1.0.0")), "is not signed");
    let bench = Bench::new(&trusting(1));
    bench.manifest("project/packs/phrases", &phrases("1.0.0"));
    assert!(messages(&bench.host().err().unwrap())[0].starts_with("pack_signature_invalid"));
}

#[test]
fn a_file_that_was_changed_is_found_out() {
    let bench = Bench::new("[packs]\nrequire_integrity = true\n");
    bench.write("new/prompts/writer.md", "You write.");
    bench.manifest("new", &agents("1.0.0"));
    bench.check_change("vendor.acme.desk/prompts/writer.md");
}

#[test]
fn a_hash_that_was_stated_must_be_the_packs() {
    let other = Integrity::parse("sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=").unwrap();
    let pinned = format!("[packs.integrity]\n\"vendor.acme.phrases@1.0.0\" = \"{other}\"\n");
    let bench = Bench::new(&pinned);
    bench.manifest("new", &phrases("1.0.0"));
    bench.check_install("new", "pack_integrity_failure");
    let bench = Bench::new("");
    bench.manifest("new", &phrases("1.0.0"));
    let request = InstallPack { source: &bench.path("new"), integrity: Some(other), replace: false };
    let problems = bench.store().install(&request).unwrap_err();
    assert!(messages(&problems)[0].starts_with("pack_integrity_failure"));
    bench.write("new/pack.integrity", "none");
    bench.check_install("new", "pack_integrity_failure");
    assert_eq!(bench.installed_files(), [""; 0]);
}
