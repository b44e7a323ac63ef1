//! Statements to nodes.

use super::Linker;
use super::code::CodeBuilder;
use super::expression::is_marked_safe;
use super::files::Parsed;
use super::scope::Frame;
use crate::diagnostic::Diagnostic;
use crate::nearest::nearest;
use crate::pongo::fault::code;
use crate::pongo::limits::{LimitKind, exceeded};
use crate::pongo::program::{self, Code, Expr, Node, Unit};
use crate::pongo::tree::{
    Block, Expression, ExpressionKind, File, For, Import, Include, IncludeFile, Literal, Macro, Name, Pair,
    Statement, StatementKind,
};
use crate::span::Span;
use std::sync::Arc;

impl Linker<'_> {
    /// Links statements into `out`.
    pub(super) fn statements(&mut self, statements: &[Statement], out: &mut CodeBuilder) {
        for statement in statements {
            if !self.count(1, statement.span) || !self.count_source(statement.span.len(), statement.span) {
                return;
            }
            self.statement(statement, out);
        }
    }

    /// Links a body one block further in.
    pub(super) fn nested(&mut self, body: &[Statement], out: &mut CodeBuilder) {
        let limit = self.options.limits.get(LimitKind::Nesting);
        self.depth += 1;
        if self.depth <= limit {
            self.deeper(|linker| linker.statements(body, out));
        } else if let Some(first) = body.first() {
            self.report_fault(exceeded(LimitKind::Nesting, limit, &self.depth.to_string()), first.span);
        }
        self.depth -= 1;
    }

    fn code(&mut self, body: &[Statement]) -> Code {
        let mut out = CodeBuilder::default();
        self.nested(body, &mut out);
        out.finish(&mut self.places)
    }

    fn push(&mut self, node: Node, out: &mut CodeBuilder) {
        out.push(node, &mut self.places);
    }

    fn statement(&mut self, statement: &Statement, out: &mut CodeBuilder) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Text => self.text(span, out),
            StatementKind::Constant(text) => {
                let site = self.site(span);
                out.text(text, site);
            }
            StatementKind::Output(expression) => self.output(expression, out),
            StatementKind::If { branches, otherwise } => self.if_statement(branches, otherwise, out),
            StatementKind::IfEqual { negated, left, right, then, otherwise } => {
                self.if_equal(*negated, (left, right), (then, otherwise), span, out);
            }
            StatementKind::IfChanged { watched, then, otherwise } => {
                self.if_changed(watched, then, otherwise, span, out);
            }
            StatementKind::For(each) => self.for_statement(each, span, out),
            StatementKind::Set(pair) => self.set(pair, out),
            StatementKind::With { pairs, body } => self.with_statement(pairs, body, out),
            StatementKind::Include(include) => self.include(include, span, out),
            StatementKind::Ssi { file, parsed } => self.ssi(file, *parsed, span, out),
            StatementKind::Block(name) => self.block(name, out),
            StatementKind::Macro(definition) => self.macro_statement(&definition.name.text, definition, out),
            StatementKind::Import { file, macros } => self.import(file, macros, out),
            StatementKind::Cycle { values, name, silent } => {
                self.cycle(values, name.as_ref(), *silent, span, out);
            }
            StatementKind::FirstOf(values) => self.first_of(values, span, out),
            StatementKind::Filter { calls, body } => {
                let (calls, code) = (self.filter_steps(calls).into_boxed_slice(), self.code(body));
                let site = self.site(span);
                self.push(Node::Filter(Box::new(program::FilterBlock { calls, code, site })), out);
            }
            StatementKind::Spaceless(body) => {
                let node = Node::Spaceless(self.code(body), self.site(span));
                self.push(node, out);
            }
            StatementKind::Autoescape { on, body } => {
                let escape = std::mem::replace(&mut self.escape, *on);
                self.nested(body, out);
                self.escape = escape;
            }
            StatementKind::WidthRatio { value, max, width, name } => {
                self.width_ratio([value, max, width], name.as_ref(), span, out);
            }
            StatementKind::Now { layout, fake } => self.now(layout, *fake, span, out),
            StatementKind::Lorem(lorem) => {
                let node = Node::Lorem(Box::new(*lorem), self.site(span));
                self.push(node, out);
            }
        }
    }

    fn set(&mut self, pair: &Pair, out: &mut CodeBuilder) {
        let value = self.expr(&pair.value);
        let slot = self.assign(&pair.name.text);
        self.push(Node::Set(slot, Box::new(value)), out);
    }

    fn if_equal(
        &mut self,
        negated: bool,
        (left, right): (&Expression, &Expression),
        (then, otherwise): (&Block, &Block),
        span: Span,
        out: &mut CodeBuilder,
    ) {
        let (left, right) = (self.test(left), self.test(right));
        let (then, otherwise) = (self.code(then), self.code(otherwise));
        let node = program::IfEqual { negated, left, right, then, otherwise, site: self.site(span) };
        self.push(Node::IfEqual(Box::new(node)), out);
    }

    fn width_ratio(
        &mut self,
        operands: [&Expression; 3],
        name: Option<&Name>,
        span: Span,
        out: &mut CodeBuilder,
    ) {
        let [value, max, width] = operands.map(|operand| self.expr(operand));
        let name = name.map(|name| self.assign(&name.text));
        let node = program::WidthRatio { value, max, width, name, site: self.site(span) };
        self.push(Node::WidthRatio(Box::new(node)), out);
    }

    fn text(&mut self, span: Span, out: &mut CodeBuilder) {
        let site = self.site(span);
        let source = &self.places.files[self.file as usize];
        out.text(source.slice(span).unwrap_or_default(), site);
    }

    fn if_statement(&mut self, branches: &[(Expression, Block)], otherwise: &Block, out: &mut CodeBuilder) {
        let branch = |(condition, body): &(Expression, Block)| {
            // The first condition stands in the tag itself, the others in tags of their own.
            self.count_source(condition.span.len(), condition.span);
            (self.test(condition), self.code(body))
        };
        let branches = branches.iter().map(branch).collect();
        let otherwise = self.code(otherwise);
        self.push(Node::If(Box::new(program::If { branches, otherwise })), out);
    }

    fn if_changed(
        &mut self,
        watched: &[Expression],
        then: &Block,
        otherwise: &Block,
        span: Span,
        out: &mut CodeBuilder,
    ) {
        let watched = self.exprs(watched);
        let seen = self.frame().new_slot();
        for _ in 1..watched.len() {
            self.frame().new_slot();
        }
        let (then, otherwise) = (self.code(then), self.code(otherwise));
        let node = program::IfChanged { watched, seen, then, otherwise, site: self.site(span) };
        self.push(Node::IfChanged(Box::new(node)), out);
    }

    fn for_statement(&mut self, each: &For, span: Span, out: &mut CodeBuilder) {
        let sequence = self.expr(&each.sequence);
        let outer = self.slot("forloop");
        let value_outside = each.value.as_ref().map(|value| (value, self.slot(&value.text)));
        let mut names = vec![&*each.key.text, "forloop"];
        names.extend(each.value.as_ref().map(|value| &*value.text));
        let mut copies = self.open_scope(&[&each.body, &each.empty], &names, false);
        let value = value_outside.map(|(value, outside)| {
            let slot = self.slot(&value.text);
            // Only a map gives the second name a value; anything else leaves it as it is outside.
            copies.push((outside, slot));
            slot
        });
        let (key, state) = (self.slot(&each.key.text), self.slot("forloop"));
        let (body, empty) = (self.code(&each.body), self.code(&each.empty));
        self.close_scope();
        let node = program::For {
            sequence,
            copies: copies.into_boxed_slice(),
            key,
            value,
            state,
            outer,
            reversed: each.reversed,
            sorted: each.sorted,
            body,
            empty,
            site: self.site(span),
        };
        self.push(Node::For(Box::new(node)), out);
    }

    fn with_statement(&mut self, pairs: &[Pair], body: &Block, out: &mut CodeBuilder) {
        let values: Vec<Expr> = pairs.iter().map(|pair| self.expr(&pair.value)).collect();
        let names: Vec<&str> = pairs.iter().map(|pair| &*pair.name.text).collect();
        self.in_scope(&[body], &names, false, out, |linker, out| {
            linker.set_pairs(&names, values, out);
            linker.nested(body, out);
        });
    }

    /// Gives the names of a scope that has just been opened their values.
    fn set_pairs(&mut self, names: &[&str], values: Vec<Expr>, out: &mut CodeBuilder) {
        for (name, value) in names.iter().zip(values) {
            let slot = self.slot(name);
            self.push(Node::Set(slot, Box::new(value)), out);
        }
    }

    fn include(&mut self, include: &Include, span: Span, out: &mut CodeBuilder) {
        match &include.file {
            IncludeFile::Literal(name) => {
                if let Some(file) = self.file_named(name, include.if_exists)
                    && self.may_include(&file, name.span)
                {
                    self.include_file(file, include, name.span, out);
                }
            }
            IncludeFile::Expression(file) => {
                let file = if include.if_exists { self.test(file) } else { self.expr(file) };
                let pairs = include
                    .pairs
                    .iter()
                    .map(|pair| (pair.name.text.clone(), self.expr(&pair.value)))
                    .collect();
                let open = !include.only && self.sees_context();
                let visible = if include.only { Vec::new() } else { self.visible() }.into_boxed_slice();
                if !self.count(visible.len(), span) {
                    return;
                }
                let site = self.site(span);
                let node =
                    program::Include { file, if_exists: include.if_exists, pairs, visible, open, site };
                self.push(Node::Include(Box::new(node)), out);
            }
        }
    }

    fn may_include(&mut self, file: &Parsed, span: Span) -> bool {
        let limit = self.options.limits.get(LimitKind::IncludeDepth);
        if let Some(first) = self.chain.iter().position(|open| *open == file.index) {
            let circle: Vec<u32> = self.chain[first..].iter().copied().chain([file.index]).collect();
            self.report_cycle("include", &circle, span);
        } else if self.chain.len() >= limit {
            let seen = self.chain.len() + 1;
            self.report_fault(exceeded(LimitKind::IncludeDepth, limit, &seen.to_string()), span);
        } else {
            return true;
        }
        false
    }

    /// Puts a file in where its include tag stands.
    fn include_file(&mut self, file: Parsed, include: &Include, span: Span, out: &mut CodeBuilder) {
        let values: Vec<Expr> = include.pairs.iter().map(|pair| self.expr(&pair.value)).collect();
        let names: Vec<&str> = include.pairs.iter().map(|pair| &*pair.name.text).collect();
        let escape = std::mem::replace(&mut self.escape, self.options.autoescape);
        // What `only` hides are the named cycles, too.
        let cycles = include.only.then(|| std::mem::take(&mut self.cycles));
        self.included(span, |linker| {
            linker.document(file, out, |linker, body, out| {
                let copies = linker.open_scope(&[body], &names, include.only);
                linker.push_copies(copies, out);
                linker.set_pairs(&names, values, out);
            });
        });
        self.cycles = cycles.unwrap_or_else(|| std::mem::take(&mut self.cycles));
        self.escape = escape;
        self.close_scope();
    }

    /// Links with `span` as the innermost include tag.
    fn included(&mut self, span: Span, link: impl FnOnce(&mut Self)) {
        let site = self.site(span);
        self.places.inclusions.push(site);
        let index = u32::try_from(self.places.inclusions.len() - 1).unwrap_or(u32::MAX);
        let outer = self.inclusion.replace(index);
        link(self);
        self.inclusion = outer;
    }

    fn ssi(&mut self, file: &Literal, parsed: bool, span: Span, out: &mut CodeBuilder) {
        if parsed {
            let file = IncludeFile::Literal(file.clone());
            let include = Include { file, if_exists: false, pairs: Vec::new(), only: false };
            return self.include(&include, span, out);
        }
        if let Some(source) = self.text_named(file)
            && self.count_source(source.text().len(), span)
        {
            let site = self.site(span);
            out.text(source.text(), site);
        }
    }

    fn macro_statement(&mut self, name: &str, definition: &Macro, out: &mut CodeBuilder) {
        if !self.count(1 + definition.parameters.len(), definition.name.span) {
            return;
        }
        let slot = self.assign(name);
        let linked = self.macro_unit(definition);
        self.push(Node::Define(slot, Arc::new(linked)), out);
    }

    /// Links a macro with the scope at hand as the scope of its definition.
    fn macro_unit(&mut self, definition: &Macro) -> program::Macro {
        // A cycle takes its turns in the frame it stands in; a macro has another.
        let cycles = std::mem::take(&mut self.cycles);
        let levels = std::mem::take(&mut self.levels);
        self.frames.push(Frame::default());
        let defaults: Vec<Option<Expr>> =
            definition.parameters.iter().map(|(_, default)| Some(self.expr(default.as_ref()?))).collect();
        let names: Vec<&str> = definition.parameters.iter().map(|(name, _)| &*name.text).collect();
        let mut out = CodeBuilder::default();
        let parameters: Vec<program::Slot> =
            self.in_scope(&[&definition.body], &names, false, &mut out, |linker, out| {
                linker.nested(&definition.body, out);
                names.iter().map(|name| linker.slot(name)).collect()
            });
        let code = out.finish(&mut self.places);
        let frame = self.frames.pop().unwrap_or_default();
        let depth = frame.deepest;
        let (captures, slots) = frame.into_captures();
        self.cycles = cycles;
        self.levels = levels;
        program::Macro {
            name: definition.name.text.clone(),
            unit: Unit { code, slots, depth },
            captures,
            parameters: parameters.into_iter().zip(defaults).collect(),
        }
    }

    fn import(&mut self, file: &Literal, macros: &[Import], out: &mut CodeBuilder) {
        let Some(parsed) = self.file_named(file, false) else { return };
        for import in macros {
            let Some(definition) = parsed.tree.exports.get(&import.name.text) else {
                self.report_missing_macro(&import.name, file, &parsed.tree);
                continue;
            };
            let at = std::mem::replace(&mut self.file, parsed.index);
            self.macro_statement(&import.alias.text, definition, out);
            self.file = at;
        }
    }

    fn report_missing_macro(&mut self, name: &Name, file: &Literal, tree: &File) {
        let mut exported: Vec<&str> = tree.exports.keys().map(AsRef::as_ref).collect();
        exported.sort_unstable();
        let message = format!("'{}' exports no macro '{}'", file.text, name.text);
        let fault = Diagnostic::error(code::MACRO, message);
        let fault = match nearest(&name.text, exported) {
            Some(near) => fault.with_hint(format!("did you mean '{near}'?")),
            None => fault.with_hint("a macro is exported by the word 'export' behind its parameters"),
        };
        self.report(fault, name.span);
    }

    fn cycle(
        &mut self,
        values: &[Expression],
        name: Option<&Name>,
        silent: bool,
        span: Span,
        out: &mut CodeBuilder,
    ) {
        if let Some(cycle) = self.named_cycle(values) {
            return self.push(Node::Cycle(cycle), out);
        }
        let turn = self.frame().new_slot();
        let values = self.exprs(values);
        let slot = name.map(|name| self.assign(&name.text));
        let cycle = Arc::new(program::Cycle { values, turn, name: slot, silent, site: self.site(span) });
        if let Some(name) = name {
            self.cycles.insert(name.text.clone(), Arc::clone(&cycle));
        }
        self.push(Node::Cycle(cycle), out);
    }

    /// The cycle that `{% cycle name %}` gives another turn.
    fn named_cycle(&self, values: &[Expression]) -> Option<Arc<program::Cycle>> {
        let [Expression { kind: ExpressionKind::Path { root, steps }, .. }] = values else { return None };
        if steps.is_empty() { self.cycles.get(&root.text).cloned() } else { None }
    }

    fn first_of(&mut self, values: &[Expression], span: Span, out: &mut CodeBuilder) {
        let escape = self.escape;
        let values =
            values.iter().map(|value| (self.test(value), escape && !is_marked_safe(value))).collect();
        let node = Node::FirstOf(values, self.site(span));
        self.push(node, out);
    }

    fn now(&mut self, layout: &Literal, fake: bool, span: Span, out: &mut CodeBuilder) {
        let now = program::Now { layout: layout.text.clone(), fake };
        let node = Node::Now(Box::new(now), self.site(span));
        self.push(node, out);
    }
}
