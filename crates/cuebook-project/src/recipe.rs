//! Prompts as a project file tells them: which files, in which order, and who says so.
//!
//! It owns the way from the tree to recipes and from a recipe to its text. Every prompt-bearing field goes through
//! [`compose`]; it refuses a second way.

use std::path::PathBuf;
use std::sync::Arc;

use cuebook_prompt::Compound;
use cuebook_template::{Diagnostic, Location, Source};
use cuebook_wire::ErrorCode;
use cuebook_wire::pointer::step;

use crate::path::PromptPath;
use crate::root::{ReadFault, Root};
use cuebook_yaml::{Node, Value};

/// A prompt of a project.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The field that holds it, such as `workflows.editorial.steps.draft.prompt`.
    pub field: String,
    /// Where the field is set: by the portable file, the local file, or the including project.
    pub set_by: Location,
    /// The files in order.
    pub ingredients: Vec<Ingredient>,
}

/// A file of a recipe.
#[derive(Clone, Debug)]
pub struct Ingredient {
    /// The file.
    pub path: PromptPath,
    /// Where it is listed.
    pub listed: Location,
}

impl Ingredient {
    /// The files that may stand for it below `root`, the first that is there wins.
    pub fn candidates(&self, root: &Root) -> impl Iterator<Item = PathBuf> + use<> {
        let local = self.path.local_variant().map(|path| root.below(&path));
        local.into_iter().chain(std::iter::once(root.below(&self.path)))
    }

    /// The text of the file, of its `.local` variant if there is one, under its path below the root.
    ///
    /// # Errors
    ///
    /// As [`Root::read`]; a variant that is there and cannot be read is an error, not passed over.
    pub fn read(&self, root: &Root) -> Result<Source, ReadFault> {
        let mut last = ReadFault::Missing;
        for candidate in self.candidates(root) {
            match root.read(&candidate) {
                Err(ReadFault::Missing) => last = ReadFault::Missing,
                found => {
                    let name = candidate.display().to_string();
                    return found.map(|source| Source::new(name, Arc::clone(source.text())));
                }
            }
        }
        Err(last)
    }
}

/// Puts the files of `recipe` together: the one way from a prompt field to its text.
///
/// # Errors
///
/// Every file that cannot be read, at the place where it is listed; `prompt_empty` when none has any text.
pub fn compose(root: &Root, recipe: &Recipe) -> Result<Compound, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let mut files = Vec::new();
    for (at, ingredient) in recipe.ingredients.iter().enumerate() {
        match ingredient.read(root) {
            Ok(source) => files.push(source),
            Err(fault) => problems.push(unusable(recipe, at, &fault)),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let compound = Compound::of(files);
    if compound.is_blank() { Err(vec![blank(recipe)]) } else { Ok(compound) }
}

/// The problem of a file that a recipe lists and that cannot be used.
pub(crate) fn unusable(recipe: &Recipe, at: usize, fault: &ReadFault) -> Diagnostic {
    let Ingredient { path, listed } = &recipe.ingredients[at];
    let code = match fault {
        ReadFault::Outside => ErrorCode::ProjectPathRefused,
        _ => ErrorCode::ProjectFileUnusable,
    };
    let message = format!("{}: '{path}' cannot be used: {fault}", entry(recipe, at));
    Diagnostic::error(code.as_str(), message).at(&listed.source, listed.span)
}

/// The problem of a prompt without any text.
pub(crate) fn blank(recipe: &Recipe) -> Diagnostic {
    let message = format!("{}: the prompt has no text", recipe.field);
    Diagnostic::error(ErrorCode::PromptEmpty.as_str(), message).at(&recipe.set_by.source, recipe.set_by.span)
}

/// How messages name an entry: the field, and its index when there are several.
pub(crate) fn entry(recipe: &Recipe, at: usize) -> String {
    if recipe.ingredients.len() > 1 { format!("{}[{at}]", recipe.field) } else { recipe.field.clone() }
}

/// Reads every recipe of a merged tree; paths that are none are problems.
pub(crate) fn recipes(tree: &Node) -> (Vec<Recipe>, Vec<Diagnostic>) {
    let mut reader = Reader { tree, recipes: Vec::new(), problems: Vec::new() };
    if let Some(primary) = tree.get("primary") {
        reader.agent(primary, "primary", "/primary");
    }
    for (name, entry) in tree.get("workflows").and_then(Node::map).into_iter().flatten() {
        reader.workflow(name, &entry.node);
    }
    (reader.recipes, reader.problems)
}

struct Reader<'t> {
    tree: &'t Node,
    recipes: Vec<Recipe>,
    problems: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn agent(&mut self, agent: &Node, field: &str, pointer: &str) {
        self.prompt(agent, "system_prompt", field, pointer);
        for (name, entry) in agent.get("subagents").and_then(Node::map).into_iter().flatten() {
            let below = format!("{pointer}/subagents{}", step(name));
            self.agent(&entry.node, &format!("{field}.subagents.{name}"), &below);
        }
    }

    fn workflow(&mut self, name: &str, workflow: &Node) {
        let Some(Value::List(steps)) = workflow.get("steps").map(|steps| &steps.value) else { return };
        for (at, item) in steps.iter().enumerate() {
            let Some(id) = item.get("id").and_then(Node::text) else { continue };
            let pointer = format!("/workflows{}/steps/{at}", step(name));
            self.prompt(item, "prompt", &format!("workflows.{name}.steps.{id}"), &pointer);
        }
    }

    fn prompt(&mut self, owner: &Node, key: &str, field: &str, pointer: &str) {
        let Some(node) = owner.get(key).filter(|node| !node.is_null()) else { return };
        let field = format!("{field}.{key}");
        let items = match &node.value {
            Value::List(items) => items.iter().collect(),
            _ => vec![node],
        };
        let ingredients: Vec<Ingredient> =
            items.iter().filter_map(|item| self.ingredient(item, &field)).collect();
        if !ingredients.is_empty() && ingredients.len() == items.len() {
            let set_by = self.tree.locate(&format!("{pointer}/{key}"));
            self.recipes.push(Recipe { field, set_by, ingredients });
        }
    }

    fn ingredient(&mut self, item: &Node, field: &str) -> Option<Ingredient> {
        // What is no text is told of by the schema.
        let text = item.text().filter(|text| !text.is_empty())?;
        match PromptPath::parse(text) {
            Ok(path) => Some(Ingredient { path, listed: item.place.clone() }),
            Err(bad) => {
                let message = format!("{field}: {}", bad.message);
                let problem = Diagnostic::error(ErrorCode::ProjectPathRefused.as_str(), message)
                    .at(&item.place.source, item.place.span);
                self.problems.push(problem.with_advice(bad.hint));
                None
            }
        }
    }
}
