-- Connections in the order of their creation, which their random ids do not tell.
CREATE INDEX aws_accounts_created ON aws_accounts (organization_id, created_at, id);

-- Domains of an organization whose name ends in a text, whatever the collation, and those in a status, oldest first.
CREATE INDEX domains_reversed_name ON domains (organization_id, reverse(name) text_pattern_ops);
CREATE INDEX domains_status ON domains (organization_id, status, id);

-- Where a request came from, and what it changed: names, and values that are no secret.
ALTER TABLE audit_entries ADD COLUMN source_address text, ADD COLUMN details jsonb;

-- Whose request an answer is kept for, and its fingerprint whatever the order of its members. Null in what the release
-- before wrote.
ALTER TABLE idempotency_keys ADD COLUMN caller text, ADD COLUMN canonical_fingerprint text;
