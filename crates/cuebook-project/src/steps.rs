//! The rules of a workflow's steps: who does them, what they need, and what their `with:` values read.
//!
//! It owns that a step never starts with a value that may be missing. It refuses a value that comes out empty in silence: an
//! input that a step reads is required or has a default.

use std::collections::{HashMap, HashSet};

use cuebook_template::{Location, Span, nearest};
use cuebook_wire::VariableType;
use cuebook_wire::pointer::step as pointer_step;

use crate::rules::Rules;
use crate::spec::{AnswerFormat, InputSpec, StepSpec, WorkflowSpec};
use crate::with::{self, Reference, Target, WithValue};

/// Holds the steps and inputs of `workflow`, which stands at `pointer`, against the rules.
pub(crate) fn check(rules: &mut Rules<'_>, workflow: &WorkflowSpec, pointer: &str) {
    for (name, input) in &workflow.inputs {
        check_default(rules, input, &format!("{pointer}/inputs{}/default", pointer_step(name)));
    }
    let ids = first_places(rules, workflow, pointer);
    let agents = rules.agent_paths();
    let before = Before::of(workflow);
    for (at, step) in workflow.steps.iter().enumerate() {
        let pointer = format!("{pointer}/steps/{at}");
        check_agent(rules, step, &pointer, &agents);
        check_needs(rules, step, &pointer, &ids, &before);
        for (key, value) in &step.with {
            let pointer = format!("{pointer}/with{}", pointer_step(key));
            let place = rules.place(&pointer);
            let mut data = Data { rules: &mut *rules, workflow, step, before: &before, place };
            data.check(value);
        }
    }
}

fn check_default(rules: &mut Rules<'_>, input: &InputSpec, pointer: &str) {
    let Some(default) = input.default.as_ref().filter(|default| !input.value_type.accepts(default)) else {
        return;
    };
    let message = format!(
        "the default is of type {}, the input of type {}",
        VariableType::name_of(default),
        input.value_type
    );
    rules.report(pointer, message, None);
}

/// The steps by id; an id that stands twice is told of.
fn first_places<'w>(
    rules: &mut Rules<'_>,
    workflow: &'w WorkflowSpec,
    pointer: &str,
) -> HashMap<&'w str, usize> {
    let mut ids = HashMap::new();
    for (at, step) in workflow.steps.iter().enumerate() {
        if let Some(first) = ids.get(step.id.as_str()) {
            let line = rules.place(&format!("{pointer}/steps/{first}/id")).position().line;
            let message = format!("there is a step '{}' already, in line {line}", step.id);
            rules.report(&format!("{pointer}/steps/{at}/id"), message, None);
        } else {
            ids.insert(step.id.as_str(), at);
        }
    }
    ids
}

fn check_agent(rules: &mut Rules<'_>, step: &StepSpec, pointer: &str, agents: &[String]) {
    if rules.may_be_agent(&step.agent, agents) {
        return;
    }
    let near = nearest(&step.agent, agents.iter().map(String::as_str));
    let hint = near
        .map_or_else(|| format!("there is {}", agents.join(", ")), |near| format!("did you mean '{near}'?"));
    rules.report(&format!("{pointer}/agent"), format!("there is no agent '{}'", step.agent), Some(hint));
}

fn check_needs(
    rules: &mut Rules<'_>,
    step: &StepSpec,
    pointer: &str,
    ids: &HashMap<&str, usize>,
    before: &Before<'_>,
) {
    for (at, need) in step.needs.iter().enumerate() {
        let pointer = format!("{pointer}/needs/{at}");
        if !ids.contains_key(need.as_str()) {
            let hint = nearest(need, ids.keys().copied()).map(|near| format!("did you mean '{near}'?"));
            rules.report(&pointer, format!("there is no step '{need}'"), hint);
        } else if step.needs[..at].contains(need) {
            rules.report(&pointer, format!("'{need}' stands here again"), None);
        } else if *need == step.id || before.has(need, &step.id) {
            rules.report(&pointer, format!("step '{}' waits for itself by way of '{need}'", step.id), None);
        }
    }
}

/// Which steps are done before which.
struct Before<'w>(HashMap<&'w str, HashSet<&'w str>>);

impl<'w> Before<'w> {
    fn of(workflow: &'w WorkflowSpec) -> Self {
        // Of two steps with one id the first counts.
        let needs: HashMap<&str, &[String]> =
            workflow.steps.iter().rev().map(|step| (step.id.as_str(), step.needs.as_slice())).collect();
        let all = workflow.steps.iter().map(|step| (step.id.as_str(), reachable(&step.id, &needs)));
        Self(all.collect())
    }

    /// Whether `first` is done before `then` begins.
    fn has(&self, then: &str, first: &str) -> bool {
        self.0.get(then).is_some_and(|before| before.contains(first))
    }
}

fn reachable<'w>(id: &str, needs: &HashMap<&'w str, &'w [String]>) -> HashSet<&'w str> {
    let mut found = HashSet::new();
    let mut open: Vec<&'w str> =
        needs.get(id).into_iter().flat_map(|all| all.iter()).map(String::as_str).collect();
    while let Some(next) = open.pop() {
        if found.insert(next) {
            open.extend(needs.get(next).into_iter().flat_map(|all| all.iter()).map(String::as_str));
        }
    }
    found
}

/// One value under `with:`.
struct Data<'r, 's, 'w> {
    rules: &'r mut Rules<'s>,
    workflow: &'w WorkflowSpec,
    step: &'w StepSpec,
    before: &'w Before<'w>,
    place: Location,
}

impl Data<'_, '_, '_> {
    fn check(&mut self, value: &serde_json::Value) {
        match with::read(value) {
            Err(misfits) => {
                for misfit in misfits {
                    let text = value.as_str().and_then(|text| text.get(misfit.span));
                    let place = self.within(text);
                    self.rules.report_at(&place, misfit.message, Some(misfit.hint.to_owned()));
                }
            }
            Ok(read) => {
                let is_mixed = matches!(read, WithValue::Mixed(_));
                for reference in read.references() {
                    let text = value.as_str().and_then(|text| text.get(reference.span.clone()));
                    if let Some((message, hint)) = self.misfit(reference, is_mixed) {
                        let place = self.within(text);
                        self.rules.report_at(&place, message, hint);
                    }
                }
            }
        }
    }

    /// The place of `text` in the value where it stands as it is, else that of the value.
    fn within(&self, text: Option<&str>) -> Location {
        let Location { source, span } = &self.place;
        let found =
            source.slice(*span).zip(text).and_then(|(whole, part)| Some((whole.find(part)?, part.len())));
        match found {
            Some((at, length)) => {
                let start = span.start + at;
                Location { source: source.clone(), span: Span::new(start, start + length) }
            }
            None => self.place.clone(),
        }
    }

    fn misfit(&self, reference: &Reference, is_mixed: bool) -> Option<(String, Option<String>)> {
        match &reference.target {
            Target::Input(name) => self.input_misfit(name, reference, is_mixed),
            Target::Step(id) => self.step_misfit(id, reference),
        }
    }

    fn input_misfit(
        &self,
        name: &str,
        reference: &Reference,
        is_mixed: bool,
    ) -> Option<(String, Option<String>)> {
        let Some(input) = self.workflow.inputs.get(name) else {
            let hint = nearest(name, self.workflow.inputs.keys().map(String::as_str));
            return Some((
                format!("there is no input '{name}'"),
                hint.map(|near| format!("did you mean '{near}'?")),
            ));
        };
        if !input.required && input.default.is_none() {
            let message = format!("input '{name}' may have no value");
            return Some((message, Some("make it required, or give it a default".to_owned())));
        }
        let is_nested = matches!(input.value_type, VariableType::Array | VariableType::Object);
        match (is_nested, reference.steps.is_empty()) {
            (true, true) if is_mixed => {
                let message =
                    format!("input '{name}' is of type {} and cannot stand inside a text", input.value_type);
                Some((message, Some("give it a key of its own under `with`".to_owned())))
            }
            (false, false) => {
                Some((format!("input '{name}' is of type {} and has no parts", input.value_type), None))
            }
            _ => None,
        }
    }

    fn step_misfit(&self, id: &str, reference: &Reference) -> Option<(String, Option<String>)> {
        let Some(other) = self.workflow.steps.iter().find(|step| step.id == id) else {
            let hint = nearest(id, self.workflow.steps.iter().map(|step| step.id.as_str()));
            return Some((
                format!("there is no step '{id}'"),
                hint.map(|near| format!("did you mean '{near}'?")),
            ));
        };
        if !self.before.has(&self.step.id, id) {
            let message = format!("step '{id}' need not be done when '{}' begins", self.step.id);
            return Some((message, Some(format!("add '{id}' to `needs`"))));
        }
        if other.format == AnswerFormat::Text && !reference.steps.is_empty() {
            let message = format!("the answer of step '{id}' is text and has no parts");
            return Some((message, Some(format!("set `format: json` on step '{id}'"))));
        }
        None
    }
}
