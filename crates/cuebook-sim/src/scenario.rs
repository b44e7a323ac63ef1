//! A scenario: everything that a simulated run depends on, as plain data that can be printed and made smaller.

/// The whole of it.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The seed that it came from.
    pub seed: u64,
    /// Whether the log is kept by SQLite; in memory otherwise.
    pub on_disk: bool,
    /// How many records there are from one checkpoint to the next, at least 1.
    pub checkpoint_every: u64,
    /// How often an attempt is repeated.
    pub max_retries: u32,
    /// How long the run may take, in milliseconds; 0 for ever.
    pub timeout_ms: u64,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges, from an earlier node to a later one.
    pub edges: Vec<Edge>,
    /// What happens to the run.
    pub faults: Vec<Fault>,
}

/// A node, called `n` and a number that it keeps when others go.
#[derive(Clone, Debug)]
pub struct Node {
    /// The number in its name.
    pub number: usize,
    /// What it does.
    pub kind: Kind,
}

impl Node {
    /// The node's id.
    pub fn id(&self) -> String {
        format!("n{}", self.number)
    }
}

/// What a node does.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Nothing.
    Noop,
    /// Gives an untrusted text.
    Untrusted,
    /// Fails.
    Fail,
    /// Waits, in milliseconds.
    Delay(u64),
    /// Asks a person.
    Unsure,
    /// Calls a model.
    Ask(Ask),
}

/// A model call.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Whether its prompt has a secret in it.
    pub secret: bool,
    /// Whether it speaks as the agent whose own prompt is edited.
    pub agent: bool,
    /// Whether it reads the run's untrusted input.
    pub untrusted: bool,
    /// The longest that an attempt may take, in milliseconds; 0 for ever.
    pub timeout_ms: u64,
    /// How the model answers, one call after the other, over and over; at least one.
    pub replies: Vec<Reply>,
}

/// An answer of a model.
#[derive(Clone, Copy, Debug)]
pub struct Reply {
    /// How long it takes, in milliseconds.
    pub after_ms: u64,
    /// What it is.
    pub answer: Answer,
}

/// What a model says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Everything it was sent, secrets included.
    Echo,
    /// The same in pieces.
    Pieces,
    /// Everything, and the secret besides if any model has heard it before.
    Gossip,
    /// A failure that may pass, which tells what was sent.
    Hiccup,
    /// A failure that stays.
    Refusal,
}

/// An edge between two nodes, by number.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The source.
    pub from: usize,
    /// The target.
    pub to: usize,
    /// The trigger rule.
    pub rule: &'static str,
    /// The condition, if any.
    pub condition: Option<&'static str>,
}

/// Something that happens to a run; times are milliseconds since its start, counts are from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process dies before a batch is written: it is torn off the log.
    CrashBeforeAppend(u64),
    /// The process dies when a batch is durable and nobody knows: before its effects.
    CrashAfterAppend(u64),
    /// A batch cannot be written.
    FailAppend(u64),
    /// The process dies when a model has been called and has not answered.
    CrashInCall(u64),
    /// The process dies at a time.
    Crash {
        /// When.
        at: u64,
    },
    /// Somebody takes the run over while it is under way, whose outcomes then come twice.
    SecondLife {
        /// When.
        at: u64,
    },
    /// The machine's clock jumps.
    Clock {
        /// When.
        at: u64,
        /// By how many milliseconds.
        by: i64,
    },
    /// The prompts are edited.
    Edit {
        /// When.
        at: u64,
    },
    /// The secrets are out of reach for a while.
    SecretsGone {
        /// When.
        at: u64,
        /// For how long.
        during: u64,
    },
    /// Somebody cancels the run.
    Cancel {
        /// When.
        at: u64,
    },
    /// Somebody answers every node that asks, twice.
    Answer {
        /// When.
        at: u64,
    },
}

impl Fault {
    /// When it happens, if at a time.
    pub fn time(self) -> Option<u64> {
        match self {
            Self::CrashBeforeAppend(_)
            | Self::CrashAfterAppend(_)
            | Self::FailAppend(_)
            | Self::CrashInCall(_) => None,
            Self::Crash { at }
            | Self::SecondLife { at }
            | Self::Clock { at, .. }
            | Self::Edit { at }
            | Self::SecretsGone { at, .. }
            | Self::Cancel { at }
            | Self::Answer { at } => Some(at),
        }
    }
}
