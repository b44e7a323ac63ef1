//! What the simulation promises: 300 seeds keep every promise, a seed always comes to the same, and broken logs are seen.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod checks;
mod seeds;
