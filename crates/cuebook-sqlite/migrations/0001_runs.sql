-- Runs: where each log stands, and what lists show of it. The columns of the entry are null before the first batch.
-- Keyed by tenant, as every table is; small rows, so the key is the table.
CREATE TABLE IF NOT EXISTS runs (
    tenant      TEXT NOT NULL,
    run_id      TEXT NOT NULL,
    epoch       INTEGER NOT NULL,
    next        INTEGER NOT NULL,
    ended       INTEGER NOT NULL,
    workflow_id TEXT,
    status      TEXT,
    started_at  INTEGER,
    updated_at  INTEGER,
    PRIMARY KEY (tenant, run_id)
) STRICT, WITHOUT ROWID;
