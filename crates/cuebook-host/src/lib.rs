//! The composition root: config, wiring, compose, explain, start a run.
