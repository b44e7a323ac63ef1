-- What runs hold: blobs by hash, template versions by 'id@version shelf', the run that one was forked from, all of which stay
-- as long as they are held; and the scope that a run works in. Finished runs are found by their end, so that the oldest can go.
-- What earlier formats do not say of their runs, the definition and the versions they were fixed to, is read out of their records.
CREATE TABLE IF NOT EXISTS holds (
    tenant TEXT NOT NULL,
    run_id TEXT NOT NULL,
    kind   TEXT NOT NULL,
    name   TEXT NOT NULL,
    PRIMARY KEY (tenant, run_id, kind, name),
    FOREIGN KEY (tenant, run_id) REFERENCES runs
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS holds_by_name ON holds (tenant, kind, name);

CREATE INDEX IF NOT EXISTS runs_by_end ON runs (tenant, updated_at, run_id) WHERE ended = 1;

INSERT OR IGNORE INTO holds (tenant, run_id, kind, name)
    SELECT tenant, run_id, 'blob', private ->> '$.definition' FROM records
    WHERE sequence = 0 AND private ->> '$.definition' IS NOT NULL;

INSERT OR IGNORE INTO holds (tenant, run_id, kind, name)
    SELECT records.tenant, records.run_id, 'template',
           substr(pin.value ->> '$.reference', 8) || '@' || (pin.value ->> '$.version') || ' '
           || coalesce('workspace:' || (first.private ->> '$.principal.workspace'), '')
    FROM records JOIN json_each(records.private, '$.record.pins') AS pin
    JOIN records AS first ON first.tenant = records.tenant AND first.run_id = records.run_id AND first.sequence = 0
    WHERE pin.value ->> '$.reference' LIKE 'prompt:%' AND pin.value ->> '$.version' IS NOT NULL;
