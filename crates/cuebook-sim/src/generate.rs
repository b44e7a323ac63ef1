//! Scenarios from seeds.

use crate::random::Random;
use crate::scenario::{Answer, Ask, Edge, Fault, Kind, Node, Reply, Scenario};

/// The trigger rules, the usual one more often.
const RULES: [&str; 7] =
    ["all_success", "all_success", "all_success", "any_success", "all_complete", "none_failed", "any_failed"];
/// Conditions on edges, and none.
const CONDITIONS: [Option<&str>; 6] =
    [None, None, None, Some("true"), Some("false"), Some("variables.n > 3")];
/// An hour, in milliseconds.
const HOUR: i64 = 3_600_000;

impl Scenario {
    /// The scenario of a seed.
    pub fn generate(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let count = 1 + random.index(6);
        let nodes = (0..count).map(|number| Node { number, kind: kind(&mut random) }).collect();
        let edges = edges(&mut random, count);
        let faults = (0..random.below(6)).map(|_| fault(&mut random)).collect();
        Self {
            seed,
            on_disk: random.chance(1, 3),
            checkpoint_every: 1 + random.below(9),
            max_retries: u32::try_from(random.below(3)).unwrap_or(0),
            timeout_ms: if random.chance(1, 8) { 500 + random.below(20_000) } else { 0 },
            nodes,
            edges,
            faults,
        }
    }
}

fn kind(random: &mut Random) -> Kind {
    match random.below(16) {
        0 => Kind::Noop,
        1 | 2 => Kind::Untrusted,
        3 => Kind::Fail,
        4 | 5 => Kind::Delay(random.below(15_000)),
        6 | 7 => Kind::Unsure,
        _ => Kind::Ask(ask(random)),
    }
}

fn ask(random: &mut Random) -> Ask {
    Ask {
        secret: random.chance(1, 2),
        agent: random.chance(1, 2),
        untrusted: random.chance(1, 3),
        timeout_ms: if random.chance(1, 6) { 50 + random.below(3_000) } else { 0 },
        replies: (0..=random.below(3)).map(|_| reply(random)).collect(),
    }
}

fn reply(random: &mut Random) -> Reply {
    let answer = match random.below(10) {
        0..3 => Answer::Echo,
        3..5 => Answer::Pieces,
        5 | 6 => Answer::Gossip,
        7..9 => Answer::Hiccup,
        _ => Answer::Refusal,
    };
    Reply { after_ms: random.below(2_000), answer }
}

fn edges(random: &mut Random, count: usize) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    for _ in 0..random.index(2 * count) {
        let (one, other) = (random.index(count), random.index(count));
        let (from, to) = (one.min(other), one.max(other));
        let rule = RULES[random.index(RULES.len())];
        let condition = CONDITIONS[random.index(CONDITIONS.len())];
        if from < to && !edges.iter().any(|edge| (edge.from, edge.to) == (from, to)) {
            edges.push(Edge { from, to, rule, condition });
        }
    }
    edges
}

fn fault(random: &mut Random) -> Fault {
    let at = random.below(6_000);
    match random.below(13) {
        0 | 1 => Fault::CrashBeforeAppend(1 + random.below(12)),
        2 | 3 => Fault::CrashAfterAppend(random.below(12)),
        4 => Fault::FailAppend(1 + random.below(12)),
        5 => Fault::CrashInCall(random.below(5)),
        6 => Fault::Crash { at },
        7 => Fault::SecondLife { at },
        8 => Fault::Clock { at, by: if random.chance(2, 3) { -HOUR } else { HOUR } },
        9 => Fault::Edit { at },
        10 => Fault::SecretsGone { at, during: random.below(3_000) },
        11 if random.chance(1, 2) => Fault::Cancel { at },
        _ => Fault::Answer { at },
    }
}
