//! The configuration: defaults, and what its tables must agree on.

use cuebook_host::prompt::Trust;
use cuebook_host::wire::{LibraryId, Observability};
use cuebook_host::{Config, load_config};
use tempfile::TempDir;

use crate::support::messages;

fn read(text: &str) -> Result<Config, Vec<String>> {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("cuebook.toml");
    std::fs::write(&path, text).unwrap();
    load_config(&path).map_err(|problems| messages(&problems))
}

#[track_caller]
fn check(text: &str, expect: &[&str]) {
    let found = read(text).err().unwrap_or_default();
    let expect: Vec<String> = expect.iter().map(|message| format!("config_invalid: {message}")).collect();
    assert_eq!(found, expect, "of\n{text}");
}

#[test]
fn an_empty_file_is_the_default() {
    let config = read("").unwrap();
    assert_eq!(config.prompts.observability, Observability::Hashed);
    assert_eq!(config.prompts.library, LibraryId::host());
    assert!(
        config.prompts.agent_bindings && !config.prompts.run_overrides && !config.prompts.strict_placeholders
    );
    assert_eq!(config.untagged_trust(), Trust::Trusted);
    assert_eq!(config.limits.max_node_executions, 1000);
    assert_eq!(
        (config.paths.prompts, config.paths.packs),
        (vec!["prompts".to_owned()], vec!["packs".to_owned()])
    );
}

#[test]
fn keys_that_are_set_are_taken() {
    let text = "[prompts]\nobservability = \"off\"\nuntagged_inputs = \"untrusted\"\nstrict_placeholders = true\n\
                agent_bindings = false\nrun_overrides = true\nlibrary = \"mine\"\n[prompts.defaults]\n\
                schema-hint = \"prompt:s\"\n[limits]\nmax_node_executions = 3\n";
    let config = read(text).unwrap();
    assert_eq!(config.untagged_trust(), Trust::Untrusted);
    assert_eq!(config.limits.max_node_executions, 3);
    let policy = config.prompt_policy();
    assert!(!policy.agent_bindings && policy.run_overrides && policy.bind.strict_placeholders);
    assert_eq!(policy.host_library.as_str(), "mine");
    assert_eq!(policy.host_defaults.schema_hint.unwrap().to_string(), "prompt:s");
}

#[test]
fn models_name_classes_and_providers() {
    check("[models]\ndefault = { provider = \"scripted\", model = \"m\" }", &[]);
    check("[models]\n\"acme.large\" = { provider = \"scripted\", model = \"m\" }", &[]);
    check("[models]\nsmart-generalist = { provider = \"scripted\", model = \"m\" }", &[]);
    check(
        "[models]\nwritting = { provider = \"scripted\", model = \"m\" }",
        &["'writting' is no model class (at /models/writting)"],
    );
    check(
        "[models]\ndefault = { provider = \"other\", model = \"m\" }",
        &["there is no provider 'other' (at /models/default/provider)"],
    );
    check("[models]\ndefault = { provider = \"scripted\" }", &["`model` is missing (at /models/default)"]);
}

#[test]
fn providers_have_the_keys_of_their_kind() {
    check("[providers.a]\nkind = \"openai\"\nbase_url = \"http://localhost/v1\"\ntimeout_ms = 1", &[]);
    check("[providers.scripted]\nkind = \"scripted\"", &[]);
    check("[providers.a]\nkind = \"openai\"", &["an 'openai' provider needs a base_url (at /providers/a)"]);
    check(
        "[providers.a]\nkind = \"scripted\"\nbase_url = \"x\"",
        &["'base_url' belongs to 'openai' providers (at /providers/a/base_url)"],
    );
    check(
        "[providers.scripted]\nkind = \"openai\"\nbase_url = \"http://localhost/v1\"",
        &["the provider called 'scripted' is the built-in one (at /providers/scripted/kind)"],
    );
    check(
        "[providers.a]\nkind = \"openai\"\nbase_url = \"http://localhost/v1\"\ntimeout_ms = 0",
        &["expected at least 1, found 0 (at /providers/a/timeout_ms)"],
    );
}

#[test]
fn secrets_are_declared_once_and_well() {
    check("[secrets.a]\nfrom = \"env:A\"\n[secrets.b]\nfrom = \"env:B\"", &[]);
    check("[secrets.a]\nfrom = \"file:x\"\n[secrets.b]\nfrom = \"file:x\"", &[]);
    check(
        "[secrets.a]\nfrom = \"env:A\"\n[secrets.b]\nfrom = \"env:A\"",
        &["'env:A' is already the secret 'a' (at /secrets/b/from)"],
    );
    for from in ["env:", "A", "vault:x", ""] {
        check(
            &format!("[secrets.a]\nfrom = \"{from}\""),
            &["'from' is env:NAME, file:PATH or command:LINE (at /secrets/a/from)"],
        );
    }
    check(
        "[secrets.a]\nfrom = \"env:A\"\nallow = { agent = [] }",
        &["unknown key `agent` (at /secrets/a/allow/agent)"],
    );
}

#[test]
fn the_schema_lists_every_table() {
    let schema = Config::schema();
    let tables: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(
        tables,
        [
            "prompts",
            "models",
            "providers",
            "secrets",
            "keys",
            "packs",
            "layers",
            "projects",
            "limits",
            "retention",
            "run",
            "paths"
        ]
    );
}

#[test]
fn keys_are_hashes_with_known_scopes() {
    let hash = "0123456789abcdefABCDEF".repeat(3)[..64].to_owned();
    let config = read(&format!("[keys.page]\nsha256 = \"{hash}\"\nworkspaces = [\"studio\"]\n")).unwrap();
    let key = &config.keys["page"];
    assert_eq!(key.digest().unwrap()[..3], [0x01, 0x23, 0x45]);
    assert_eq!(
        (&key.tenant, &key.scopes, key.workspaces.as_slice()),
        (&None, &None, &["studio".to_owned()][..])
    );
    let no_hash = "'sha256' is the key's SHA-256 as 64 hexadecimal digits (at /keys/page/sha256)";
    for wrong in ["", "hunter2", &"g".repeat(64), &"0".repeat(63), &"\u{e9}".repeat(32)] {
        check(&format!("[keys.page]\nsha256 = \"{wrong}\"\n"), &[no_hash]);
    }
    let twins =
        format!("[keys.other]\nsha256 = \"{hash}\"\n[keys.page]\nsha256 = \"{}\"\n", hash.to_lowercase());
    check(&twins, &["this is the key of 'other' too; each has its own (at /keys/page/sha256)"]);
    let scopes = "scopes = [\"runs:read\", \"run:create\"]";
    check(
        &format!("[keys.page]\nsha256 = \"{hash}\"\n{scopes}\n[keys.other]\nsha256 = \"\"\n"),
        &[&no_hash.replace("page", "other"), "there is no scope 'run:create' (at /keys/page/scopes/1)"],
    );
}

#[test]
fn conditions_for_packs_can_be_met() {
    let key = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
    check(&format!("[packs]\nrequire_signature = true\ntrusted_keys = [\"{key}\"]"), &[]);
    let anybody = "'require_signature' needs 'trusted_keys': anybody can sign with a key of their own \
                   (at /packs/require_signature)";
    check("[packs]\nrequire_signature = true", &[anybody]);
    check(
        "[packs]\ntrusted_keys = [\"AAAA\"]\n[packs.integrity]\n\"a.b.c@1.0.0\" = \"md5-AAAA\"",
        &[
            "a pack's hash is sha256- and the base64 of 32 bytes (at /packs/integrity/a.b.c@1.0.0)",
            "a trusted key is an Ed25519 public key in base64 (at /packs/trusted_keys/0)",
        ],
    );
}
