//! The seeds of the test command, and what playing them is worth.

use std::thread;

use cuebook_sim::{Fault, Scenario, shrink_by, simulate};

/// Plays seeds on a thread of their own; gives the reports of those that break a promise, and how many lives there were.
fn play(seeds: impl Iterator<Item = u64> + Send) -> (Vec<String>, u32) {
    let (mut reports, mut lives) = (Vec::new(), 0);
    for seed in seeds {
        let verdict = simulate(&Scenario::generate(seed)).unwrap();
        lives += verdict.lives;
        if !verdict.broken.is_empty() {
            reports.push(format!("cargo xtask sim --seed {seed}: {}", verdict.broken.join("; ")));
        }
    }
    (reports, lives)
}

#[test]
fn three_hundred_seeds_keep_every_promise() {
    let halves = thread::scope(|scope| {
        let halves =
            [0, 1].map(|half| scope.spawn(move || play((0..300).filter(move |seed| seed % 2 == half))));
        halves.map(|half| half.join().unwrap())
    });
    let lives: u32 = halves.iter().map(|(_, lives)| lives).sum();
    let reports: Vec<String> = halves.into_iter().flat_map(|(reports, _)| reports).collect();
    assert!(reports.is_empty(), "{}", reports.join("\n"));
    assert!(lives > 400, "the seeds hardly ever die: {lives} lives");
}

#[test]
fn a_seed_always_comes_to_the_same_log() {
    for seed in 0..40 {
        let scenario = Scenario::generate(seed);
        let (one, other) = (simulate(&scenario).unwrap(), simulate(&scenario).unwrap());
        assert_eq!(one.records, other.records, "seed {seed}");
        assert_eq!(one.lives, other.lives, "seed {seed}");
    }
}

#[test]
fn both_stores_come_to_the_same_log() {
    for seed in 0..40 {
        let scenario = Scenario::generate(seed);
        let on = |on_disk| simulate(&Scenario { on_disk, ..scenario.clone() }).unwrap().records;
        assert_eq!(on(true), on(false), "seed {seed}");
    }
}

#[test]
fn a_failing_scenario_is_made_as_small_as_it_can_be() {
    let has_edit =
        |scenario: &Scenario| scenario.faults.iter().any(|fault| matches!(fault, Fault::Edit { .. }));
    let large = (0..1_000)
        .map(Scenario::generate)
        .find(|scenario| has_edit(scenario) && scenario.faults.len() > 2 && scenario.nodes.len() > 3);
    let smallest = shrink_by(&large.unwrap(), &has_edit);
    assert_eq!((smallest.faults.len(), smallest.nodes.len(), smallest.edges.len()), (1, 1, 0));
}
