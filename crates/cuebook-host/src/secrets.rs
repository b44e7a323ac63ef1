//! The secret store: environment, files and commands, as the configuration declares them.
//!
//! Every refusal looks the same to whoever asks, so that nobody learns which secrets exist.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cuebook_prompt::{SecretId, SecretStore, SecretText, SecretUnavailable, SecretUse};
use futures_util::future::BoxFuture;

use crate::config::{Allow, Config, SecretOrigin};

/// The declared secrets; values are fetched anew each time.
#[derive(Debug, Default)]
pub struct ConfiguredSecrets {
    secrets: BTreeMap<SecretId, Declared>,
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
        Self { secrets: declared.collect() }
    }

    async fn read(&self, id: &SecretId, by: SecretUse<'_>) -> Option<SecretText> {
        let declared = self.secrets.get(id).filter(|declared| allows(&declared.allow, by))?;
        let value = match &declared.origin {
            SecretOrigin::Env(name) => std::env::var(name).ok()?,
            SecretOrigin::File(path) => read_private_file(PathBuf::from(path)).await?,
            SecretOrigin::Command(line) => run_command(line).await?,
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
        let mode = std::fs::metadata(&path).ok()?.permissions().mode();
        if mode & 0o077 != 0 {
            return None;
        }
        std::fs::read_to_string(&path).ok().map(without_line_end)
    };
    tokio::task::spawn_blocking(read).await.ok().flatten()
}

async fn run_command(line: &str) -> Option<String> {
    let output =
        tokio::process::Command::new("sh").arg("-c").arg(line).kill_on_drop(true).output().await.ok()?;
    let printed = output.status.success().then_some(output.stdout)?;
    String::from_utf8(printed).ok().map(without_line_end)
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
