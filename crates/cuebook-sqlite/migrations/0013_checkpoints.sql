-- The latest checkpoint of each run: what the records before `next` come to, as JSON text, by the fold of that version. Derived.
CREATE TABLE IF NOT EXISTS checkpoints (
    tenant TEXT NOT NULL,
    run_id TEXT NOT NULL,
    next   INTEGER NOT NULL,
    fold   INTEGER NOT NULL,
    state  TEXT NOT NULL,
    PRIMARY KEY (tenant, run_id),
    FOREIGN KEY (tenant, run_id) REFERENCES runs
) STRICT;
