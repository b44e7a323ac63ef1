//! What is different between two versions of a template: its variables, its other fields, and its text by lines and words.
//!
//! It owns which changes break those who use a template: a variable that is gone, of another type, or required now. It
//! refuses to look at where a version came from and when.

use std::collections::BTreeMap;

use cuebook_wire::{PromptTemplate, PromptVariable, Version};
use serde::Serialize;
use serde_json::{Value as Json, json};
use similar::{ChangeTag, TextDiff};

/// The difference of two templates.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TemplateDiff {
    /// Variables in the order of their names.
    pub variables: Vec<VariableChange>,
    /// Fields that differ, besides version, text, variables and provenance.
    pub fields: Vec<FieldChange>,
    /// Every line of both texts, in order; empty when the texts are equal.
    pub lines: Vec<Line>,
}

/// A variable that one of two templates lacks, or that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VariableChange {
    /// Its name.
    pub name: String,
    /// How it was declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<PromptVariable>,
    /// How it is declared now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<PromptVariable>,
}

impl VariableChange {
    /// How it breaks those who bind the variable; none when it does not.
    pub fn breaks(&self) -> Option<&'static str> {
        match (&self.old, &self.new) {
            (Some(_), None) => Some("is gone"),
            (None, Some(new)) if new.required => Some("is new and required"),
            (Some(old), Some(new)) if old.value_type != new.value_type => Some("has another type"),
            (Some(old), Some(new)) if old.source != new.source => Some("has another source"),
            (Some(old), Some(new)) if new.required && !old.required => Some("is required now"),
            _ => None,
        }
    }
}

/// A field that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldChange {
    /// Its name on the wire.
    pub field: String,
    /// What it was; null when it was not there.
    pub old: Json,
    /// What it is; null when it is not there.
    pub new: Json,
}

/// On which side something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// In both texts.
    Both,
    /// In the old text alone.
    Old,
    /// In the new text alone.
    New,
}

/// A line, without its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// On which side it stands.
    pub side: Side,
    /// Its words with what is between them; those that stand on this side alone are marked with it.
    pub words: Vec<Words>,
}

/// A stretch of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Words {
    /// Whether it is what makes the line differ from its counterpart.
    pub is_changed: bool,
    /// The text.
    pub text: String,
}

impl TemplateDiff {
    /// The difference of `old` and `new`.
    pub fn of(old: &PromptTemplate, new: &PromptTemplate) -> Self {
        let lines = if old.text == new.text { Vec::new() } else { lines(&old.text, &new.text) };
        Self { variables: variables(old, new), fields: fields(old, new), lines }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The changes that break those who use the template, if the step from `old` to `new` is none of the major version.
    pub fn unannounced<'d>(
        &'d self,
        old: &Version,
        new: &Version,
    ) -> impl Iterator<Item = &'d VariableChange> + use<'d> {
        let is_announced = old.major() != new.major();
        self.variables.iter().filter(move |change| !is_announced && change.breaks().is_some())
    }
}

fn variables(old: &PromptTemplate, new: &PromptTemplate) -> Vec<VariableChange> {
    let mut changes: BTreeMap<&str, (Option<&PromptVariable>, Option<&PromptVariable>)> = BTreeMap::new();
    old.variables.iter().for_each(|it| changes.entry(&it.name).or_default().0 = Some(it));
    new.variables.iter().for_each(|it| changes.entry(&it.name).or_default().1 = Some(it));
    let differing = changes.into_iter().filter(|(_, (old, new))| old != new);
    let change = |(name, (old, new)): (&str, (Option<&PromptVariable>, Option<&PromptVariable>))| {
        VariableChange { name: name.to_owned(), old: old.cloned(), new: new.cloned() }
    };
    differing.map(change).collect()
}

fn fields(old: &PromptTemplate, new: &PromptTemplate) -> Vec<FieldChange> {
    let (old, new) = (json!(old), json!(new));
    let names = ["kind", "name", "description", "modelHints", "tags"];
    let change = |name: &str| FieldChange {
        field: name.to_owned(),
        old: old.get(name).cloned().unwrap_or_default(),
        new: new.get(name).cloned().unwrap_or_default(),
    };
    names.into_iter().map(change).filter(|change| change.old != change.new).collect()
}

fn lines(old: &str, new: &str) -> Vec<Line> {
    let diff = TextDiff::from_lines(old, new);
    let changes = diff.ops().iter().flat_map(|op| diff.iter_inline_changes(op));
    let line = |change: similar::InlineChange<'_, str>| Line {
        side: side(change.tag()),
        words: words(change.iter_strings_lossy().map(|(is_changed, text)| (is_changed, text.into_owned()))),
    };
    changes.map(line).collect()
}

fn side(tag: ChangeTag) -> Side {
    match tag {
        ChangeTag::Equal => Side::Both,
        ChangeTag::Delete => Side::Old,
        ChangeTag::Insert => Side::New,
    }
}

/// The stretches without the line's end, which is part of the last one.
fn words(parts: impl Iterator<Item = (bool, String)>) -> Vec<Words> {
    let text = |text: String| text.trim_end_matches(['\r', '\n']).to_owned();
    let words = parts.map(|(is_changed, part)| Words { is_changed, text: text(part) });
    words.filter(|words| !words.text.is_empty()).collect()
}
