//! What an expression means, apart from how it was laid out.
//!
//! Owns the tree. Equality ignores places. Operators of one level that follow each other are one flat chain, and so
//! are the steps of a path: the depth of the tree is bounded by the nesting of the source, never by its length.

use serde_json::Value;

use crate::function::Function;
use crate::operator::{BinaryOp, Level, UnaryOp};
use crate::path::{Path, Segment};
use crate::span::Span;

/// A part of an expression and its place.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) node: Node,
    pub(crate) span: Span,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Literal(Value),
    List(Vec<Expr>),
    Name(String),
    Access(Box<Access>),
    Call(Function, Vec<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Chain(Box<Chain>),
    Choice(Box<Choice>),
}

/// A value and the steps into it: `base.a["b"][i]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Access {
    pub(crate) base: Expr,
    pub(crate) steps: Vec<Step>,
}

/// One step into a value.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) to: Target,
    pub(crate) span: Span,
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        self.to == other.to
    }
}

/// Where a step goes: known when the expression is read, or computed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Target {
    Fixed(Segment),
    Computed(Expr),
}

/// Operands joined by operators of one level, applied from left to right; at least one link.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chain {
    pub(crate) first: Expr,
    pub(crate) rest: Vec<(BinaryOp, Expr)>,
}

/// `condition ? then : otherwise`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) condition: Expr,
    pub(crate) then: Expr,
    pub(crate) otherwise: Expr,
}

impl Expr {
    pub(crate) fn new(node: Node, span: Span) -> Self {
        Self { node, span }
    }

    /// Stands where an operand should have been, so that reading can go on after a report.
    pub(crate) fn placeholder(span: Span) -> Self {
        Self::new(Node::Name(String::new()), span)
    }

    /// Joins two operands; a left side of the same chaining level grows instead of nesting.
    pub(crate) fn joined(self, op: BinaryOp, right: Self) -> Self {
        let span = self.span.to(right.span);
        let grows = self.level() == op.level() && op.level().chains();
        let chain = match self.node {
            Node::Chain(mut chain) if grows => {
                chain.rest.push((op, right));
                chain
            }
            node => Box::new(Chain { first: Self::new(node, self.span), rest: vec![(op, right)] }),
        };
        Self::new(Node::Chain(chain), span)
    }

    /// Steps into this; steps after steps make one path, parenthesised or not.
    pub(crate) fn stepped(self, more: Vec<Step>) -> Self {
        let Some(last) = more.last() else { return self };
        let span = self.span.to(last.span);
        let access = match self.node {
            Node::Access(mut access) => {
                access.steps.extend(more);
                access
            }
            node => Box::new(Access { base: Self::new(node, self.span), steps: more }),
        };
        Self::new(Node::Access(access), span)
    }

    /// How tightly this binds when it is written with the fewest parentheses.
    pub(crate) fn level(&self) -> Level {
        match &self.node {
            Node::Unary(UnaryOp::Not, operand) if (Level::Not..Level::Unary).contains(&operand.level()) => {
                Level::Not
            }
            Node::Choice(_) => Level::Choice,
            Node::Chain(chain) => chain.rest.first().map_or(Level::Atom, |(op, _)| op.level()),
            Node::Unary(..) => Level::Unary,
            _ => Level::Atom,
        }
    }

    /// Whether this is a name with steps after it, and nothing else.
    pub(crate) fn is_path(&self) -> bool {
        match &self.node {
            Node::Name(_) => true,
            Node::Access(access) => matches!(access.base.node, Node::Name(_)),
            _ => false,
        }
    }

    /// Adds every path in this part, in source order, each as far as it is fixed.
    pub(crate) fn collect_paths(&self, paths: &mut Vec<Path>) {
        match &self.node {
            Node::Literal(_) => {}
            Node::Name(root) => paths.push(Path::new(root.clone(), Vec::new(), self.span)),
            Node::Access(access) => access.collect_paths(paths),
            Node::List(items) | Node::Call(_, items) => {
                for item in items {
                    item.collect_paths(paths);
                }
            }
            Node::Unary(_, operand) => operand.collect_paths(paths),
            Node::Chain(chain) => {
                chain.first.collect_paths(paths);
                for (_, operand) in &chain.rest {
                    operand.collect_paths(paths);
                }
            }
            Node::Choice(choice) => {
                choice.condition.collect_paths(paths);
                choice.then.collect_paths(paths);
                choice.otherwise.collect_paths(paths);
            }
        }
    }
}

impl Access {
    fn collect_paths(&self, paths: &mut Vec<Path>) {
        match &self.base.node {
            Node::Name(root) => paths.push(self.fixed_path(root)),
            _ => self.base.collect_paths(paths),
        }
        for step in &self.steps {
            if let Target::Computed(index) = &step.to {
                index.collect_paths(paths);
            }
        }
    }

    fn fixed_path(&self, root: &str) -> Path {
        let mut segments = Vec::new();
        let mut span = self.base.span;
        for step in &self.steps {
            let Target::Fixed(segment) = &step.to else { break };
            segments.push(segment.clone());
            span = span.to(step.span);
        }
        Path::new(root.to_owned(), segments, span)
    }
}
