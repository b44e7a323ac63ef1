//! Which prompt, and exactly what it says: chain, pin, bind, compose.

mod dispatch;
mod secret;

pub use dispatch::{Dispatch, DispatchText};
pub use secret::{SecretId, SecretStore, SecretText, SecretUnavailable, SecretUse};
