-- Every version of a prompt template, removed ones too: the document as JSON text with its hash, the hash of what its author
-- decides, and the requests that added and removed it. Large rows, so the table has row ids and the key is an index.
CREATE TABLE IF NOT EXISTS prompt_versions (
    tenant      TEXT NOT NULL,
    shelf       TEXT NOT NULL,
    template_id TEXT NOT NULL,
    version     TEXT NOT NULL,
    document    TEXT NOT NULL,
    hash        TEXT NOT NULL,
    content     TEXT NOT NULL,
    added_by    TEXT NOT NULL,
    added_at    INTEGER NOT NULL,
    removed_by  TEXT,
    removed_at  INTEGER,
    PRIMARY KEY (tenant, shelf, template_id, version)
) STRICT;
