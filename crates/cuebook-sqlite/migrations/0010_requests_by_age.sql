-- Requests are forgotten by their age.
CREATE INDEX IF NOT EXISTS requests_by_age ON requests (tenant, claimed_at);
