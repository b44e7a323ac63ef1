//! Lives of host processes on one data directory, and runs that are waited for.

use std::sync::Arc;

use cuebook_host::prompt::Principal;
use cuebook_host::wire::{CreateRun, RunId, RunStatus, WorkflowId};
use cuebook_host::{CreateOptions, Host, Options};
use serde_json::{Map, Value as Json};
use tokio::runtime::Runtime;

use super::Project;

/// One life of a host process: when it is over, everything in memory is gone.
pub(crate) fn life<T>(project: &Project, act: impl AsyncFnOnce(Arc<Host>) -> T) -> T {
    let runtime = Runtime::new().unwrap();
    let data = Some(project.path().join("data"));
    let options = Options { root: project.path().to_owned(), data, ..Options::default() };
    let host = Arc::new(Host::open(&options).unwrap_or_else(|problems| panic!("{problems}")));
    runtime.block_on(act(host))
}

pub(crate) async fn create(host: &Arc<Host>, workflow: &str) -> RunId {
    let inputs = Map::from_iter([("topic".to_owned(), Json::from("tea"))]);
    let request = CreateRun { inputs, ..CreateRun::new(WorkflowId::new(workflow)) };
    host.create_run(&Principal::local(), request, CreateOptions::default())
        .await
        .map_err(|refusal| refusal.message)
        .unwrap()
        .run_id
}

/// Waits until a record comes after which the run has this status.
pub(crate) async fn until(host: &Host, run_id: &RunId, status: RunStatus) {
    let mut next = host.store.watch(&Principal::local(), run_id).await.unwrap();
    loop {
        next.borrow_and_update();
        if host.store.entry(&Principal::local(), run_id).await.unwrap().status == status {
            return;
        }
        next.changed().await.unwrap();
    }
}

/// Waits until no run has a task.
pub(crate) async fn rest(host: &Host) {
    while host.resident_runs() > 0 {
        tokio::task::yield_now().await;
    }
}
