-- Lists show the runs of a tenant by their start, newest first; runs without a batch are in no list.
CREATE INDEX IF NOT EXISTS runs_by_start ON runs (tenant, started_at DESC, run_id DESC)
    WHERE workflow_id IS NOT NULL;
