//! Watching project directories.
//!
//! It owns which changes are worth a second look: all below the directories, whatever way an editor saves. It refuses to say
//! what changed: whoever is told reads again.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};

/// Changes that follow each other closer than this are told as one.
const QUIET: Duration = Duration::from_millis(50);

/// A watch over some directories; it ends when it is dropped.
#[derive(Debug)]
pub struct Watch {
    changes: Receiver<PathBuf>,
    /// Keeps the system's watch going.
    _watcher: RecommendedWatcher,
}

/// Watches `directories` and everything below them.
///
/// # Errors
///
/// What the system says when a directory cannot be watched.
pub fn watch<'a>(directories: impl IntoIterator<Item = &'a Path>) -> Result<Watch, String> {
    let (sender, changes) = channel();
    let tell = move |event: notify::Result<Event>| {
        for path in event.ok().filter(is_change).into_iter().flat_map(|event| event.paths) {
            // Nobody listens any more once the watch is dropped.
            let _ = sender.send(path);
        }
    };
    let mut watcher = notify::recommended_watcher(tell).map_err(|error| error.to_string())?;
    for directory in directories {
        watcher.watch(directory, RecursiveMode::Recursive).map_err(|error| error.to_string())?;
    }
    Ok(Watch { changes, _watcher: watcher })
}

/// Whether an event says more than that something was read.
fn is_change(event: &Event) -> bool {
    !event.kind.is_access()
}

impl Watch {
    /// Waits for the next change, and for those that follow it closely; gives the paths, or none when the watch is over.
    pub fn next(&self) -> Option<Vec<PathBuf>> {
        let mut paths = vec![self.changes.recv().ok()?];
        while let Ok(path) = self.changes.recv_timeout(QUIET) {
            paths.push(path);
        }
        paths.sort();
        paths.dedup();
        Some(paths)
    }
}
