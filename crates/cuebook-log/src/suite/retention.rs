//! What is removed, and what stays because it is needed.

use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::{RunId, RunStatus, TemplateId, Version};

use super::Fixture;
use super::requests::claim_at;
use super::support::{Store, Writer, all, millis, tenant};
use crate::agenda::RunKey;
use crate::checkpoint::Checkpoint;
use crate::ports::{Append, LogError, Open};
use crate::prompts::{AddRule, KeptPrompt, NewPrompt, PromptRemoval, Which};
use crate::retention::{Expired, Expiry, Freed, Hold, Sweep};

/// A sweep that takes all that nobody needs.
fn everything() -> Sweep {
    Sweep { removed_by: millis(u64::MAX), claimed_by: millis(u64::MAX), limit: 100 }
}

fn any() -> Expiry {
    Expiry::default()
}

fn key(writer: &Writer) -> RunKey {
    RunKey { tenant: writer.principal.tenant.clone(), run_id: writer.run_id.clone() }
}

fn body(text: &str) -> Hold {
    Hold::Body(text.into())
}

/// A run of `records` records that has ended, at as many milliseconds, holding `holds`.
async fn ended(store: &Store, run_id: &str, records: u64, holds: Vec<Hold>) -> Writer {
    ended_for(store, tenant("acme"), run_id, records, holds).await
}

async fn ended_for(store: &Store, owner: Principal, run_id: &str, records: u64, holds: Vec<Hold>) -> Writer {
    let mut writer = Writer::begin_for(store, owner, run_id).await;
    writer.commit(Append { holds, ..writer.batch(records - 1) }).await;
    writer.commit(writer.ending()).await;
    writer
}

async fn expired(store: &Store, expiry: &Expiry) -> Vec<String> {
    let expired = store.expired("acme", expiry, None, 100).await.expect("finished runs can be listed");
    expired.into_iter().map(|run| run.run_id.to_string()).collect()
}

async fn remove(store: &Store, writer: &Writer) -> Option<Freed> {
    store.remove_run(&key(writer)).await.expect("a run can be removed")
}

async fn blob(store: &Store, owner: &str, text: &str) -> Option<String> {
    store.get(&tenant(owner), &ContentHash::of(text)).await.expect("blobs can be read")
}

/// Nothing of a removed run is there, and its id can be used again.
pub async fn a_removed_run_has_never_been(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let writer = ended(&store, "run", 5, vec![body("text"), Hold::Scope("s".to_owned())]).await;
    writer.offer("late").await;
    let checkpoint = Checkpoint { next: cuebook_wire::Sequence(2), fold: 1, state: "state".into() };
    store.keep(&writer.principal, &writer.run_id, checkpoint).await.expect("a checkpoint is kept");
    let freed = remove(&store, &writer).await.expect("a finished run goes");
    assert_eq!((freed.records, freed.blobs), (5, 1));
    assert!(freed.bytes > 5 * "{}".len() as u64, "{freed:?}");
    let unknown = LogError::UnknownRun(writer.run_id.clone());
    assert_eq!(writer.entry().await, Err(unknown.clone()));
    let records = store.read(&writer.principal, &writer.run_id, cuebook_wire::Sequence(0), 9).await;
    assert_eq!(records, Err(unknown.clone()));
    assert_eq!(store.pending(&writer.principal, &writer.run_id).await, Err(unknown));
    assert_eq!(store.runs(&writer.principal, &[], 9).await, Ok(Vec::new()));
    assert_eq!(blob(&store, "acme", "text").await, None);
    assert_eq!(remove(&store, &writer).await, None, "it is gone");
    let again = Writer::begin(&store, "run").await;
    assert_eq!((again.length().await, again.epoch), (0, 1));
    assert_eq!(store.checkpoint(&again.principal, &again.run_id, 1).await, Ok(None));
    assert!(again.offer("late").await == crate::ports::Offered::Accepted, "no key is remembered");
}

/// A run that goes on, waits, or was only opened stays whole, however old it is.
pub async fn an_unfinished_run_is_never_removed(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut going = Writer::begin(&store, "going").await;
    going.commit(Append { holds: vec![body("text")], ..going.batch(3) }).await;
    let opened = Writer::begin(&store, "opened").await;
    let before = going.view().await;
    assert!(expired(&store, &any()).await.is_empty());
    assert_eq!(remove(&store, &going).await, None);
    assert_eq!(remove(&store, &opened).await, None);
    assert_eq!(store.sweep(&everything()).await, Ok(Freed::default()));
    assert_eq!(going.view().await, before);
    assert_eq!(blob(&store, "acme", "text").await.as_deref(), Some("text"));
    going.commit(going.ending()).await;
    assert_eq!(expired(&store, &any()).await, ["going"]);
}

/// Age, number and status must all agree; runs come by their end, earliest first.
pub async fn runs_expire_by_age_number_and_status(fixture: &impl Fixture) {
    let store = fixture.open().await;
    for (run_id, records) in [("d", 40), ("a", 10), ("c", 30), ("b2", 20), ("b1", 20)] {
        ended(&store, run_id, records, Vec::new()).await;
    }
    let mut failed = Writer::begin(&store, "e").await;
    let mut ending = failed.ending();
    ending.entry.status = RunStatus::Failed;
    ending.entry.updated_at = millis(50);
    failed.commit(ending).await;
    let check = async |ended_by: Option<u64>, keep, statuses: &[RunStatus], expect: &[&str]| {
        let expiry = Expiry { ended_by: ended_by.map(millis), keep, statuses: statuses.to_vec() };
        assert_eq!(expired(&store, &expiry).await, expect, "{expiry:?}");
    };
    check(None, 0, &[], &["a", "b1", "b2", "c", "d", "e"]).await;
    check(Some(19), 0, &[], &["a"]).await;
    check(Some(20), 0, &[], &["a", "b1", "b2"]).await;
    check(Some(9), 0, &[], &[]).await;
    check(None, 1, &[], &["a", "b1", "b2", "c", "d"]).await;
    check(None, 4, &[], &["a", "b1"]).await;
    check(None, 6, &[], &[]).await;
    check(None, usize::MAX, &[], &[]).await;
    check(None, 0, &[RunStatus::Failed], &["e"]).await;
    check(None, 1, &[RunStatus::Failed], &[]).await;
    check(Some(30), 4, &[RunStatus::Completed, RunStatus::Failed], &["a", "b1"]).await;
}

/// Pages of any size make up the list, each beginning after the last run of the one before.
pub async fn pages_of_finished_runs_make_up_the_list(fixture: &impl Fixture) {
    let store = fixture.open().await;
    for number in 0..7 {
        ended(&store, &format!("run{number}"), 2 + number % 3, Vec::new()).await;
    }
    let whole = expired(&store, &any()).await;
    assert_eq!(whole, ["run0", "run3", "run6", "run1", "run4", "run2", "run5"]);
    for size in 1..=8 {
        let (mut paged, mut after): (Vec<String>, Option<Expired>) = (Vec::new(), None);
        loop {
            let page = store.expired("acme", &any(), after.as_ref(), size).await.expect("a page");
            paged.extend(page.iter().map(|run| run.run_id.to_string()));
            match page.last() {
                Some(last) => after = Some(last.clone()),
                None => break,
            }
        }
        assert_eq!(paged, whole, "by {size}");
    }
}

/// A run whose log another was forked from stays as long as that one, finished or not.
pub async fn what_a_fork_needs_stays(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let source = ended(&store, "source", 3, vec![body("text")]).await;
    let child = ended(&store, "child", 4, vec![Hold::Run(source.run_id.clone())]).await;
    let mut grandchild = Writer::begin(&store, "grandchild").await;
    let hold = Hold::Run(child.run_id.clone());
    grandchild.commit(Append { holds: vec![hold], ..grandchild.batch(1) }).await;
    assert!(expired(&store, &any()).await.is_empty());
    assert_eq!((remove(&store, &source).await, remove(&store, &child).await), (None, None));
    grandchild.commit(grandchild.ending()).await;
    assert_eq!(expired(&store, &any()).await, ["grandchild"]);
    for (writer, rest) in [(&grandchild, vec!["child"]), (&child, vec!["source"]), (&source, vec![])] {
        assert!(remove(&store, writer).await.is_some(), "{}", writer.run_id);
        assert_eq!(expired(&store, &any()).await, rest);
    }
}

/// A body goes with the last run that holds it, and one that nobody holds with the next sweep; of each tenant by itself.
pub async fn a_body_stays_as_long_as_it_is_held(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let one = ended(&store, "one", 3, vec![body("shared"), body("own"), body("own")]).await;
    let two = ended(&store, "two", 3, vec![body("shared")]).await;
    let other = ended_for(&store, tenant("other"), "one", 3, vec![body("own")]).await;
    store.put(&tenant("acme"), "loose").await.expect("a text is stored");
    assert_eq!(remove(&store, &one).await.map(|freed| freed.blobs), Some(1));
    assert_eq!(blob(&store, "acme", "own").await, None);
    assert_eq!(blob(&store, "acme", "shared").await.as_deref(), Some("shared"));
    assert_eq!(blob(&store, "other", "own").await.as_deref(), Some("own"));
    let swept = store.sweep(&everything()).await.expect("a sweep");
    assert_eq!((swept.blobs, swept.bytes), (1, "loose".len() as u64));
    assert_eq!(blob(&store, "acme", "loose").await, None);
    assert_eq!(remove(&store, &two).await.map(|freed| freed.blobs), Some(1));
    assert_eq!(remove(&store, &other).await.map(|freed| freed.blobs), Some(1));
}

/// A batch that is refused holds nothing and brings no body.
pub async fn a_refused_batch_holds_nothing(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let writer = Writer::begin(&store, "run").await;
    let holds = vec![body("text"), Hold::Scope("s".to_owned())];
    writer.send(Append { holds, ..writer.numbered([7]) }).await.expect_err("a gap");
    assert_eq!(blob(&store, "acme", "text").await, None);
    assert_eq!(store.in_scope(&writer.principal, "s").await, Ok(Vec::new()));
}

async fn add_prompt(store: &Store, owner: &Principal, id: &str, version: &str) {
    let prompt = KeptPrompt {
        template_id: TemplateId::parse(id).expect("an id"),
        version: Version::parse(version).expect("a version"),
        document: format!("{id} {version}"),
    };
    let content = ContentHash::of(&prompt.document);
    let ticket = format!("add {id} {version}");
    let new = NewPrompt { prompt, content, rule: AddRule::Unused, ticket, at: millis(1) };
    store.add_prompt(owner, new).await.expect("a version can be added");
}

async fn remove_prompt(store: &Store, owner: &Principal, id: &str, at: u64) {
    let (template_id, ticket) = (TemplateId::parse(id).expect("an id"), format!("remove {id}"));
    let removal = PromptRemoval { template_id, version: None, matching: None, ticket, at: millis(at) };
    store.remove_prompt(owner, removal).await.expect("a template can be removed");
}

async fn is_kept(store: &Store, owner: &Principal, id: &str, version: &str) -> bool {
    let which = Which::Kept(Version::parse(version).expect("a version"));
    store
        .prompt(owner, &TemplateId::parse(id).expect("an id"), &which)
        .await
        .expect("a version can be read")
        .is_some()
}

/// A version that was removed from its shelf goes when it was long ago and no run holds it; one on its shelf stays.
pub async fn a_removed_template_stays_as_long_as_it_is_held(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let (acme, desk) = (tenant("acme"), Principal { workspace: Some("desk".to_owned()), ..tenant("acme") });
    for (owner, id) in [(&acme, "held"), (&desk, "held"), (&acme, "loose"), (&acme, "late")] {
        add_prompt(&store, owner, id, "1.0.0").await;
        remove_prompt(&store, owner, id, if id == "late" { 30 } else { 20 }).await;
    }
    add_prompt(&store, &acme, "present", "1.0.0").await;
    let version = Version::parse("1.0.0").expect("a version");
    let hold = Hold::Template { template_id: TemplateId::parse("held").expect("an id"), version };
    let run = ended_for(&store, desk.clone(), "run", 2, vec![hold]).await;
    let sweep = Sweep { removed_by: millis(20), ..everything() };
    let swept = store.sweep(&sweep).await.expect("a sweep");
    assert_eq!((swept.templates, swept.bytes), (2, "held 1.0.0loose 1.0.0".len() as u64));
    let kept = [(&acme, "held"), (&desk, "held"), (&acme, "loose"), (&acme, "late"), (&acme, "present")];
    let expect = [false, true, false, true, true];
    for ((owner, id), expect) in kept.into_iter().zip(expect) {
        assert_eq!(is_kept(&store, owner, id, "1.0.0").await, expect, "{id} of {owner:?}");
    }
    remove(&store, &run).await.expect("a finished run goes");
    assert_eq!(store.sweep(&sweep).await.map(|swept| swept.templates), Ok(1));
    assert!(!is_kept(&store, &desk, "held", "1.0.0").await);
}

/// A sweep takes no more than it is told, and says so by removing something; requests go by their age.
pub async fn a_sweep_takes_small_steps(fixture: &impl Fixture) {
    let store = fixture.open().await;
    for number in 0..5 {
        store.put(&tenant("acme"), &format!("text {number}")).await.expect("a text is stored");
        store.claim(&tenant("acme"), claim_at(&format!("k{number}"), number)).await.expect("a claim");
    }
    let sweep = Sweep { removed_by: millis(0), claimed_by: millis(2), limit: 2 };
    let mut steps = Vec::new();
    loop {
        let swept = store.sweep(&sweep).await.expect("a sweep");
        if swept.is_nothing() {
            break;
        }
        steps.push((swept.blobs, swept.requests));
    }
    assert_eq!(steps, [(2, 2), (2, 1), (1, 0)]);
}

/// Tenants with runs are gone through one by one.
pub async fn tenants_are_found_in_order(fixture: &impl Fixture) {
    let store = fixture.open().await;
    for owner in ["b", "a", "B", "\u{e9}"] {
        for run_id in ["one", "two"] {
            ended_for(&store, tenant(owner), run_id, 2, Vec::new()).await;
        }
    }
    let (mut found, mut after): (Vec<String>, Option<String>) = (Vec::new(), None);
    while let Some(name) = store.next_tenant(after.as_deref()).await.expect("a tenant") {
        found.push(name.clone());
        after = Some(name);
    }
    assert_eq!(found, ["B", "a", "b", "\u{e9}"]);
}

/// A scope has the runs that hold it until they end, of one tenant, also for a store that is opened anew.
pub async fn a_scope_has_the_runs_that_have_not_ended(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let hold = || vec![Hold::Scope("s".to_owned())];
    ended(&store, "ended", 2, hold()).await;
    for (owner, run_id, holds) in
        [("acme", "b", hold()), ("acme", "a", hold()), ("other", "c", hold()), ("acme", "d", Vec::new())]
    {
        let mut writer = Writer::begin_for(&store, tenant(owner), run_id).await;
        writer.commit(Append { holds, ..writer.batch(1) }).await;
    }
    drop(store);
    let store = fixture.open().await;
    let runs = store.in_scope(&tenant("acme"), "s").await.expect("a scope can be read");
    assert_eq!(runs, ["a", "b"].map(RunId::new));
    assert_eq!(store.in_scope(&tenant("acme"), "S").await, Ok(Vec::new()));
}

/// Of several who remove a run at once one does, and a run that is read meanwhile is there as a whole or not at all.
pub async fn a_run_goes_as_a_whole(fixture: &impl Fixture) {
    let store = fixture.open().await;
    for round in 0..10 {
        let writer = ended(&store, &format!("run {round}"), 40, vec![body("text")]).await;
        let removers = (0..4).map(|_| {
            let (store, run) = (store.clone(), key(&writer));
            tokio::spawn(async move { store.remove_run(&run).await.expect("a run can be removed").is_some() })
        });
        let readers = (0..4).map(|_| {
            let (store, writer) = (store.clone(), writer.clone());
            tokio::spawn(async move {
                let read = store.read(&writer.principal, &writer.run_id, cuebook_wire::Sequence(0), 99).await;
                matches!(read.map(|records| records.len()), Ok(40) | Err(LogError::UnknownRun(_)))
            })
        });
        let (removers, readers): (Vec<_>, Vec<_>) = (removers.collect(), readers.collect());
        assert_eq!(all(removers).await.into_iter().filter(|removed| *removed).count(), 1);
        assert!(all(readers).await.into_iter().all(|whole| whole));
    }
}

/// What was removed is gone for a store that is opened anew, and nothing else is.
pub async fn removals_are_there_after_opening_anew(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let (gone, stays) =
        (ended(&store, "gone", 3, Vec::new()).await, ended(&store, "stays", 4, Vec::new()).await);
    // The writers go, and with them what they have of the store.
    let gone = (key(&gone), { gone }.principal);
    let stays = { stays }.run_id;
    store.remove_run(&gone.0).await.expect("a run can be removed").expect("a finished run goes");
    drop(store);
    let store = fixture.open().await;
    let opened = store.open(&gone.1, &gone.0.run_id, Open::TakeOver).await;
    assert_eq!(opened, Err(LogError::UnknownRun(gone.0.run_id.clone())));
    let listed = store.runs(&gone.1, &[], 9).await.expect("a tenant has an index");
    assert_eq!(listed.into_iter().map(|entry| entry.run_id).collect::<Vec<_>>(), [stays]);
}
