//! Trigger rules: when a node's incoming edges let it start.
//!
//! The rule stands on the edge. Edges of one node that carry the same rule are judged together, and every rule present
//! must hold. `any_success` and `any_failed` hold as soon as one edge says so; the others wait for all.

use cuebook_wire::TriggerRule;

/// What an edge says once its source has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeVerdict {
    /// The source has not ended.
    Pending,
    /// The source succeeded and the condition, if any, holds.
    Taken,
    /// The source was skipped, or the condition does not hold.
    NotTaken,
    /// The source failed.
    Failed,
}

/// Whether a node may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// Not yet known.
    Wait,
    /// It starts.
    Fire,
    /// It never will, because of this rule.
    Never(TriggerRule),
}

/// Judges the incoming edges of a node; a node without any starts at once.
pub fn join(edges: &[(TriggerRule, EdgeVerdict)]) -> Join {
    let mut answer = Join::Fire;
    for rule in TriggerRule::ALL {
        let verdicts: Vec<EdgeVerdict> =
            edges.iter().filter(|edge| edge.0 == rule).map(|edge| edge.1).collect();
        match judge(rule, &verdicts) {
            Join::Fire => {}
            Join::Wait => answer = Join::Wait,
            Join::Never(rule) => return Join::Never(rule),
        }
    }
    answer
}

/// Judges the edges that carry one rule; without any, the rule asks for nothing.
fn judge(rule: TriggerRule, verdicts: &[EdgeVerdict]) -> Join {
    use EdgeVerdict::{Failed, NotTaken, Pending, Taken};
    if verdicts.is_empty() {
        return Join::Fire;
    }
    let any = |wanted: EdgeVerdict| verdicts.contains(&wanted);
    let (fires, never) = match rule {
        TriggerRule::AllSuccess => (!any(Pending), any(NotTaken) || any(Failed)),
        TriggerRule::AnySuccess => (any(Taken), !any(Pending) && !any(Taken)),
        TriggerRule::AllComplete => (!any(Pending), false),
        TriggerRule::NoneFailed => (!any(Pending), any(Failed)),
        TriggerRule::AnyFailed => (any(Failed), !any(Pending) && !any(Failed)),
    };
    match (never, fires) {
        (true, _) => Join::Never(rule),
        (false, true) => Join::Fire,
        (false, false) => Join::Wait,
    }
}

/// Whether an edge with this rule takes care of a failed source, so that the run goes on.
pub(crate) fn handles_failure(rule: TriggerRule) -> bool {
    matches!(rule, TriggerRule::AllComplete | TriggerRule::AnyFailed)
}

#[cfg(test)]
mod tests {
    use super::EdgeVerdict::{Failed, NotTaken, Pending, Taken};
    use super::*;

    #[track_caller]
    fn check(rule: TriggerRule, verdicts: &[EdgeVerdict], expect: Join) {
        let edges: Vec<_> = verdicts.iter().map(|verdict| (rule, *verdict)).collect();
        assert_eq!(join(&edges), expect, "{rule} over {verdicts:?}");
    }

    #[test]
    fn every_rule_over_every_pair() {
        use Join::{Fire, Never, Wait};
        for rule in TriggerRule::ALL {
            check(rule, &[], Fire);
        }
        let all = TriggerRule::AllSuccess;
        check(all, &[Taken, Taken], Fire);
        check(all, &[Taken, Pending], Wait);
        check(all, &[Pending, NotTaken], Never(all));
        check(all, &[Taken, Failed], Never(all));
        let any = TriggerRule::AnySuccess;
        check(any, &[Taken, Pending], Fire);
        check(any, &[NotTaken, Pending], Wait);
        check(any, &[NotTaken, Failed], Never(any));
        let complete = TriggerRule::AllComplete;
        check(complete, &[Failed, NotTaken], Fire);
        check(complete, &[Failed, Pending], Wait);
        let none = TriggerRule::NoneFailed;
        check(none, &[Taken, NotTaken], Fire);
        check(none, &[NotTaken, Pending], Wait);
        check(none, &[Pending, Failed], Never(none));
        let failed = TriggerRule::AnyFailed;
        check(failed, &[Failed, Pending], Fire);
        check(failed, &[Taken, Pending], Wait);
        check(failed, &[Taken, NotTaken], Never(failed));
    }

    #[test]
    fn different_rules_must_all_hold() {
        let edges = [(TriggerRule::AllSuccess, Taken), (TriggerRule::AnyFailed, Pending)];
        assert_eq!(join(&edges), Join::Wait);
        let edges = [(TriggerRule::AllSuccess, Pending), (TriggerRule::AnyFailed, Taken)];
        assert_eq!(join(&edges), Join::Never(TriggerRule::AnyFailed));
        let edges = [(TriggerRule::AllSuccess, Taken), (TriggerRule::AnyFailed, Failed)];
        assert_eq!(join(&edges), Join::Fire);
    }
}
