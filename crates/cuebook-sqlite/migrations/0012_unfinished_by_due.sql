-- The next run that is due at a time is found at the front of this index.
CREATE INDEX IF NOT EXISTS unfinished_by_due ON unfinished (due, tenant, run_id) WHERE due > 0;
