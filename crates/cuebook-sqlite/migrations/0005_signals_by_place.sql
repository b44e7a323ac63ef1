-- The next place of an inbox is found at the end of this index.
CREATE UNIQUE INDEX IF NOT EXISTS signals_by_place ON signals (tenant, run_id, place);
