//! What a budget says of a text.
//!
//! It owns which cap holds: the exception, else the grandfathered cap, else the category's limit. It refuses to judge texts
//! of categories that nobody limits.

use cuebook_prompt::lint::Size;
use serde::Serialize;

use super::category::Category;
use super::merge::Budgets;

/// How a text stands to its cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// There is room.
    Fine,
    /// It is longer than the category's warning.
    Warn,
    /// It is longer than its cap.
    Over,
}

/// Where a cap comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Because {
    /// An exception, with its reason.
    Exception(String),
    /// A cap from before the limit, which only shrinks.
    Grandfathered,
    /// The limit of the category.
    Limit,
}

/// What a budget says of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The category.
    pub category: Category,
    /// The id in the category.
    pub id: String,
    /// The bytes of the text.
    pub bytes: usize,
    /// About how many tokens it has; for information.
    pub tokens: usize,
    /// The bytes from which on it is told to be long; only under the category's own limit.
    pub warn: Option<usize>,
    /// The most bytes.
    pub cap: usize,
    /// How it stands.
    pub level: Level,
    /// Where the cap comes from.
    pub because: Because,
}

impl Verdict {
    /// The violation of a text that is too long: `budget_exceeded:<id>:<bytes>/<cap>`.
    pub fn violation(&self) -> Option<String> {
        (self.level == Level::Over)
            .then(|| format!("budget_exceeded:{}:{}/{}", self.id, self.bytes, self.cap))
    }
}

impl Budgets {
    /// The verdict on the rendered `text`; `None` when neither the category nor the id has a cap.
    pub fn judge(&self, category: Category, id: &str, text: &str) -> Option<Verdict> {
        let (cap, because) = self.cap(category, id)?;
        let limit = self.limits.get(&category).filter(|_| because == Because::Limit);
        let warn = limit.map(|it| it.warn);
        let bytes = text.len();
        let level = match warn {
            _ if bytes > cap => Level::Over,
            Some(warn) if bytes > warn => Level::Warn,
            _ => Level::Fine,
        };
        let tokens = Size::of(text).estimated_tokens;
        Some(Verdict { category, id: id.to_owned(), bytes, tokens, warn, cap, level, because })
    }

    fn cap(&self, category: Category, id: &str) -> Option<(usize, Because)> {
        let key = (category, id.to_owned());
        if let Some(exception) = self.exceptions.get(&key) {
            return Some((exception.cap, Because::Exception(exception.reason.clone())));
        }
        if let Some(cap) = self.grandfathered.get(&key) {
            return Some((*cap, Because::Grandfathered));
        }
        Some((self.limits.get(&category)?.limit, Because::Limit))
    }
}

#[cfg(test)]
mod tests {
    use super::super::merge::tests::parts;
    use super::*;

    const BUDGETS: &str = "version: 1\nrender_ceiling: 12\nsizes:\n  limits: {kicks: {warn: 4, limit: 6}}\n  \
        grandfathered: {kicks: {old: 9, both: 9}}\n  exceptions: {kicks: {both: {cap: 11, reason: it lists all}}}\n";

    fn budgets() -> Budgets {
        Budgets::of(&parts(&[BUDGETS])).0
    }

    #[track_caller]
    fn check(id: &str, text: &str, expect: (usize, Level, &Because), violation: Option<&str>) {
        let verdict = budgets().judge(Category::Kicks, id, text).expect("a verdict");
        assert_eq!((verdict.cap, verdict.level, &verdict.because), expect, "{id} {text}");
        assert_eq!(verdict.violation().as_deref(), violation, "{id} {text}");
    }

    #[test]
    fn the_exception_goes_before_the_old_cap_before_the_limit() {
        let reason = Because::Exception("it lists all".to_owned());
        check("new", "1234", (6, Level::Fine, &Because::Limit), None);
        check("new", "12345", (6, Level::Warn, &Because::Limit), None);
        check("new", "123456", (6, Level::Warn, &Because::Limit), None);
        check("new", "1234567", (6, Level::Over, &Because::Limit), Some("budget_exceeded:new:7/6"));
        check("new", "éééé", (6, Level::Over, &Because::Limit), Some("budget_exceeded:new:8/6"));
        check("old", "123456789", (9, Level::Fine, &Because::Grandfathered), None);
        check(
            "old",
            "1234567890",
            (9, Level::Over, &Because::Grandfathered),
            Some("budget_exceeded:old:10/9"),
        );
        check("both", "1234567890", (11, Level::Fine, &reason), None);
    }

    #[test]
    fn what_nobody_limits_is_not_judged() {
        assert_eq!(budgets().judge(Category::AgentTemplates, "a", "text"), None);
    }

    #[test]
    fn tokens_stand_beside_the_bytes() {
        let verdict = budgets().judge(Category::Kicks, "a", "one two").expect("a verdict");
        assert_eq!((verdict.bytes, verdict.tokens), (7, 2));
    }
}
