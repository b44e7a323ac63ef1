//! The log of a long-lived command: lines on stderr, as text or JSON, of this product's own crates alone.
//!
//! What other crates would log is left out: it may hold headers and addresses, and with them keys.

use std::io::{IsTerminal as _, stderr};

use clap::ValueEnum;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::output::Output;

/// The prefix of our crates' names.
const OURS: &str = "cuebook";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    /// Nothing.
    Off,
    /// What the host could not do.
    Error,
    /// And what somebody should look at.
    Warn,
    /// And every request that was answered.
    Info,
    /// And what helps to find a fault.
    Debug,
}

impl From<LogLevel> for LevelFilter {
    fn from(level: LogLevel) -> Self {
        match level {
            LogLevel::Off => Self::OFF,
            LogLevel::Error => Self::ERROR,
            LogLevel::Warn => Self::WARN,
            LogLevel::Info => Self::INFO,
            LogLevel::Debug => Self::DEBUG,
        }
    }
}

/// Starts to log. A second call in one process changes nothing.
pub(crate) fn start(level: LogLevel, output: Output) {
    let lines = tracing_subscriber::fmt::layer().with_writer(stderr);
    let lines = if output.is_json() {
        lines.json().with_span_list(false).boxed()
    } else {
        lines.with_ansi(output.is_coloured() && stderr().is_terminal()).boxed()
    };
    let ours = Targets::new().with_target(OURS, LevelFilter::from(level));
    let _ = tracing_subscriber::registry().with(lines.with_filter(ours)).try_init();
}
