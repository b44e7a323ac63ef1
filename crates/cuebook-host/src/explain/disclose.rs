//! The disclosure as text: the chain of each kind with ✓ and ✗ (RFC 0029 §D), and the composed text with its margin.

use std::fmt::Write as _;

use cuebook_prompt::Segment;
use cuebook_prompt::chain::layer_title;
use cuebook_wire::RunError;
use cuebook_wire::payload::{AgentPromptResolved, ChainEntry, LogAppended};
use serde::Deserialize as _;
use serde_json::Value as Json;

use super::margin::margin;
use super::node::NodePreview;
use super::run::{CompositionView, NodeView, TextSource};

/// The widest margin, in characters; longer labels are cut.
const MARGIN_MAX: usize = 44;

/// A node: header, warnings, the chain of each kind, and what became of it; the composed text when `text` is set.
pub fn disclose_node(node: &NodeView, text: bool) -> String {
    let mut out = format!("▸ node:{}\n", node.node_id);
    let agent = node.agent_id.as_ref().map(|agent| format!("   agent: {agent}")).unwrap_or_default();
    let _ = writeln!(out, "   type: {}{agent}   {}", node.type_id, node.status);
    for warning in &node.warnings {
        out.push_str(&warning_line(warning));
    }
    for resolution in &node.resolutions {
        out.push_str(&disclose_resolution(resolution));
    }
    if let Some(composition) = &node.composition {
        out.push_str(&disclose_composition(composition, text));
    }
    if let Some(error) = &node.error {
        out.push_str(&disclose_error(error));
    }
    out
}

/// What a node would be told: warnings, the chain of each kind, and the composed text when `text` is set.
pub fn disclose_preview(preview: &NodePreview, text: bool) -> String {
    let mut out = format!("▸ node:{}\n", preview.node_id);
    for warning in &preview.warnings {
        out.push_str(&warning_line(warning));
    }
    preview.resolutions.iter().for_each(|resolution| out.push_str(&disclose_resolution(resolution)));
    preview.composition.iter().for_each(|view| out.push_str(&disclose_composition(view, text)));
    out
}

fn warning_line(warning: &LogAppended) -> String {
    let code = warning.code.as_deref().unwrap_or("note");
    format!("   {} [{code}]: {}\n", warning.level, warning.message)
}

/// An error with its place and hint, then the others that stand beside it.
pub fn disclose_error(error: &RunError) -> String {
    let detail = |key: &str| error.details.as_ref().and_then(|details| details.get(key));
    let mut out = format!("   error [{}]: {}\n", error.code, error.message);
    if let (Some(reference), Some(line), Some(column)) =
        (detail("ref").and_then(Json::as_str), detail("line"), detail("column"))
    {
        let _ = writeln!(out, "     at {reference}:{line}:{column}");
    }
    if let Some(hint) = detail("hint").and_then(Json::as_str) {
        let _ = writeln!(out, "     help: {hint}");
    }
    let also = detail("also").and_then(|also| Vec::<RunError>::deserialize(also).ok());
    also.iter().flatten().for_each(|error| out.push_str(&disclose_error(error)));
    out
}

/// The chain of one kind.
pub fn disclose_resolution(resolution: &AgentPromptResolved) -> String {
    let mut out = format!("   kind: {}\n", resolution.kind);
    let _ = writeln!(out, "   resolved: {}", resolution.resolved.as_deref().unwrap_or("(none)"));
    out.push_str("   chain:\n");
    for entry in &resolution.chain {
        let _ = writeln!(out, "     {}", chain_line(entry));
    }
    out
}

fn chain_line(entry: &ChainEntry) -> String {
    let mark = if entry.applied { '✓' } else { '✗' };
    let source = entry.source.as_deref().unwrap_or("none");
    let reason = entry.reason.as_ref().map(|reason| format!(" — {reason}")).unwrap_or_default();
    format!("{mark} {} ({source}){reason}", layer_title(entry.layer))
}

/// The facts of a composition, and its text with the margin when `text` is set.
pub fn disclose_composition(composition: &CompositionView, text: bool) -> String {
    let bodies: Vec<&str> = composition.record.bodies.iter().map(|body| body.reference.as_str()).collect();
    let mut out = format!("   composed: {} ({})\n", bodies.join(" + "), composition.content_trust);
    let verdict = match composition.text_source {
        TextSource::ComposedAgain => " (composed again: it agrees)",
        TextSource::Changed => " (composed again: it differs, prompts have changed since)",
        TextSource::Log | TextSource::NotShown => "",
    };
    let _ = writeln!(out, "   hash: {}{verdict}", composition.hash);
    match composition.composed.as_ref().filter(|_| text) {
        Some(composed) => {
            out.push_str("   text:\n");
            out.push_str(&with_margin(composed, &composition.record.segments));
        }
        None if text => out.push_str("   text: the log does not hold it (observability)\n"),
        None => {}
    }
    out
}

/// A composed text with its origins in the margin, a line each.
pub fn with_margin(composed: &str, segments: &[Segment]) -> String {
    let lines = margin(composed, segments);
    let width = lines.iter().map(|line| line.label.chars().count()).max().unwrap_or(0).min(MARGIN_MAX);
    let mut out = String::new();
    let mut above = "";
    for line in &lines {
        let label = cut(continued(above, &line.label), width);
        let _ = writeln!(out, "     {label:>width$} │ {}", line.text);
        above = &line.label;
    }
    out
}

/// The label without what the line above says already: of a text its name, of a value everything.
fn continued<'l>(above: &str, label: &'l str) -> &'l str {
    if label == above {
        return if label.is_empty() { label } else { "⋮" };
    }
    let name = |label: &str| label.find(':').filter(|at| *at > 0 && !label.starts_with('<'));
    match (name(above), name(label)) {
        (Some(end), Some(at)) if above[..end] == label[..at] => &label[at..],
        _ => label,
    }
}

fn cut(label: &str, width: usize) -> String {
    if label.chars().count() <= width {
        return label.to_owned();
    }
    label.chars().take(width.saturating_sub(1)).chain(std::iter::once('…')).collect()
}
