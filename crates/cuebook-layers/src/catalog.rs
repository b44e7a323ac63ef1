//! What the packs of a host bring together: the lowest layer.
//!
//! It owns the bundled files by name. It refuses to change: another set of packs is another catalog.

use cuebook_prompt::ContentHash;

use crate::layer::Layer;
use crate::revision::Digest;

/// The files of all packs, one a name.
#[derive(Debug)]
pub struct Catalog {
    layer: Layer,
    revision: ContentHash,
}

impl Catalog {
    /// The catalog of `layer`.
    pub fn new(layer: Layer) -> Self {
        let mut digest = Digest::default();
        digest.layer(&layer);
        Self { revision: digest.finish(), layer }
    }

    /// The lowest layer.
    pub fn layer(&self) -> &Layer {
        &self.layer
    }

    /// The hash of all its files.
    pub fn revision(&self) -> &ContentHash {
        &self.revision
    }
}
