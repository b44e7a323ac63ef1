-- Bodies by content hash. Large rows, so the table has row ids and the key is an index.
CREATE TABLE IF NOT EXISTS blobs (
    tenant TEXT NOT NULL,
    hash   TEXT NOT NULL,
    text   TEXT NOT NULL,
    PRIMARY KEY (tenant, hash)
) STRICT;
