//! One scenario from beginning to end, over as many lives as it takes, and what was found.

use std::sync::Arc;

use anyhow::Context;
use cuebook_engine::{Clock, FOLD_VERSION, RunFacts, RunState};
use cuebook_log::{Record, RunStore};
use cuebook_wire::Sequence;
use tokio::runtime::{Builder, Runtime};

use crate::check::{Remains, broken};
use crate::flow::{facts, plan};
use crate::life::{End, Event, Events, Life};
use crate::place::Place;
use crate::scenario::{Fault, Scenario};
use crate::store::settle;
use crate::world::World;

/// More processes than any scenario needs.
const MAX_LIVES: u32 = 60;

/// What came of a scenario.
#[derive(Debug)]
pub struct Verdict {
    /// The promises that were broken, each once.
    pub broken: Vec<String>,
    /// The log, as far as it came.
    pub records: Vec<Record>,
    /// How often the run was taken up, its beginning included.
    pub lives: u32,
}

/// Plays a scenario.
///
/// # Errors
///
/// When it cannot be played: its workflow does not compile, or the machine gives no directory or thread.
pub fn simulate(scenario: &Scenario) -> anyhow::Result<Verdict> {
    let world = World::new(scenario.clone());
    let plan = plan(scenario).context("compile the workflow")?;
    let facts = facts(scenario, &plan, &world.prompts.pipeline(), world.time.now())?;
    let place = Place::new(scenario.on_disk)?;
    let mut events = events(scenario);
    let mut lives = 0;
    let live = loop {
        world.begin_anew();
        let (runtime, store) = (runtime(&world)?, place.open()?);
        let life = Life::new(&world, &plan, &facts, Arc::clone(&store), &mut lives, &mut events);
        let end = runtime.block_on(life.live());
        // Whatever was in memory goes with the process.
        drop(runtime);
        drop(store);
        match end {
            End::Ended(state) => break Some(*state),
            End::Unborn | End::Broken => break None,
            End::Crashed if lives > MAX_LIVES => {
                world.violated("the process dies for ever");
                break None;
            }
            End::Crashed => {}
        }
    };
    judge(&world, &place, &facts, plan, live, lives)
}

/// A runtime of one thread, which says when it has nothing to do.
fn runtime(world: &World) -> anyhow::Result<Runtime> {
    let idle = Arc::clone(&world.idle);
    Builder::new_current_thread().on_thread_park(move || idle.reach()).build().context("make a runtime")
}

fn events(scenario: &Scenario) -> Events {
    let timed = |fault: &Fault| fault.time().map(|at| (at, Event::Fault(*fault)));
    let mut events: Vec<_> = scenario.faults.iter().filter_map(timed).collect();
    events.sort_by_key(|(at, _)| *at);
    events.into()
}

fn judge(
    world: &World,
    place: &Place,
    facts: &RunFacts,
    plan: Arc<cuebook_engine::Plan>,
    live: Option<RunState>,
    lives: u32,
) -> anyhow::Result<Verdict> {
    let mut found = world.violations();
    let has_ended = live.is_some();
    let (records, checkpoint) = read(&*place.open()?, facts);
    let acknowledged = world.acknowledged();
    let remains = Remains { plan, records, acknowledged, live, checkpoint, bytes: place.bytes()? };
    if has_ended {
        found.extend(broken(&remains));
    } else if found.is_empty() && !remains.acknowledged.is_empty() {
        found.push("a run was acknowledged and is not there".to_owned());
    }
    Ok(Verdict { broken: found, records: remains.records, lives })
}

fn read(store: &dyn RunStore, facts: &RunFacts) -> (Vec<Record>, Option<cuebook_log::Checkpoint>) {
    let (principal, run_id) = (&facts.principal, &facts.run_id);
    let records = settle(store.read(principal, run_id, Sequence(0), usize::MAX)).unwrap_or_default();
    let checkpoint = settle(store.checkpoint(principal, run_id, FOLD_VERSION)).ok().flatten();
    (records, checkpoint)
}
