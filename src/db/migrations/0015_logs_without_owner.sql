-- Each entry and each kept answer locked the row of its organization to prove that there is one, which the request's
-- API key has proven; all writes of an organization shared that lock, and noted themselves in it.
ALTER TABLE audit_entries DROP CONSTRAINT audit_entries_organization_id_fkey;
ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_organization_id_fkey;
