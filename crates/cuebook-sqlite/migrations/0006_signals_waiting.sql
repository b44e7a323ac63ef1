-- What waits is read oldest first, however many signals were consumed before.
CREATE INDEX IF NOT EXISTS signals_waiting ON signals (tenant, run_id, place) WHERE consumed = 0;
