//! Interrupts from the terminal.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Ctrl-C, listened to from the moment this is made, so that none is missed.
pub(crate) struct Interrupts(Option<Signal>);

impl Interrupts {
    /// Begins to listen. Where that is not possible an interrupt ends the program, as it does without this.
    pub(crate) fn listen() -> Self {
        Self(signal(SignalKind::interrupt()).ok())
    }

    /// The next interrupt.
    pub(crate) async fn next(&mut self) {
        match &mut self.0 {
            Some(signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    }
}
