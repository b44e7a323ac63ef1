//! Random histories on the store in memory.

use std::sync::Arc;

use cuebook_log::MemoryStore;
use cuebook_log::suite::history::{follow, histories};
use proptest::prelude::*;

proptest! {
    #[test]
    fn the_store_answers_as_the_model_does(history in histories()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(follow(&Arc::new(MemoryStore::new()), &history));
    }
}
