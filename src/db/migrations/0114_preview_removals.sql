-- Deleted environments of previews, until nothing of them is left in the cloud account.
CREATE TABLE preview_removals (
  organization_id text NOT NULL,
  environment_id text NOT NULL,
  project_id text NOT NULL,
  -- The preview that had it. It may have another environment by now.
  preview_id text NOT NULL,
  key text NOT NULL,
  aws_account_id text NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT now(),
  -- What keeps it from completing, as the last event said; null if nothing does.
  problem jsonb,
  PRIMARY KEY (organization_id, environment_id)
);
ALTER TABLE preview_removals ADD CONSTRAINT preview_removals_project_fkey
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id) ON DELETE CASCADE;
CREATE INDEX preview_removals_of_project ON preview_removals (organization_id, project_id);
ALTER TABLE preview_removals ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON preview_removals
  USING (organization_id = current_setting('slipway.organization_id', true));

-- What keeps a preview from being deleted, and who must act; null if nothing does.
ALTER TABLE previews ADD COLUMN problem jsonb;
-- Of released distributions: the environment that their service was in.
ALTER TABLE distributions ADD COLUMN environment_id text;
CREATE INDEX distributions_of_environment ON distributions (organization_id, environment_id)
  WHERE environment_id IS NOT NULL;
-- Why the cloud account last refused a removal; null while it does not.
ALTER TABLE service_removals ADD COLUMN last_error jsonb;
ALTER TABLE environment_removals ADD COLUMN last_error jsonb;
