//! Measures a large library: `cargo run -p cuebook-host --example library --profile ci [TEMPLATES]`.
//!
//! A page of fifty in the middle of the list is read from a library of a hundred templates and from a large one, both on
//! disk; and the resident memory is read before and after every template of the large one was looked up once.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cuebook_host::prompt::Principal;
use cuebook_host::wire::{LibraryId, PromptTemplate, TemplateId};
use cuebook_host::{Host, Options, Place};
use serde_json::json;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

const FEW: usize = 100;
const PAGE: usize = 50;
/// How many pages are read; the median counts.
const PAGES: usize = 200;
/// How many templates one import has.
const BATCH: usize = 1_000;

fn main() -> Outcome<()> {
    let many: usize = std::env::args().nth(1).map_or(Ok(100_000), |many| many.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (few, _) = runtime.block_on(measure(FEW))?;
    let (large, memory) = runtime.block_on(measure(many))?;
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    writeln!(
        std::io::stdout(),
        "page of {PAGE} among {FEW}: {:.0} µs, among {many}: {:.0} µs, ratio {:.2}\n\
         memory with {many} templates on disk: {} MB, after each was looked up: {} MB",
        micros(few),
        micros(large),
        large.as_secs_f64() / few.as_secs_f64(),
        memory.0,
        memory.1,
    )?;
    Ok(())
}

/// The median time of a page, and the memory in MB before and after all look-ups.
async fn measure(templates: usize) -> Outcome<(Duration, (u64, u64))> {
    let directory = tempfile::tempdir()?;
    fill(directory.path(), templates).await?;
    let (host, principal) = (open(directory.path())?, Principal::local());
    let middle: Place = (LibraryId::user(), id(templates / 2 - PAGE / 2)?);
    let mut times = Vec::with_capacity(PAGES);
    for _ in 0..PAGES {
        let began = Instant::now();
        let (page, _) = host
            .list_templates(&principal, Some(&middle), PAGE, |_, _| true)
            .await
            .map_err(|refusal| refusal.message)?;
        times.push(began.elapsed());
        if page.len() != PAGE {
            return Err(format!("a page of {}", page.len()).into());
        }
    }
    times.sort_unstable();
    let before = resident()?;
    for at in 0..templates {
        host.template(&principal, &format!("prompt:{}", id(at)?)).await.map_err(|it| it.to_string())?;
    }
    Ok((times[PAGES / 2], (before, resident()?)))
}

/// Puts templates of about a kilobyte into the library.
async fn fill(directory: &Path, templates: usize) -> Outcome<()> {
    let host = open(directory)?;
    let text = "Keep to the facts that the sources give, and say where each of them stands. ".repeat(13);
    let numbers: Vec<usize> = (0..templates).collect();
    for batch in numbers.chunks(BATCH) {
        let batch: Vec<PromptTemplate> = batch
            .iter()
            .map(|at| {
                let document =
                    json!({ "templateId": id(*at)?, "version": "1.0.0", "kind": "user", "text": text });
                Ok(serde_json::from_value(document)?)
            })
            .collect::<Outcome<_>>()?;
        let imported = host.import_prompts(&Principal::local(), &batch, false).await;
        imported.map_err(|refusal| refusal.message)?;
    }
    Ok(())
}

fn open(directory: &Path) -> Outcome<Arc<Host>> {
    let data = Some(directory.join("data"));
    let options = Options { root: directory.to_owned(), data, ..Options::default() };
    Ok(Arc::new(Host::open(&options).map_err(|problems| problems.to_string())?))
}

fn id(at: usize) -> Outcome<TemplateId> {
    Ok(TemplateId::parse(&format!("measured-{at:06}"))?)
}

/// The resident memory of this process in MB, as the system tells it.
fn resident() -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").trim().parse::<u64>()? / 1024)
}
