//! Nodes as they are put together.
//!
//! It owns the merging of texts: what two includes put next to each other is one text in the program, with the places
//! of its parts.

use crate::pongo::program::{Code, Node, Places, Site};

/// Nodes in order, and text that may still grow.
#[derive(Default)]
pub(super) struct CodeBuilder {
    nodes: Vec<Node>,
    text: String,
    parts: Vec<(u32, Site)>,
}

impl CodeBuilder {
    /// Adds text that came from `site`.
    pub(super) fn text(&mut self, text: &str, site: Site) {
        if !text.is_empty() {
            self.text.push_str(text);
            self.parts.push((u32::try_from(text.len()).unwrap_or(u32::MAX), site));
        }
    }

    pub(super) fn push(&mut self, node: Node, places: &mut Places) {
        self.flush(places);
        self.nodes.push(node);
    }

    pub(super) fn finish(mut self, places: &mut Places) -> Code {
        self.flush(places);
        Code(self.nodes.into_boxed_slice())
    }

    fn flush(&mut self, places: &mut Places) {
        if self.text.is_empty() {
            return;
        }
        let first = u32::try_from(places.parts.len()).unwrap_or(u32::MAX);
        places.parts.append(&mut self.parts);
        self.nodes.push(Node::Raw(std::mem::take(&mut self.text).into_boxed_str(), first));
    }
}
