//! The operators and how tightly they bind.
//!
//! Owns the precedence table that the parser and the printer share, so that they cannot disagree.

/// How tightly a construct binds, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Choice,
    Or,
    And,
    /// The word `not`; the symbol `!` is at `Unary`.
    Not,
    Equality,
    Relation,
    Sum,
    Product,
    Unary,
    Atom,
}

impl Level {
    /// The level that the right operand of an operator of this level must have at least.
    pub(crate) fn tighter(self) -> Self {
        match self {
            Self::Choice => Self::Or,
            Self::Or => Self::And,
            Self::And => Self::Not,
            Self::Not => Self::Equality,
            Self::Equality => Self::Relation,
            Self::Relation => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product => Self::Unary,
            Self::Unary | Self::Atom => Self::Atom,
        }
    }

    /// Whether `a op b op c` is allowed and means `(a op b) op c`.
    pub(crate) fn chains(self) -> bool {
        !matches!(self, Self::Equality | Self::Relation)
    }
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    NotIn,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl BinaryOp {
    pub(crate) fn level(self) -> Level {
        match self {
            Self::Or => Level::Or,
            Self::And => Level::And,
            Self::Equal | Self::NotEqual => Level::Equality,
            Self::Add | Self::Subtract => Level::Sum,
            Self::Multiply | Self::Divide | Self::Remainder => Level::Product,
            _ => Level::Relation,
        }
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::In => "in",
            Self::NotIn => "not in",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }
}

/// An operator in front of its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Not,
    Negate,
}

impl UnaryOp {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Not => "!",
            Self::Negate => "-",
        }
    }
}
