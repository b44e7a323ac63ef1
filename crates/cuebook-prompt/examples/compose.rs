//! Measures composition: `cargo run -p cuebook-prompt --example compose --profile ci [ROUNDS]`.
//!
//! A flat prompt of 4 KB with twelve variables goes from parsed values to a composition with its hashes. The floor is the
//! SHA-256 hashes that it has, each over the same text and written the same way: that of the prompt, and one for every
//! variable. The ratio is what binding, both faces, the source map and the facts cost besides.

use std::hint::black_box;
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cuebook_prompt::{
    BindPolicy, Composition, ContentHash, Part, Pinned, Scope, SecretValues, Slot, Value, Values, bind,
    compose,
};
use cuebook_wire::{LibraryId, PromptTemplate};
use serde_json::json;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

const VARIABLES: usize = 12;
const BYTES: usize = 4096;
/// How often each is measured; the best counts.
const REPEATS: usize = 7;

fn main() -> Outcome<()> {
    let rounds = std::env::args().nth(1).map_or(Ok(20_000), |rounds| rounds.parse())?;
    let (pinned, scope) = (Arc::new(Pinned::template(&LibraryId::host(), &template()?)), scope());
    let sample = composed(&pinned, &scope)?;
    let text = sample.observed.composed.clone();
    let values: Vec<String> =
        sample.observed.variables.iter().map(|(_, bound)| bound.value.observed_text().into_owned()).collect();
    let ours = best(rounds, || composed(&pinned, &scope).map(|it| hashes(&it)).ok());
    let floor = best(rounds, || {
        let hashes = std::iter::once(&text).chain(&values).map(|text| ContentHash::of(text));
        hashes.map(|hash| hash.as_str().len()).sum::<usize>()
    });
    let micros = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(rounds);
    writeln!(
        std::io::stdout(),
        "{} bytes, {} variables: composition {:.2} µs, its hashes {:.2} µs, ratio {:.2}",
        text.len(),
        values.len(),
        micros(ours),
        micros(floor),
        ours.as_secs_f64() / floor.as_secs_f64(),
    )?;
    Ok(())
}

/// The best time of `rounds` calls.
fn best<T>(rounds: u32, mut act: impl FnMut() -> T) -> Duration {
    let mut measure = || {
        let began = Instant::now();
        (0..rounds).for_each(|_| drop(black_box(act())));
        began.elapsed()
    };
    (0..REPEATS).map(|_| measure()).min().unwrap_or_default()
}

/// Has the hashes of the variables made; the length of all.
fn hashes(composition: &Composition) -> usize {
    composition.observed.variables.hashes().map(|(_, hash)| hash.as_str().len()).sum()
}

fn composed(pinned: &Arc<Pinned>, scope: &Scope) -> Outcome<Composition> {
    let bindings = bind(pinned, None, scope, BindPolicy::default()).map_err(|_| "it does not bind")?;
    let part = Part { pinned: Arc::clone(pinned), slot: Slot::Chain(pinned.kind), bindings };
    compose(vec![part], &SecretValues::new()).ok_or_else(|| "there is no text".into())
}

/// A prompt whose text, with its values, has 4 KB.
fn template() -> Outcome<PromptTemplate> {
    let filler = "Keep to the facts that the sources give, and say where each of them stands. ";
    let each = BYTES / VARIABLES - value(0).len();
    let paragraph = |at: usize| {
        let filler: String = filler.chars().cycle().take(each - 1).collect();
        format!("{filler}{{{{name_{at}}}}}\n")
    };
    let variable = |at: usize| json!({ "name": format!("name_{at}"), "type": "string", "required": true });
    Ok(serde_json::from_value(json!({
        "templateId": "measured", "version": "1.0.0", "kind": "user",
        "text": (0..VARIABLES).map(paragraph).collect::<String>(),
        "variables": (0..VARIABLES).map(variable).collect::<Vec<_>>(),
    }))?)
}

fn value(at: usize) -> String {
    format!("the value of number {at:02}")
}

fn scope() -> Scope {
    let values = (0..VARIABLES).map(|at| (format!("name_{at}"), Value::trusted(value(at).into())));
    Scope::Supplied(values.collect::<Values>())
}
