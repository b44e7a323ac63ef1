//! Where the log of a simulated run is kept, over all lives of its process.

use std::sync::Arc;

use anyhow::Context;
use cuebook_log::{MemoryStore, RunStore};
use cuebook_sqlite::{Options, SqliteStore};
use tempfile::TempDir;

/// A store's data, whoever has it open.
pub(crate) enum Place {
    Memory(Arc<MemoryStore>),
    Disk(TempDir),
}

impl Place {
    pub(crate) fn new(on_disk: bool) -> anyhow::Result<Self> {
        if on_disk {
            return Ok(Self::Disk(TempDir::new().context("make a data directory")?));
        }
        Ok(Self::Memory(Arc::new(MemoryStore::new())))
    }

    /// Opens the store as a new process does.
    pub(crate) fn open(&self) -> anyhow::Result<Arc<dyn RunStore>> {
        match self {
            Self::Memory(store) => Ok(Arc::clone(store) as Arc<dyn RunStore>),
            Self::Disk(directory) => {
                let store = SqliteStore::open(directory.path(), &Options::default());
                Ok(Arc::new(store.context("open the store")?))
            }
        }
    }

    /// Every byte on disk; the store must be closed.
    pub(crate) fn bytes(&self) -> anyhow::Result<Vec<u8>> {
        let Self::Disk(directory) = self else { return Ok(Vec::new()) };
        let mut bytes = Vec::new();
        for file in std::fs::read_dir(directory.path()).context("list the data directory")? {
            bytes.extend(std::fs::read(file?.path()).context("read a file of the store")?);
        }
        Ok(bytes)
    }
}
