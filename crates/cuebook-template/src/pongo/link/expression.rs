//! Expressions: names become slots, filters keep their places.

use super::Linker;
use super::code::CodeBuilder;
use crate::diagnostic::Diagnostic;
use crate::nearest::nearest;
use crate::pongo::fault::code;
use crate::pongo::filters::Run;
use crate::pongo::program::{Emit, Expr, FilterStep, Hint, Key, Missing, Node, Path, PathStep};
use crate::pongo::tree::{Expression, ExpressionKind, FilterCall, Name, Operator, Step};
use crate::pongo::view::LoopField;
use crate::pongo::word::Word;

impl Linker<'_> {
    pub(super) fn expr(&mut self, expression: &Expression) -> Expr {
        if is_leaf(&expression.kind) {
            return self.expr_here(expression);
        }
        if !self.count(size(&expression.kind), expression.span) {
            // What is beyond the limit is not linked; that has been reported.
            return Expr::Bool(false);
        }
        self.deeper(|linker| linker.expr_here(expression))
    }

    fn expr_here(&mut self, expression: &Expression) -> Expr {
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Str(text) => Expr::Str(text.clone()),
            ExpressionKind::Int(integer) => Expr::Int(*integer),
            ExpressionKind::Float(float) => Expr::Float(*float),
            ExpressionKind::Bool(bool) => Expr::Bool(*bool),
            ExpressionKind::List(items) => Expr::List(self.exprs(items), self.site(span)),
            ExpressionKind::Path { root, steps } => self.path(root, steps, expression),
            ExpressionKind::Not(inner) => Expr::Not(Box::new(self.expr(inner))),
            ExpressionKind::Negative(inner) => Expr::Negative(Box::new(self.expr(inner)), self.site(span)),
            ExpressionKind::Binary { operator, left, right } => {
                let operands = Box::new((self.expr(left), self.expr(right)));
                match operator {
                    Operator::And => Expr::And(operands),
                    Operator::Or => Expr::Or(operands),
                    _ => Expr::Binary(*operator, operands, self.site(span)),
                }
            }
            ExpressionKind::Filtered { input, calls } => {
                let input = self.filter_input(input, calls);
                Expr::Filtered(Box::new(input), self.filter_steps(calls).into_boxed_slice())
            }
        }
    }

    pub(super) fn exprs(&mut self, expressions: &[Expression]) -> Box<[Expr]> {
        expressions.iter().map(|expression| self.expr(expression)).collect()
    }

    /// An expression in which a missing name is no fault: a test.
    pub(super) fn test(&mut self, expression: &Expression) -> Expr {
        let missing = std::mem::replace(&mut self.missing, Missing::Fine);
        let expr = self.expr(expression);
        self.missing = missing;
        expr
    }

    fn filter_input(&mut self, input: &Expression, calls: &[FilterCall]) -> Expr {
        let defaulted = calls.iter().any(|call| matches!(call.filter.name, "default" | "default_if_none"));
        if defaulted { self.test(input) } else { self.expr(input) }
    }

    pub(super) fn filter_steps(&mut self, calls: &[FilterCall]) -> Vec<FilterStep> {
        let step = |call: &FilterCall| FilterStep {
            filter: call.filter,
            argument: call.argument.as_ref().map(|argument| self.expr(argument)),
            site: self.site(call.span),
        };
        calls.iter().map(step).collect()
    }

    fn path(&mut self, root: &Name, steps: &[Step], expression: &Expression) -> Expr {
        if *root.text == *"block" && self.is_in_block() && is_super(steps) {
            let mut code = CodeBuilder::default();
            self.super_block(&mut code);
            return Expr::Super(Box::new(code.finish(&mut self.places)), self.site(expression.span));
        }
        self.check_loop_member(root, steps);
        let site = self.site(expression.span);
        let slot = self.read(&root.text, site);
        match steps {
            [] => Expr::Slot(slot, self.missing, site),
            [Step::Key(key)] => Expr::Member(slot, Box::new(as_key(key)), self.missing, site),
            _ => {
                let steps = steps.iter().map(|step| self.step(step)).collect();
                Expr::Path(Box::new(Path { root: slot, steps, missing: self.missing, site }))
            }
        }
    }

    fn step(&mut self, step: &Step) -> PathStep {
        match step {
            Step::Key(name) => PathStep::Key(as_key(name)),
            Step::Index(index) => PathStep::Index(*index),
            Step::Subscript(expression) => PathStep::Subscript(self.expr(expression)),
            Step::Call(arguments) => PathStep::Call(self.exprs(arguments)),
        }
    }

    /// A member that `forloop` does not have renders as nothing, as in the original, and is worth a word.
    fn check_loop_member(&mut self, root: &Name, steps: &[Step]) {
        let (true, Some(Step::Key(key))) = (*root.text == *"forloop", steps.first()) else { return };
        if LoopField::parse(&key.text).is_some() {
            return;
        }
        let message = format!("'forloop' has no member '{}'", key.text);
        let near =
            nearest(&capitalised(&key.text), LoopField::ALL.map(LoopField::as_str)).unwrap_or("Counter");
        let source = self.places.files[self.file as usize].clone();
        let warning = Diagnostic::warning(code::UNDEFINED, message).at(&source, key.span);
        self.warnings.push(warning.with_hint(format!("did you mean '{near}'?")));
    }

    /// Links `{{ expression }}`.
    pub(super) fn output(&mut self, expression: &Expression, out: &mut CodeBuilder) {
        let escape = self.escape && !is_marked_safe(expression);
        let site = self.site(expression.span);
        let node = match self.expr(expression) {
            Expr::Slot(slot, Missing::Fault, site) if !escape => Node::Slot(slot, site),
            Expr::Member(slot, key, Missing::Fault, site) if !escape => Node::Member(slot, key, site),
            Expr::Super(code, _) => Node::Inline(*code),
            Expr::Filtered(input, steps) if !escape => filtered(*input, steps.into_vec(), site),
            value => Node::Emit(Box::new(Emit { value, last: None, escape, site })),
        };
        out.push(node, &mut self.places);
    }
}

/// A chain of filters; one at its end that writes a text writes to the output.
fn filtered(input: Expr, mut steps: Vec<FilterStep>, site: u32) -> Node {
    let last = steps.pop_if(|step| matches!(step.filter.run, Run::Text(_)));
    let value =
        if steps.is_empty() { input } else { Expr::Filtered(Box::new(input), steps.into_boxed_slice()) };
    Node::Emit(Box::new(Emit { value, last, escape: false, site }))
}

/// Whether `safe` is applied to every part of an expression.
pub(super) fn is_marked_safe(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Filtered { calls, .. } => calls.iter().any(|call| call.filter.name == "safe"),
        ExpressionKind::Binary { left, right, .. } => is_marked_safe(left) && is_marked_safe(right),
        ExpressionKind::Not(inner) | ExpressionKind::Negative(inner) => is_marked_safe(inner),
        _ => false,
    }
}

/// Whether nothing is within an expression.
fn is_leaf(kind: &ExpressionKind) -> bool {
    match kind {
        ExpressionKind::Str(_)
        | ExpressionKind::Int(_)
        | ExpressionKind::Float(_)
        | ExpressionKind::Bool(_) => true,
        ExpressionKind::Path { steps, .. } => matches!(steps.as_slice(), [] | [Step::Key(_)]),
        _ => false,
    }
}

/// How much of a program an expression is, without those in it that count for themselves.
fn size(kind: &ExpressionKind) -> usize {
    match kind {
        ExpressionKind::List(items) => items.len() + 1,
        ExpressionKind::Path { steps, .. } => steps.len(),
        ExpressionKind::Filtered { calls, .. } => calls.len(),
        _ => 1,
    }
}

fn is_super(steps: &[Step]) -> bool {
    match steps {
        [Step::Key(key)] => *key.text == *"Super",
        [Step::Key(key), Step::Call(arguments)] => *key.text == *"Super" && arguments.is_empty(),
        _ => false,
    }
}

fn as_key(name: &Name) -> Key {
    Key { word: Word::from(&*name.text), hint: Hint::default(), field: LoopField::parse(&name.text) }
}

fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}
