//! `[retention]`: how long finished runs are kept. Without it, for ever.

use std::borrow::Cow;
use std::time::Duration;

use cuebook_wire::{ErrorCode, Fault, RunStatus};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

use super::Config;

/// How long the answers of requests are known, which finished runs are kept for at least.
const LEAST: Age = Age(Duration::from_hours(24));

/// `[retention]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionConfig {
    /// Removes runs that ended so long ago, such as `90d`; at least a day. Age decides nothing when absent.
    pub runs_older_than: Option<Age>,
    /// Keeps so many finished runs of each tenant, those that ended last. Number decides nothing when absent.
    pub keep_runs: Option<usize>,
    /// Removes only runs that ended so: `completed`, `failed`, `cancelled`; all of them when empty.
    pub statuses: Vec<RunStatus>,
}

impl RetentionConfig {
    /// Whether anything is to be removed in the background.
    pub fn is_on(&self) -> bool {
        self.runs_older_than.is_some() || self.keep_runs.is_some()
    }

    /// How long runs stay at least, whatever else is said.
    pub(crate) fn least_age(&self) -> Duration {
        self.runs_older_than.unwrap_or(LEAST).0
    }
}

/// A length of time as people write it: a whole number and `s`, `m`, `h` or `d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Age(pub Duration);

impl JsonSchema for Age {
    fn schema_name() -> Cow<'static, str> {
        "Age".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let form = "a whole number and s, m, h or d, such as 30d";
        json_schema!({ "type": "string", "pattern": "^[0-9]+[smhd]$", "x-form": form })
    }
}

impl Age {
    /// Reads a number and a unit.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, seconds) = match text.split_at_checked(text.len().checked_sub(1)?)? {
            (number, "s") => (number, 1),
            (number, "m") => (number, 60),
            (number, "h") => (number, 60 * 60),
            (number, "d") => (number, 24 * 60 * 60),
            _ => return None,
        };
        let number =
            number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse::<u64>().ok())??;
        Some(Self(Duration::from_secs(number.checked_mul(seconds)?)))
    }
}

impl<'de> Deserialize<'de> for Age {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text)
            .ok_or_else(|| de::Error::custom("write a whole number and s, m, h or d, such as 30d"))
    }
}

/// What the table must agree on.
pub(super) fn rules(config: &Config) -> Vec<Fault> {
    let retention = &config.retention;
    let mut faults = Vec::new();
    if retention.runs_older_than.is_some_and(|age| age < LEAST) {
        let message = "'runs_older_than' is at least 1d: as long as an Idempotency-Key is known";
        let fault = Fault::new("/retention/runs_older_than", ErrorCode::ConfigInvalid, message);
        faults.push(fault.hint("to remove runs sooner, use 'cuebook runs prune'"));
    }
    for (at, status) in retention.statuses.iter().enumerate().filter(|(_, status)| !status.is_terminal()) {
        let message = format!("a run that is '{status}' has not ended and is never removed");
        let fault = Fault::new(format!("/retention/statuses/{at}"), ErrorCode::ConfigInvalid, message);
        faults.push(fault.hint("use completed, failed or cancelled"));
    }
    if !retention.is_on() && !retention.statuses.is_empty() {
        let message = "'statuses' alone removes nothing";
        let fault = Fault::new("/retention/statuses", ErrorCode::ConfigInvalid, message);
        faults.push(fault.hint("say 'runs_older_than' or 'keep_runs' as well"));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, seconds: Option<u64>) {
        assert_eq!(Age::parse(text).map(|age| age.0.as_secs()), seconds, "{text:?}");
    }

    #[test]
    fn an_age_is_a_number_and_a_unit() {
        check("0s", Some(0));
        check("90s", Some(90));
        check("2m", Some(120));
        check("12h", Some(43_200));
        check("30d", Some(2_592_000));
        for bad in
            ["", "d", "30", "-1d", "+1d", "1.5d", "1 d", "1w", "1D", "1d ", "\u{e9}", "213503982334602d"]
        {
            check(bad, None);
        }
    }
}
