-- The latest schema, for reading. The steps in migrations/ make it; a test holds the two together.

-- Runs: where each log stands, and what lists show of it. The columns of the entry are null before the first batch.
-- Keyed by tenant, as every table is; small rows, so the key is the table.
CREATE TABLE runs (
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

-- Lists show the runs of a tenant by their start, newest first; runs without a batch are in no list.
CREATE INDEX runs_by_start ON runs (tenant, started_at DESC, run_id DESC)
    WHERE workflow_id IS NOT NULL;

-- Records: the event as served and the private part, both as JSON text; no private part is null.
-- Rows are large and come from many runs in turn, so they are laid down in the order of arrival and the key is an index:
-- measured, that appends 1.5 to 2 times as fast as a table in key order.
CREATE TABLE records (
    tenant   TEXT NOT NULL,
    run_id   TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    event    TEXT NOT NULL,
    private  TEXT,
    PRIMARY KEY (tenant, run_id, sequence),
    FOREIGN KEY (tenant, run_id) REFERENCES runs
) STRICT;

-- Signals: the inbox of each run in the order of offering. A consumed signal stays, so that its key stays known.
CREATE TABLE signals (
    tenant   TEXT NOT NULL,
    run_id   TEXT NOT NULL,
    key      TEXT NOT NULL,
    place    INTEGER NOT NULL,
    body     TEXT NOT NULL,
    consumed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, run_id, key),
    FOREIGN KEY (tenant, run_id) REFERENCES runs
) STRICT, WITHOUT ROWID;

-- The next place of an inbox is found at the end of this index.
CREATE UNIQUE INDEX signals_by_place ON signals (tenant, run_id, place);

-- What waits is read oldest first, however many signals were consumed before.
CREATE INDEX signals_waiting ON signals (tenant, run_id, place) WHERE consumed = 0;

-- Bodies by content hash. Large rows, so the table has row ids and the key is an index.
CREATE TABLE blobs (
    tenant TEXT NOT NULL,
    hash   TEXT NOT NULL,
    text   TEXT NOT NULL,
    PRIMARY KEY (tenant, hash)
) STRICT;

-- Registered workflow definitions, the latest of each id. The hash is that of the text.
CREATE TABLE definitions (
    tenant      TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    hash        TEXT NOT NULL,
    text        TEXT NOT NULL,
    PRIMARY KEY (tenant, workflow_id)
) STRICT;

-- Requests with an Idempotency-Key: who is at each, and what it was answered; its body as a hash. The owner is null when it
-- let go; status, headers (JSON) and reply are null before the answer.
CREATE TABLE requests (
    tenant     TEXT NOT NULL,
    endpoint   TEXT NOT NULL,
    key        TEXT NOT NULL,
    body       TEXT NOT NULL,
    owner      TEXT,
    ticket     TEXT NOT NULL,
    claimed_at INTEGER NOT NULL,
    status     INTEGER,
    headers    TEXT,
    reply      TEXT,
    PRIMARY KEY (tenant, endpoint, key)
) STRICT;

-- Requests are forgotten by their age.
CREATE INDEX requests_by_age ON requests (tenant, claimed_at);

-- Runs that have not ended, and when each needs its writer next, in milliseconds since 1970: 0 is now, null is when a signal
-- comes. A start looks at what remains, not at all that ever was.
CREATE TABLE unfinished (
    tenant TEXT NOT NULL,
    run_id TEXT NOT NULL,
    due    INTEGER,
    PRIMARY KEY (tenant, run_id),
    FOREIGN KEY (tenant, run_id) REFERENCES runs
) STRICT, WITHOUT ROWID;

-- The next run that is due at a time is found at the front of this index.
CREATE INDEX unfinished_by_due ON unfinished (due, tenant, run_id) WHERE due > 0;

-- The latest checkpoint of each run: what the records before `next` come to, by the fold of that version. Derived.
CREATE TABLE checkpoints (
    tenant TEXT NOT NULL,
    run_id TEXT NOT NULL,
    next   INTEGER NOT NULL,
    fold   INTEGER NOT NULL,
    state  TEXT NOT NULL,
    PRIMARY KEY (tenant, run_id),
    FOREIGN KEY (tenant, run_id) REFERENCES runs
) STRICT;

-- Prompt templates created at run time: the latest version of each, in the order in which they are listed. The shelf is
-- empty for the tenant's own and 'workspace:' with the name for that of a workspace. Small rows, so the key is the table.
CREATE TABLE prompts (
    tenant      TEXT NOT NULL,
    shelf       TEXT NOT NULL,
    template_id TEXT NOT NULL,
    version     TEXT NOT NULL,
    PRIMARY KEY (tenant, shelf, template_id)
) STRICT, WITHOUT ROWID;

-- Every version of a prompt template, removed ones too: the document as JSON text with its hash, the hash of what its author
-- decides, and the requests that added and removed it. Large rows, so the table has row ids and the key is an index.
CREATE TABLE prompt_versions (
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

-- What runs hold: blobs by hash, template versions by 'id@version shelf', the run that one was forked from, all of which stay
-- as long as they are held; and the scope that a run works in.
CREATE TABLE holds (
    tenant TEXT NOT NULL,
    run_id TEXT NOT NULL,
    kind   TEXT NOT NULL,
    name   TEXT NOT NULL,
    PRIMARY KEY (tenant, run_id, kind, name),
    FOREIGN KEY (tenant, run_id) REFERENCES runs
) STRICT, WITHOUT ROWID;

CREATE INDEX holds_by_name ON holds (tenant, kind, name);

-- Finished runs are found by their end, so that the oldest can go.
CREATE INDEX runs_by_end ON runs (tenant, updated_at, run_id) WHERE ended = 1;
