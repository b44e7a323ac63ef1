//! One test of every promise, on the store in memory.

use std::sync::Arc;

use cuebook_log::MemoryStore;

fn fixture() -> Arc<MemoryStore> {
    Arc::new(MemoryStore::new())
}

cuebook_log::store_suite!(fixture);
