//! `host/prompt-budgets.yaml` as it is written.
//!
//! It owns the shape of that file: limits by category, caps by id that only shrink, exceptions with a reason. It refuses an
//! exception without a reason.

use std::collections::BTreeMap;

use cuebook_template::{Diagnostic, Source};
use cuebook_wire::ErrorCode;
use cuebook_wire::pointer::step;
use cuebook_wire::strict::{Document, Fault};
use cuebook_yaml::Node;
use schemars::JsonSchema;
use serde::Deserialize;

use super::category::Category;

/// The budgets of one pack.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, title = "PromptBudgets")]
pub struct BudgetFile {
    /// The version of the budgets, from 1.
    #[schemars(range(min = 1))]
    pub version: u32,
    /// How long texts may be.
    #[serde(default)]
    pub sizes: Sizes,
    /// The most bytes of any rendered prompt at run time; a longer one fails.
    #[schemars(range(min = 1))]
    pub render_ceiling: Option<usize>,
}

/// How long texts may be.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Sizes {
    /// The limit of each category.
    #[serde(default)]
    pub limits: ByCategory<Limit>,
    /// Caps by id of texts that were longer before; they only shrink.
    #[serde(default)]
    pub grandfathered: ByCategory<BTreeMap<String, usize>>,
    /// Caps by id that someone gave a reason for.
    #[serde(default)]
    pub exceptions: ByCategory<BTreeMap<String, Exception>>,
}

/// One thing for each category that has it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ByCategory<T> {
    /// Of agents that do work.
    pub worker_personas: Option<T>,
    /// Of agents that lead others.
    pub coordinator_tripartite: Option<T>,
    /// Of what is put around the history of an agent that leads others.
    pub coordinator_injects: Option<T>,
    /// Of templates of agents.
    pub agent_templates: Option<T>,
    /// Of guidance.
    pub kicks: Option<T>,
    /// Of descriptions of tools.
    pub tool_surfaces: Option<T>,
}

/// The limit of a category, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Limit {
    /// From more than this on a text is told to be long.
    #[schemars(range(min = 1))]
    pub warn: usize,
    /// The most bytes.
    #[schemars(range(min = 1))]
    pub limit: usize,
}

/// A cap that someone gave a reason for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Exception {
    /// The most bytes.
    #[schemars(range(min = 1))]
    pub cap: usize,
    /// Why it may be longer than others.
    pub reason: String,
}

impl<T> ByCategory<T> {
    /// Nothing for any category.
    pub const fn none() -> Self {
        Self {
            worker_personas: None,
            coordinator_tripartite: None,
            coordinator_injects: None,
            agent_templates: None,
            kicks: None,
            tool_surfaces: None,
        }
    }

    /// What `category` has.
    pub const fn get(&self, category: Category) -> Option<&T> {
        match category {
            Category::WorkerPersonas => self.worker_personas.as_ref(),
            Category::CoordinatorTripartite => self.coordinator_tripartite.as_ref(),
            Category::CoordinatorInjects => self.coordinator_injects.as_ref(),
            Category::AgentTemplates => self.agent_templates.as_ref(),
            Category::Kicks => self.kicks.as_ref(),
            Category::ToolSurfaces => self.tool_surfaces.as_ref(),
        }
    }

    pub(super) const fn get_mut(&mut self, category: Category) -> Option<&mut T> {
        match category {
            Category::WorkerPersonas => self.worker_personas.as_mut(),
            Category::CoordinatorTripartite => self.coordinator_tripartite.as_mut(),
            Category::CoordinatorInjects => self.coordinator_injects.as_mut(),
            Category::AgentTemplates => self.agent_templates.as_mut(),
            Category::Kicks => self.kicks.as_mut(),
            Category::ToolSurfaces => self.tool_surfaces.as_mut(),
        }
    }

    /// The categories that have something, with it.
    pub fn iter(&self) -> impl Iterator<Item = (Category, &T)> {
        Category::ALL.into_iter().filter_map(|category| Some((category, self.get(category)?)))
    }
}

impl<T> Default for ByCategory<T> {
    fn default() -> Self {
        Self::none()
    }
}

impl BudgetFile {
    /// Reads the budgets of a pack, and gives the tree beside them.
    ///
    /// # Errors
    ///
    /// Everything that is wrong: keys and categories that there are none of, limits below their warnings, exceptions
    /// without a reason.
    pub fn read(source: &Source) -> Result<(Self, Node), Vec<Diagnostic>> {
        cuebook_yaml::read(source)
    }
}

impl Document for BudgetFile {
    const CODE: ErrorCode = ErrorCode::BudgetInvalid;

    fn rules(&self) -> Vec<Fault> {
        let reversed = self.sizes.limits.iter().filter(|(_, it)| it.warn > it.limit).map(|(category, it)| {
            let message = format!("the warning at {} is above the limit of {}", it.warn, it.limit);
            let path = format!("/sizes/limits/{category}/warn");
            Fault::new(path, Self::CODE, message).hint("warn at the limit or below it")
        });
        let exceptions = self.sizes.exceptions.iter();
        let unexplained = exceptions.flat_map(|(category, by_id)| {
            by_id.iter().filter(|(_, it)| it.reason.trim().is_empty()).map(move |(id, _)| {
                let path = format!("/sizes/exceptions/{category}{}/reason", step(id));
                Fault::new(path, Self::CODE, "an exception has a reason, and this one is blank")
                    .hint("say why it may be longer than others")
            })
        });
        reversed.chain(unexplained).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let found = BudgetFile::read(&Source::new("b.yaml", text)).map(drop).err().unwrap_or_default();
        let found: Vec<String> = found.iter().map(|it| format!("{it} {:?}", it.hint)).collect();
        assert_eq!(found.len(), expect.len(), "{text}\n{found:#?}");
        for (found, expect) in found.iter().zip(expect) {
            assert!(found.contains(expect), "{found} lacks {expect}");
        }
    }

    #[test]
    fn budgets_are_read_strictly() {
        check("version: 1\n", &[]);
        check(
            "version: 1\nrender_ceiling: 9000\nsizes:\n  limits: {kicks: {warn: 1, limit: 2}}\n  grandfathered:\n    kicks:\n",
            &[],
        );
        check(
            "version: 0\nsizes:\n  limits:\n    kick: {warn: 1, limit: 2}\n    agent_templates: {warn: 1}\n  exceptions:\n    kicks: {a: {cap: 1}}\n",
            &[
                "b.yaml:7:13: error[budget_invalid]: `reason` is missing",
                "b.yaml:5:5: error[budget_invalid]: `limit` is missing",
                "b.yaml:4:5: error[budget_invalid]: unknown key `kick` (at /sizes/limits/kick) Some(\"did you mean 'kicks'?\")",
                "b.yaml:1:10: error[budget_invalid]: expected at least 1, found 0",
            ],
        );
    }

    #[test]
    fn rules_beyond_the_schema_have_their_places() {
        check(
            "version: 1\nsizes:\n  limits: {kicks: {warn: 3, limit: 2}}\n  exceptions:\n    kicks:\n      a: {cap: 9, reason: ' '}\n",
            &[
                "b.yaml:6:27: error[budget_invalid]: an exception has a reason",
                "b.yaml:3:26: error[budget_invalid]: the warning at 3 is above the limit of 2",
            ],
        );
    }
}
