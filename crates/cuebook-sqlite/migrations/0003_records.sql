-- Records: the event as served and the private part, both as JSON text; no private part is null.
-- Pages of a log are read in key order, so the key is the table.
CREATE TABLE IF NOT EXISTS records (
    tenant   TEXT NOT NULL,
    run_id   TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    event    TEXT NOT NULL,
    private  TEXT,
    PRIMARY KEY (tenant, run_id, sequence),
    FOREIGN KEY (tenant, run_id) REFERENCES runs
) STRICT, WITHOUT ROWID;
