-- What git hosts delivered, and what came of it: for people, while `git_hook_deliveries` tells what came before.
CREATE TABLE git_hook_receipts (
  organization_id text NOT NULL,
  id text NOT NULL,
  git_integration_id text NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  -- The host's own id of the delivery.
  host_id text,
  repository_url text NOT NULL,
  branch text,
  commit_hash text,
  outcome text NOT NULL,
  -- The code of what failed.
  error_code text,
  deployment_ids text[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (organization_id, id)
);
ALTER TABLE git_hook_receipts ADD CONSTRAINT git_hook_receipts_integration_fkey
  FOREIGN KEY (organization_id, git_integration_id) REFERENCES git_integrations (organization_id, id) ON DELETE CASCADE;
CREATE INDEX git_hook_receipts_integration ON git_hook_receipts (organization_id, git_integration_id, id);
CREATE INDEX git_hook_receipts_recent ON git_hook_receipts (organization_id, git_integration_id, received_at);
CREATE INDEX git_hook_receipts_received ON git_hook_receipts (received_at);
ALTER TABLE git_hook_receipts ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON git_hook_receipts
  USING (organization_id = current_setting('slipway.organization_id', true));
