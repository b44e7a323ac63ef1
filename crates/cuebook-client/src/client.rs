//! Owns the client as callers hold it: cheap to clone, grouped by resource. Refuses to show its key.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::address::Base;
use crate::builder::ClientBuilder;
use crate::error::ClientError;
use crate::key::{ApiKey, Scrubber};
use crate::resources::agents::Agents;
use crate::resources::discovery::Discovery;
use crate::resources::extensions::Extensions;
use crate::resources::interrupts::Interrupts;
use crate::resources::prompts::Prompts;
use crate::resources::runs::Runs;
use crate::resources::workflows::Workflows;
use crate::retry::{RetryPolicy, Timer};

/// A client of one OpenWOP v1 host; clones share connections.
#[derive(Clone)]
pub struct Client(Arc<Shared>);

/// What all clones of a client have in common.
pub(crate) struct Shared {
    pub(crate) http: reqwest::Client,
    pub(crate) base: Base,
    pub(crate) key: Option<ApiKey>,
    pub(crate) timeout: Duration,
    pub(crate) retry: RetryPolicy,
    pub(crate) timer: Arc<dyn Timer>,
}

impl Client {
    /// A client of the host at `base_url`, with a bearer key and default limits; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`Config`](crate::ClientErrorKind::Config) with every problem: an address that is not plain http or https, that
    /// carries a user, query or fragment or ends in `/v1`; a key that no header can carry.
    pub fn new(base_url: &str, key: &str) -> Result<Self, ClientError> {
        Self::builder(base_url).key(key).build()
    }

    /// Starts a client of the host at `base_url`: the address up to where `/v1` begins.
    pub fn builder(base_url: &str) -> ClientBuilder {
        ClientBuilder::new(base_url)
    }

    pub(crate) fn from_shared(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.0
    }

    pub(crate) fn scrubber(&self) -> Scrubber<'_> {
        Scrubber(self.0.key.as_ref())
    }

    /// What the host says about itself.
    pub fn discovery(&self) -> Discovery<'_> {
        Discovery::new(self)
    }

    /// Workflow definitions.
    pub fn workflows(&self) -> Workflows<'_> {
        Workflows::new(self)
    }

    /// Runs and their events.
    pub fn runs(&self) -> Runs<'_> {
        Runs::new(self)
    }

    /// Interrupts that wait for an answer.
    pub fn interrupts(&self) -> Interrupts<'_> {
        Interrupts::new(self)
    }

    /// The prompt library.
    pub fn prompts(&self) -> Prompts<'_> {
        Prompts::new(self)
    }

    /// The inventory of agents.
    pub fn agents(&self) -> Agents<'_> {
        Agents::new(self)
    }

    /// Endpoints outside the protocol that some hosts have.
    pub fn extensions(&self) -> Extensions<'_> {
        Extensions::new(self)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base", &self.0.base).finish_non_exhaustive()
    }
}
