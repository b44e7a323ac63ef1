//! One test of every promise, and random histories, each on a database of its own.

use std::sync::Arc;

use cuebook_log::RunStore;
use cuebook_log::suite::Fixture;
use cuebook_log::suite::history::{follow, histories};
use cuebook_sqlite::{Options, SqliteStore};
use proptest::prelude::*;
use tempfile::TempDir;

/// A data directory that goes with its test.
struct Place(TempDir);

impl Fixture for Place {
    async fn open(&self) -> Arc<dyn RunStore> {
        Arc::new(SqliteStore::open(self.0.path(), &Options::default()).expect("a store can be opened"))
    }
}

fn place() -> Place {
    Place(TempDir::new().expect("a temporary directory"))
}

cuebook_log::store_suite!(place);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn the_store_answers_as_the_model_does(history in histories()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(follow(&place(), &history));
    }
}
