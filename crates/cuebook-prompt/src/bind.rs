//! Binding: declared variables become values that carry type, trust and secrecy.
//!
//! Pure. For each variable: the ref's override, else the source's value (with `extractPath`), else the default when
//! the variable is optional, else nothing. Secrets are bound by id; their values are fetched later and never pass
//! through here.

use std::borrow::Cow;
use std::sync::Arc;

use cuebook_template::flat::{Placeholder, Program};
use cuebook_template::pongo::Miss;
use cuebook_template::{Source as TextSource, Span, Trust, Value, nearest};
use cuebook_wire::{ErrorCode, PromptRef, PromptVariable, VariableSource, VariableType};

use crate::chain::Warning;
use crate::extract::{check as check_path, extract};
use crate::failure::PromptError;
use crate::layered::{self, Piece};
use crate::pinned::{Blocks, Body, Pinned};
use crate::scope::{CONTEXT_KEYS, Scope};
use crate::secret::SecretId;
use crate::segment::Origin;

/// A variable of one template with what it is bound to.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The variable's name; shared with the template where it stands in the text.
    pub name: Arc<str>,
    /// Where its value comes from.
    pub source: VariableSource,
    /// The value.
    pub value: BoundValue,
}

impl Bound {
    /// The origin of its value's text, asked for in line `line` of the text that goes by `reference`.
    pub(crate) fn origin(&self, reference: &Arc<str>, line: usize) -> Origin {
        Origin::Variable {
            name: Arc::clone(&self.name),
            source: self.source,
            trust: self.value.trust(),
            secret: matches!(self.value, BoundValue::Secret(_)),
            reference: Arc::clone(reference),
            line,
            path: None,
            layer: None,
        }
    }
}

/// What a variable is bound to.
#[derive(Clone, Debug, PartialEq)]
pub enum BoundValue {
    /// Nothing: an optional variable without value or default; it renders as no text.
    Empty,
    /// A value and its trust.
    Plain(Value),
    /// A secret, by id.
    Secret(SecretId),
}

impl BoundValue {
    /// The text that may be seen; for a secret its marker.
    pub fn observed_text(&self) -> Cow<'_, str> {
        match self {
            Self::Empty => Cow::Borrowed(""),
            Self::Plain(value) => value.text(),
            Self::Secret(id) => Cow::Owned(id.marker()),
        }
    }

    /// The JSON that may be seen; for a secret its marker.
    pub fn observed_json(&self) -> serde_json::Value {
        match self {
            Self::Empty => "".into(),
            Self::Plain(value) => value.json().clone(),
            Self::Secret(id) => id.marker().into(),
        }
    }

    /// Untrusted only for untrusted values.
    pub fn trust(&self) -> Trust {
        match self {
            Self::Plain(value) => value.trust(),
            Self::Empty | Self::Secret(_) => Trust::Trusted,
        }
    }
}

/// The host's choices about binding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BindPolicy {
    /// Makes a placeholder that no variable declares an error instead of a warning.
    pub strict_placeholders: bool,
    /// Whether names and keys without a value in a layered template are told of; the render goes on all the same.
    pub tell_missing: bool,
}

/// The bound variables of one template, in slot order of its program, then those without placeholder.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// The variables.
    pub variables: Vec<Bound>,
    /// What is worth a warning.
    pub warnings: Vec<Warning>,
    /// What the text of a layered template must have and lacks.
    pub unmet: Vec<PromptError>,
    /// What a layered template asked for and had no value, where [`BindPolicy::tell_missing`] wants to know.
    pub missing: Vec<Miss>,
    /// The text of a layered template, which is rendered as it is bound; empty for all others.
    pub(crate) pieces: Vec<Piece>,
}

impl Bindings {
    /// The variable called `name`.
    pub fn get(&self, name: &str) -> Option<&Bound> {
        self.variables.iter().find(|bound| *bound.name == *name)
    }

    /// Where a piece of a layered template came from.
    pub(crate) fn origin_of(&self, piece: &Piece, reference: &Arc<str>) -> Origin {
        let Some(path) = &piece.name else {
            let (path, layer) = (piece.file.to_string(), piece.layer.clone());
            return Origin::File { path, line: piece.line, layer };
        };
        let root = path.split('.').next().unwrap_or(path);
        Origin::Variable {
            name: path.as_str().into(),
            source: self.get(root).map_or(VariableSource::Input, |bound| bound.source),
            trust: piece.trust,
            secret: false,
            reference: Arc::clone(reference),
            line: piece.line,
            path: Some(Arc::clone(&piece.file)),
            layer: piece.layer.clone(),
        }
    }

    /// The ids of the secrets that the template needs.
    pub fn secrets(&self) -> impl Iterator<Item = &SecretId> {
        self.variables.iter().filter_map(|bound| match &bound.value {
            BoundValue::Secret(id) => Some(id),
            BoundValue::Empty | BoundValue::Plain(_) => None,
        })
    }
}

/// Binds every variable of `pinned`; a static text has none, and a layered template is rendered with them.
///
/// # Errors
///
/// All that is wrong: `prompt_variable_unresolved` for a required variable without value,
/// `prompt_variable_type_mismatch`, `unsupported_extract_path`, `credential_unavailable` for a secret variable whose
/// binding in a run is no trusted secret id (of a preview it is a mismatch), `prompt_render_failed` for a layered template, `prompt_placeholder_undeclared` under [`BindPolicy::strict_placeholders`], and
/// `validation_error` for an override that names no variable.
pub fn bind(
    pinned: &Pinned,
    reference: Option<&PromptRef>,
    scope: &Scope,
    policy: BindPolicy,
) -> Result<Bindings, Vec<PromptError>> {
    let program = match &pinned.body {
        Body::Template(program) => program,
        Body::Layered(layered) => return layered::bind(pinned, layered, reference, scope, policy),
        Body::Static { .. } | Body::Compound(_) => return Ok(Bindings::default()),
        Body::Blocks(blocks) => return bind_blocks(pinned, blocks, scope),
    };
    let mut binder = Binder { pinned, program, reference, scope, errors: Vec::new() };
    let mut bindings = Bindings::default();
    for (slot, name) in program.names().iter().enumerate() {
        let declared = declared(&pinned.variables, slot, name);
        let value = match declared {
            Some(variable) => binder.bind_declared(slot, variable),
            None => binder.bind_undeclared(name, policy, &mut bindings.warnings),
        };
        let source = declared.map_or_else(|| undeclared_source(name), |variable| variable.source);
        bindings.variables.push(Bound { name: Arc::clone(name), source, value });
    }
    for (at, variable) in pinned.variables.iter().enumerate() {
        if is_placed(program, at, &variable.name) {
            continue;
        }
        let value = binder.bind_declared(at, variable);
        let name = variable.name.as_str().into();
        bindings.variables.push(Bound { name, source: variable.source, value });
    }
    binder.check_overrides();
    if binder.errors.is_empty() { Ok(bindings) } else { Err(binder.errors) }
}

/// The declaration of the name in a slot; most templates declare their names in the order in which they stand in the text.
fn declared<'v>(variables: &'v [PromptVariable], slot: usize, name: &str) -> Option<&'v PromptVariable> {
    let in_place = variables.get(slot).filter(|variable| variable.name == name);
    in_place.or_else(|| variables.iter().find(|variable| variable.name == name))
}

/// Whether the text has a placeholder for the variable that is declared at `at`.
fn is_placed(program: &Program, at: usize, name: &str) -> bool {
    program.names().get(at).is_some_and(|placed| **placed == *name) || program.slot(name).is_some()
}

/// Where a placeholder that nothing declares gets its value: the facts of the context need no declaration (openwop-v1 §16).
fn undeclared_source(name: &str) -> VariableSource {
    if CONTEXT_KEYS.contains(&name) { VariableSource::Context } else { VariableSource::Input }
}

/// Every block takes the value of its input port, of whatever type.
fn bind_blocks(pinned: &Pinned, blocks: &Blocks, scope: &Scope) -> Result<Bindings, Vec<PromptError>> {
    let mut bindings = Bindings::default();
    let mut errors = Vec::new();
    for name in &blocks.names {
        let value = scope.value(VariableSource::Input, name).cloned();
        if value.is_none() {
            let message = format!("{}.{name} has no value", blocks.field);
            errors.push(variable_error(pinned, ErrorCode::PromptVariableUnresolved, name, message));
        }
        let value = value.map_or(BoundValue::Empty, BoundValue::Plain);
        let name = name.as_str().into();
        bindings.variables.push(Bound { name, source: VariableSource::Input, value });
    }
    if errors.is_empty() { Ok(bindings) } else { Err(errors) }
}

struct Binder<'a> {
    pinned: &'a Pinned,
    program: &'a Program,
    reference: Option<&'a PromptRef>,
    scope: &'a Scope,
    errors: Vec<PromptError>,
}

impl Binder<'_> {
    /// Binds a variable whose value is looked for at the place `at` first.
    fn bind_declared(&mut self, at: usize, variable: &PromptVariable) -> BoundValue {
        let found = self.find(at, variable);
        match found {
            None => self.fall_back(variable),
            Some(value) if variable.source == VariableSource::Secret => self.bind_secret(variable, &value),
            Some(value) => self.bind_plain(variable, value),
        }
    }

    /// The override, else the source's value, with the path applied to the latter.
    fn find(&mut self, at: usize, variable: &PromptVariable) -> Option<Value> {
        if let Some(value) = self.overridden(&variable.name) {
            return Some(value);
        }
        let scope = self.scope;
        let value = scope.value_near(at, variable.source, &variable.name);
        match &variable.extract_path {
            None => value.cloned(),
            Some(path) => self.extracted(&variable.name, path, value),
        }
    }

    /// What `path` finds in `value`; a path that is none is an error whether or not there is a value.
    fn extracted(&mut self, name: &str, path: &str, value: Option<&Value>) -> Option<Value> {
        let found = match value {
            Some(value) => extract(path, value),
            None => check_path(path).map(|()| None),
        };
        match found {
            Ok(found) => found.filter(|value| !value.is_null()),
            Err(bad) => {
                let error = self.error(ErrorCode::UnsupportedExtractPath, name, bad.to_string());
                self.errors.push(error.hint("write a path of RFC 9535, for example $.items[0].title"));
                None
            }
        }
    }

    fn overridden(&self, name: &str) -> Option<Value> {
        let value = self.reference?.variable_overrides.get(name)?;
        (!value.is_null()).then(|| Value::from_tagged(value.clone(), Trust::Trusted))
    }

    fn fall_back(&mut self, variable: &PromptVariable) -> BoundValue {
        if variable.required {
            if !self.errors.iter().any(|error| error.is_about_variable(&variable.name)) {
                let error = self.unresolved(variable);
                self.errors.push(error);
            }
            return BoundValue::Empty;
        }
        match variable.default_value.as_ref().filter(|value| !value.is_null()) {
            None => BoundValue::Empty,
            Some(default) if variable.source == VariableSource::Secret => {
                self.bind_secret(variable, &Value::trusted(default.clone()))
            }
            Some(default) => self.bind_plain(variable, Value::trusted(default.clone())),
        }
    }

    fn unresolved(&self, variable: &PromptVariable) -> PromptError {
        let name = &variable.name;
        let message = format!("required variable '{name}' has no value");
        let error = self.error(ErrorCode::PromptVariableUnresolved, name, message);
        let place = match (self.scope, variable.source) {
            (Scope::Supplied(_), _) => "a value that the caller gives",
            (_, VariableSource::Input) => "an input port of the node",
            (_, VariableSource::Variable) => "a variable of the run",
            (_, VariableSource::Context) => "a context fact of the host",
            (_, VariableSource::Secret) => "an input port holding the id of a declared secret",
        };
        let hint = match nearest(name, self.scope.names(variable.source)) {
            Some(near) if near != name => format!("it is {place}; there is one called '{near}'"),
            _ => format!("it is {place}; give one called '{name}'"),
        };
        error.hint(hint)
    }

    fn bind_plain(&mut self, variable: &PromptVariable, value: Value) -> BoundValue {
        if variable.value_type.accepts(value.json()) {
            return BoundValue::Plain(value);
        }
        let got = VariableType::name_of(value.json());
        let message =
            format!("variable '{}' is declared as {}, got {got}", variable.name, variable.value_type);
        let error = self.error(ErrorCode::PromptVariableTypeMismatch, &variable.name, message);
        self.errors.push(error);
        BoundValue::Empty
    }

    /// An untrusted value may not choose which secret is sent.
    fn bind_secret(&mut self, variable: &PromptVariable, value: &Value) -> BoundValue {
        let id = value
            .json()
            .as_str()
            .and_then(|text| SecretId::parse_marker(text).or_else(|| SecretId::parse(text)));
        if let Some(id) = id.filter(|_| value.trust() == Trust::Trusted) {
            BoundValue::Secret(id)
        } else {
            let message =
                format!("secret variable '{}' is not bound to the id of a declared secret", variable.name);
            let code = match self.scope {
                Scope::Supplied(_) => ErrorCode::PromptVariableTypeMismatch,
                Scope::Node { .. } => ErrorCode::CredentialUnavailable,
            };
            let error = self.error(code, &variable.name, message);
            self.errors.push(error.hint("bind it to an id under [secrets] in the host's configuration"));
            BoundValue::Empty
        }
    }

    fn bind_undeclared(&mut self, name: &str, policy: BindPolicy, warnings: &mut Vec<Warning>) -> BoundValue {
        let message =
            format!("placeholder '{{{{{name}}}}}' of {} is not a declared variable", self.pinned.reference);
        if policy.strict_placeholders {
            let error = self.error(ErrorCode::PromptPlaceholderUndeclared, name, message);
            let known = self.pinned.variables.iter().map(|variable| variable.name.as_str());
            self.errors.push(match nearest(name, known) {
                Some(near) => error.hint(format!("did you mean '{near}'?")),
                None => error.hint("declare it under \"variables\""),
            });
        } else if undeclared_source(name) == VariableSource::Input {
            warnings.push(Warning { code: ErrorCode::PromptPlaceholderUndeclared, message });
        }
        let given = || self.scope.value(VariableSource::Input, name);
        let found = self
            .overridden(name)
            .or_else(|| given().or_else(|| self.scope.value(undeclared_source(name), name)).cloned());
        found.map_or(BoundValue::Empty, BoundValue::Plain)
    }

    /// An override that no variable or placeholder takes would silently do nothing.
    fn check_overrides(&mut self) {
        let Some(reference) = self.reference else { return };
        let known = || {
            self.pinned
                .variables
                .iter()
                .map(|v| v.name.as_str())
                .chain(self.program.names().iter().map(|name| &**name))
        };
        for name in reference.variable_overrides.keys() {
            if known().any(|variable| variable == name) {
                continue;
            }
            let message =
                format!("variableOverrides names '{name}', which {} does not have", self.pinned.reference);
            let error = PromptError::new(ErrorCode::ValidationError, message).about(reference).variable(name);
            self.errors.push(match nearest(name, known()) {
                Some(near) => error.hint(format!("did you mean '{near}'?")),
                None => error,
            });
        }
    }

    fn error(&self, code: ErrorCode, variable: &str, message: String) -> PromptError {
        variable_error(self.pinned, code, variable, message)
    }
}

/// An error about a variable, at its first placeholder.
pub(crate) fn variable_error(pinned: &Pinned, code: ErrorCode, name: &str, message: String) -> PromptError {
    let error = PromptError::new(code, message).about_pinned(&pinned.reference).variable(name);
    match &pinned.body {
        Body::Template(program) => match first_placeholder(program, name) {
            Some((source, span)) => error.at(source, span),
            None => error,
        },
        Body::Layered(_) | Body::Static { .. } | Body::Compound(_) | Body::Blocks(_) => error,
    }
}

fn first_placeholder<'a>(program: &'a Program, name: &str) -> Option<(&'a TextSource, Span)> {
    let found = program.placeholders().find(|placeholder: &&Placeholder| &*placeholder.name == name)?;
    Some((program.source(), found.span))
}
