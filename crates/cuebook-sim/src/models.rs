//! The models of a simulated process. They see what is sent, and hold it against the log right then.

use std::sync::Arc;

use cuebook_engine::{InvocationId, ModelAnswer, ModelCall, Models, Phase, PieceSink, Plan, RunState};
use cuebook_log::{Record, RunStore};
use cuebook_prompt::Principal;
use cuebook_wire::{ErrorCode, NodeId, RunError, RunId, Sequence};
use futures_util::future::BoxFuture;

use crate::flow::TAINT;
use crate::prompts::CANARY;
use crate::scenario::{Answer, Kind, Reply};
use crate::world::World;

/// The models of one process.
pub(crate) struct SimModels {
    pub(crate) world: Arc<World>,
    /// The store without faults, to look at.
    pub(crate) store: Arc<dyn RunStore>,
    pub(crate) plan: Arc<Plan>,
    pub(crate) run_id: RunId,
    /// Which process this is.
    pub(crate) life: u32,
}

impl SimModels {
    #[expect(clippy::disallowed_methods, reason = "a model of the simulation's own reads what it is sent")]
    fn text(call: ModelCall<'_>) -> String {
        call.dispatch
            .expose(|text| format!("{}\n{}", text.system.unwrap_or_default(), text.user.unwrap_or_default()))
    }

    /// The node that a prompt says it is of, before it repeats what others said.
    fn node_of(&self, text: &str) -> Option<usize> {
        let nodes = self.world.scenario.nodes.iter();
        let places = nodes.filter_map(|node| Some((text.find(&format!("[{}]", node.id()))?, node.number)));
        places.min().map(|(_, number)| number)
    }

    fn reply(&self, number: usize) -> Option<Reply> {
        let count = self.world.next_answer(number);
        let node = self.world.scenario.nodes.iter().find(|node| node.number == number)?;
        match &node.kind {
            Kind::Ask(ask) => ask.replies.get(count.checked_rem(ask.replies.len())?).copied(),
            _ => None,
        }
    }

    fn log(&self) -> Vec<Record> {
        let (principal, from) = (Principal::local(), Sequence(0));
        crate::store::settle(self.store.read(&principal, &self.run_id, from, usize::MAX)).unwrap_or_default()
    }

    /// Holds a call against the log: its intent is durable, its outcome is not, and its id is the composition's.
    fn check_intent(&self, number: usize, invocation: &str) {
        let folded = RunState::of_log(&self.log(), Arc::clone(&self.plan)).ok().flatten();
        let id = NodeId::new(format!("n{number}"));
        let Some((state, index)) = folded.zip(self.plan.index(&id)) else {
            return self.world.violated("a model was called before the run was durable");
        };
        let node = &state.nodes[index];
        if node.phase != Phase::Running || node.composed.is_none() {
            let phase = node.phase.as_str();
            self.world.violated(format!("a model was called for n{number} while the log says '{phase}'"));
        }
        let ordinal = node.compositions.saturating_sub(1);
        let facts = &state.facts;
        let due = InvocationId::derive(&facts.principal, &facts.run_id, &id, ordinal, "default");
        if invocation != due.as_str() {
            self.world.violated(format!("the call of n{number} has not the id of its last composition"));
        }
        self.world.note_called(self.life, number, node.attempt);
    }

    fn is_secret(&self, text: &str) -> bool {
        let number = self.node_of(text);
        let node = self.world.scenario.nodes.iter().find(|node| Some(node.number) == number);
        node.is_some_and(|node| matches!(&node.kind, Kind::Ask(ask) if ask.secret))
    }

    fn check_text(&self, text: &str) {
        // A template with a secret ends in it; what it repeats of others stands before.
        if text.ends_with(" with [REDACTED:sim-key]") && self.is_secret(text) {
            self.world.violated("a prompt was sent without its secret");
        }
        let outside: String = text.split("<UNTRUSTED>").map(after_wrapping).collect();
        if outside.contains(TAINT) {
            self.world.violated("untrusted text was sent without its wrapping");
        }
    }

    async fn answer(
        &self,
        mut text: String,
        reply: Reply,
        pieces: PieceSink<'_>,
    ) -> Result<ModelAnswer, RunError> {
        self.world.time.sleep(reply.after_ms).await;
        let failure = |text: &str, retryable| {
            let error = RunError::new(ErrorCode::ProviderError, format!("cannot answer {text}"));
            RunError { retryable: Some(retryable), ..error }
        };
        match reply.answer {
            Answer::Hiccup => return Err(failure(&text, true)),
            Answer::Refusal => return Err(failure(&text, false)),
            Answer::Gossip if self.world.is_told() => text.push_str(CANARY),
            Answer::Echo | Answer::Gossip => {}
            Answer::Pieces => {
                for piece in text.split_inclusive(' ') {
                    pieces(piece);
                    self.world.time.sleep(30).await;
                }
            }
        }
        Ok(ModelAnswer {
            text,
            provider: "sim".to_owned(),
            model: "echo".to_owned(),
            usage: Some((1, 1)),
            finish: "stop",
        })
    }
}

/// What stands after the end of the wrapping that a part begins with; all of it when there is none.
fn after_wrapping(part: &str) -> &str {
    part.split_once("</UNTRUSTED>").map_or(part, |(_, after)| after)
}

impl Models for SimModels {
    fn call<'a>(
        &'a self,
        call: ModelCall<'a>,
        pieces: PieceSink<'a>,
    ) -> BoxFuture<'a, Result<ModelAnswer, RunError>> {
        Box::pin(async move {
            let text = Self::text(call);
            let dies = self.world.next_call();
            self.check_text(&text);
            self.world.note_sent(call.invocation.as_str(), &text);
            let reply = self.node_of(&text).and_then(|number| {
                self.check_intent(number, call.invocation.as_str());
                self.reply(number)
            });
            if dies {
                self.world.crash();
                std::future::pending::<()>().await;
            }
            match reply {
                Some(reply) => self.answer(text, reply, pieces).await,
                None => Err(RunError::new(ErrorCode::ProviderError, "no node asks this")),
            }
        })
    }
}
