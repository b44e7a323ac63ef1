//! The pongo dialect under a renderer's options.

use cuebook_template::Source;
use cuebook_template::pongo::{Context, Options, Program, Rendered, Settings};

use super::rendered::RenderedTemplate;
use super::renderer::Renderer;
use crate::report::Problems;

/// Compiles a template and the files it names.
///
/// # Errors
///
/// Everything that is wrong with any of them.
pub(super) fn compile(renderer: &Renderer, source: Source) -> Result<Program, Problems> {
    let options =
        Options { autoescape: renderer.options.autoescape, ..Options::of(renderer.options.profile) };
    Program::compile(source, &renderer.roots, &options)
        .map_err(|problems| problems.into_iter().collect::<Problems>())
}

pub(super) fn render(
    renderer: &Renderer,
    source: Source,
    context: &Context,
) -> Result<RenderedTemplate, Problems> {
    run(renderer, &compile(renderer, source)?, context)
}

/// Renders a program.
///
/// # Errors
///
/// The first thing that went wrong.
pub(super) fn run(
    renderer: &Renderer,
    program: &Program,
    context: &Context,
) -> Result<RenderedTemplate, Problems> {
    let settings = Settings {
        strict: renderer.options.strict,
        misses: None,
        now: renderer.options.now,
        seed: renderer.options.seed,
        loader: Some(&renderer.roots),
        cache: Some(&renderer.cache),
    };
    let outcome = if renderer.options.origins {
        program.render_with_origins(context, &settings).map(|(text, segments)| (text, Some(segments)))
    } else {
        program.render(context, &settings).map(|text| (text, None))
    };
    let (Rendered { text, trust }, segments) = outcome.map_err(|problem| Problems::from(*problem))?;
    Ok(RenderedTemplate { text, trust, segments, warnings: program.warnings().iter().cloned().collect() })
}
