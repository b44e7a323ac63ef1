-- Registered workflow definitions, the latest of each id. The hash is that of the text.
CREATE TABLE IF NOT EXISTS definitions (
    tenant      TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    hash        TEXT NOT NULL,
    text        TEXT NOT NULL,
    PRIMARY KEY (tenant, workflow_id)
) STRICT;
