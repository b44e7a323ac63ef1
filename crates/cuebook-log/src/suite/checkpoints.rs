//! Checkpoints: the latest of each run, and that they can go.

use cuebook_wire::{RunId, Sequence};
use serde_json::json;

use super::Fixture;
use super::support::{Writer, tenant};
use crate::checkpoint::Checkpoint;
use crate::ports::LogError;

fn checkpoint(next: u64, fold: u32) -> Checkpoint {
    Checkpoint { next: Sequence(next), fold, state: json!({ "before": next, "by": fold }) }
}

async fn keep(writer: &Writer, checkpoint: Checkpoint) {
    let kept = writer.store.keep(&writer.principal, &writer.run_id, checkpoint).await;
    kept.expect("a known run keeps a checkpoint");
}

async fn latest(writer: &Writer, fold: u32) -> Option<Checkpoint> {
    let found = writer.store.checkpoint(&writer.principal, &writer.run_id, fold).await;
    found.expect("a known run may have a checkpoint")
}

/// The one that goes furthest is kept; one of another fold takes its place.
pub async fn the_latest_checkpoint_is_kept(fixture: &impl Fixture) {
    let writer = Writer::begin(&fixture.open().await, "run").await;
    assert_eq!(latest(&writer, 1).await, None);
    for (given, expect) in [(4, 4), (8, 8), (6, 8), (8, 8), (9, 9)] {
        keep(&writer, checkpoint(given, 1)).await;
        assert_eq!(latest(&writer, 1).await, Some(checkpoint(expect, 1)), "after {given}");
    }
    assert_eq!(latest(&writer, 2).await, None);
    keep(&writer, checkpoint(3, 2)).await;
    assert_eq!((latest(&writer, 2).await, latest(&writer, 1).await), (Some(checkpoint(3, 2)), None));
}

/// A checkpoint that was deleted is gone, and another may come; the log is as it was.
pub async fn a_checkpoint_can_be_deleted(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    writer.append(3).await;
    keep(&writer, checkpoint(3, 1)).await;
    for _ in 0..2 {
        writer.store.forget(&writer.principal, &writer.run_id).await.expect("a known run forgets");
        assert_eq!(latest(&writer, 1).await, None);
    }
    assert_eq!(writer.length().await, 3);
    keep(&writer, checkpoint(1, 1)).await;
    assert_eq!(latest(&writer, 1).await, Some(checkpoint(1, 1)));
}

/// Runs and tenants have their own, and what has no run has none.
pub async fn checkpoints_belong_to_their_run(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let ours = Writer::begin(&store, "run").await;
    let theirs = Writer::begin_for(&store, tenant("globex"), "run").await;
    keep(&ours, checkpoint(1, 1)).await;
    assert_eq!(latest(&theirs, 1).await, None);
    let (principal, nowhere) = (tenant("acme"), RunId::new("nowhere"));
    let unknown = || LogError::UnknownRun(nowhere.clone());
    assert_eq!(store.keep(&principal, &nowhere, checkpoint(1, 1)).await, Err(unknown()));
    assert_eq!(store.checkpoint(&principal, &nowhere, 1).await, Err(unknown()));
    assert_eq!(store.forget(&principal, &nowhere).await, Err(unknown()));
}

/// A durable store keeps them; one that lost them would break no promise but this.
pub async fn checkpoints_are_there_after_opening_anew(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let writer = Writer::begin(&store, "run").await;
    keep(&writer, checkpoint(5, 1)).await;
    drop((store, writer));
    let found = fixture.open().await.checkpoint(&tenant("acme"), &RunId::new("run"), 1).await;
    assert_eq!(found, Ok(Some(checkpoint(5, 1))));
}
