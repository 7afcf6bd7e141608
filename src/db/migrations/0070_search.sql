-- For the search, by the beginning of a name or of a commit's hash. "C" compares bytes, so that a beginning is a range.
CREATE INDEX projects_name ON projects (organization_id, (lower(name) COLLATE "C"), id);
CREATE INDEX environments_name ON environments (organization_id, (lower(name) COLLATE "C"), id);
CREATE INDEX services_name ON services (organization_id, (lower(name) COLLATE "C"), id);
CREATE INDEX domain_groups_name ON domain_certificate_groups (organization_id, (lower(name) COLLATE "C"), id);
CREATE INDEX aws_accounts_name ON aws_accounts (organization_id, (lower(name) COLLATE "C"), id);
CREATE INDEX aws_accounts_number ON aws_accounts (organization_id, connected_aws_account_id);
CREATE INDEX deployments_commit ON deployments (organization_id, commit_hash COLLATE "C", id DESC);
