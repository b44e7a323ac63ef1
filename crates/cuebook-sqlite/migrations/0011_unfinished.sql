-- Runs that have not ended, and when each needs its writer next, in milliseconds since 1970: 0 is now, null is when a signal
-- comes. Ended runs are not here, so that a start looks at what remains and not at all that ever was. What is there
-- already may be under way.
CREATE TABLE IF NOT EXISTS unfinished (
    tenant TEXT NOT NULL,
    run_id TEXT NOT NULL,
    due    INTEGER,
    PRIMARY KEY (tenant, run_id),
    FOREIGN KEY (tenant, run_id) REFERENCES runs
) STRICT, WITHOUT ROWID;

INSERT OR IGNORE INTO unfinished (tenant, run_id, due)
    SELECT tenant, run_id, 0 FROM runs WHERE ended = 0 AND workflow_id IS NOT NULL;
