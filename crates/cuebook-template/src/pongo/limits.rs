//! What a template may use: the limits, their names, and what happens at each.
//!
//! It owns the numbers. It refuses to count: whoever spends a thing holds it against the limit and reports what was
//! seen. A limit is inclusive: exactly as much is fine.

use std::fmt;

use super::fault::{Fault, code};

/// One thing that is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LimitKind {
    /// Bytes of one template file.
    SourceBytes,
    /// Bytes of rendered text.
    OutputBytes,
    /// Tags, `{% … %}`, in one file.
    Tags,
    /// Blocks within each other, includes and inheritance counted through; expressions within each other; and both
    /// together, through calls of macros and of files that only a render can name. Lists of lists as well.
    Nesting,
    /// `for` blocks within each other in one file.
    LoopNesting,
    /// Files that include each other in a chain; the entry counts as the first.
    IncludeDepth,
    /// Distinct files in one program, and distinct files that one render names.
    Files,
    /// Statements, operations and filters of one program after its files were linked.
    ProgramNodes,
    /// Bytes of text and tags of one program after its files were linked; a file counts wherever it is included.
    ProgramBytes,
    /// Items of one list, map or string that is looped over, and of any list or map in the context.
    LoopItems,
    /// Lists and maps within each other in the context.
    ContextDepth,
    /// Values of any kind in the context.
    ContextValues,
    /// Bytes of all strings and keys in the context.
    ContextBytes,
    /// Steps of a render: each node that is run costs one, and so do 64 bytes or 4 items that a filter or an operator
    /// reads.
    Fuel,
    /// Bytes of values that a render makes on its way.
    MemoryBytes,
    /// The number that asks a filter for padding, digits or words.
    FilterArgument,
}

impl LimitKind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [Self; 16] = [
        Self::SourceBytes,
        Self::OutputBytes,
        Self::Tags,
        Self::Nesting,
        Self::LoopNesting,
        Self::IncludeDepth,
        Self::Files,
        Self::ProgramNodes,
        Self::ProgramBytes,
        Self::LoopItems,
        Self::ContextDepth,
        Self::ContextValues,
        Self::ContextBytes,
        Self::Fuel,
        Self::MemoryBytes,
        Self::FilterArgument,
    ];

    /// The name in errors and settings, in lower snake case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SourceBytes => "source_bytes",
            Self::OutputBytes => "output_bytes",
            Self::Tags => "tags",
            Self::Nesting => "nesting",
            Self::LoopNesting => "loop_nesting",
            Self::IncludeDepth => "include_depth",
            Self::Files => "files",
            Self::ProgramNodes => "program_nodes",
            Self::ProgramBytes => "program_bytes",
            Self::LoopItems => "loop_items",
            Self::ContextDepth => "context_depth",
            Self::ContextValues => "context_values",
            Self::ContextBytes => "context_bytes",
            Self::Fuel => "fuel",
            Self::MemoryBytes => "memory_bytes",
            Self::FilterArgument => "filter_argument",
        }
    }
}

impl fmt::Display for LimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A value for each [`LimitKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits([usize; LimitKind::ALL.len()]);

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

impl Limits {
    /// The limits of the `full` profile: generous, and still a bound on time and memory.
    pub const FULL: Self = Self([
        4 * MIB,    // source_bytes
        32 * MIB,   // output_bytes
        65_536,     // tags
        128,        // nesting
        128,        // loop_nesting
        32,         // include_depth
        1_024,      // files
        1_000_000,  // program_nodes
        64 * MIB,   // program_bytes
        1_000_000,  // loop_items
        128,        // context_depth
        1_000_000,  // context_values
        64 * MIB,   // context_bytes
        20_000_000, // fuel
        64 * MIB,   // memory_bytes
        10_000,     // filter_argument
    ]);

    /// The limits of the `composed` and `isolated` profiles.
    pub const COMPOSED: Self = Self([
        256 * KIB, // source_bytes
        MIB,       // output_bytes
        4_096,     // tags
        128,       // nesting
        2,         // loop_nesting
        12,        // include_depth
        256,       // files
        100_000,   // program_nodes
        16 * MIB,  // program_bytes
        256,       // loop_items
        32,        // context_depth
        16_384,    // context_values
        2 * MIB,   // context_bytes
        2_000_000, // fuel
        4 * MIB,   // memory_bytes
        10_000,    // filter_argument
    ]);

    /// How much of `kind` is allowed.
    pub const fn get(&self, kind: LimitKind) -> usize {
        self.0[kind as usize]
    }

    /// The same limits with another value for `kind`.
    pub const fn with(mut self, kind: LimitKind, value: usize) -> Self {
        self.0[kind as usize] = value;
        self
    }

    /// Holds `seen` against the limit of `kind`.
    ///
    /// # Errors
    ///
    /// `template_limit_exceeded` when `seen` is greater.
    pub(crate) fn check(&self, kind: LimitKind, seen: usize) -> Result<(), Fault> {
        let limit = self.get(kind);
        if seen > limit { Err(exceeded(kind, limit, &seen.to_string())) } else { Ok(()) }
    }
}

/// The error of a limit that was passed: its name, its value, and what was seen.
pub(crate) fn exceeded(kind: LimitKind, limit: usize, seen: &str) -> Fault {
    Fault::new(code::LIMIT, format!("limit '{kind}' is {limit}, got {seen}"))
        .hint(format!("use less, or raise the limit '{kind}'"))
}
