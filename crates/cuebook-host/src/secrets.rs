//! The secret store: environment, files and commands, as the configuration declares them.
//!
//! Every refusal looks the same to whoever asks, so that nobody learns which secrets exist.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use cuebook_prompt::{SecretId, SecretStore, SecretText, SecretUnavailable, SecretUse};
use futures_util::future::BoxFuture;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

use crate::config::{Allow, Config, SecretOrigin};

/// The most bytes that are read of an origin: a secret, its line end, and one more that makes it too long.
const MOST: u64 = SecretText::MAX_BYTES as u64 + 3;
/// How long a command may take.
const COMMAND_TIME: Duration = Duration::from_secs(10);

/// The declared secrets; values are fetched anew each time.
#[derive(Debug)]
pub struct ConfiguredSecrets {
    secrets: BTreeMap<SecretId, Declared>,
    command_time: Duration,
}

#[derive(Debug)]
struct Declared {
    origin: SecretOrigin,
    allow: Allow,
}

impl ConfiguredSecrets {
    /// Takes the declarations of a configuration; relative paths are taken from `root`.
    pub fn new(config: &Config, root: &Path) -> Self {
        let declared = config.secrets.iter().filter_map(|(id, secret)| {
            let origin = match SecretOrigin::parse(&secret.from)? {
                SecretOrigin::File(path) => {
                    SecretOrigin::File(root.join(path).to_string_lossy().into_owned())
                }
                origin => origin,
            };
            let allow = secret.allow.clone().unwrap_or_default();
            Some((SecretId::parse(id)?, Declared { origin, allow }))
        });
        Self { secrets: declared.collect(), command_time: COMMAND_TIME }
    }

    /// The same secrets, whose commands may take `time` in place of ten seconds.
    #[must_use]
    pub fn with_command_time(self, time: Duration) -> Self {
        Self { command_time: time, ..self }
    }

    async fn read(&self, id: &SecretId, by: SecretUse<'_>) -> Option<SecretText> {
        let declared = self.secrets.get(id).filter(|declared| allows(&declared.allow, by))?;
        let value = match &declared.origin {
            SecretOrigin::Env(name) => std::env::var(name).ok()?,
            SecretOrigin::File(path) => read_private_file(PathBuf::from(path)).await?,
            SecretOrigin::Command(line) => {
                tokio::time::timeout(self.command_time, run_command(line)).await.ok()??
            }
        };
        SecretText::new(value)
    }
}

impl SecretStore for ConfiguredSecrets {
    fn fetch<'a>(
        &'a self,
        id: &'a SecretId,
        by: SecretUse<'a>,
    ) -> BoxFuture<'a, Result<SecretText, SecretUnavailable>> {
        Box::pin(
            async move { self.read(id, by).await.ok_or_else(|| SecretUnavailable { id: id.to_string() }) },
        )
    }
}

/// Held against each list that is there; a use without the fact that a list asks for is refused by it. The host's own
/// needs, which name no library, agent or workflow, are always allowed.
fn allows(allow: &Allow, by: SecretUse<'_>) -> bool {
    if by.agent.is_none() && by.workflow.is_none() && by.library.is_none() {
        return true;
    }
    let holds = |list: &Option<Vec<String>>, fact: Option<&str>| match list {
        None => true,
        Some(names) => fact.is_some_and(|fact| names.iter().any(|name| name == fact)),
    };
    holds(&allow.agents, by.agent)
        && holds(&allow.workflows, by.workflow)
        && holds(&allow.libraries, by.library)
}

/// Reads a file that nobody but its owner may read.
async fn read_private_file(path: PathBuf) -> Option<String> {
    let read = move || {
        use std::os::unix::fs::PermissionsExt as _;
        if !std::fs::metadata(&path).ok()?.is_file() {
            return None;
        }
        let file = File::open(&path).ok()?;
        // What was opened is asked, and not what has that name by now.
        let mode = file.metadata().ok()?.permissions().mode();
        if mode & 0o077 != 0 {
            return None;
        }
        let mut text = String::new();
        file.take(MOST).read_to_string(&mut text).ok()?;
        Some(without_line_end(text))
    };
    tokio::task::spawn_blocking(read).await.ok().flatten()
}

/// What a command prints that ends with success; what it says on stderr goes nowhere.
async fn run_command(line: &str) -> Option<String> {
    let mut child = Command::new("sh")
        .args(["-c", line])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .ok()?;
    let mut text = String::new();
    child.stdout.take()?.take(MOST).read_to_string(&mut text).await.ok()?;
    let is_whole = (text.len() as u64) < MOST;
    (is_whole && child.wait().await.ok()?.success()).then(|| without_line_end(text))
}

fn without_line_end(mut text: String) -> String {
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    text
}
