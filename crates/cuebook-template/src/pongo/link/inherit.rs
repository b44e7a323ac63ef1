//! Inheritance: a file with the files it extends, flattened into the outermost parent's text.
//!
//! It owns which body a block gets. It refuses what stands in a child outside its blocks: in the original it never
//! runs, and here it is not linked.

use std::rc::Rc;

use super::Linker;
use super::code::CodeBuilder;
use super::files::Parsed;
use crate::diagnostic::Diagnostic;
use crate::pongo::fault::code;
use crate::pongo::limits::{LimitKind, exceeded};
use crate::pongo::program::Missing;
use crate::pongo::tree::{Block, Literal, Name, Statement, StatementKind};
use crate::span::Span;

/// A file and its parents, the file first.
pub(super) struct Document(Vec<Parsed>);

impl Document {
    /// The body of a block at `level`, counted from the file furthest down, with its file.
    fn block_at(&self, name: &str, level: usize) -> Option<(u32, Rc<Block>)> {
        let body = |file: &Parsed| Some((file.index, Rc::clone(file.tree.blocks.get(name)?)));
        self.0.iter().filter_map(body).nth(level)
    }
}

impl Linker<'_> {
    /// Links a file into `out`, in the scope that `open` makes of the statements that run.
    pub(super) fn document(
        &mut self,
        file: Parsed,
        out: &mut CodeBuilder,
        open: impl FnOnce(&mut Self, &[Statement], &mut CodeBuilder),
    ) {
        let named = file.index;
        let document = self.lineage(file);
        let Some(top) = document.0.last().cloned() else { return };
        self.documents.push(document);
        self.chain.push(named);
        let blocks = std::mem::take(&mut self.open_blocks);
        open(self, &top.tree.body, out);
        self.in_file(top.index, |linker| linker.nested(&top.tree.body, out));
        self.open_blocks = blocks;
        self.chain.pop();
        self.documents.pop();
    }

    fn lineage(&mut self, file: Parsed) -> Document {
        let mut files = vec![file];
        while let Some(parent) = self.parent_of(&files) {
            files.push(parent);
        }
        Document(files)
    }

    /// The file that the last of `files` extends.
    fn parent_of(&mut self, files: &[Parsed]) -> Option<Parsed> {
        let child = files.last()?;
        let name = child.tree.parent.as_ref()?;
        let file = std::mem::replace(&mut self.file, child.index);
        let parent = self.file_named(name, false).filter(|parent| self.may_extend(files, parent, name));
        self.file = file;
        parent
    }

    fn may_extend(&mut self, files: &[Parsed], parent: &Parsed, name: &Literal) -> bool {
        let limit = self.options.limits.get(LimitKind::IncludeDepth);
        if let Some(first) = files.iter().position(|file| file.index == parent.index) {
            let circle: Vec<u32> = files[first..].iter().chain([parent]).map(|file| file.index).collect();
            self.report_cycle("extend", &circle, name.span);
        } else if files.len() >= limit {
            self.report_fault(
                exceeded(LimitKind::IncludeDepth, limit, &(files.len() + 1).to_string()),
                name.span,
            );
        } else {
            return true;
        }
        false
    }

    /// Reports files that include or extend each other in a circle, which has the same file at both ends.
    pub(super) fn report_cycle(&mut self, verb: &str, circle: &[u32], span: Span) {
        let names: Vec<&str> =
            circle.iter().map(|index| &**self.places.files[*index as usize].name()).collect();
        let message = format!("templates {verb} each other in a circle: {}", names.join(" -> "));
        let fault = Diagnostic::error(code::CYCLE, message).with_hint("take one of these tags out");
        self.report(fault, span);
    }

    /// Links the body that a block has in the file furthest down.
    pub(super) fn block(&mut self, name: &Name, out: &mut CodeBuilder) {
        self.block_body(&name.text, 0, out);
    }

    /// Whether `block.Super` means something here.
    pub(super) fn is_in_block(&self) -> bool {
        !self.open_blocks.is_empty()
    }

    /// Links the body that the innermost block has one parent further up, in a scope of its own.
    pub(super) fn super_block(&mut self, out: &mut CodeBuilder) {
        let Some((name, level)) = self.open_blocks.last().cloned() else { return };
        let Some((_, body)) = self.block_at(&name, level + 1) else { return };
        let missing = std::mem::replace(&mut self.missing, Missing::Fault);
        self.in_scope(&[&body], &[], false, out, |linker, out| linker.block_body(&name, level + 1, out));
        self.missing = missing;
    }

    fn block_body(&mut self, name: &str, level: usize, out: &mut CodeBuilder) {
        let Some((file, body)) = self.block_at(name, level) else { return };
        self.open_blocks.push((name.into(), level));
        self.in_file(file, |linker| linker.nested(&body, out));
        self.open_blocks.pop();
    }

    /// The body of a block in the document at hand.
    pub(super) fn block_at(&self, name: &str, level: usize) -> Option<(u32, Rc<Block>)> {
        self.documents.last()?.block_at(name, level)
    }

    fn in_file(&mut self, file: u32, link: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.file, file);
        link(self);
        self.file = outer;
    }
}

/// The bodies within a statement.
pub(super) fn bodies(kind: &StatementKind) -> Vec<&Block> {
    match kind {
        StatementKind::If { branches, otherwise } => {
            branches.iter().map(|(_, body)| body).chain([otherwise]).collect()
        }
        StatementKind::IfEqual { then, otherwise, .. } | StatementKind::IfChanged { then, otherwise, .. } => {
            vec![then, otherwise]
        }
        StatementKind::For(each) => vec![&each.body, &each.empty],
        StatementKind::With { body, .. }
        | StatementKind::Filter { body, .. }
        | StatementKind::Spaceless(body)
        | StatementKind::Autoescape { body, .. } => vec![body],
        StatementKind::Macro(definition) => vec![&definition.body],
        _ => Vec::new(),
    }
}
