-- Snapshots of data stores that Slipway created. They outlive their service, environment and project.
CREATE TABLE snapshots (
  organization_id text NOT NULL,
  id text NOT NULL,
  aws_account_id text NOT NULL,
  region text NOT NULL,
  project_id text NOT NULL,
  environment_id text NOT NULL,
  environment_config_id text NOT NULL,
  service_id text NOT NULL,
  service_config_id text NOT NULL,
  type text NOT NULL,
  version text,
  -- 'manual', or 'final': taken before its data store was deleted.
  reason text NOT NULL,
  status text NOT NULL DEFAULT 'CREATING',
  failure jsonb,
  size_bytes bigint,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX snapshots_of_service ON snapshots (organization_id, service_id, id);
CREATE INDEX snapshots_of_project ON snapshots (organization_id, project_id, id);
CREATE INDEX snapshots_of_account ON snapshots (organization_id, aws_account_id);

ALTER TABLE snapshots ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON snapshots
  USING (organization_id = current_setting('slipway.organization_id', true));

-- The snapshot that a data store is created from; null for an empty one.
ALTER TABLE data_stores ADD COLUMN snapshot_id text;
