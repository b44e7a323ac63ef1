//! A store that fails where the scenario says so, and answers at once, so that nothing races.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use cuebook_log::{
    Added, Agenda, Answer, Append, Blobs, Checkpoint, Checkpoints, Claim, Claimed, Definition, Definitions,
    Ending, Expired, Expiry, Freed, ImportedPrompts, Inbox, KeptPrompt, LogError, NewPrompt, Offered, Open,
    PromptImport, PromptLibrary, PromptRemoval, PromptVersion, QueueLength, Record, Removed, RequestKey,
    Requests, Retention, RunEntry, RunIndex, RunKey, RunLog, RunStore, Signal, Sweep, Unfinished, Which,
    WriteQueue,
};
use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::{RunId, RunStatus, Sequence, TemplateId, Timestamp, WorkflowId};
use tokio::sync::watch;

use crate::scenario::Fault;
use crate::world::World;

/// The store of one simulated process.
pub(crate) struct FaultyStore {
    pub(crate) inner: Arc<dyn RunStore>,
    pub(crate) world: Arc<World>,
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for an answer on this thread: the store's own threads have done their work before anything else goes on.
pub(crate) fn settle<F: Future>(future: F) -> F::Output {
    // Without it a task's budget could make a channel wait for a turn that never comes.
    let mut future = pin!(tokio::task::unconstrained(future));
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => thread::park(),
        }
    }
}

impl FaultyStore {
    /// Asks the store within, unless the process has died.
    fn ask<'a, T: Send + 'a>(&'a self, answer: Answer<'a, T>) -> Answer<'a, T> {
        Box::pin(async move {
            if self.world.is_crashed() {
                return std::future::pending().await;
            }
            settle(answer)
        })
    }

    fn append_now(&self, principal: &Principal, batch: Append) -> Option<Result<(), LogError>> {
        let fault = self.world.next_append();
        let records = batch.records.clone();
        match fault {
            Some(Fault::CrashBeforeAppend(_)) => {
                self.world.crash();
                return None;
            }
            Some(Fault::FailAppend(_)) => return Some(Err(LogError::Storage("the disk is full".to_owned()))),
            _ => {}
        }
        let answer = settle(self.inner.append(principal, batch));
        if answer.is_ok() && matches!(fault, Some(Fault::CrashAfterAppend(_))) {
            self.world.crash();
            return None;
        }
        if answer.is_ok() {
            self.world.acknowledge(records);
        }
        Some(answer)
    }
}

impl RunLog for FaultyStore {
    fn open<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId, how: Open) -> Answer<'a, u64> {
        self.ask(self.inner.open(principal, run_id, how))
    }

    fn append<'a>(&'a self, principal: &'a Principal, batch: Append) -> Answer<'a, ()> {
        Box::pin(async move {
            let answer = if self.world.is_crashed() { None } else { self.append_now(principal, batch) };
            match answer {
                Some(answer) => answer,
                None => std::future::pending().await,
            }
        })
    }

    fn read<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        from: Sequence,
        limit: usize,
    ) -> Answer<'a, Vec<Record>> {
        self.ask(self.inner.read(principal, run_id, from, limit))
    }

    fn watch<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
    ) -> Answer<'a, watch::Receiver<Sequence>> {
        self.ask(self.inner.watch(principal, run_id))
    }
}

impl Inbox for FaultyStore {
    fn offer_within<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        signal: Signal,
        room: usize,
    ) -> Answer<'a, Offered> {
        self.ask(self.inner.offer_within(principal, run_id, signal, room))
    }

    fn pending<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId) -> Answer<'a, Vec<Signal>> {
        self.ask(self.inner.pending(principal, run_id))
    }
}

impl RunIndex for FaultyStore {
    fn entry<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId) -> Answer<'a, RunEntry> {
        self.ask(self.inner.entry(principal, run_id))
    }

    fn runs<'a>(
        &'a self,
        principal: &'a Principal,
        statuses: &'a [RunStatus],
        limit: usize,
    ) -> Answer<'a, Vec<RunEntry>> {
        self.ask(self.inner.runs(principal, statuses, limit))
    }

    fn in_scope<'a>(&'a self, principal: &'a Principal, scope: &'a str) -> Answer<'a, Vec<RunId>> {
        self.ask(self.inner.in_scope(principal, scope))
    }
}

impl Blobs for FaultyStore {
    fn put<'a>(&'a self, principal: &'a Principal, text: &'a str) -> Answer<'a, ContentHash> {
        self.ask(self.inner.put(principal, text))
    }

    fn get<'a>(&'a self, principal: &'a Principal, hash: &'a ContentHash) -> Answer<'a, Option<String>> {
        self.ask(self.inner.get(principal, hash))
    }
}

impl Definitions for FaultyStore {
    fn register<'a>(
        &'a self,
        principal: &'a Principal,
        workflow_id: &'a WorkflowId,
        text: &'a str,
    ) -> Answer<'a, ContentHash> {
        self.ask(self.inner.register(principal, workflow_id, text))
    }

    fn definition<'a>(
        &'a self,
        principal: &'a Principal,
        workflow_id: &'a WorkflowId,
    ) -> Answer<'a, Option<Definition>> {
        self.ask(self.inner.definition(principal, workflow_id))
    }

    fn definitions<'a>(
        &'a self,
        principal: &'a Principal,
        after: Option<&'a WorkflowId>,
        limit: usize,
    ) -> Answer<'a, Vec<Definition>> {
        self.ask(self.inner.definitions(principal, after, limit))
    }
}

impl Requests for FaultyStore {
    fn claim<'a>(&'a self, principal: &'a Principal, claim: Claim) -> Answer<'a, Claimed> {
        self.ask(self.inner.claim(principal, claim))
    }

    fn settle<'a>(
        &'a self,
        principal: &'a Principal,
        request: &'a RequestKey,
        ending: Ending,
    ) -> Answer<'a, ()> {
        self.ask(self.inner.settle(principal, request, ending))
    }
}

impl PromptLibrary for FaultyStore {
    fn add_prompt<'a>(&'a self, principal: &'a Principal, new: NewPrompt) -> Answer<'a, Added> {
        self.ask(self.inner.add_prompt(principal, new))
    }

    fn import_prompts<'a>(
        &'a self,
        principal: &'a Principal,
        import: PromptImport,
    ) -> Answer<'a, ImportedPrompts> {
        self.ask(self.inner.import_prompts(principal, import))
    }

    fn prompt<'a>(
        &'a self,
        principal: &'a Principal,
        template_id: &'a TemplateId,
        which: &'a Which,
    ) -> Answer<'a, Option<KeptPrompt>> {
        self.ask(self.inner.prompt(principal, template_id, which))
    }

    fn prompt_versions<'a>(
        &'a self,
        principal: &'a Principal,
        template_id: &'a TemplateId,
    ) -> Answer<'a, Vec<PromptVersion>> {
        self.ask(self.inner.prompt_versions(principal, template_id))
    }

    fn prompts<'a>(
        &'a self,
        principal: &'a Principal,
        after: Option<&'a TemplateId>,
        limit: usize,
    ) -> Answer<'a, Vec<KeptPrompt>> {
        self.ask(self.inner.prompts(principal, after, limit))
    }

    fn remove_prompt<'a>(&'a self, principal: &'a Principal, removal: PromptRemoval) -> Answer<'a, Removed> {
        self.ask(self.inner.remove_prompt(principal, removal))
    }
}

impl Agenda for FaultyStore {
    fn unfinished<'a>(&'a self, after: Option<&'a RunKey>, limit: usize) -> Answer<'a, Vec<Unfinished>> {
        self.ask(self.inner.unfinished(after, limit))
    }

    fn due<'a>(
        &'a self,
        after: Option<&'a (Timestamp, RunKey)>,
        limit: usize,
    ) -> Answer<'a, Vec<(Timestamp, RunKey)>> {
        self.ask(self.inner.due(after, limit))
    }
}

impl Checkpoints for FaultyStore {
    fn keep<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        checkpoint: Checkpoint,
    ) -> Answer<'a, ()> {
        self.ask(self.inner.keep(principal, run_id, checkpoint))
    }

    fn checkpoint<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        fold: u32,
    ) -> Answer<'a, Option<Checkpoint>> {
        self.ask(self.inner.checkpoint(principal, run_id, fold))
    }

    fn forget<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId) -> Answer<'a, ()> {
        self.ask(self.inner.forget(principal, run_id))
    }
}

impl Retention for FaultyStore {
    fn next_tenant<'a>(&'a self, after: Option<&'a str>) -> Answer<'a, Option<String>> {
        self.ask(self.inner.next_tenant(after))
    }

    fn expired<'a>(
        &'a self,
        tenant: &'a str,
        expiry: &'a Expiry,
        after: Option<&'a Expired>,
        limit: usize,
    ) -> Answer<'a, Vec<Expired>> {
        self.ask(self.inner.expired(tenant, expiry, after, limit))
    }

    fn remove_run<'a>(&'a self, run: &'a RunKey) -> Answer<'a, Option<Freed>> {
        self.ask(self.inner.remove_run(run))
    }

    fn sweep<'a>(&'a self, sweep: &'a Sweep) -> Answer<'a, Freed> {
        self.ask(self.inner.sweep(sweep))
    }
}

impl WriteQueue for FaultyStore {
    fn queue(&self) -> QueueLength {
        self.inner.queue()
    }
}
