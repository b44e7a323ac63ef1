//! Taking a run up again: what was under way when its last record was written, as effects.
//!
//! A log ends between two decisions, so all of it can be told from the state. Only what has changed around the run meanwhile is
//! written down: the prompts of its agents.

use cuebook_log::Private;
use cuebook_prompt::IntrinsicHashes;

use super::Decider;
use crate::agent_change::AgentChange;
use crate::effect::{Effect, Timer};
use crate::node_type::NodeType;
use crate::state::Phase;

impl Decider<'_> {
    pub(super) fn resume(&mut self, agents: &IntrinsicHashes) {
        let has_begun = self.state.next.0 > 1;
        self.tell_agents(agents);
        if !has_begun {
            return self.start();
        }
        self.ring_run();
        let active: Vec<usize> = self.state.active().collect();
        for node in active {
            self.resume_node(node);
        }
    }

    /// Tells which agents have another prompt of their own than the run has last told of.
    fn tell_agents(&mut self, present: &IntrinsicHashes) {
        let Some(known) = &self.state.agent_prompts else { return };
        for change in AgentChange::between(known, present) {
            self.emit(None, &change.to_log(), Private::NONE);
        }
    }

    /// Rings when the whole run has taken too long.
    pub(super) fn ring_run(&mut self) {
        if let Some(at) = self.state.times_out_at() {
            self.effect(Effect::Ring(Timer::Run, at));
        }
    }

    fn resume_node(&mut self, node: usize) {
        let attempt = self.attempt(node);
        let state = &self.state.nodes[node];
        let (phase, wake_at) = (state.phase, state.wake_at.unwrap_or(self.now));
        match phase {
            Phase::Retrying => self.effect(Effect::Ring(Timer::Wake(attempt), wake_at)),
            Phase::Running => {
                let deadline = state.deadline;
                if let Some(deadline) = deadline {
                    self.effect(Effect::Ring(Timer::Deadline(attempt.clone()), deadline));
                }
                match self.state.plan.nodes[node].node_type {
                    NodeType::Delay => self.effect(Effect::Ring(Timer::Wake(attempt), wake_at)),
                    // An attempt that has had its time is not sent once more, only to be given up.
                    NodeType::Prompt(_) if deadline.is_none_or(|deadline| deadline > self.now) => {
                        self.resume_prompt(node);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}
