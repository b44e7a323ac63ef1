//! A parsed file: statements and expressions, each with its place.
//!
//! It owns the shape of what was written. It refuses meaning: names are names, and other files are not looked at.

use std::collections::HashMap;
use std::rc::Rc;

use super::filters::Filter;
use crate::span::Span;

/// A file.
#[derive(Debug)]
pub(super) struct File {
    pub(super) body: Block,
    /// The file that this one extends.
    pub(super) parent: Option<Literal>,
    /// The bodies of its blocks, however deep they stand.
    pub(super) blocks: HashMap<Box<str>, Rc<Block>>,
    /// The macros that it exports, however deep they stand.
    pub(super) exports: HashMap<Box<str>, Rc<Macro>>,
}

/// Statements in order.
pub(super) type Block = Vec<Statement>;

/// A name with its place.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: Box<str>,
    pub(super) span: Span,
}

/// A string with its place.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    pub(super) text: Box<str>,
    pub(super) span: Span,
}

/// A value given to a name.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) name: Name,
    pub(super) value: Expression,
}

/// A piece of a file.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) kind: StatementKind,
    pub(super) span: Span,
}

/// What a piece of a file does.
#[derive(Debug)]
pub(super) enum StatementKind {
    /// Text from the source.
    Text,
    /// Text that a tag stands for.
    Constant(&'static str),
    Output(Expression),
    If {
        branches: Vec<(Expression, Block)>,
        otherwise: Block,
    },
    IfEqual {
        negated: bool,
        left: Expression,
        right: Expression,
        then: Block,
        otherwise: Block,
    },
    IfChanged {
        watched: Vec<Expression>,
        then: Block,
        otherwise: Block,
    },
    For(Box<For>),
    Set(Pair),
    With {
        pairs: Vec<Pair>,
        body: Block,
    },
    Include(Box<Include>),
    Ssi {
        file: Literal,
        parsed: bool,
    },
    /// Its body is among [`File::blocks`].
    Block(Name),
    Macro(Rc<Macro>),
    Import {
        file: Literal,
        macros: Vec<Import>,
    },
    Cycle {
        values: Vec<Expression>,
        name: Option<Name>,
        silent: bool,
    },
    FirstOf(Vec<Expression>),
    Filter {
        calls: Vec<FilterCall>,
        body: Block,
    },
    Spaceless(Block),
    Autoescape {
        on: bool,
        body: Block,
    },
    WidthRatio {
        value: Expression,
        max: Expression,
        width: Expression,
        name: Option<Name>,
    },
    Now {
        layout: Literal,
        fake: bool,
    },
    Lorem(Lorem),
}

/// A `for` block.
#[derive(Debug)]
pub(super) struct For {
    pub(super) key: Name,
    pub(super) value: Option<Name>,
    pub(super) sequence: Expression,
    pub(super) reversed: bool,
    pub(super) sorted: bool,
    pub(super) body: Block,
    pub(super) empty: Block,
}

/// An `include` tag.
#[derive(Debug)]
pub(super) struct Include {
    pub(super) file: IncludeFile,
    pub(super) if_exists: bool,
    pub(super) pairs: Vec<Pair>,
    pub(super) only: bool,
}

/// Which file is included.
#[derive(Debug)]
pub(super) enum IncludeFile {
    Literal(Literal),
    Expression(Expression),
}

/// A macro's definition.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) name: Name,
    pub(super) parameters: Vec<(Name, Option<Expression>)>,
    pub(super) exported: bool,
    pub(super) body: Block,
}

/// A macro taken from another file.
#[derive(Debug)]
pub(super) struct Import {
    pub(super) name: Name,
    pub(super) alias: Name,
}

/// A `lorem` tag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lorem {
    pub(super) count: usize,
    pub(super) method: LoremMethod,
    pub(super) random: bool,
}

/// What `lorem` counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoremMethod {
    Words,
    /// Paragraphs between `<p>` tags.
    Paragraphs,
    Plain,
}

/// An expression.
#[derive(Debug)]
pub(super) struct Expression {
    pub(super) kind: ExpressionKind,
    pub(super) span: Span,
}

/// What an expression does.
#[derive(Debug)]
pub(super) enum ExpressionKind {
    Str(Box<str>),
    Int(i64),
    Float(f64),
    Bool(bool),
    List(Vec<Expression>),
    Path { root: Name, steps: Vec<Step> },
    Not(Box<Expression>),
    Negative(Box<Expression>),
    Binary { operator: Operator, left: Box<Expression>, right: Box<Expression> },
    Filtered { input: Box<Expression>, calls: Vec<FilterCall> },
}

/// One step along a path.
#[derive(Debug)]
pub(super) enum Step {
    Key(Name),
    Index(usize),
    Subscript(Expression),
    Call(Vec<Expression>),
}

/// A filter and its argument.
#[derive(Debug)]
pub(super) struct FilterCall {
    pub(super) filter: &'static Filter,
    pub(super) argument: Option<Expression>,
    pub(super) span: Span,
}

/// What joins two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}
