//! Owns what a host says about itself. Sends no key: both documents are public.

use cuebook_wire::Capabilities;
use serde_json::Value;

use super::handle;
use crate::call::Call;
use crate::error::ClientError;
use crate::tolerance;

handle! {
    /// What a host says about itself.
    Discovery
}

impl Discovery<'_> {
    /// The host's capabilities: `GET /.well-known/openwop`.
    ///
    /// Blocks that an older host keeps under `capabilities` are found at the root as well; names of kinds, sources, scopes
    /// and classes that this version does not know are left out.
    ///
    /// # Errors
    ///
    /// [`ClientError`] of kind `Transport`, `Api` or `Decode`.
    pub async fn capabilities(self) -> Result<Capabilities, ClientError> {
        let call = Call::get("/.well-known/openwop").anonymous();
        self.client.reply(&call).await?.json_after(tolerance::discovery)
    }

    /// The host's description of its API, `OpenAPI` 3.1: `GET /v1/openapi.json`.
    ///
    /// # Errors
    ///
    /// [`ClientError`] of kind `Transport`, `Api` or `Decode`.
    pub async fn openapi(self) -> Result<Value, ClientError> {
        self.client.reply(&Call::get("/v1/openapi.json").anonymous()).await?.json()
    }
}
