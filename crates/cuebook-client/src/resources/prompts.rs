//! Owns the prompt library of a host (RFC 0028 §A): list, get, render, create, update, delete. Refuses to send the value of
//! a secret: a secret variable is rendered by its marker, `[REDACTED:<id>]`.

mod shapes;

use cuebook_wire::{PromptTemplate, TemplateId, Version};
use futures_util::stream::{self, Stream, StreamExt};
use reqwest::header::IF_NONE_MATCH;

pub use shapes::{
    CreatedPrompt, FetchedPrompt, PromptLookup, PromptPage, PromptQuery, RenderPrompt, RenderedPrompt,
};

use crate::call::Call;
use crate::client::Client;
use crate::error::{ClientError, DecodeError};
use crate::mutation::Mutation;
use crate::reply::Reply;

const NOT_MODIFIED: u16 = 304;

/// The prompt library.
///
/// A host without it answers every call with 501 `capability_not_provided`.
#[derive(Debug, Clone, Copy)]
pub struct Prompts<'c> {
    client: &'c Client,
    workspace: Option<&'c str>,
}

impl<'c> Prompts<'c> {
    pub(crate) fn new(client: &'c Client) -> Self {
        Self { client, workspace: None }
    }

    /// The same library as the workspace `id` sees it; refused with `workspace_membership_required` to strangers.
    pub fn in_workspace(self, id: &'c str) -> Self {
        Self { workspace: Some(id), ..self }
    }

    fn scoped(&self, call: Call) -> Call {
        call.query("workspaceId", self.workspace)
    }

    /// One page of templates: `GET /v1/prompts`, scope `prompts:read`.
    ///
    /// # Errors
    ///
    /// [`ClientError`]: `Api` with status 400 for a cursor the host does not know; `Config` for a limit outside 1 to 200;
    /// `Transport`; `Decode` with the place of a template that cannot be read.
    pub async fn list(self, query: &PromptQuery) -> Result<PromptPage, ClientError> {
        let call = self.scoped(query.apply(Call::get("/v1/prompts")));
        self.client.reply(&call).await?.json()
    }

    /// Every page from the query's cursor on, each fetched when it is asked for; ends after the last or the first error.
    ///
    /// # Errors
    ///
    /// As [`list`](Self::list); `Decode` also when the host sends a cursor a second time, which would never end.
    pub fn pages(
        self,
        query: PromptQuery,
    ) -> impl Stream<Item = Result<PromptPage, ClientError>> + Send + Unpin + use<'c> {
        stream::unfold(Some(query), move |query| async move {
            let query = query?;
            let page = self.list(&query).await;
            Some(match page.and_then(|page| following(&query, page)) {
                Ok((page, next)) => (Ok(page), next),
                Err(error) => (Err(error), None),
            })
        })
        .boxed()
    }

    /// One template, the latest version or a given one: `GET /v1/prompts/{templateId}`, scope `prompts:read`.
    ///
    /// None when it still has the entity tag that was given.
    ///
    /// # Errors
    ///
    /// [`ClientError`]: `Api` with status 404 when there is no such template or version, or with `prompt_ref_ambiguous` when
    /// several libraries have it; `Config` for an entity tag that no header can carry; `Transport`; `Decode`.
    pub async fn get(
        self,
        id: &TemplateId,
        lookup: &PromptLookup,
    ) -> Result<Option<FetchedPrompt>, ClientError> {
        let call = Call::get("/v1/prompts/{templateId}")
            .id(id)
            .query("version", lookup.version.as_ref())
            .query("libraryId", lookup.library_id.as_ref());
        let call = match &lookup.if_none_match {
            Some(etag) => call.header(IF_NONE_MATCH, etag),
            None => call,
        };
        let reply = self.client.reply(&self.scoped(call)).await?;
        if reply.status() == NOT_MODIFIED {
            return Ok(None);
        }
        let etag = reply.header("etag").map(str::to_owned);
        Ok(Some(FetchedPrompt { template: reply.json()?, etag }))
    }

    /// Composes a template with given values; no model is called: `POST /v1/prompts:render`, scope `prompts:read`.
    ///
    /// Refused with `prompt_variable_unresolved`, `prompt_variable_type_mismatch`, `prompt_ref_invalid` or
    /// `prompt_ref_ambiguous` (400), or 404 when there is no such template.
    pub fn render(self, render: &RenderPrompt) -> Mutation<RenderedPrompt> {
        self.mutation(Call::post("/v1/prompts:render").json(render), Reply::json)
    }

    /// Adds a template: `POST /v1/prompts`, scope `prompts:write`.
    ///
    /// Refused with 409 when there is that id and version, 501 when the library cannot be changed.
    pub fn create(self, template: &PromptTemplate) -> Mutation<CreatedPrompt> {
        self.mutation(Call::post("/v1/prompts").json(template), created)
    }

    /// Puts a higher version of a template in place: `PUT /v1/prompts/{templateId}`, scope `prompts:write`.
    ///
    /// Gives the template as stored. Refused with 409 unless the version is higher than the stored one, 403 for templates of
    /// the host or a pack.
    pub fn update(self, template: &PromptTemplate) -> Mutation<PromptTemplate> {
        let call = Call::put("/v1/prompts/{templateId}").id(&template.template_id).json(template);
        self.mutation(call, Reply::json)
    }

    /// Removes a template, or one version of it: `DELETE /v1/prompts/{templateId}`, scope `prompts:write`.
    ///
    /// Refused with 403 for templates of the host or a pack, 404 when there is no such template.
    pub fn delete(self, id: &TemplateId, version: Option<&Version>) -> Mutation<()> {
        let call = Call::delete("/v1/prompts/{templateId}").id(id).query("version", version);
        self.mutation(call, |_| Ok(()))
    }

    fn mutation<T>(self, call: Call, read: fn(&Reply) -> Result<T, ClientError>) -> Mutation<T> {
        Mutation::new(self.client, self.scoped(call), read)
    }
}

/// The page, and the query for the one after it.
fn following(
    query: &PromptQuery,
    page: PromptPage,
) -> Result<(PromptPage, Option<PromptQuery>), ClientError> {
    if page.next_cursor.is_some() && page.next_cursor == query.cursor {
        let problem = "the cursor of the next page is the one of this page".to_owned();
        let error = DecodeError { status: 200, path: Some("nextCursor".to_owned()), problem, quote: None };
        return Err(ClientError::decode(Call::get("/v1/prompts").endpoint(), error));
    }
    let next = page.next_cursor.clone().map(|cursor| PromptQuery { cursor: Some(cursor), ..query.clone() });
    Ok((page, next))
}

fn created(reply: &Reply) -> Result<CreatedPrompt, ClientError> {
    let location = reply.header("location").map(str::to_owned);
    let template = if reply.is_empty() { None } else { Some(reply.json()?) };
    Ok(CreatedPrompt { location, template })
}
