//! Owns the one table of error codes: name, place, HTTP status, meaning, hint. Refuses two rows for one code.

use std::fmt;

use crate::names::UnknownName;

/// Where a code is found first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CodePlace {
    /// In the answer to a request.
    Http,
    /// In the error of a failed run or node.
    Run,
    /// In a `log.appended` event, as a warning.
    Log,
    /// In the report of a document that was read.
    Load,
}

impl fmt::Display for CodePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Http => "HTTP",
            Self::Run => "run",
            Self::Log => "log",
            Self::Load => "load",
        })
    }
}

/// Turns a status or `-` into an `Option`.
macro_rules! status {
    (-) => {
        None
    };
    ($status:literal) => {
        Some($status)
    };
}

/// Makes the enum and its lookups from the table.
macro_rules! error_codes {
    ($( $variant:ident = $code:literal, $place:ident, $status:tt, $meaning:literal, $hint:literal; )+) => {
        /// A machine-readable error code; the published ones and ours.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ErrorCode {
            $( #[doc = concat!("`", $code, "`: ", $meaning, ".")] $variant, )+
        }

        impl ErrorCode {
            /// Every code, in the table's order.
            pub const ALL: [Self; [$($code),+].len()] = [$(Self::$variant),+];

            /// The code on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code),+ }
            }

            /// The HTTP status of an answer that carries the code; none for codes that no answer carries.
            pub const fn status(self) -> Option<u16> {
                match self { $(Self::$variant => status!($status)),+ }
            }

            /// Where the code is found first.
            pub const fn place(self) -> CodePlace {
                match self { $(Self::$variant => CodePlace::$place),+ }
            }

            /// What went wrong, in one fragment.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning),+ }
            }

            /// What to do about it, in one fragment.
            pub const fn hint(self) -> &'static str {
                match self { $(Self::$variant => $hint),+ }
            }
        }
    };
}

error_codes! {
    Unauthenticated = "unauthenticated", Http, 401, "The request has no valid credential", "send a valid bearer token";
    KeyExpired = "key_expired", Http, 401, "The credential is past its end", "ask for a new key";
    KeyRevoked = "key_revoked", Http, 401, "The credential was withdrawn", "ask for a new key";
    Forbidden = "forbidden", Http, 403, "The credential does not allow this", "ask for the scope named in the details";
    RunForbidden = "run_forbidden", Http, 403, "The run belongs to another workspace", "use a credential of that workspace";
    WorkspaceMembershipRequired = "workspace_membership_required", Http, 403, "The caller is no member of the workspace named", "leave `workspaceId` out or join the workspace";
    ValidationError = "validation_error", Http, 400, "The body or a parameter is malformed", "correct each fault listed in the details";
    NotFound = "not_found", Http, 404, "There is no such thing, or it is not visible to the caller", "check the id and the credential";
    MethodNotAllowed = "method_not_allowed", Http, 405, "The route does not answer this method", "look in the OpenAPI document for the methods of the route";
    RequestTimeout = "request_timeout", Http, 408, "The request took too long to arrive", "send it again, in one piece";
    PreconditionFailed = "precondition_failed", Http, 412, "The thing is not the one that the request names in `If-Match`", "read it again and decide anew";
    PayloadTooLarge = "payload_too_large", Http, 413, "The body is larger than the host takes", "send less, or raise the limit in the host's configuration";
    UnsupportedMediaType = "unsupported_media_type", Http, 415, "The body is not of a kind the host reads", "send `Content-Type: application/json`";
    RunAlreadyActive = "run_already_active", Http, 409, "A run with the same correlation is active", "wait for the run named in the details";
    IdempotencyInFlight = "idempotency_in_flight", Http, 409, "A request with the same idempotency key is still at work", "try again with the same key a little later";
    IdempotencyKeyMismatch = "idempotency_key_mismatch", Http, 409, "The idempotency key was used with another body", "use a new key for a new request";
    RateLimited = "rate_limited", Http, 429, "Too many requests", "wait as long as `Retry-After` says";
    ServiceUnavailable = "service_unavailable", Http, 503, "The host has too much to do", "wait as long as `Retry-After` says";
    StorageFull = "storage_full", Http, 507, "The host has no room left on its disk; nothing was written", "try again when whoever runs the host has freed space";
    UnsupportedStreamMode = "unsupported_stream_mode", Http, 400, "The stream mode does not exist", "use one of the modes listed in the details";
    MockProviderForbidden = "mock_provider_forbidden", Http, 403, "Stand-ins for providers are for test keys only", "use a test key or leave `mockProvider` out";
    UnsupportedMockProvider = "unsupported_mock_provider", Http, 400, "There is no such stand-in for a provider", "use one that the discovery document lists";
    ForceEngineVersionForbidden = "force_engine_version_forbidden", Http, 403, "Forcing an engine version is for test keys only", "use a test key or leave the header out";
    CapabilityNotProvided = "capability_not_provided", Http, 501, "The host does not offer this", "look in the discovery document before asking";
    CapabilityRequired = "capability_required", Http, 422, "A node type needs something the host does not offer", "use another host or another node type";
    EngineVersionMismatch = "engine_version_mismatch", Run, 409, "The run was begun under another engine version", "resume it with an engine of that version";
    InterruptNotFound = "interrupt_not_found", Http, 404, "There is no such interrupt", "read the run's snapshot for its open interrupt";
    InterruptAlreadyResolved = "interrupt_already_resolved", Http, 409, "The interrupt was answered before", "read the run's events for the answer";
    InterruptExpired = "interrupt_expired", Http, 410, "The interrupt is past its deadline", "start the run again";
    InterruptCancelled = "interrupt_cancelled", Http, 422, "The interrupt was cancelled with its run", "start the run again";
    RecursionLimitExceeded = "recursion_limit_exceeded", Run, -, "The run executed more nodes than allowed", "look for a loop without an end, or raise `recursionLimit`";
    RunTimeout = "run_timeout", Run, -, "The run took longer than allowed", "raise `settings.timeout` of the workflow";
    LoopLimitExceeded = "loop_limit_exceeded", Run, -, "A loop came round more often than allowed", "check its condition, or raise `settings.maxLoopbackIterations`";
    EventLimitExceeded = "event_limit_exceeded", Run, -, "The run would need more events than allowed", "look for a loop without an end or a very long stream, or raise `limits.max_events`";
    NodeTimeout = "node_timeout", Run, -, "A node took longer than allowed", "raise the node's timeout or give it less to do";
    NodeFailed = "node_failed", Run, -, "A node ended in an error of its own", "read the error's message and details";
    NodeTypeUnknown = "node_type_unknown", Load, 400, "The host has no such node type", "use one of the node types the host lists";
    CredentialRequired = "credential_required", Run, 400, "A node needs a credential that was not given", "name the credential in the node or the run";
    CredentialForbidden = "credential_forbidden", Run, 403, "The credential may not be used here", "allow the agent or workflow in the secret's `allow`";
    CredentialUnavailable = "credential_unavailable", Run, 503, "A secret could not be had", "declare the secret in the host's configuration, allow it here, and check its source";
    CredentialNotFound = "credential_not_found", Run, 404, "There is no such credential", "check the name of the credential";
    PromptVariableUnresolved = "prompt_variable_unresolved", Run, 400, "A required variable of a prompt is not bound", "bind the variable at its source, or give the template a default and make it optional";
    PromptVariableTypeMismatch = "prompt_variable_type_mismatch", Run, 400, "A bound value does not have the variable's declared type", "bind a value of the declared type";
    PromptPlaceholderUndeclared = "prompt_placeholder_undeclared", Log, 400, "A placeholder of a prompt's text is not declared as a variable", "declare the variable, or correct the name in the text";
    PromptRefInvalid = "prompt_ref_invalid", Load, 400, "A prompt reference is malformed", "write `prompt:<id>` or `prompt:<id>@<major.minor.patch>`";
    PromptRefAmbiguous = "prompt_ref_ambiguous", Run, 400, "A prompt reference fits templates of several libraries", "use the object form with `libraryId`";
    PromptRefSupersedesInline = "prompt_ref_supersedes_inline", Log, -, "A node has both a prompt reference and an inline prompt; the reference was used", "remove one of the two";
    PromptTemplateNotFound = "prompt_template_not_found", Run, 404, "No library has the template that won the resolution", "install or create the template, or correct the reference in the layer named";
    PromptTemplateInvalid = "prompt_template_invalid", Load, 400, "A prompt template is malformed", "correct each fault listed";
    PromptSecretVisible = "prompt_secret_visible", Load, -, "A secret stands in a prompt of the user's turn, which is said aloud", "have a system prompt hold it, or a tool use it";
    PromptMarkerByHand = "prompt_marker_by_hand", Load, -, "A marker of untrusted text was written by hand, and marks nothing", "leave it out: untrusted values are wrapped where they stand";
    PromptDefaultMismatch = "prompt_default_mismatch", Load, -, "The default of a variable is not of the declared type", "write a default of that type, or declare the other";
    PromptDefaultUnused = "prompt_default_unused", Load, -, "A required variable has a default, which is never used", "leave out the default, or `required`";
    PromptContextUnknown = "prompt_context_unknown", Load, -, "A variable asks for a fact of the context that no run has", "use one of the facts that `docs/prompts.md` lists, or another source";
    PromptHintDoubtful = "prompt_hint_doubtful", Load, -, "A model hint is out of its range or none of the published ones", "correct it; hints are shown and never applied";
    PromptNearLimit = "prompt_near_limit", Load, -, "The text of a template is nearly as long as it may be", "bind the long parts as variables, or split the template";
    PromptTooLarge = "prompt_too_large", Load, -, "The text of a template is longer than a library takes", "bind the long parts as variables, or split the template";
    PromptKindMismatch = "prompt_kind_mismatch", Load, -, "A template stands in a place for another kind", "name a template of the kind that the place is for";
    PlaceholderUnused = "placeholder_unused", Load, -, "A declared variable stands nowhere in its template", "remove the declaration, or write the placeholder where the value belongs";
    PlaceholderLogic = "placeholder_logic", Load, -, "Logic of another template language stays literal text", "use only `{{name}}`, or a template of the pongo dialect";
    PlaceholderTag = "placeholder_tag", Load, -, "A tag of another template language stays literal text", "use only `{{name}}`, or a template of the pongo dialect";
    PlaceholderComment = "placeholder_comment", Load, -, "A comment of another template language stays literal text", "remove it: the model would read it";
    PlaceholderFilter = "placeholder_filter", Load, -, "A filter of another template language stays literal text", "bind the finished value";
    PlaceholderPath = "placeholder_path", Load, -, "A path in a placeholder stays literal text", "declare a variable and take the value with its `extractPath`";
    PlaceholderNameInvalid = "placeholder_name_invalid", Load, -, "A placeholder's name breaks the rule for names and stays literal text", "use letters, digits and `_`, no digit first, at most 64";
    PlaceholderExtraBraces = "placeholder_extra_braces", Load, -, "More than two braces stay literal text", "write exactly two";
    PlaceholderUnclosed = "placeholder_unclosed", Load, -, "A placeholder without its end stays literal text", "close it with two braces";
    PlaceholderSingleBraces = "placeholder_single_braces", Load, -, "A variable's name in single braces stays literal text", "write two braces if the value is meant";
    PlaceholderEmpty = "placeholder_empty", Load, -, "Braces without a name stay literal text", "put a name between them, or leave them if they are meant";
    PlaceholderLiteralBraces = "placeholder_literal_braces", Load, -, "Doubled braces stay literal text", "write one brace where one is meant";
    TemplateSyntax = "template_syntax", Load, -, "A template is malformed at the place named", "correct it there";
    TemplateUnclosedBlock = "template_unclosed_block", Load, -, "A block of a template has no end, or an end no block", "close the block that begins at the place named";
    TemplateUnknownTag = "template_unknown_tag", Load, -, "The template language has no such tag", "use a tag of `docs/templates.md`";
    TemplateUnknownFilter = "template_unknown_filter", Load, -, "The template language has no such filter", "use a filter of `docs/templates.md`";
    TemplateNotAllowed = "template_not_allowed", Load, -, "The profile does not allow this tag or filter", "do without it, or render with a wider profile";
    TemplateNotFound = "template_not_found", Load, -, "A template names another that does not exist", "check the name and the roots, or say `if_exists`";
    TemplateUnreadable = "template_unreadable", Load, -, "A template names another that cannot be read", "check that it stays below its root, its permissions, and that it is UTF-8";
    TemplateCycle = "template_cycle", Load, -, "Templates include or extend each other in a circle", "break the circle at one of the places named";
    TemplateLimitExceeded = "template_limit_exceeded", Load, -, "A template needs more than a limit allows", "use less, or raise the limit named";
    TemplateUndefinedName = "template_undefined_name", Load, -, "A name has no value, in strict mode", "give it a value, or a default";
    TemplateValueUnused = "template_value_unused", Load, -, "A value was given that no template reads", "correct the name, or leave the value out";
    TemplateTypeMismatch = "template_type_mismatch", Load, -, "A value is of a kind that does not have the operation", "check the kind before, or give another value";
    TemplateFilterFailed = "template_filter_failed", Load, -, "A filter cannot do what it is asked", "correct its argument or its input";
    TemplateDivisionByZero = "template_division_by_zero", Load, -, "A template divides by zero", "check the divisor before";
    TemplateMacro = "template_macro", Load, -, "A macro or block is defined twice, missing, or called with too many arguments", "correct the definition or the call";
    TemplateNondeterministic = "template_nondeterministic", Load, -, "A template asks for the time or for chance and was given none", "give a time or a seed";
    PromptAlreadyExists = "prompt_already_exists", Http, 409, "There is a template of that id and version", "raise the version";
    PromptVersionNotGreater = "prompt_version_not_greater", Http, 409, "A new version is not above the stored one", "raise the version above the one named in the details";
    PromptBreakingChange = "prompt_breaking_change", Load, -, "A version of a template breaks those who use it and keeps the major version", "raise the major version, or keep the variable as it was";
    PromptRenderFailed = "prompt_render_failed", Run, 400, "A layered template could not be rendered", "correct the template at the place named";
    PromptContractUnmet = "prompt_contract_unmet", Run, 400, "A rendered prompt lacks something that every prompt of its kind has", "restore the heading or the text named, in the layer that the file stands in";
    PromptEmpty = "prompt_empty", Run, 400, "A composed prompt has no text", "give at least one part of the prompt some text";
    PromptChangedOnResume = "prompt_changed_on_resume", Log, -, "A prompt composed again after a restart differs from the one before", "nothing, if its sources were changed on purpose; pin versions if not";
    PromptPackDependencyUnresolvable = "prompt_pack_dependency_unresolvable", Load, 422, "A prompt pack needs a pack that is not installed", "install the pack named first";
    PackKindInvalid = "pack_kind_invalid", Load, 400, "A pack is not of the kind it is installed as", "install it by its own kind";
    PackInvalid = "pack_invalid", Load, 400, "A pack's files cannot be taken as they are", "correct the file named: no links, no paths out of the pack, nothing over the limits";
    PackAlreadyInstalled = "pack_already_installed", Load, 409, "Another pack of that name is installed", "remove it first, or install with `--replace`";
    PackSignatureInvalid = "pack_signature_invalid", Load, 400, "A pack's signature is missing or does not hold", "get the pack from its publisher again, or trust the key that signed it";
    PackIntegrityFailure = "pack_integrity_failure", Load, 400, "A pack's files are not those that its hash stands for", "get the pack again, or correct the hash";
    PackRuntimeRequirementUnmet = "pack_runtime_requirement_unmet", Load, 422, "A pack needs something this host does not have", "read the pack's requirements";
    ExtensionInvalid = "extension_invalid", Load, -, "A pack of templates cannot be taken as it is", "correct each fault listed: such a pack is taken whole or not at all";
    ExtensionApiUnsupported = "extension_api_unsupported", Load, -, "A pack of templates is made for another version of the extension API", "use a version of the pack for this host, or a newer host";
    ExtensionDependencyUnmet = "extension_dependency_unmet", Load, -, "A pack of templates needs another that is not there, or is there in another version", "add the pack named, in a version of the range named";
    ExtensionDoubled = "extension_doubled", Load, -, "Two packs of templates have one id, and neither is taken", "remove one of them";
    ExtensionNote = "extension_note", Load, -, "Files of a pack of templates have no meaning on this host", "nothing, if another program reads them";
    TemplateContested = "template_contested", Load, -, "Several packs bring a file of one name, and none is taken", "name the winner under `owns`, as in `vendor/leaf:partials/tone.md`";
    TemplateDisabled = "template_disabled", Load, -, "The host has switched a bundled template off", "take it out of `disabled`, or do without it";
    OwnInvalid = "own_invalid", Load, -, "An entry of `owns` or `disabled` leads nowhere", "name a file that an overlay has, or a pack and a file of it";
    LockInvalid = "lock_invalid", Load, -, "The record of overridden files is malformed", "correct each fault listed, or remove the file and record anew";
    BudgetInvalid = "budget_invalid", Load, -, "The budgets of prompts are malformed", "correct each fault listed";
    LayerRefused = "layer_refused", Load, -, "The overlay of a project takes no part, because the host does not trust it", "trust the project in the host's configuration, or use what packs bring";
    BudgetExceeded = "budget_exceeded", Load, -, "A rendered prompt is longer than its budget", "shorten it, or except it with a reason";
    RenderCeilingExceeded = "render_ceiling_exceeded", Run, 400, "A rendered prompt is longer than this host sends", "shorten it, or raise `render_ceiling`; prompts are never cut";
    UnsupportedExtractPath = "unsupported_extract_path", Log, 400, "The extraction path of a variable is not valid JSONPath", "write the path by RFC 9535, starting with `$`";
    AgentBindingUnresolvable = "agent_binding_unresolvable", Log, -, "A node is bound to an agent the host does not know", "install the agent's pack, or correct `config.agentId`";
    AgentLibraryUnresolvable = "agent_library_unresolvable", Log, -, "An agent draws prompts from a library that is not installed", "install the library, or remove `promptLibraryRef`";
    AgentManifestInvalid = "agent_manifest_invalid", Load, 400, "An agent's manifest is malformed", "correct each fault listed";
    ProjectInvalid = "project_invalid", Load, 400, "A project file is malformed", "correct each fault listed";
    ProjectPathRefused = "project_path_refused", Load, 400, "A path of a project is none that a project may name", "name a file below the project's root";
    ProjectFileUnusable = "project_file_unusable", Load, 400, "A file that a project lists cannot be used", "correct the path, or the file";
    ProjectFileBlank = "project_file_blank", Load, -, "A file that a project lists has no text", "write the text, or take the path out of the list";
    ProjectKeyWithoutMeaning = "project_key_without_meaning", Load, -, "A key of a project file is kept and has no meaning on this host", "nothing, if another program reads it";
    NestedProjectMissing = "nested_project_missing", Load, 400, "An included project is not there", "correct the path, or take the entry out of `projects`";
    ProjectCycle = "project_cycle", Load, 400, "A project includes itself, by one way or another", "take one of the entries on the way out of `projects`";
    PersonaContractInvalid = "persona_contract_invalid", Load, -, "A contract of personas is malformed, or two packs say the same thing", "correct each fault listed";
    PlaybookInvalid = "playbook_invalid", Load, -, "A playbook is malformed, or does not fit together with the others", "correct each fault listed";
    PromptUnitInvalid = "prompt_unit_invalid", Load, -, "The front matter of a prompt unit is malformed", "correct each fault listed";
    AgentRowInvalid = "agent_row_invalid", Load, -, "The file of an agent in a pack is malformed", "correct each fault listed";
    PersonaNotFound = "persona_not_found", Load, -, "No pack has an agent of that id", "use one of the agents of the packs, or install the pack that has it";
    PersonaPartialMissing = "persona_partial_missing", Load, -, "A prompt lacks a partial that its archetype requires, or the partial is blank", "include it again, or give the layer named a text for it";
    PersonaHeadingMissing = "persona_heading_missing", Load, -, "A rendered prompt lacks a required heading", "write the heading with that level and text, outside code and quotes";
    PersonaSubstringMissing = "persona_substring_missing", Load, -, "A rendered prompt does not say what its contract requires", "say it letter for letter, or change the contract";
    AgentPromptChanged = "agent_prompt_changed", Log, -, "An agent's own prompt is another than when the run began", "nothing, if it was changed on purpose";
    WorkflowInvalid = "workflow_invalid", Load, 400, "A workflow definition is malformed", "correct each fault listed";
    ConfigInvalid = "config_invalid", Load, 400, "A configuration is malformed", "correct each fault listed";
    DataUnusable = "data_unusable", Load, -, "The data directory cannot be used; nothing in it was changed", "give a directory that this process may write and that no other host holds, or restore it from a copy";
    FileUnreadable = "file_unreadable", Load, -, "A file could not be read", "check the path, its permissions and that it is UTF-8";
    ModelOutputInvalid = "model_output_invalid", Run, -, "A model's answer does not have the form that was asked for", "make the prompt's schema hint clearer, or allow a repair round";
    ProviderError = "provider_error", Run, 502, "A model provider answered with an error", "read the status in the details; try again if it is retryable";
    ProviderPolicyDenied = "provider_policy_denied", Run, 403, "A policy does not allow this provider here", "use a provider the policy allows";
    UnsupportedModelClass = "unsupported_model_class", Run, 422, "The host has no model of the class asked for", "map the class to a model in the host's configuration";
    NoActiveDeployment = "no_active_deployment", Run, 409, "The agent has no deployment in the channel named", "deploy a version to the channel, or name a version";
    ChannelAccessDenied = "channel_access_denied", Run, 400, "The node may not read or write the channel", "add the node to the channel's `access`";
    ChannelSchemaBreakingChange = "channel_schema_breaking_change", Run, 400, "A channel's schema cannot read its older entries", "list the older versions in `compatibleWith`, or use a new channel";
    ChannelCrossEngineWriteForbidden = "channel_cross_engine_write_forbidden", Run, 400, "Another engine may not write the channel", "write it from the engine that owns it";
    ReplaySourceMissing = "replay_source_missing", Run, -, "The run to be replayed lacks a recorded fact", "replay from a run whose log is complete";
    ReplayDivergedAtRefusal = "replay_diverged_at_refusal", Run, -, "A replay met a refusal where its source had an answer, or the other way round", "compare the two runs at the place named";
    ReplayMemorySnapshotUnavailable = "replay_memory_snapshot_unavailable", Run, -, "The memory a run saw is no longer kept", "replay while the memory is retained";
    InternalError = "internal_error", Http, 500, "The host made a mistake", "report the correlation id in the details";
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl serde::Serialize for ErrorCode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl std::str::FromStr for ErrorCode {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Self, UnknownName> {
        let known = Self::ALL.into_iter().find(|code| code.as_str() == given);
        known.ok_or_else(|| UnknownName::new("ErrorCode", given, Self::ALL.map(Self::as_str).to_vec()))
    }
}
