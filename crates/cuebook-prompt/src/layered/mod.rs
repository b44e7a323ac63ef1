//! Layered templates in the pipeline: values in, text with origins out.
//!
//! It owns where a root name gets its value and what becomes of what the template engine gives. It refuses secrets:
//! what goes in is JSON with trust. What an untrusted value put into the text is wrapped by the composer, piece by
//! piece, so that a template cannot take a value's taint away.

mod names;
mod pieces;

use std::fmt;
use std::sync::Arc;

use cuebook_template::Diagnostic;
use cuebook_template::pongo::{Context, Misses, Program, Settings};
use cuebook_wire::{ErrorCode, PromptRef};
use indexmap::IndexMap;

use crate::bind::{BindPolicy, Bindings};
use crate::failure::PromptError;
use crate::pinned::Pinned;
use crate::scope::{Scope, Values};
use names::Names;
pub use names::{PLACE_NAMES, is_run_fact};
pub(crate) use pieces::Piece;
use pieces::{pieces_of, splice, trimmed};

/// The name under which units come into a template, one member a slot.
pub const UNITS: &str = "units";

/// A template of layered files with what its host knows about it.
#[derive(Debug)]
pub struct Layered {
    /// The template.
    pub program: Arc<Program>,
    /// Facts of the host, such as the tools that are offered: nothing that a caller gives takes their place.
    pub facts: Values,
    /// Which names are those of facts: one that has none here is not given by a caller either.
    pub is_fact: fn(&str) -> bool,
    /// Values for names that a caller does not give.
    pub defaults: Values,
    /// Such values that depend on where in a run the text is used; they come before the defaults.
    pub placed: Option<Arc<dyn PlacedValues>>,
    /// Templates that are rendered with the same values and come in as `units.<slot>`; no slot at all leaves the name
    /// to the caller.
    pub slots: IndexMap<String, Vec<Arc<Program>>>,
    /// What the rendered text must have.
    pub contract: Option<Arc<dyn TextContract>>,
    /// The most bytes of the rendered text; one more is an error, and nothing is cut.
    pub ceiling: Option<usize>,
}

/// Where in a run a text is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunPlace<'p> {
    /// The id of the workflow.
    pub topology: Option<&'p str>,
    /// The id of the node.
    pub phase: Option<&'p str>,
}

/// Values that depend on where in a run a text is used.
pub trait PlacedValues: Send + Sync + fmt::Debug {
    /// The values at `place`.
    fn values(&self, place: &RunPlace<'_>) -> Values;
}

/// What a rendered text must have, whoever wrote its parts.
pub trait TextContract: Send + Sync + fmt::Debug {
    /// What `text` lacks, each with what to do about it.
    fn unmet(&self, text: &str) -> Vec<Unmet>;
}

/// Something that a text must have and lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet {
    /// One sentence fragment in lower case without a final stop.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl Layered {
    /// A template about which nothing is known.
    pub fn plain(program: Arc<Program>) -> Self {
        Self {
            program,
            facts: Values::new(),
            is_fact: |_| false,
            defaults: Values::new(),
            placed: None,
            slots: IndexMap::new(),
            contract: None,
            ceiling: None,
        }
    }

    /// The template and those of its units.
    pub fn programs(&self) -> impl Iterator<Item = &Program> {
        let units = self.slots.values().flatten();
        std::iter::once(&*self.program).chain(units.map(|program| &**program))
    }
}

/// Binds the root names of a layered template and renders it.
///
/// # Errors
///
/// `prompt_render_failed` with the place in the file; under [`BindPolicy::strict_placeholders`] also for a name or
/// key without value. `render_ceiling_exceeded` for a text over the ceiling. What the text must have and lacks comes back
/// with the bindings.
pub(crate) fn bind(
    pinned: &Pinned,
    layered: &Layered,
    reference: Option<&PromptRef>,
    scope: &Scope,
    policy: BindPolicy,
) -> Result<Bindings, Vec<PromptError>> {
    let names = Names::new(layered, reference, scope);
    let (variables, mut context) = names.bind();
    let misses = Misses::default();
    let render = Render { pinned, settings: settings(policy, &misses) };
    let units = render.units(layered, &context)?;
    if !layered.slots.is_empty() {
        context.insert(UNITS, pieces::as_value(&units));
    }
    let pieces = splice(render.pieces(&layered.program, &context)?, &units);
    hold_ceiling(pinned, layered, &pieces)?;
    let unmet = unmet(pinned, layered, &pieces);
    let missing = misses.into_all();
    Ok(Bindings { variables, unmet, missing, pieces, ..Bindings::default() })
}

/// How a template is rendered: what is missing ends a strict render, also where it would be told of.
fn settings(policy: BindPolicy, misses: &Misses) -> Settings<'_> {
    let misses = (policy.tell_missing && !policy.strict_placeholders).then_some(misses);
    Settings { strict: policy.strict_placeholders || misses.is_some(), misses, ..Settings::default() }
}

/// Renders the programs of one template.
struct Render<'p> {
    pinned: &'p Pinned,
    settings: Settings<'p>,
}

impl Render<'_> {
    fn pieces(&self, program: &Program, context: &Context) -> Result<Vec<Piece>, Vec<PromptError>> {
        let (rendered, segments) = program
            .render_with_origins(context, &self.settings)
            .map_err(|fault| vec![failed(self.pinned, *fault)])?;
        Ok(pieces_of(&rendered.text, segments))
    }

    /// The units of each slot: trimmed, the empty ones left out, a blank line between them.
    fn units(
        &self,
        layered: &Layered,
        context: &Context,
    ) -> Result<IndexMap<String, Vec<Piece>>, Vec<PromptError>> {
        let mut slots = IndexMap::new();
        for (slot, programs) in &layered.slots {
            let mut joined = Vec::new();
            for program in programs {
                let unit = trimmed(self.pieces(program, context)?);
                pieces::join(&mut joined, unit);
            }
            slots.insert(slot.clone(), joined);
        }
        Ok(slots)
    }
}

fn hold_ceiling(pinned: &Pinned, layered: &Layered, pieces: &[Piece]) -> Result<(), Vec<PromptError>> {
    let bytes = pieces.iter().map(|piece| piece.text.len()).sum::<usize>();
    let Some(ceiling) = layered.ceiling.filter(|ceiling| bytes > *ceiling) else { return Ok(()) };
    let message = format!("the text has {bytes} bytes, and the render ceiling is {ceiling}");
    let error = PromptError::new(ErrorCode::RenderCeilingExceeded, message).about_pinned(&pinned.reference);
    Err(vec![error.hint("give the template less data, or raise `render_ceiling`")])
}

/// What the text must have and lacks. Untrusted values have no say: they neither are what is required nor hide it.
fn unmet(pinned: &Pinned, layered: &Layered, pieces: &[Piece]) -> Vec<PromptError> {
    let Some(contract) = &layered.contract else { return Vec::new() };
    let trusted = pieces.iter().filter(|piece| !piece.trust.is_untrusted());
    let text: String = trusted.map(|piece| &*piece.text).collect();
    contract.unmet(&text).into_iter().map(|unmet| broken(pinned, unmet)).collect()
}

fn broken(pinned: &Pinned, unmet: Unmet) -> PromptError {
    let error = PromptError::new(ErrorCode::PromptContractUnmet, unmet.message);
    error.about_pinned(&pinned.reference).hint(unmet.hint)
}

fn failed(pinned: &Pinned, fault: Diagnostic) -> PromptError {
    PromptError::of(ErrorCode::PromptRenderFailed, fault).about_pinned(&pinned.reference)
}
