//! What a run is doing, while it does it: live lines on a terminal, plain ones elsewhere; always on stderr.

use std::collections::HashMap;
use std::time::Duration;

use cuebook_host::wire::payload::{LogAppended, LogLevel, NodeFailed, NodeRetried, OutputChunk};
use cuebook_host::wire::{EventType, NodeId, RunEvent};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::output::{self, Output, plain};

/// How much of a streaming answer is shown, in characters.
const TAIL: usize = 60;

/// Shows the records of a run as they come.
pub(crate) struct Progress {
    live: Option<MultiProgress>,
    bars: HashMap<NodeId, Bar>,
}

struct Bar {
    bar: ProgressBar,
    text: String,
}

impl Progress {
    pub(crate) fn new(output: Output) -> Self {
        Self { live: output.is_live().then(MultiProgress::new), bars: HashMap::new() }
    }

    /// Takes note of a record.
    pub(crate) fn show(&mut self, event: &RunEvent) {
        let Some(node) = &event.node_id else { return };
        match &event.event_type {
            EventType::NodeStarted => self.begin(node),
            EventType::OutputChunk => {
                if let Ok(chunk) = event.payload_as::<OutputChunk>() {
                    self.stream(node, &chunk.chunk);
                }
            }
            EventType::NodeCompleted => self.end(node, "✓", "completed"),
            EventType::NodeSkipped => self.end(node, "–", "skipped"),
            EventType::NodeCancelled => self.end(node, "✗", "cancelled"),
            EventType::NodeFailed => {
                let failed = event.payload_as::<NodeFailed>();
                let code = failed.map(|failed| failed.error.code).unwrap_or_default();
                self.end(node, "✗", &format!("failed: {code}"));
            }
            EventType::NodeSuspended => self.line(node, "waits for an answer"),
            EventType::NodeRetried => {
                let retried = event.payload_as::<NodeRetried>();
                let attempt = retried.map(|retried| retried.attempt).unwrap_or_default();
                self.line(node, &format!("retry {attempt}"));
            }
            EventType::LogAppended => {
                if let Ok(log) = event.payload_as::<LogAppended>()
                    && matches!(log.level, LogLevel::Warn | LogLevel::Error)
                {
                    self.line(node, &format!("{}: {}", log.level, log.message));
                }
            }
            _ => {}
        }
    }

    /// Clears what is still drawn.
    pub(crate) fn finish(self) {
        self.bars.values().for_each(|bar| bar.bar.finish_and_clear());
    }

    fn begin(&mut self, node: &NodeId) {
        let Some(live) = &self.live else { return self.line(node, "started") };
        let bar = live.add(ProgressBar::new_spinner());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        bar.set_prefix(plain(node.as_str()));
        bar.enable_steady_tick(Duration::from_millis(120));
        self.bars.insert(node.clone(), Bar { bar, text: String::new() });
    }

    fn stream(&mut self, node: &NodeId, chunk: &str) {
        if let Some(bar) = self.bars.get_mut(node) {
            bar.text.push_str(chunk);
            let skip = bar.text.chars().count().saturating_sub(TAIL);
            let tail: String =
                bar.text.chars().skip(skip).map(|c| if c.is_control() { ' ' } else { c }).collect();
            bar.bar.set_message(tail);
        }
    }

    fn end(&mut self, node: &NodeId, mark: &str, what: &str) {
        match self.bars.remove(node) {
            Some(bar) => {
                let elapsed = bar.bar.elapsed();
                bar.bar.finish_and_clear();
                self.print(&format!("{mark} {node} {what} ({:.1} s)", elapsed.as_secs_f64()));
            }
            None => self.line(node, what),
        }
    }

    fn line(&self, node: &NodeId, what: &str) {
        self.print(&format!("{node} {what}"));
    }

    fn print(&self, line: &str) {
        let line = &plain(line);
        match &self.live {
            // Drawing can fail only when stderr is gone, and then nobody reads it.
            Some(bars) => drop(bars.println(line)),
            None => output::note(line),
        }
    }
}
