//! Making a scenario smaller as long as it still breaks a promise.

use crate::scenario::{Kind, Scenario};
use crate::simulate::simulate;

/// The smallest scenario found that still breaks a promise; faults are left out first, then nodes, then what they do.
pub fn shrink(scenario: &Scenario) -> Scenario {
    shrink_by(scenario, &|smaller| simulate(smaller).is_ok_and(|verdict| !verdict.broken.is_empty()))
}

/// The smallest scenario found for which `fails` still holds.
pub fn shrink_by(scenario: &Scenario, fails: &dyn Fn(&Scenario) -> bool) -> Scenario {
    let mut smallest = scenario.clone();
    while let Some(smaller) = smaller(&smallest).into_iter().find(|smaller| fails(smaller)) {
        smallest = smaller;
    }
    smallest
}

/// Every scenario that has one thing less.
fn smaller(scenario: &Scenario) -> Vec<Scenario> {
    let mut found = Vec::new();
    for at in 0..scenario.faults.len() {
        let mut smaller = scenario.clone();
        smaller.faults.remove(at);
        found.push(smaller);
    }
    if scenario.nodes.len() > 1 {
        found.extend(scenario.nodes.iter().map(|node| without(scenario, node.number)));
    }
    for at in 0..scenario.edges.len() {
        let mut smaller = scenario.clone();
        smaller.edges.remove(at);
        found.push(smaller);
    }
    found.extend(simpler(scenario));
    found
}

fn without(scenario: &Scenario, number: usize) -> Scenario {
    let mut smaller = scenario.clone();
    smaller.nodes.retain(|node| node.number != number);
    smaller.edges.retain(|edge| edge.from != number && edge.to != number);
    smaller
}

/// Every scenario with a setting or a call made plain.
fn simpler(scenario: &Scenario) -> Vec<Scenario> {
    let mut found = Vec::new();
    if scenario.on_disk {
        found.push(Scenario { on_disk: false, ..scenario.clone() });
    }
    if scenario.timeout_ms > 0 {
        found.push(Scenario { timeout_ms: 0, ..scenario.clone() });
    }
    for at in 0..scenario.nodes.len() {
        if let Kind::Ask(ask) = &scenario.nodes[at].kind {
            let mut plain = ask.clone();
            (plain.secret, plain.agent, plain.untrusted, plain.timeout_ms) = (false, false, false, 0);
            plain.replies.truncate(1);
            if (ask.secret || ask.agent || ask.untrusted) || ask.timeout_ms > 0 || ask.replies.len() > 1 {
                let mut smaller = scenario.clone();
                smaller.nodes[at].kind = Kind::Ask(plain);
                found.push(smaller);
            }
        }
    }
    found
}
