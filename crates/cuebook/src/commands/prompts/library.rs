//! Where the templates of a command are: in a project, in a data directory, or at another host.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args as ClapArgs};
use cuebook_client::{Client, PromptLookup, PromptQuery, PromptVersion};
use cuebook_host::prompt::Principal;
use cuebook_host::wire::template::TemplateOrigin;
use cuebook_host::wire::{ErrorCode, LibraryId, PromptRef, PromptTemplate, TemplateId, Version};
use cuebook_host::{Diagnostic, HistoryEntry, Host, Options, Problems, parse_reference};
use futures_util::StreamExt as _;

use crate::args::ProjectArgs;
use crate::commands::remote::{problem, read_key};

/// The templates that were written over HTTP: in a data directory that no host holds.
#[derive(Debug, ClapArgs)]
pub(crate) struct DataArgs {
    /// A data directory with templates that were written over HTTP.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Whose templates of the data directory.
    #[arg(long, value_name = "NAME", default_value = "default", requires = "data", conflicts_with = "host")]
    tenant: String,
    /// The workspace within the tenant.
    #[arg(long, value_name = "NAME", requires = "place")]
    workspace: Option<String>,
}

/// Another host that has the templates.
#[derive(Debug, ClapArgs)]
pub(crate) struct HostArgs {
    /// The library of a running host, with the key in `CUEBOOK_API_KEY`.
    #[arg(long, value_name = "URL", conflicts_with_all = ["data", "project"])]
    host: Option<String>,
    /// A file that holds the key for the host.
    #[arg(long, value_name = "FILE", requires = "host")]
    key_file: Option<PathBuf>,
}

/// A project with the data directory, or another host.
#[derive(Debug, ClapArgs)]
#[command(group(place()))]
pub(crate) struct LibraryArgs {
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    at: HostArgs,
}

/// What is a place of templates besides a project.
pub(super) fn place() -> ArgGroup {
    ArgGroup::new("place").args(["data", "host"])
}

impl DataArgs {
    /// The workspace that is named.
    pub(super) fn workspace(&self) -> Option<&str> {
        self.workspace.as_deref()
    }

    /// Opens a project with the data directory, which must be there.
    pub(super) fn open(&self, project: Options) -> Result<(Host, Principal), Problems> {
        match &self.data {
            Some(data) if !data.is_dir() => Err(no_data(data)),
            _ => self.open_or_make(project),
        }
    }

    /// As [`Self::open`]; a data directory that is not there is one without templates, and is not made.
    fn open_or_imagine(&self, project: Options) -> Result<(Host, Principal), Problems> {
        let data = self.data.clone().filter(|data| data.is_dir());
        Self { data, tenant: self.tenant.clone(), workspace: self.workspace.clone() }.open_or_make(project)
    }

    /// As [`Self::open`]; makes the data directory when it is not there.
    fn open_or_make(&self, project: Options) -> Result<(Host, Principal), Problems> {
        let principal = Principal { tenant: self.tenant.clone(), workspace: self.workspace.clone() };
        Ok((Host::open(&Options { data: self.data.clone(), ..project })?, principal))
    }
}

fn no_data(data: &Path) -> Problems {
    let message = format!("there is no data directory {}", data.display());
    let hint = "`cuebook prompts import` and `cuebook serve` make one";
    Diagnostic::error(ErrorCode::FileUnreadable.as_str(), message).with_hint(hint).into()
}

impl HostArgs {
    /// The other host, if one is named.
    pub(super) fn connect(&self) -> Result<Option<Client>, Problems> {
        let Some(url) = &self.host else { return Ok(None) };
        let key = read_key(self.key_file.as_deref())?;
        Client::new(url, &key).map(Some).map_err(|error| problem(&error))
    }
}

/// A library that can be asked.
pub(super) enum Library<'a> {
    /// Of this machine's files.
    Here(Box<Host>, Principal),
    /// Of a running host.
    There(Client, Option<&'a str>),
}

impl LibraryArgs {
    /// Whether a library is named: that of a data directory or of another host.
    pub(super) fn is_named(&self) -> bool {
        self.data.data.is_some() || self.at.host.is_some()
    }

    pub(super) fn options(&self) -> Options {
        self.project.options()
    }

    pub(super) fn open(&self) -> Result<Library<'_>, Problems> {
        self.open_by(DataArgs::open)
    }

    /// As [`Self::open`], for a write: the data directory is made when it is not there, or, with `dry_run`, imagined.
    pub(super) fn open_to_write(&self, dry_run: bool) -> Result<Library<'_>, Problems> {
        self.open_by(if dry_run { DataArgs::open_or_imagine } else { DataArgs::open_or_make })
    }

    fn open_by(
        &self,
        open: impl FnOnce(&DataArgs, Options) -> Result<(Host, Principal), Problems>,
    ) -> Result<Library<'_>, Problems> {
        if let Some(client) = self.at.connect()? {
            return Ok(Library::There(client, self.data.workspace()));
        }
        let (host, principal) = open(&self.data, self.project.options())?;
        Ok(Library::Here(Box::new(host), principal))
    }
}

impl Library<'_> {
    /// The template that a ref as typed means.
    pub(super) async fn template(&self, reference: &str) -> Result<PromptTemplate, Problems> {
        match self {
            Self::Here(host, principal) => {
                host.template(principal, reference).await.map(|entry| (*entry.template).clone())
            }
            Self::There(client, workspace) => fetch(client, *workspace, &parse_reference(reference)?).await,
        }
    }

    /// Every template with the name of its library: here each version, of another host the latest ones.
    pub(super) async fn all(&self) -> Result<Vec<(String, PromptTemplate)>, Problems> {
        match self {
            Self::Here(host, principal) => all_here(host, principal).await,
            Self::There(client, workspace) => all_there(client, *workspace).await,
        }
    }

    /// Every version of a template, removed ones too.
    pub(super) async fn history(&self, template_id: &TemplateId) -> Result<Vec<PromptVersion>, Problems> {
        match self {
            Self::Here(host, principal) => {
                let history = host.prompt_history(principal, template_id).await?;
                Ok(history.into_iter().map(version_of).collect())
            }
            Self::There(client, workspace) => {
                let versions = client.extensions().prompt_versions(template_id, *workspace).await;
                versions.map_err(|error| problem(&error))
            }
        }
    }

    /// Every version of every template of the library called `id`; without refs all, else those that they mean, in the
    /// library `within` when one is named.
    pub(super) async fn templates(
        &self,
        id: &LibraryId,
        references: &[String],
        within: Option<&LibraryId>,
    ) -> Result<Vec<PromptTemplate>, Problems> {
        let mut problems = Problems::new();
        let parsed = references.iter().map(|reference| problems.collect(parse_reference(reference)));
        let inside = |parsed: PromptRef| PromptRef { library_id: within.cloned(), ..parsed };
        let parsed: Vec<PromptRef> = parsed.flatten().map(inside).collect();
        problems.or(())?;
        match self {
            Self::Here(host, principal) if parsed.is_empty() => local(host, principal, id).await,
            Self::Here(host, principal) => chosen(host, principal, &parsed).await,
            Self::There(client, workspace) => remote(client, *workspace, id, &parsed).await,
        }
    }
}

async fn all_here(host: &Host, principal: &Principal) -> Result<Vec<(String, PromptTemplate)>, Problems> {
    let mut all = Vec::new();
    for library in host.libraries.iter() {
        let name = library.id().to_string();
        all.extend(library.entries().map(|entry| (name.clone(), (*entry.template).clone())));
    }
    let written = host.user_templates(principal).await?;
    all.extend(written.into_iter().map(|template| (LibraryId::user().to_string(), template)));
    Ok(all)
}

async fn all_there(
    client: &Client,
    workspace: Option<&str>,
) -> Result<Vec<(String, PromptTemplate)>, Problems> {
    let query = PromptQuery { limit: Some(200), ..PromptQuery::default() };
    let mut pages = prompts(client, workspace).pages(query);
    let mut all = Vec::new();
    while let Some(page) = pages.next().await {
        let items = page.map_err(|error| problem(&error))?.items;
        all.extend(items.into_iter().map(|template| (library_of(&template), template)));
    }
    Ok(all)
}

/// The library of a template that another host has: the name of its pack, else whose it is.
fn library_of(template: &PromptTemplate) -> String {
    let meta = template.meta.as_ref();
    let pack = meta.and_then(|meta| meta.pack_name.clone());
    let source = || Some(meta?.source?.to_string());
    pack.or_else(source).unwrap_or_default()
}

async fn local(host: &Host, principal: &Principal, id: &LibraryId) -> Result<Vec<PromptTemplate>, Problems> {
    if *id == LibraryId::user() {
        return Ok(host.user_templates(principal).await?);
    }
    Ok(host.library(id)?.entries().map(|entry| (*entry.template).clone()).collect())
}

async fn chosen(
    host: &Host,
    principal: &Principal,
    references: &[PromptRef],
) -> Result<Vec<PromptTemplate>, Problems> {
    let mut found = Vec::new();
    for reference in references {
        found.push(host.template_of(principal, reference).await?.1);
    }
    Ok(found)
}

async fn remote(
    client: &Client,
    workspace: Option<&str>,
    id: &LibraryId,
    references: &[PromptRef],
) -> Result<Vec<PromptTemplate>, Problems> {
    let mut wanted: Vec<(TemplateId, PromptLookup)> = references.iter().map(lookup).collect();
    if references.is_empty() {
        wanted = listed(client, workspace, id).await?;
    }
    let mut found = Vec::new();
    for (template_id, lookup) in wanted {
        found.extend(look_up(client, workspace, &template_id, &lookup).await?);
    }
    Ok(found)
}

async fn look_up(
    client: &Client,
    workspace: Option<&str>,
    template_id: &TemplateId,
    lookup: &PromptLookup,
) -> Result<Option<PromptTemplate>, Problems> {
    let fetched = prompts(client, workspace).get(template_id, lookup).await;
    Ok(fetched.map_err(|error| problem(&error))?.map(|fetched| fetched.template))
}

pub(super) async fn fetch(
    client: &Client,
    workspace: Option<&str>,
    reference: &PromptRef,
) -> Result<PromptTemplate, Problems> {
    let (template_id, wanted) = lookup(reference);
    look_up(client, workspace, &template_id, &wanted).await?.ok_or_else(|| {
        let message = format!("the host has nothing for {reference}");
        Diagnostic::error(ErrorCode::PromptTemplateNotFound.as_str(), message).into()
    })
}

fn version_of(entry: HistoryEntry) -> PromptVersion {
    let HistoryEntry { library, version, hash, added_at, removed_at } = entry;
    PromptVersion { library, version, hash: Some(hash.to_string()), added_at, removed_at }
}

/// Every version of every template that the host lists in a library.
async fn listed(
    client: &Client,
    workspace: Option<&str>,
    id: &LibraryId,
) -> Result<Vec<(TemplateId, PromptLookup)>, Problems> {
    let source = if *id == LibraryId::user() { TemplateOrigin::User } else { TemplateOrigin::Host };
    let query = PromptQuery { source: Some(source), limit: Some(200), ..PromptQuery::default() };
    let mut pages = prompts(client, workspace).pages(query);
    let mut found = Vec::new();
    while let Some(page) = pages.next().await {
        for template in page.map_err(|error| problem(&error))?.items {
            let versions = client.extensions().prompt_versions(&template.template_id, workspace).await;
            let versions = versions.map_err(|error| problem(&error))?;
            let versions = versions.into_iter().filter(|it| it.library == *id && it.removed_at.is_none());
            found.extend(versions.map(|it| exactly(&template.template_id, id, it.version)));
        }
    }
    Ok(found)
}

fn exactly(template_id: &TemplateId, id: &LibraryId, version: Version) -> (TemplateId, PromptLookup) {
    let library_id = Some(id.clone());
    (template_id.clone(), PromptLookup { version: Some(version), library_id, if_none_match: None })
}

fn lookup(reference: &PromptRef) -> (TemplateId, PromptLookup) {
    let PromptRef { template_id, version, library_id, .. } = reference.clone();
    (template_id, PromptLookup { version, library_id, if_none_match: None })
}

pub(super) fn prompts<'c>(client: &'c Client, workspace: Option<&'c str>) -> cuebook_client::Prompts<'c> {
    match workspace {
        Some(name) => client.prompts().in_workspace(name),
        None => client.prompts(),
    }
}
