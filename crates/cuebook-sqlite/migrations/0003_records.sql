-- Records: the event as served and the private part, both as JSON text; no private part is null.
-- Rows are large and come from many runs in turn, so they are laid down in the order of arrival and the key is an index:
-- measured, that appends 1.5 to 2 times as fast as a table in key order.
CREATE TABLE IF NOT EXISTS records (
    tenant   TEXT NOT NULL,
    run_id   TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    event    TEXT NOT NULL,
    private  TEXT,
    PRIMARY KEY (tenant, run_id, sequence),
    FOREIGN KEY (tenant, run_id) REFERENCES runs
) STRICT;
