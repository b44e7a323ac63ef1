//! What is removed and what stays: by request, and in the background.

use std::sync::Arc;
use std::time::Duration;

use cuebook_host::engine::{Clock as _, StoredRun};
use cuebook_host::log::{Hold, Open, RunEntry, Which};
use cuebook_host::prompt::Principal;
use cuebook_host::wire::{CreateRun, RunId, RunStatus, TemplateId, Version, WorkflowId};
use cuebook_host::{CreateOptions, Host, Options, PromptWrite, PrunePolicy, Pruned};
use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};
use tokio::runtime::Runtime;

use crate::support::{ManualClock, Project};

const DAY: Duration = Duration::from_hours(24);

/// A project with a run that ends, one that fails, one that waits, and one that asks a template of the user's.
fn project(config: &str) -> Project {
    let node = |type_id: &str, config: Json| {
        json!({
            "id": "node", "typeId": type_id, "name": "Node", "position": {"x": 0, "y": 0}, "inputs": {},
            "config": config,
        })
    };
    let workflow = |id: &str, node: Json| {
        json!({
            "id": id, "name": id, "version": "1.0.0", "nodes": [node], "edges": [], "triggers": [],
            "variables": [], "metadata": {}, "settings": {},
        })
        .to_string()
    };
    let unsure = json!({"mockDecision": {"decision": "go", "confidence": 0.1}});
    Project::new()
        .with("cuebook.toml", config)
        .with("workflows/ends.json", &workflow("ends", node("core.noop", json!({}))))
        .with("workflows/fails.json", &workflow("fails", node("core.fail", json!({}))))
        .with(
            "workflows/waits.json",
            &workflow("conformance-waits", node("core.conformance.mock-agent", unsure)),
        )
        .with(
            "workflows/asks.json",
            &workflow("asks", node("core.ai.callPrompt", json!({"userPromptRef": "prompt:greet"}))),
        )
}

/// A host on a store in memory or on disk, and the clock that it goes by.
struct Place {
    project: Project,
    clock: Arc<ManualClock>,
    on_disk: bool,
}

impl Place {
    fn new(config: &str, on_disk: bool) -> Self {
        Self { project: project(config), clock: Arc::new(ManualClock::new()), on_disk }
    }

    fn host(&self) -> Arc<Host> {
        let data = self.on_disk.then(|| self.project.path().join("data"));
        let options = Options { root: self.project.path().to_owned(), data, ..Options::default() };
        let host = Host::open_by(&options, Arc::clone(&self.clock) as _);
        Arc::new(host.unwrap_or_else(|problems| panic!("{problems}")))
    }

    /// Lets time pass, a moment, so that no two runs end together.
    fn tick(&self) {
        self.clock.advance(Duration::from_millis(1));
    }
}

async fn create(host: &Arc<Host>, workflow: &str) -> RunId {
    let request = CreateRun { inputs: Map::new(), ..CreateRun::new(WorkflowId::new(workflow)) };
    let created = host.create_run(&Principal::local(), request, CreateOptions::default()).await;
    created.map_err(|refusal| refusal.message).unwrap().run_id
}

/// Creates a run and waits until nothing of it is under way.
async fn settle(place: &Place, host: &Arc<Host>, workflow: &str) -> RunId {
    let run_id = create(host, workflow).await;
    while host.resident_runs() > 0 {
        tokio::task::yield_now().await;
    }
    place.tick();
    run_id
}

async fn add_template(host: &Host, text: &str) {
    let document = json!({
        "templateId": "greet", "version": "1.0.0", "kind": "user", "text": text, "variables": [],
    });
    let template = cuebook_host::wire::strict::read(&document).unwrap();
    let principal = Principal::local();
    let write = PromptWrite { principal: &principal, ticket: None, condition: None };
    host.create_prompt(write, template).await.map_err(|refusal| refusal.message).unwrap();
}

async fn remove_template(host: &Host) {
    let principal = Principal::local();
    let write = PromptWrite { principal: &principal, ticket: None, condition: None };
    host.delete_prompt(write, &TemplateId::parse("greet").unwrap(), None)
        .await
        .map_err(|it| it.message)
        .unwrap();
}

async fn runs(host: &Host) -> Vec<RunId> {
    let runs = host.list_runs(&Principal::local(), &[], 999).await.map_err(|refusal| refusal.message);
    runs.unwrap().into_iter().map(|run| run.run_id).rev().collect()
}

async fn prune(host: &Host, policy: &PrunePolicy) -> Pruned {
    host.prune(policy).await.map_err(|refusal| refusal.message).unwrap()
}

fn everything() -> PrunePolicy {
    PrunePolicy::default()
}

#[tokio::test]
async fn finished_runs_go_by_age_number_and_status() {
    for on_disk in [false, true] {
        let place = Place::new("", on_disk);
        let host = place.host();
        let old = settle(&place, &host, "ends").await;
        let waits = settle(&place, &host, "conformance-waits").await;
        let failed = settle(&place, &host, "fails").await;
        place.clock.advance(10 * DAY);
        let young = settle(&place, &host, "ends").await;
        let nothing = PrunePolicy { older_than: Some(11 * DAY), ..everything() };
        assert_eq!(prune(&host, &nothing).await, Pruned::default());
        let completed = PrunePolicy { older_than: Some(DAY), statuses: vec![RunStatus::Completed], keep: 0 };
        let would = host.would_prune(&completed).await.map_err(|it| it.message).unwrap();
        assert_eq!((would.runs, runs(&host).await.len()), (1, 4));
        let pruned = prune(&host, &completed).await;
        assert_eq!((pruned.runs, pruned.freed.records), (1, would.freed.records));
        assert!(pruned.freed.bytes > 0);
        assert_eq!(runs(&host).await, [waits.clone(), failed, young.clone()]);
        assert_eq!(prune(&host, &PrunePolicy { keep: 1, ..everything() }).await.runs, 1);
        assert_eq!(runs(&host).await, [waits.clone(), young], "the last one stays, and so does who waits");
        assert_eq!(prune(&host, &everything()).await.runs, 1);
        assert_eq!(runs(&host).await, [waits]);
        assert!(!runs(&host).await.contains(&old));
    }
}

#[tokio::test]
async fn what_a_remaining_run_stands_on_stays() {
    for on_disk in [false, true] {
        let place = Place::new("", on_disk);
        let host = place.host();
        add_template(&host, "Good morning.").await;
        let waits = settle(&place, &host, "conformance-waits").await;
        let twin = settle(&place, &host, "conformance-waits").await;
        let asks = settle(&place, &host, "asks").await;
        remove_template(&host).await;
        place.clock.advance(400 * DAY);
        let (principal, greet) = (Principal::local(), TemplateId::parse("greet").unwrap());
        let kept = Which::Kept(Version::parse("1.0.0").unwrap());
        let old = PrunePolicy { older_than: Some(500 * DAY), ..everything() };
        assert_eq!(prune(&host, &old).await, Pruned::default());
        let template = host.store.prompt(&principal, &greet, &kept).await.unwrap();
        assert!(template.is_some(), "a run that is there was held to it");
        let pruned = prune(&host, &everything()).await;
        assert_eq!((pruned.runs, pruned.freed.blobs, pruned.freed.templates), (1, 1, 1), "{asks} goes whole");
        assert_eq!(host.store.prompt(&principal, &greet, &kept).await.unwrap(), None);
        for run_id in [&waits, &twin] {
            let snapshot = host.run_snapshot(&principal, run_id).await.map_err(|it| it.message).unwrap();
            assert_eq!(snapshot.status, RunStatus::WaitingApproval);
        }
        let cancelled = host.cancel_run(&principal, &waits, None, "tester").await;
        assert_eq!(cancelled.map_err(|it| it.message), Ok(RunStatus::Cancelling));
        while host.run_entry(&principal, &waits).await.map_err(|it| it.message).unwrap().status
            != RunStatus::Cancelled
        {
            tokio::task::yield_now().await;
        }
        let pruned = prune(&host, &everything()).await;
        assert_eq!((pruned.runs, pruned.freed.blobs), (1, 0), "its twin needs the definition");
    }
}

#[tokio::test]
async fn a_source_goes_with_its_last_fork() {
    let place = Place::new("", true);
    let host = place.host();
    let source = settle(&place, &host, "ends").await;
    let principal = Principal::local();
    let entry = host.store.entry(&principal, &source).await.unwrap();
    let records = host.store.read(&principal, &source, cuebook_host::wire::Sequence(0), 99).await.unwrap();
    let fork = RunId::new("run_fork");
    let epoch = host.store.open(&principal, &fork, Open::New).await.unwrap();
    let mut copied = records.clone();
    for record in &mut copied {
        record.event.run_id = fork.clone();
    }
    let last = copied.pop().unwrap();
    let batch = |records, holds| cuebook_host::log::Append {
        run_id: fork.clone(),
        epoch,
        records,
        consumed: Vec::new(),
        holds,
        entry: RunEntry { run_id: fork.clone(), ..entry.clone() },
        due: cuebook_host::log::Due::Now,
    };
    host.store.append(&principal, batch(copied, vec![Hold::Run(source.clone())])).await.unwrap();
    assert_eq!(prune(&host, &everything()).await.runs, 0, "the fork goes on");
    host.store.append(&principal, batch(vec![last], Vec::new())).await.unwrap();
    assert_eq!(prune(&host, &everything()).await.runs, 2, "both in one round");
    assert!(runs(&host).await.is_empty());
}

#[tokio::test]
async fn the_background_removes_at_start_and_every_hour() {
    let place = Place::new("[retention]\nruns_older_than = \"2d\"\n", true);
    let host = place.host();
    settle(&place, &host, "ends").await;
    place.clock.advance(3 * DAY);
    let young = settle(&place, &host, "ends").await;
    host.keep_tidy();
    while runs(&host).await.len() > 1 {
        tokio::task::yield_now().await;
    }
    assert_eq!(runs(&host).await, [young]);
    let began = place.clock.now();
    while !runs(&host).await.is_empty() {
        place.clock.advance(Duration::from_hours(1));
        tokio::task::yield_now().await;
    }
    assert!(place.clock.now() >= began.plus(Duration::from_hours(47)), "not before its time");
}

#[tokio::test]
async fn the_background_leaves_runs_for_a_day_at_least_and_does_nothing_unasked() {
    let place = Place::new("[retention]\nkeep_runs = 0\n", false);
    let host = place.host();
    let run = settle(&place, &host, "ends").await;
    place.clock.advance(Duration::from_hours(23));
    host.keep_tidy();
    let later = settle(&place, &host, "ends").await;
    assert_eq!(runs(&host).await, [run, later.clone()]);
    let place = Place::new("", false);
    let host = place.host();
    let run = settle(&place, &host, "ends").await;
    place.clock.advance(4000 * DAY);
    host.keep_tidy();
    let later = settle(&place, &host, "ends").await;
    assert_eq!(runs(&host).await, [run, later]);
}

/// What a run comes to, and whether all it refers to is there.
async fn image(host: &Host, run_id: &RunId) -> Json {
    let principal = Principal::local();
    let stored = StoredRun::read(&*host.store, &principal, run_id).await.unwrap();
    let text = host.store.get(&principal, &stored.facts().definition).await.unwrap();
    let definition: Json = serde_json::from_str(&text.expect("the definition is there")).unwrap();
    let snapshot = host.run_snapshot(&principal, run_id).await.map_err(|refusal| refusal.message).unwrap();
    let events = host.events(&principal, run_id, cuebook_host::wire::Sequence(0), 999).await;
    let events = events.map_err(|refusal| refusal.message).unwrap();
    let pinned = events.iter().any(|event| event.event_type.as_str() == "prompt.composed");
    if pinned {
        let kept = Which::Kept(Version::parse("1.0.0").unwrap());
        let found = host.store.prompt(&principal, &TemplateId::parse("greet").unwrap(), &kept).await.unwrap();
        assert!(found.is_some(), "the version that {run_id} was held to is there");
    }
    json!({ "definition": definition, "snapshot": snapshot, "events": events })
}

/// What happens to a store between two looks at it.
#[derive(Clone, Debug)]
enum Step {
    Run(&'static str),
    Days(u32),
    RemoveTemplate,
    Prune { days: Option<u32>, keep: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let workflow = prop::sample::select(vec!["ends", "fails", "conformance-waits", "asks"]);
    let step = prop_oneof![
        5 => workflow.prop_map(Step::Run),
        2 => (1..9_u32).prop_map(Step::Days),
        1 => Just(Step::RemoveTemplate),
        3 => (prop::option::of(0..9_u32), 0..4_usize).prop_map(|(days, keep)| Step::Prune { days, keep }),
    ];
    prop::collection::vec(step, 1..14)
}

/// Plays steps; after each round of removal every run that remains comes to what it came to before.
async fn play(steps: &[Step], on_disk: bool) {
    let place = Place::new("", on_disk);
    let host = place.host();
    add_template(&host, "Good morning.").await;
    let mut has_template = true;
    for step in steps {
        match step {
            Step::Run("asks") if !has_template => {}
            Step::Run(workflow) => drop(settle(&place, &host, workflow).await),
            Step::Days(days) => place.clock.advance(*days * DAY),
            Step::RemoveTemplate if has_template => {
                remove_template(&host).await;
                has_template = false;
            }
            Step::RemoveTemplate => {}
            Step::Prune { days, keep } => {
                let mut before = Vec::new();
                for run_id in runs(&host).await {
                    before.push((run_id.clone(), image(&host, &run_id).await));
                }
                let policy = PrunePolicy {
                    older_than: days.map(|days| days * DAY),
                    keep: *keep,
                    statuses: Vec::new(),
                };
                let pruned = prune(&host, &policy).await;
                let remaining = runs(&host).await;
                assert_eq!(remaining.len() as u64 + pruned.runs, before.len() as u64);
                for (run_id, image_before) in before.iter().filter(|(run_id, _)| remaining.contains(run_id)) {
                    assert_eq!(&image(&host, run_id).await, image_before);
                }
                let gone = |run_id: &RunId| !remaining.contains(run_id);
                for (_, image) in before.iter().filter(|(run_id, _)| gone(run_id)) {
                    assert!(image["snapshot"]["status"] != "waiting-approval", "who waits stays");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn whatever_remains_is_as_it_was(steps in steps(), on_disk in any::<bool>()) {
        Runtime::new().unwrap().block_on(play(&steps, on_disk));
    }
}
