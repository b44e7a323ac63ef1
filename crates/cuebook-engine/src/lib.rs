//! Runs: fold, decide, and the executor that performs effects.
