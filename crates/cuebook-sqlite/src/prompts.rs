//! The tables of prompt templates that are created at run time.

use cuebook_log::{
    AddRule, Added, ImportedPrompts, KeptPrompt, LogError, NewPrompt, PromptImport, PromptRemoval,
    PromptVersion, Removed, Which, is_later, latest,
};
use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::{TemplateId, Timestamp, Version};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::error::{damaged, storage};
use crate::runs::signed_limit;

/// A page of the latest versions. Without `?3` it begins at the least text there is, and nothing is left out.
const PAGE: &str = "SELECT template_id, version, document FROM prompts JOIN prompt_versions \
                    USING (tenant, shelf, template_id, version) \
                    WHERE tenant = ?1 AND shelf = ?2 AND template_id >= coalesce(?3, '') \
                    AND template_id IS NOT ?3 ORDER BY template_id LIMIT ?4";

/// Whose templates.
pub(crate) struct Shelf {
    tenant: String,
    name: String,
}

impl Shelf {
    /// The shelf of a principal's workspace, or else of its tenant.
    pub(crate) fn of(principal: &Principal) -> Self {
        let name = principal.workspace.as_ref().map(|name| format!("workspace:{name}"));
        Self { tenant: principal.tenant.clone(), name: name.unwrap_or_default() }
    }

    /// Its name within the tenant.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// Puts a version on a shelf, its document having the hash `hash`.
pub(crate) fn add(
    connection: &Connection,
    shelf: &Shelf,
    new: NewPrompt,
    hash: &ContentHash,
) -> Result<Added, LogError> {
    let KeptPrompt { template_id, version, .. } = &new.prompt;
    let known = known(connection, shelf, template_id, version).map_err(|error| failed("read", &error))?;
    if let Some(own) = known.as_ref().filter(|known| known.added_by == new.ticket && !known.is_removed) {
        return Ok(Added::Kept(KeptPrompt { document: own.document.clone(), ..new.prompt }));
    }
    let head = head(connection, shelf, template_id)?;
    let there = present(connection, shelf, &new)?;
    if let Some(refused) = new.rule.refuse(version, head.as_ref().map(|(_, hash)| hash), &there) {
        return Ok(refused);
    }
    if known.is_some_and(|known| known.stands_against(&new)) {
        return Ok(Added::Taken);
    }
    let write = || {
        insert(connection, shelf, &new, hash)?;
        if head.is_none_or(|(old, _)| is_later(version, &old)) {
            set_latest(connection, shelf, template_id, version)?;
        }
        Ok(())
    };
    write().map(|()| Added::Kept(new.prompt.clone())).map_err(|error| failed("write", &error))
}

/// The versions that the rule of `new` is held against.
fn present(connection: &Connection, shelf: &Shelf, new: &NewPrompt) -> Result<Vec<Version>, LogError> {
    if new.rule == AddRule::Unused {
        return Ok(Vec::new());
    }
    let all = versions(connection, shelf, &new.prompt.template_id)?;
    Ok(all.into_iter().filter(|it| it.removed_at.is_none()).map(|it| it.version).collect())
}

/// Puts several versions on a shelf when none stands against them; the checks come before the first write.
pub(crate) fn import(
    connection: &Connection,
    shelf: &Shelf,
    import: PromptImport,
) -> Result<ImportedPrompts, LogError> {
    for (template_id, seen) in &import.seen {
        if head(connection, shelf, template_id)?.map(|(version, _)| version) != *seen {
            return Ok(ImportedPrompts::Changed(template_id.clone()));
        }
    }
    for new in &import.new {
        let KeptPrompt { template_id, version, .. } = &new.prompt;
        let known = known(connection, shelf, template_id, version).map_err(|error| failed("read", &error))?;
        if known.is_some_and(|known| known.stands_against(new)) {
            return Ok(ImportedPrompts::Taken(template_id.clone(), version.clone()));
        }
    }
    let mut kept = Vec::with_capacity(import.new.len());
    for new in import.new {
        let hash = ContentHash::of(&new.prompt.document);
        if let Added::Kept(prompt) = add(connection, shelf, new, &hash)? {
            kept.push(prompt);
        }
    }
    Ok(ImportedPrompts::Kept(kept))
}

/// The version of a template that `which` means.
pub(crate) fn find(
    connection: &Connection,
    shelf: &Shelf,
    template_id: &TemplateId,
    which: &Which,
) -> Result<Option<KeptPrompt>, LogError> {
    let (version, also_removed) = match which {
        Which::Latest => match head(connection, shelf, template_id)? {
            Some((version, _)) => (version, false),
            None => return Ok(None),
        },
        Which::Exact(version) => (version.clone(), false),
        Which::Kept(version) => (version.clone(), true),
    };
    let known = known(connection, shelf, template_id, &version).map_err(|error| failed("read", &error))?;
    let known = known.filter(|known| also_removed || !known.is_removed);
    Ok(known.map(|known| KeptPrompt { template_id: template_id.clone(), version, document: known.document }))
}

/// Every version of a template, in their order.
pub(crate) fn versions(
    connection: &Connection,
    shelf: &Shelf,
    template_id: &TemplateId,
) -> Result<Vec<PromptVersion>, LogError> {
    let sql = "SELECT version, hash, added_at, removed_at FROM prompt_versions \
               WHERE tenant = ?1 AND shelf = ?2 AND template_id = ?3";
    let read = || {
        let mut statement = connection.prepare_cached(sql)?;
        let id = template_id.as_str();
        let rows = statement.query_map(params![shelf.tenant, shelf.name, id], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })?;
        rows.collect::<rusqlite::Result<Vec<(String, String, i64, Option<i64>)>>>()
    };
    let rows = read().map_err(|error| failed("read", &error))?;
    let version = |(version, hash, added_at, removed_at): (String, String, i64, Option<i64>)| {
        Ok(PromptVersion {
            version: parse_version(template_id.as_str(), &version)?,
            hash: parse_hash(template_id.as_str(), &hash)?,
            added_at: Timestamp::from_millis(added_at),
            removed_at: removed_at.map(Timestamp::from_millis),
        })
    };
    let mut versions = rows.into_iter().map(version).collect::<Result<Vec<_>, LogError>>()?;
    versions.sort_by(|one, other| one.version.cmp(&other.version));
    Ok(versions)
}

/// A page of the latest versions, in the order of their ids.
pub(crate) fn page(
    connection: &Connection,
    shelf: &Shelf,
    after: Option<&TemplateId>,
    limit: usize,
) -> Result<Vec<KeptPrompt>, LogError> {
    let read = || {
        let mut statement = connection.prepare_cached(PAGE)?;
        let after = after.map(TemplateId::as_str);
        let values = params![shelf.tenant, shelf.name, after, signed_limit(limit)];
        let rows = statement.query_map(values, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        rows.collect::<rusqlite::Result<Vec<(String, String, String)>>>()
    };
    let rows = read().map_err(|error| failed("list", &error))?;
    let kept = |(id, version, document): (String, String, String)| {
        let template_id = TemplateId::parse(&id).map_err(|_| broken(&id))?;
        Ok(KeptPrompt { version: parse_version(&id, &version)?, template_id, document })
    };
    rows.into_iter().map(kept).collect()
}

/// Removes a version or a whole template from a shelf.
pub(crate) fn remove(
    connection: &Connection,
    shelf: &Shelf,
    removal: &PromptRemoval,
) -> Result<Removed, LogError> {
    let head = head(connection, shelf, &removal.template_id)?;
    let is_other =
        |expected: &Vec<ContentHash>| head.as_ref().is_some_and(|(_, hash)| !expected.contains(hash));
    let is_changed = removal.matching.as_ref().is_some_and(is_other);
    let (present, again) = counts(connection, shelf, removal).map_err(|error| failed("read", &error))?;
    match (present, again) {
        (0, 0) => return Ok(Removed::Unknown),
        (0, _) => return Ok(Removed::Gone),
        _ if is_changed => return Ok(Removed::Changed),
        _ => {}
    }
    mark(connection, shelf, removal).map_err(|error| failed("remove", &error))?;
    let left = versions(connection, shelf, &removal.template_id)?;
    let left = latest(left.iter().filter(|it| it.removed_at.is_none()).map(|it| &it.version));
    let write = match left {
        Some(version) => set_latest(connection, shelf, &removal.template_id, version),
        None => no_latest(connection, shelf, &removal.template_id),
    };
    write.map(|()| Removed::Gone).map_err(|error| failed("remove", &error))
}

/// A version that is there, or was.
struct Known {
    document: String,
    content: String,
    added_by: String,
    is_removed: bool,
}

impl Known {
    /// Whether `new` cannot be put in its place.
    fn stands_against(&self, new: &NewPrompt) -> bool {
        !self.is_removed || self.content != new.content.as_str()
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            document: row.get(0)?,
            content: row.get(1)?,
            added_by: row.get(2)?,
            is_removed: row.get::<_, Option<i64>>(3)?.is_some(),
        })
    }
}

fn known(
    connection: &Connection,
    shelf: &Shelf,
    template_id: &TemplateId,
    version: &Version,
) -> rusqlite::Result<Option<Known>> {
    let sql = "SELECT document, content, added_by, removed_at FROM prompt_versions \
               WHERE tenant = ?1 AND shelf = ?2 AND template_id = ?3 AND version = ?4";
    let values = params![shelf.tenant, shelf.name, template_id.as_str(), version.to_string()];
    connection.prepare_cached(sql)?.query_row(values, Known::read).optional()
}

/// The latest version of a template and the hash of its document.
fn head(
    connection: &Connection,
    shelf: &Shelf,
    template_id: &TemplateId,
) -> Result<Option<(Version, ContentHash)>, LogError> {
    let sql = "SELECT version, hash FROM prompts JOIN prompt_versions \
               USING (tenant, shelf, template_id, version) \
               WHERE tenant = ?1 AND shelf = ?2 AND template_id = ?3";
    let read = || {
        let values = params![shelf.tenant, shelf.name, template_id.as_str()];
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_row(values, |row| Ok((row.get(0)?, row.get(1)?))).optional()
    };
    let found: Option<(String, String)> = read().map_err(|error| failed("read", &error))?;
    let id = template_id.as_str();
    found.map(|(version, hash)| Ok((parse_version(id, &version)?, parse_hash(id, &hash)?))).transpose()
}

/// Writes a version, in place of the same one that was removed.
fn insert(
    connection: &Connection,
    shelf: &Shelf,
    new: &NewPrompt,
    hash: &ContentHash,
) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO prompt_versions \
               (tenant, shelf, template_id, version, document, hash, content, added_by, added_at) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let KeptPrompt { template_id, version, document } = &new.prompt;
    let (content, at) = (new.content.as_str(), new.at.as_millis());
    let version = version.to_string();
    let row = params![
        shelf.tenant,
        shelf.name,
        template_id.as_str(),
        version,
        document,
        hash.as_str(),
        content,
        new.ticket,
        at
    ];
    connection.prepare_cached(sql)?.execute(row).map(drop)
}

fn set_latest(
    connection: &Connection,
    shelf: &Shelf,
    template_id: &TemplateId,
    version: &Version,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO prompts (tenant, shelf, template_id, version) VALUES (?1, ?2, ?3, ?4) \
               ON CONFLICT (tenant, shelf, template_id) DO UPDATE SET version = excluded.version";
    let row = params![shelf.tenant, shelf.name, template_id.as_str(), version.to_string()];
    connection.prepare_cached(sql)?.execute(row).map(drop)
}

fn no_latest(connection: &Connection, shelf: &Shelf, template_id: &TemplateId) -> rusqlite::Result<()> {
    let sql = "DELETE FROM prompts WHERE tenant = ?1 AND shelf = ?2 AND template_id = ?3";
    connection.prepare_cached(sql)?.execute(params![shelf.tenant, shelf.name, template_id.as_str()]).map(drop)
}

/// How many versions that a removal names are there, and how many the same request removed before.
fn counts(connection: &Connection, shelf: &Shelf, removal: &PromptRemoval) -> rusqlite::Result<(i64, i64)> {
    let sql = "SELECT count(*) FILTER (WHERE removed_at IS NULL), count(*) FILTER (WHERE removed_by = ?5) \
               FROM prompt_versions WHERE tenant = ?1 AND shelf = ?2 AND template_id = ?3 \
               AND (?4 IS NULL OR version = ?4)";
    let version = removal.version.as_ref().map(ToString::to_string);
    let id = removal.template_id.as_str();
    let values = params![shelf.tenant, shelf.name, id, version, removal.ticket];
    connection.prepare_cached(sql)?.query_row(values, |row| Ok((row.get(0)?, row.get(1)?)))
}

fn mark(connection: &Connection, shelf: &Shelf, removal: &PromptRemoval) -> rusqlite::Result<()> {
    let sql = "UPDATE prompt_versions SET removed_by = ?5, removed_at = ?6 \
               WHERE tenant = ?1 AND shelf = ?2 AND template_id = ?3 AND (?4 IS NULL OR version = ?4) \
               AND removed_at IS NULL";
    let version = removal.version.as_ref().map(ToString::to_string);
    let (id, at) = (removal.template_id.as_str(), removal.at.as_millis());
    let values = params![shelf.tenant, shelf.name, id, version, removal.ticket, at];
    connection.prepare_cached(sql)?.execute(values).map(drop)
}

fn parse_version(id: &str, text: &str) -> Result<Version, LogError> {
    Version::parse(text).map_err(|_| broken(id))
}

fn parse_hash(id: &str, text: &str) -> Result<ContentHash, LogError> {
    ContentHash::parse(text).ok_or_else(|| broken(id))
}

fn broken(id: &str) -> LogError {
    damaged(format_args!("a version of prompt template '{id}'"))
}

fn failed(doing: &str, error: &rusqlite::Error) -> LogError {
    storage(&format!("{doing} a prompt template"), error)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page begins at its place in the key and follows it: nothing before it is read, and nothing is sorted.
    #[test]
    fn a_page_costs_the_same_however_many_templates_there_are() {
        let connection = Connection::open_in_memory().expect("a database in memory");
        connection.execute_batch(include_str!("../schema.sql")).expect("the schema is good SQL");
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {PAGE}")).expect("a plan");
        let values = params!["acme", "", "tone", 50];
        let plan = statement.query_map(values, |row| row.get::<_, String>(3)).expect("a plan");
        let plan: Vec<String> = plan.collect::<Result<_, _>>().expect("a plan");
        assert_eq!(plan.len(), 2, "{plan:?}");
        assert_eq!(plan[0], "SEARCH prompts USING PRIMARY KEY (tenant=? AND shelf=? AND template_id>?)");
        assert!(plan[1].starts_with("SEARCH prompt_versions USING INDEX"), "{plan:?}");
    }
}
