//! The identity of a set of layers: a hash of every name and every byte in it.
//!
//! It owns what goes into the hash. It refuses clocks and paths: the same files give the same revision on any machine.

use cuebook_prompt::{ContentHash, Hasher};

use crate::layer::Layer;

/// A revision in the making.
#[derive(Default)]
pub(crate) struct Digest(Hasher);

impl Digest {
    /// Takes in the revision of what lies below.
    pub(crate) fn below(&mut self, revision: &ContentHash) {
        self.0.update(revision.as_str());
    }

    /// Takes in a layer: its rank, then each name with its text, or the fact that it has none.
    pub(crate) fn layer(&mut self, layer: &Layer) {
        self.0.update("\0\0");
        self.0.update(layer.tier.as_str());
        for (path, fault) in layer.blocked() {
            self.0.update("\0\0\0\0");
            self.0.update(path);
            self.0.update(&fault.to_string());
        }
        for (reference, file) in layer.files() {
            self.0.update("\0");
            self.0.update(reference.as_str());
            self.0.update(if file.source.is_ok() { "\0" } else { "\0\0" });
            match &file.source {
                Ok(source) => self.0.update(source.text()),
                Err(fault) => self.0.update(&fault.to_string()),
            }
        }
    }

    /// Takes in a text under a name.
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        for part in ["\0\0\0", name, "\0", text] {
            self.0.update(part);
        }
    }

    pub(crate) fn finish(self) -> ContentHash {
        self.0.finish()
    }
}
