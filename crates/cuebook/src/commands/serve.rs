//! `cuebook serve`.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args as ClapArgs;
use cuebook_host::wire::{ErrorCode, Observability};
use cuebook_host::{Diagnostic, Host, KeyConfig, Problems};
use cuebook_http::{App, HttpOptions, Key, Keys, Scope, serve as serve_http};
use serde_json::json;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::args::{FilesArgs, KEY_VARIABLE};
use crate::exit::Exit;
use crate::logging::{self, LogLevel};
use crate::output::{self, Output};

/// The file in the data directory that keeps a key which was made for want of one.
const KEY_FILE: &str = "api-key";
/// The tenant of keys that name none.
const TENANT: &str = "default";

#[derive(Debug, ClapArgs)]
pub(crate) struct ServeArgs {
    /// The project directory; further ones are served for their project files.
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: Vec<PathBuf>,
    /// Where runs are kept; made if it is not there.
    #[arg(long, value_name = "DIR", default_value = "cuebook-data")]
    data: PathBuf,
    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7007")]
    listen: SocketAddr,
    /// Another directory of the host's own prompt templates.
    #[arg(long, value_name = "DIR")]
    host_prompts: Vec<PathBuf>,
    /// A file that holds a key for callers.
    #[arg(long, value_name = "FILE")]
    api_key_file: Option<PathBuf>,
    /// Answer the test seams under /v1/host/sample; for conformance tests only.
    #[arg(long)]
    test_seams: bool,
    /// How much is logged on stderr; with --format json, a JSON object a line.
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = LogLevel::Warn)]
    log_level: LogLevel,
    #[command(flatten)]
    files: FilesArgs,
}

pub(crate) async fn serve(args: ServeArgs, output: Output) -> Result<Exit, Problems> {
    logging::start(args.log_level, output);
    let (own, others) =
        args.project.split_first().map_or_else(Default::default, |(own, others)| (own.clone(), others));
    let mut options = args.files.options(own);
    options.projects = others.to_vec();
    options.more.prompts.extend(args.host_prompts.iter().cloned());
    options.data = Some(args.data.clone());
    let host = Arc::new(Host::open(&options)?);
    let keys = keys(&args, &host)?;
    let http = HttpOptions { test_seams: args.test_seams, ..HttpOptions::of(&host.config.limits) };
    let app = App::new(Arc::clone(&host), keys, http);
    let ready = |address| {
        tell(address, output);
        let mut news = ProjectNews::default();
        let told = host.watch_projects(move |problems| news.tell(problems, output));
        std::thread::spawn(move || {
            tell_findings(&host, output);
            told.unwrap_or_else(|problems| output.remarks(&problems));
        });
    };
    let _large_files = outlive_large_files();
    let stopped = stopped().map_err(|error| problem(&format!("signals cannot be heard: {error}")))?;
    match serve_http(app, args.listen, ready, stopped).await {
        Ok(()) => Ok(Exit::Fine),
        Err(error) => Err(problem(&error.to_string())),
    }
}

/// What was last told about project files, so that each change of it is told once.
#[derive(Default)]
struct ProjectNews(Problems);

impl ProjectNews {
    fn tell(&mut self, problems: &Problems, output: Output) {
        if *problems == self.0 {
            return;
        }
        if problems.is_empty() {
            output::note("the project files are sound again");
        }
        output.remarks(problems);
        self.0 = problems.clone();
    }
}

/// What is doubtful about the templates; their lines are shown only where texts may be.
fn tell_findings(host: &Host, output: Output) {
    let doubts: Problems = host.workflow_doubts().into_iter().chain(host.doubts()).collect();
    if output.is_json() {
        doubts.iter().for_each(log);
    } else if host.config.prompts.observability == Observability::Full {
        output.remarks(&doubts);
    } else if !doubts.is_empty() {
        output::note(&doubts.to_string());
    }
}

/// Puts a problem into the log, of which a line is a JSON object.
fn log(problem: &Diagnostic) {
    let place = problem.label.as_ref().map(|label| label.source.name().to_string());
    tracing::warn!(code = %problem.code, file = place.unwrap_or_default(), "{}", problem.message);
}

/// The one line that says where the host listens.
fn tell(address: SocketAddr, output: Output) {
    if output.is_json() {
        output::data(&json!({ "listening": format!("http://{address}") }).to_string());
    } else {
        output::data(&format!("cuebook listens on http://{address}"));
    }
}

/// Listens for the signals that ask the process to end, from now on; the future is done when one comes.
fn stopped() -> std::io::Result<impl Future<Output = ()>> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Lets a write beyond the limit on the size of files fail, as one to a full disk does, in place of ending the process.
fn outlive_large_files() -> Option<Signal> {
    const SIGXFSZ: i32 = 25;
    signal(SignalKind::from_raw(SIGXFSZ)).ok()
}

/// The keys of the environment, the file and the configuration; without any, one is made and shown once.
fn keys(args: &ServeArgs, host: &Host) -> Result<Keys, Problems> {
    let mut keys: Vec<Key> =
        host.config.keys.iter().filter_map(|(name, key)| configured(name, key)).collect();
    if let Ok(secret) = std::env::var(KEY_VARIABLE)
        && !secret.is_empty()
    {
        let key = sendable(&secret).map_err(|reason| problem(&format!("{KEY_VARIABLE} {reason}")))?;
        keys.push(Key::new("environment", key, TENANT));
    }
    if let Some(path) = &args.api_key_file {
        warn_if_readable(path);
        keys.push(Key::new("file", &read_key(path)?, TENANT));
    }
    if keys.is_empty() {
        keys.push(Key::new("made", &made_key(&args.data)?, TENANT));
    }
    Ok(Keys::new(keys))
}

fn configured(name: &str, key: &KeyConfig) -> Option<Key> {
    let kept = Key::of_hash(name, key.digest()?, key.tenant.as_deref().unwrap_or(TENANT));
    let kept = kept.with_workspaces(key.workspaces.iter().cloned());
    Some(match &key.scopes {
        None => kept,
        Some(scopes) => kept.with_scopes(scopes.iter().filter_map(|scope| Scope::parse(scope))),
    })
}

fn read_key(path: &Path) -> Result<String, Problems> {
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error.to_string()))?;
    let key = sendable(&text).map_err(|reason| unreadable(path, &format!("it {reason}")))?;
    Ok(key.to_owned())
}

/// The key in a text, when a header can carry it: nobody could ever use another.
fn sendable(text: &str) -> Result<&str, &'static str> {
    match text.trim() {
        "" => Err("holds no key"),
        key if key.bytes().all(|byte| byte.is_ascii_graphic()) => Ok(key),
        _ => Err("holds what no header carries: a key is one word of visible ASCII"),
    }
}

/// The key that was made at an earlier start, or a new one, kept so that only its owner can read it.
fn made_key(data: &Path) -> Result<String, Problems> {
    let path: PathBuf = data.join(KEY_FILE);
    if path.exists() {
        warn_if_readable(&path);
        return read_key(&path);
    }
    let key = cuebook_http::fresh_key();
    write_private(&path, &key).map_err(|error| unreadable(&path, &error.to_string()))?;
    output::note(&format!("no key was given; this one was made and is kept in {}:\n{key}", path.display()));
    Ok(key)
}

/// Tells when others may read the key in a file.
fn warn_if_readable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    if std::fs::metadata(path).is_ok_and(|facts| facts.permissions().mode() & 0o077 != 0) {
        output::note(&format!("warning: others may read the key in {}: make its mode 0600", path.display()));
    }
}

fn write_private(path: &Path, key: &str) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    writeln!(file, "{key}")?;
    file.sync_all()
}

fn unreadable(path: &Path, reason: &str) -> Problems {
    problem(&format!("the key in {} cannot be used: {reason}", path.display()))
}

fn problem(message: &str) -> Problems {
    Diagnostic::error(ErrorCode::ConfigInvalid.as_str(), message.to_owned()).into()
}
