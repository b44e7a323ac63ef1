-- Prompt templates created at run time: the latest version of each, in the order in which they are listed. The shelf is
-- empty for the tenant's own and 'workspace:' with the name for that of a workspace. Small rows, so the key is the table.
CREATE TABLE IF NOT EXISTS prompts (
    tenant      TEXT NOT NULL,
    shelf       TEXT NOT NULL,
    template_id TEXT NOT NULL,
    version     TEXT NOT NULL,
    PRIMARY KEY (tenant, shelf, template_id)
) STRICT, WITHOUT ROWID;
