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

    async fn read(&self, id: &SecretId, by: SecretUse<'_>) -> Result<SecretText, &'static str> {
        let declared = self.secrets.get(id).ok_or("it is not declared")?;
        if !allows(&declared.allow, by) {
            return Err("its `allow` list leaves this use out");
        }
        let value = match &declared.origin {
            SecretOrigin::Env(name) => std::env::var(name).map_err(|_| "the variable is not set")?,
            SecretOrigin::File(path) => read_private_file(PathBuf::from(path)).await?,
            SecretOrigin::Command(line) => {
                let run = tokio::time::timeout(self.command_time, run_command(line));
                run.await.map_err(|_| "the command took too long")??
            }
        };
        SecretText::new(value).ok_or("it has fewer than 8 bytes or more than 8 KiB")
    }
}

/// Whoever asks gets the same refusal for every reason; whoever runs the host is told which it was.
impl SecretStore for ConfiguredSecrets {
    fn fetch<'a>(
        &'a self,
        id: &'a SecretId,
        by: SecretUse<'a>,
    ) -> BoxFuture<'a, Result<SecretText, SecretUnavailable>> {
        Box::pin(async move {
            self.read(id, by).await.map_err(|reason| {
                if self.secrets.contains_key(id) {
                    tracing::warn!(secret = %id, reason, "a secret cannot be had");
                }
                SecretUnavailable { id: id.to_string() }
            })
        })
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
async fn read_private_file(path: PathBuf) -> Result<String, &'static str> {
    let read = tokio::task::spawn_blocking(move || read_private(&path)).await;
    read.unwrap_or(Err("the file cannot be read"))
}

fn read_private(path: &Path) -> Result<String, &'static str> {
    use std::os::unix::fs::PermissionsExt as _;
    let unreadable = "the file is not there or cannot be read";
    if !std::fs::metadata(path).map_err(|_| unreadable)?.is_file() {
        return Err("it is no regular file");
    }
    let file = File::open(path).map_err(|_| unreadable)?;
    // What was opened is asked, and not what has that name by now.
    let mode = file.metadata().map_err(|_| unreadable)?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err("others may read the file: make its mode 0600 or 0400");
    }
    let mut text = String::new();
    file.take(MOST).read_to_string(&mut text).map_err(|_| "the file cannot be read, or is not UTF-8")?;
    Ok(without_line_end(text))
}

/// What a command prints that ends with success; what it says on stderr goes nowhere.
async fn run_command(line: &str) -> Result<String, &'static str> {
    let unstarted = "the command cannot be started";
    let mut child = Command::new("sh")
        .args(["-c", line])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|_| unstarted)?;
    let mut text = String::new();
    let printed = child.stdout.take().ok_or(unstarted)?;
    printed.take(MOST).read_to_string(&mut text).await.map_err(|_| "the command did not print UTF-8")?;
    if text.len() as u64 >= MOST {
        return Err("the command printed too much");
    }
    let ended = child.wait().await.map_err(|_| unstarted)?;
    if ended.success() { Ok(without_line_end(text)) } else { Err("the command failed") }
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
