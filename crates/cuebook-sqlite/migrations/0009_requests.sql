-- Requests with an Idempotency-Key: who is at each, and what it was answered; its body as a hash. The owner is null when it
-- let go; status, headers (JSON) and reply are null before the answer.
CREATE TABLE IF NOT EXISTS requests (
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
