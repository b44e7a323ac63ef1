-- Signals: the inbox of each run in the order of offering. A consumed signal stays, so that its key stays known.
CREATE TABLE IF NOT EXISTS signals (
    tenant   TEXT NOT NULL,
    run_id   TEXT NOT NULL,
    key      TEXT NOT NULL,
    place    INTEGER NOT NULL,
    body     TEXT NOT NULL,
    consumed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, run_id, key),
    FOREIGN KEY (tenant, run_id) REFERENCES runs
) STRICT, WITHOUT ROWID;
