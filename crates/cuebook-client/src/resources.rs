//! Owns the endpoints, grouped by resource, and the shapes of answers that are no published documents. Each handle borrows
//! its client and is made anew for every call.

pub(crate) mod agents;
pub(crate) mod discovery;
pub(crate) mod extensions;
pub(crate) mod interrupts;
pub(crate) mod prompts;
pub(crate) mod runs;
pub(crate) mod workflows;

/// Declares the handle of one resource.
macro_rules! handle {
    ($(#[doc = $doc:literal])+ $name:ident) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy)]
        pub struct $name<'c> {
            client: &'c crate::client::Client,
        }

        impl<'c> $name<'c> {
            pub(crate) fn new(client: &'c crate::client::Client) -> Self {
                Self { client }
            }
        }
    };
}

pub(crate) use handle;
