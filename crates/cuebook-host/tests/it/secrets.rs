//! Where secrets come from and who gets them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use cuebook_host::prompt::{SecretId, SecretStore as _, SecretText, SecretUse};
use cuebook_host::wire::strict;
use cuebook_host::{Config, ConfiguredSecrets};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

const NOBODY: SecretUse<'static> = SecretUse { agent: None, workflow: None, library: None };
const SOMEBODY: SecretUse<'static> =
    SecretUse { agent: Some("local.a.b"), workflow: Some("flow"), library: Some("host") };

/// What the secret `key`, declared so, gives to `by`.
async fn fetch(declared: &Json, root: &Path, by: SecretUse<'_>) -> Option<String> {
    let config: Config = strict::read(&json!({ "secrets": { "key": declared } })).unwrap();
    let store = ConfiguredSecrets::new(&config, root);
    let secret = store.fetch(&SecretId::parse("key").unwrap(), by).await;
    secret.ok().map(|secret| secret.expose(str::to_owned))
}

async fn check(from: &str, root: &Path, expect: Option<&str>) {
    let found = fetch(&json!({ "from": from }), root, SOMEBODY).await;
    assert_eq!(found.as_deref(), expect, "from {from}");
}

#[tokio::test]
async fn from_the_environment() {
    let root = Path::new("");
    check("env:CARGO_PKG_NAME", root, Some("cuebook-host")).await;
    check("env:CUEBOOK_TEST_NO_SUCH_VARIABLE", root, None).await;
}

#[tokio::test]
async fn from_a_file_that_only_its_owner_may_read() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("key.txt");
    let most = "x".repeat(SecretText::MAX_BYTES);
    for (text, expect) in [
        ("long enough", Some("long enough")),
        ("long enough\n", Some("long enough")),
        ("long enough\r\n", Some("long enough")),
        ("long enough\n\n", Some("long enough\n")),
        (" 8 bytes", Some(" 8 bytes")),
        ("7 bytes", None),
        ("7 bytes\n", None),
        ("", None),
        (&most, Some(&most)),
        (&format!("{most}\r\n"), Some(&most)),
        (&format!("{most}x"), None),
        (&format!("{most}{most}"), None),
    ] {
        fs::write(&path, text).unwrap();
        for mode in [0o600, 0o400] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            check("file:key.txt", directory.path(), expect).await;
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }
    for mode in [0o640, 0o604, 0o620, 0o644, 0o777] {
        fs::write(&path, "long enough").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        check("file:key.txt", directory.path(), None).await;
    }
    check("file:none.txt", directory.path(), None).await;
    check("file:.", directory.path(), None).await;
}

#[tokio::test]
async fn from_an_absolute_path() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("key.txt");
    fs::write(&path, "long enough").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    check(&format!("file:{}", path.display()), Path::new("elsewhere"), Some("long enough")).await;
}

#[tokio::test]
async fn from_a_command() {
    let root = Path::new("");
    check("command:echo long enough", root, Some("long enough")).await;
    check("command:printf '%s' 'a:b: long'", root, Some("a:b: long")).await;
    check("command:echo short", root, None).await;
    check("command:echo long enough; exit 3", root, None).await;
    check("command:printf '\\377\\376 long enough'", root, None).await;
    check("command:no-such-program-anywhere", root, None).await;
    check("command:head -c 8192 /dev/zero | tr '\\0' x", root, Some(&"x".repeat(8_192))).await;
    check("command:head -c 8193 /dev/zero | tr '\\0' x", root, None).await;
    check("command:yes", root, None).await;
}

#[tokio::test]
async fn a_command_that_takes_too_long_gives_nothing() {
    let config: Config =
        strict::read(&json!({ "secrets": { "key": { "from": "command:sleep 600" } } })).unwrap();
    let store = ConfiguredSecrets::new(&config, Path::new("")).with_command_time(Duration::ZERO);
    assert!(store.fetch(&SecretId::parse("key").unwrap(), NOBODY).await.is_err());
}

#[tokio::test]
async fn a_secret_that_is_not_declared_is_refused_like_any_other() {
    let store = ConfiguredSecrets::new(&Config::default(), Path::new(""));
    let id = SecretId::parse("other").unwrap();
    let Err(refused) = store.fetch(&id, NOBODY).await else { panic!("nothing is declared") };
    assert_eq!(refused.to_string(), "secret 'other' is not available here");
}

#[tokio::test]
async fn allow_lists() {
    for (allow, by, expect) in [
        (json!({}), SOMEBODY, true),
        (json!({ "agents": ["local.a.b"] }), SOMEBODY, true),
        (json!({ "agents": ["local.a.c", "local.a.b"] }), SOMEBODY, true),
        (json!({ "agents": ["local.a"] }), SOMEBODY, false),
        (json!({ "agents": [] }), SOMEBODY, false),
        (json!({ "workflows": ["flow"] }), SOMEBODY, true),
        (json!({ "workflows": ["Flow"] }), SOMEBODY, false),
        (json!({ "libraries": ["host"] }), SOMEBODY, true),
        (json!({ "libraries": ["pack"] }), SOMEBODY, false),
        (json!({ "agents": ["local.a.b"], "libraries": ["pack"] }), SOMEBODY, false),
        (json!({ "agents": ["local.a.b"] }), SecretUse { agent: None, ..SOMEBODY }, false),
        (json!({ "agents": ["local.a.b"] }), NOBODY, true),
        (json!({ "agents": [] }), NOBODY, true),
    ] {
        let declared = json!({ "from": "env:CARGO_PKG_NAME", "allow": allow });
        let found = fetch(&declared, Path::new(""), by).await;
        assert_eq!(found.is_some(), expect, "{allow} for {by:?}");
    }
}
