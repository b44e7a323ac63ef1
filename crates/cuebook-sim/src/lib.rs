//! Whole runs from a seed: a workflow, a host that dies and lives again, a clock that jumps, prompts that are edited.
//!
//! * [`Scenario::generate`]: everything that a run depends on, as plain data.
//! * [`simulate()`]: plays it on the real engine and a real store, on one thread and in virtual time, so that a seed always
//!   comes to the same log.
//! * [`broken`]: the promises that what is left of a run must keep.
//! * [`shrink()`]: the smallest scenario that still breaks one.
//!
//! For tests alone: it reads what models are sent. It refuses real time, real models and any source of chance but the seed.

mod check;
mod flow;
mod generate;
mod life;
mod models;
mod place;
mod prompts;
mod random;
mod scenario;
mod shrink;
mod simulate;
mod store;
mod time;
mod world;

pub use check::{Remains, broken};
pub use random::Random;
pub use scenario::{Answer, Ask, Edge, Fault, Kind, Node, Reply, Scenario};
pub use shrink::{shrink, shrink_by};
pub use simulate::{Verdict, simulate};
