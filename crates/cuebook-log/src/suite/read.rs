//! Which records a page has.

use super::Fixture;
use super::support::{Writer, sequences};

/// A page begins at its start, ends at its limit or the log's end, and bounds of any size are fine.
pub async fn pages_are_cut_by_start_and_limit(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    writer.append(3).await;
    writer.append(4).await;
    let cases: [(u64, usize, std::ops::Range<u64>); 13] = [
        (0, 0, 0..0),
        (0, 1, 0..1),
        (0, 3, 0..3),
        (0, 7, 0..7),
        (0, usize::MAX, 0..7),
        (2, 2, 2..4),
        (6, 1, 6..7),
        (6, 9, 6..7),
        (7, 1, 0..0),
        (8, 9, 0..0),
        (u64::MAX, 1, 0..0),
        (u64::MAX, usize::MAX, 0..0),
        (5, usize::MAX, 5..7),
    ];
    for (from, limit, expect) in cases {
        let page = sequences(&writer.read(from, limit).await);
        assert_eq!(page, expect.collect::<Vec<_>>(), "from {from}, at most {limit}");
    }
}

/// Pages of any size, one after the other, are the log.
pub async fn pages_make_up_the_log(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    for _ in 0..100 {
        writer.append(11).await;
    }
    let log = writer.log().await;
    for limit in [1, 7, 256, 1_100, 1_101] {
        let mut read = Vec::new();
        loop {
            let page = writer.read(read.len() as u64, limit).await;
            let is_last = page.len() < limit;
            read.extend(page);
            if is_last {
                break;
            }
        }
        assert!(read == log, "pages of {limit}");
    }
}

/// A run that was opened and never written to is there, and empty.
pub async fn a_run_without_records_reads_empty(fixture: &impl Fixture) {
    let writer = Writer::begin(&fixture.open().await, "run").await;
    for (from, limit) in [(0, 0), (0, 1), (1, usize::MAX), (u64::MAX, 1)] {
        assert!(writer.read(from, limit).await.is_empty());
    }
}
