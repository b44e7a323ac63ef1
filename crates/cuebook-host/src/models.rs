//! Which provider answers: the engine's port on the configured providers.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cuebook_engine::{ModelAnswer, ModelCall, ModelChoice, Models, PieceSink};
use cuebook_prompt::{SecretId, SecretStore};
use cuebook_provider::{
    ChunkSink, ModelError, ModelErrorKind, ModelPort, ModelSettings, OpenAi, OpenAiOptions, ResponseFormat,
    Script, Scripted,
};
use cuebook_template::{Diagnostic, nearest};
use cuebook_wire::{ErrorCode, RunError};
use futures_util::future::BoxFuture;
use tokio::sync::Semaphore;

use crate::agents::AgentRegistry;
use crate::config::{Config, ModelTarget, ProviderConfig, ProviderKind, SCRIPTED};
use crate::document::Document;
use crate::files::read_text;
use crate::report::Problems;

/// How long an answer may take when the configuration does not say.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(5);
/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The providers by name and the models by class.
pub struct ModelRouter {
    providers: BTreeMap<String, Arc<dyn ModelPort>>,
    targets: BTreeMap<String, ModelTarget>,
    agents: Arc<AgentRegistry>,
    /// How many more calls there may be at once.
    turns: Semaphore,
}

impl ModelRouter {
    /// Sets up every provider of `config`; relative paths are taken from `root`.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with scripts and provider settings.
    pub fn new(
        config: &Config,
        root: &Path,
        secrets: &Arc<dyn SecretStore>,
        agents: Arc<AgentRegistry>,
    ) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let built_in: Arc<dyn ModelPort> = Arc::new(Scripted::default().with_name(SCRIPTED));
        let mut providers = BTreeMap::from([(SCRIPTED.to_owned(), built_in)]);
        for (name, provider) in &config.providers {
            if let Some(port) = problems.collect(set_up(name, provider, root, secrets)) {
                providers.insert(name.clone(), port);
            }
        }
        let turns = Semaphore::new(config.limits.max_model_calls.get().min(Semaphore::MAX_PERMITS));
        problems.or(Self { providers, targets: config.models.clone(), agents, turns })
    }

    /// The provider and settings that a choice comes to.
    fn route(&self, choice: &ModelChoice) -> Result<(&Arc<dyn ModelPort>, ModelSettings), Box<RunError>> {
        let target = self.target(choice);
        let name =
            choice.provider.as_deref().unwrap_or_else(|| target.map_or(SCRIPTED, |target| &target.provider));
        let port = self.providers.get(name).ok_or_else(|| Box::new(self.no_provider(name)))?;
        let same = target.filter(|target| target.provider == name);
        let model = choice.model.clone().or_else(|| same.map(|target| target.model.clone()));
        let settings = ModelSettings {
            model: model.unwrap_or_else(|| name.to_owned()),
            temperature: choice.temperature.or_else(|| same?.temperature),
            max_tokens: choice.max_tokens.or_else(|| same?.max_tokens),
            response_format: if choice.json { ResponseFormat::Json } else { ResponseFormat::Text },
        };
        Ok((port, settings))
    }

    /// The model of the agent's class or alias, else the default.
    fn target(&self, choice: &ModelChoice) -> Option<&ModelTarget> {
        let name = choice.agent_id.as_ref().and_then(|id| self.agents.model(id));
        name.and_then(|name| self.targets.get(&name)).or_else(|| self.targets.get("default"))
    }

    fn no_provider(&self, name: &str) -> RunError {
        let known = self.providers.keys().map(String::as_str);
        let message = match nearest(name, known) {
            Some(near) => format!("there is no provider '{name}'; did you mean '{near}'?"),
            None => format!("there is no provider '{name}' under [providers]"),
        };
        RunError::new(ErrorCode::ValidationError, message)
    }
}

impl Models for ModelRouter {
    fn call<'a>(
        &'a self,
        call: ModelCall<'a>,
        pieces: PieceSink<'a>,
    ) -> BoxFuture<'a, Result<ModelAnswer, RunError>> {
        Box::pin(async move {
            let (port, settings) = self.route(call.choice).map_err(|error| *error)?;
            // Nobody closes it; if somebody did, calls would go without a turn.
            let _turn = self.turns.acquire().await.ok();
            let invocation = call.invocation.as_str();
            let request =
                cuebook_provider::ModelCall { dispatch: call.dispatch, settings: &settings, invocation };
            let answer = port.call(request, &mut Pieces(pieces)).await.map_err(run_error)?;
            Ok(ModelAnswer {
                text: answer.text,
                provider: port.name().to_owned(),
                model: answer.model,
                usage: answer.usage.map(|usage| (usage.input_tokens, usage.output_tokens)),
                finish: answer.finish.as_str(),
            })
        })
    }
}

/// Hands the provider's pieces to the engine.
struct Pieces<'a>(PieceSink<'a>);

impl ChunkSink for Pieces<'_> {
    fn chunk(&mut self, text: &str) {
        (self.0)(text);
    }
}

fn run_error(error: ModelError) -> RunError {
    let code = match error.kind {
        ModelErrorKind::CredentialUnavailable => ErrorCode::CredentialUnavailable,
        _ => ErrorCode::ProviderError,
    };
    let retryable = error.retryable();
    RunError { retryable: Some(retryable), ..RunError::new(code, error.message) }
}

fn set_up(
    name: &str,
    provider: &ProviderConfig,
    root: &Path,
    secrets: &Arc<dyn SecretStore>,
) -> Result<Arc<dyn ModelPort>, Problems> {
    match provider.kind {
        ProviderKind::Scripted => {
            let scripted = match &provider.script {
                Some(path) => read_script(&root.join(path))?,
                None => Scripted::default(),
            };
            Ok(Arc::new(scripted.with_name(name)))
        }
        ProviderKind::OpenAi => {
            let options = OpenAiOptions {
                name: name.to_owned(),
                base_url: provider.base_url.clone().unwrap_or_default(),
                api_key: provider.api_key.as_deref().and_then(SecretId::parse),
                secrets: Arc::clone(secrets),
                timeout: provider.timeout_ms.map_or(DEFAULT_TIMEOUT, Duration::from_millis),
                connect_timeout: CONNECT_TIMEOUT,
            };
            let port = OpenAi::new(options)
                .map_err(|error| Diagnostic::error(ErrorCode::ConfigInvalid.as_str(), error.to_string()))?;
            Ok(Arc::new(port))
        }
    }
}

fn read_script(path: &Path) -> Result<Scripted, Problems> {
    let document = Document::toml(read_text(path)?)?;
    let code = ErrorCode::ConfigInvalid.as_str();
    let script: Script = serde_json::from_value(document.value().clone()).map_err(|error| {
        Diagnostic::error(code, error.to_string()).at(document.source(), document.locate(""))
    })?;
    Scripted::new(script).map_err(|error| {
        let problem = |problem: &cuebook_provider::ScriptProblem| {
            let place = document.locate(&format!("/replies/{}/{}", problem.index, problem.field));
            Diagnostic::error(code, problem.message.clone()).at(document.source(), place)
        };
        error.problems.iter().map(problem).collect()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use cuebook_engine::InvocationId;
    use cuebook_prompt::{Dispatch, Libraries, Principal};
    use cuebook_wire::{AgentId, AgentManifest, ManifestOrigin, NodeId, RunId, strict};
    use serde_json::json;

    use super::*;
    use crate::agents::LoadedAgent;
    use crate::secrets::ConfiguredSecrets;

    fn router() -> ModelRouter {
        let config: Config = strict::read(&json!({
            "limits": { "max_model_calls": 2 },
            "providers": { "mine": { "kind": "scripted" } },
            "models": {
                "default": { "provider": "mine", "model": "small", "temperature": 0.5 },
                "writing": { "provider": "scripted", "model": "quill", "max_tokens": 9 },
            },
        }))
        .expect("a sound configuration");
        let agents = [("local.a.writer", "writing"), ("local.a.coder", "coding")].map(|(id, class)| {
            let manifest = json!({
                "agentId": id, "persona": "P", "modelClass": class, "systemPrompt": "x",
            });
            let manifest = AgentManifest::read(&manifest, ManifestOrigin::Local).expect("a sound manifest");
            LoadedAgent { manifest, intrinsic: None, origin: "test".to_owned(), pack: None, is_listed: true }
        });
        let agents = Arc::new(AgentRegistry::new(agents.into(), &Libraries::new(Vec::new())));
        let secrets: Arc<dyn SecretStore> =
            Arc::new(ConfiguredSecrets::new(&Config::default(), Path::new("")));
        ModelRouter::new(&config, Path::new(""), &secrets, agents).expect("sound providers")
    }

    fn choice(provider: Option<&str>, model: Option<&str>, agent: Option<&str>) -> ModelChoice {
        ModelChoice {
            provider: provider.map(str::to_owned),
            model: model.map(str::to_owned),
            agent_id: agent.map(AgentId::new),
            ..ModelChoice::default()
        }
    }

    #[track_caller]
    fn check(choice: &ModelChoice, provider: &str, model: &str, settings: (Option<f64>, Option<u32>)) {
        let router = router();
        let (port, found) = router.route(choice).expect("a route");
        assert_eq!((port.name(), found.model.as_str()), (provider, model), "of {choice:?}");
        assert_eq!((found.temperature, found.max_tokens), settings, "of {choice:?}");
    }

    #[test]
    fn the_class_of_the_agent_decides_else_the_default() {
        check(&choice(None, None, None), "mine", "small", (Some(0.5), None));
        check(&choice(None, None, Some("local.a.writer")), "scripted", "quill", (None, Some(9)));
        check(&choice(None, None, Some("local.a.coder")), "mine", "small", (Some(0.5), None));
        check(&choice(None, None, Some("local.a.nobody")), "mine", "small", (Some(0.5), None));
    }

    #[test]
    fn what_the_node_says_goes_before() {
        check(&choice(None, Some("large"), None), "mine", "large", (Some(0.5), None));
        check(&choice(Some("mine"), None, Some("local.a.writer")), "mine", "mine", (None, None));
        check(&choice(Some("scripted"), Some("m"), None), "scripted", "m", (None, None));
        let warm = ModelChoice { temperature: Some(1.0), max_tokens: Some(3), ..choice(None, None, None) };
        check(&warm, "mine", "small", (Some(1.0), Some(3)));
    }

    /// A provider that counts how many calls are under way together.
    #[derive(Default)]
    struct Counting {
        now: AtomicUsize,
        most: AtomicUsize,
    }

    impl ModelPort for Counting {
        fn name(&self) -> &'static str {
            "counting"
        }

        fn call<'a>(
            &'a self,
            _: cuebook_provider::ModelCall<'a>,
            _: &'a mut dyn ChunkSink,
        ) -> BoxFuture<'a, Result<cuebook_provider::ModelAnswer, ModelError>> {
            Box::pin(async move {
                self.most.fetch_max(self.now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
                for _ in 0..10 {
                    tokio::task::yield_now().await;
                }
                self.now.fetch_sub(1, Ordering::Relaxed);
                Err(ModelError::new(ModelErrorKind::Rejected, "counted"))
            })
        }
    }

    #[tokio::test]
    async fn calls_wait_for_their_turn() {
        let counting = Arc::new(Counting::default());
        let mut router = router();
        router.providers.insert("counting".to_owned(), Arc::clone(&counting) as _);
        let dispatch = Dispatch::new(None, Some("x".to_owned()));
        let invocation = InvocationId::derive(
            &Principal::local(),
            &RunId::new("run"),
            &NodeId::new("node"),
            0,
            "counting",
        );
        let choice = choice(Some("counting"), None, None);
        let call = || async {
            let call = ModelCall { dispatch: &dispatch, choice: &choice, invocation: &invocation };
            router.call(call, &mut |_| {}).await
        };
        let answers = futures_util::future::join_all((0..5).map(|_| call())).await;
        assert!(answers.iter().all(Result::is_err), "all of them were made");
        assert_eq!(counting.most.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn a_provider_that_is_not_there_is_named_with_the_nearest() {
        let router = router();
        let Err(error) = router.route(&choice(Some("mime"), None, None)) else { panic!("there is no such") };
        assert_eq!(error.message, "there is no provider 'mime'; did you mean 'mine'?");
    }
}
