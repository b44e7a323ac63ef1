//! Budgets: how long rendered prompts may be.
//!
//! It owns `host/prompt-budgets.yaml` and the verdicts by it, in bytes of the final text. It refuses to cut: a budget guards
//! authors and releases, and the one ceiling that holds at run time fails.

mod category;
mod document;
mod judge;
mod merge;
mod tighten;

pub use category::Category;
pub use document::{BudgetFile, ByCategory, Exception, Limit, Sizes};
pub use judge::{Because, Level, Verdict};
pub use merge::Budgets;
pub use tighten::{CapChange, Measured, rewrite, tighten};

/// The path of the budgets in a pack.
pub const BUDGET_FILE: &str = "host/prompt-budgets.yaml";
