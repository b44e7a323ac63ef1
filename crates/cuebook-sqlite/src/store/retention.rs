//! Removal of what nobody needs: one line each to its tables.

use cuebook_log::{Answer, Expired, Expiry, Freed, Retention, RunKey, Sweep};
use rusqlite::Connection;

use super::SqliteStore;
use crate::retention;
use crate::watchers::News;
use crate::writer::Done;

impl Retention for SqliteStore {
    fn next_tenant<'a>(&'a self, after: Option<&'a str>) -> Answer<'a, Option<String>> {
        Box::pin(async move {
            let after = after.map(str::to_owned);
            self.readers.ask(move |connection| retention::next_tenant(connection, after.as_deref())).await
        })
    }

    fn expired<'a>(
        &'a self,
        tenant: &'a str,
        expiry: &'a Expiry,
        after: Option<&'a Expired>,
        limit: usize,
    ) -> Answer<'a, Vec<Expired>> {
        Box::pin(async move {
            let (tenant, expiry, after) = (tenant.to_owned(), expiry.clone(), after.cloned());
            let work = move |connection: &Connection| {
                retention::expired(connection, &tenant, &expiry, after.as_ref(), limit)
            };
            self.readers.ask(work).await
        })
    }

    fn remove_run<'a>(&'a self, run: &'a RunKey) -> Answer<'a, Option<Freed>> {
        Box::pin(async move {
            let run = run.clone();
            let work = move |connection: &Connection| {
                let answer = retention::remove_run(connection, &run)?;
                let news = answer.is_some().then_some(News { run: (run.tenant, run.run_id), next: None });
                Ok(Done { answer, news })
            };
            self.writer.ask(work).await
        })
    }

    fn sweep<'a>(&'a self, sweep: &'a Sweep) -> Answer<'a, Freed> {
        Box::pin(async move {
            let sweep = *sweep;
            self.writer.ask(move |connection| retention::sweep(connection, &sweep).map(Done::quiet)).await
        })
    }
}
