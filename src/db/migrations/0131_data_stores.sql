-- Data stores that Slipway creates: what the platform last said of each. The settings are those of its service.
CREATE TABLE data_stores (
  organization_id text NOT NULL,
  service_id text NOT NULL,
  project_id text NOT NULL,
  environment_id text NOT NULL,
  aws_account_id text NOT NULL,
  region text NOT NULL,
  type text NOT NULL,
  -- Whether the platform was asked since the last request. Until then, what it says is of an earlier try.
  is_asked boolean NOT NULL DEFAULT false,
  status text NOT NULL DEFAULT 'CREATING',
  failure jsonb,
  waiting_for text,
  version text,
  -- What other services may refer to, by property: texts, and references to secrets in the account.
  linked_values jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, service_id)
);
CREATE INDEX data_stores_of_project ON data_stores (organization_id, project_id);

ALTER TABLE data_stores ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON data_stores
  USING (organization_id = current_setting('slipway.organization_id', true));

-- Null if the removed service is no data store that Slipway created.
ALTER TABLE service_removals ADD COLUMN store_type text;
