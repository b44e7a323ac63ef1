//! What a principal can reach: the things of its own tenant, by exactly their ids.

use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::{RunId, Sequence};

use super::Fixture;
use super::support::{Store, Writer, sequences, signal, tenant, woken};
use crate::ports::{Append, LogError, Offered, Open};

/// Asks everything of a run that `principal` must not find.
async fn assert_unknown(store: &Store, principal: &Principal, template: &Writer) {
    let run_id = &template.run_id;
    let unknown = LogError::UnknownRun(run_id.clone());
    let taken_over = store.open(principal, run_id, Open::TakeOver).await;
    assert_eq!(taken_over, Err(unknown.clone()));
    let good = template.batch(1);
    let bad = Append { epoch: 99, ..template.numbered([7, 7]) };
    for batch in [good, template.batch(0), bad, template.ending()] {
        assert_eq!(store.append(principal, batch).await, Err(unknown.clone()));
    }
    assert_eq!(store.read(principal, run_id, Sequence(0), 0).await, Err(unknown.clone()));
    assert_eq!(store.read(principal, run_id, Sequence(9), 1).await, Err(unknown.clone()));
    assert_eq!(store.watch(principal, run_id).await.map(|watch| *watch.borrow()), Err(unknown.clone()));
    assert_eq!(store.offer(principal, run_id, signal("one")).await, Err(unknown.clone()));
    assert_eq!(store.pending(principal, run_id).await, Err(unknown.clone()));
    assert_eq!(store.entry(principal, run_id).await, Err(unknown));
    assert_eq!(store.runs(principal, &[], usize::MAX).await, Ok(Vec::new()));
}

/// Asking for a run that nobody opened says so, and does not make it.
pub async fn an_unknown_run_is_refused_by_every_call(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let template = Writer {
        store: store.clone(),
        principal: tenant("acme"),
        run_id: RunId::new("nobody's"),
        epoch: 1,
        next: 0,
    };
    assert_unknown(&store, &tenant("acme"), &template).await;
    assert_unknown(&store, &tenant("acme"), &template).await;
    let mut opened = Writer::begin(&store, "nobody's").await;
    assert!(opened.pending().await.is_empty());
    assert_eq!(opened.offer("one").await, Offered::Accepted);
    opened.append(1).await;
}

/// For another tenant a run is not there, whatever it asks; and nothing it does reaches the run.
pub async fn another_tenants_run_does_not_exist(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut writer = Writer::begin(&store, "run").await;
    writer.append(3).await;
    writer.offer("waiting").await;
    let (before, watch) = (writer.view().await, writer.watch().await);
    for other in ["other", "ACME", "acme ", "", "acm", "acme%"] {
        assert_unknown(&store, &tenant(other), &writer).await;
    }
    assert_eq!(writer.view().await, before);
    assert!(!woken(&watch));
    writer.append(1).await;
}

/// Two tenants may choose the same id; log, epoch, inbox, index and watchers are apart.
pub async fn one_run_id_lives_in_two_tenants(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut ours = Writer::begin(&store, "run").await;
    let mut theirs = Writer::begin_for(&store, tenant("other"), "run").await;
    ours.append(3).await;
    theirs.append(1).await;
    assert_eq!(ours.offer("one").await, Offered::Accepted);
    assert_eq!(theirs.offer("one").await, Offered::Accepted);
    let watch = theirs.watch().await;
    let before = theirs.view().await;
    ours = ours.take_over().await;
    ours.commit(Append { consumed: vec!["one".to_owned()], ..ours.batch(1) }).await;
    ours.commit(ours.ending()).await;
    assert_eq!(theirs.view().await, before);
    assert_eq!(before.listed.len(), 1);
    assert!(!woken(&watch));
    assert_eq!(theirs.keys().await, ["one"]);
    theirs.append(2).await;
    assert_eq!(sequences(&ours.log().await), [0, 1, 2, 3, 4]);
    assert_eq!(sequences(&theirs.log().await), [0, 1, 2]);
}

/// No tenant and run run together into the key of another.
pub async fn tenant_and_run_are_separate_keys(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut writers = Vec::new();
    for joint in ["/", ":", "|", "\u{1f}", "-", " "] {
        let (inner, outer) = (format!("b{joint}c"), format!("a{joint}b"));
        for (tenant_name, run_id) in [("a", inner.as_str()), (outer.as_str(), "c")] {
            writers.push(Writer::begin_for(&store, tenant(tenant_name), run_id).await);
        }
    }
    for writer in &mut writers {
        assert_eq!(writer.offer("one").await, Offered::Accepted);
        writer.append(1).await;
    }
    for writer in &writers {
        assert_eq!(writer.length().await, 1);
        assert_eq!(writer.keys().await, ["one"]);
    }
}

/// Ids that differ in case, space, script or number format are different runs.
pub async fn ids_are_compared_byte_by_byte(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let ids = [
        "run",
        "RUN",
        "run ",
        " run",
        "r%n",
        "r_n",
        "r*",
        "1",
        "01",
        "1.0",
        "1e0",
        "\u{e9}",
        "e\u{301}",
        "r'n",
        "r\"n",
        "'; --",
        "\\",
        "\u{1F3AD}",
    ];
    let mut writers = Vec::new();
    for id in ids {
        let mut writer = Writer::begin(&store, id).await;
        writer.append(1).await;
        writers.push(writer);
    }
    for (count, writer) in (1..).zip(&mut writers) {
        writer.append(count).await;
    }
    for (count, writer) in (1..).zip(&writers) {
        let log = writer.log().await;
        assert_eq!(log.len(), count + 1, "{}", writer.run_id);
        assert!(log.iter().all(|record| record.event.run_id == writer.run_id));
    }
    assert_eq!(writers[0].view().await.listed.len(), ids.len());
}

/// Within a tenant the workspace hides nothing; who belongs to which is decided above the store.
pub async fn workspaces_of_a_tenant_share_its_runs(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let inside = |workspace: &str| Principal { workspace: Some(workspace.to_owned()), ..tenant("acme") };
    let mut writer = Writer::begin_for(&store, inside("stage"), "run").await;
    writer.append(2).await;
    let hash = store.put(&inside("stage"), "text").await.expect("a text is stored");
    for principal in [inside("stage"), inside("office"), tenant("acme")] {
        let other = Writer { principal: principal.clone(), ..writer.clone() };
        assert_eq!(other.view().await, writer.view().await);
        let again = store.open(&principal, &writer.run_id, Open::New).await;
        assert_eq!(again, Err(LogError::RunExists(writer.run_id.clone())));
        assert_eq!(store.get(&principal, &hash).await, Ok(Some("text".to_owned())));
    }
    assert_eq!(hash, ContentHash::of("text"));
}
