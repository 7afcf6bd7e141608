-- For the filters of lists. Those of audit entries may be built before the upgrade, under these names.
CREATE INDEX IF NOT EXISTS audit_entries_user ON audit_entries (organization_id, user_id, id);
CREATE INDEX IF NOT EXISTS audit_entries_action ON audit_entries (organization_id, action, id);
CREATE INDEX deployments_branch ON deployments (organization_id, branch, id);
CREATE INDEX deployments_status ON deployments (organization_id, status, id);
CREATE INDEX deployment_runs_environment ON deployment_runs (organization_id, environment_id, deployment_id);
CREATE INDEX deployment_services_service ON deployment_services (organization_id, service_id, deployment_id);
CREATE INDEX domains_name ON domains (organization_id, name text_pattern_ops);
CREATE INDEX dns_records_pending ON dns_records (organization_id, domain_id) WHERE status = 'PENDING';

-- What the git host says of the commit; null if it says nothing, and in deployments of earlier releases.
ALTER TABLE deployments
  ADD COLUMN commit_message text,
  ADD COLUMN commit_author text;
